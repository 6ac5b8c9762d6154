/** A question to a person, and its answer: by an option, by words, or both. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { ItemView, QuestionView } from "../api/types";
import { act, me, now } from "../live";
import { since, span } from "../ui/words";
import { useActing } from "./acting";
import { Refusal } from "../ui/refusal";
import { Icon } from "../ui/icons";

interface AnswerProps {
  question: QuestionView;
  filled: boolean;
  /** Its choices are shown at once; else a button opens them. */
  unfolded: boolean;
  take: (item: ItemView) => void;
}

export function Answer({ question, filled, unfolded, take }: AnswerProps) {
  const chosen = useSignal<string | null>(null);
  const words = useSignal("");
  const isOpen = useSignal(unfolded);
  const form = useRef<HTMLFormElement>(null);
  const acting = useActing();
  const byOption = question.takes === "option";
  const age = since(question.requested_at, now.value);
  const said = words.value.trim();
  const isWhole = chosen.value !== null || (!byOption && said !== "");
  const send = (event: Event) => {
    event.preventDefault();
    if (!isWhole) return;
    const request = chosen.value !== null
      ? { question: question.id, answer: chosen.value, ...(said ? { more: said } : {}) }
      : { question: question.id, answer: said, text: true };
    void acting.attempt(async () => take(await act("answer", request)));
  };
  const unfold = () => {
    isOpen.value = true;
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("input")?.focus());
  };
  return (
    <form class={isOpen.value ? "answer" : "answer answer-folded"} ref={form} onSubmit={send} aria-labelledby={`answer-${question.id}`}>
      <p class="answer-who">
        <Icon name="you" /> {question.agent_id === "folkmoot" ? "It needs a decision of yours" : `${question.agent_id} asks you`}
        {age !== null && <span class="quiet"> · {span(age)} ago</span>}
        {question.default && <span class="quiet"> · without an answer: {question.default}</span>}
      </p>
      <p class="answer-question" id={`answer-${question.id}`} dir="auto">{question.question}</p>
      {question.context && isOpen.value && <Context text={question.context} />}
      {!isOpen.value && <p><button type="button" class={filled ? "button main" : "button"} onClick={unfold}>{me.value?.canWrite ? "Answer …" : "See what it is about"}</button></p>}
      {me.value?.canWrite && isOpen.value && (
        <>
          {question.options.length > 0 && (
            <div class="answer-options" role="radiogroup" aria-labelledby={`answer-${question.id}`}>
              {question.options.map((option) => (
                <label class="answer-option" key={option.option}>
                  <input type="radio" name={`answer-${question.id}`} checked={chosen.value === option.option}
                    onChange={() => (chosen.value = option.option)} />
                  <span dir="auto">{option.option}</span>
                  {option.does && <span class="answer-does">{option.does}</span>}
                  {option.why_insufficient && <span class="answer-does">but: {option.why_insufficient}</span>}
                </label>
              ))}
            </div>
          )}
          <div class="answer-send">
            <input class="entry" type="text" value={words.value} aria-label={byOption || question.options.length ? "A word to it" : "Your answer"}
              placeholder={byOption ? "Add a word (not needed)" : question.options.length ? "Or in your own words" : "Your answer"}
              onInput={(event) => (words.value = event.currentTarget.value)} />
            <button class={filled ? "button main" : "button"} disabled={!isWhole || acting.busy.value}>Answer</button>
          </div>
          <Refusal problem={acting.problem.value} />
        </>
      )}
    </form>
  );
}

/** What one must know to decide. Long ones fold. */
function Context({ text }: { text: string }) {
  if (text.length < 400 && text.split("\n").length < 6) return <p class="answer-context" dir="auto">{text}</p>;
  return (
    <details class="answer-more">
      <summary>What led to it</summary>
      <p class="answer-context" dir="auto">{text}</p>
    </details>
  );
}
