/** What waits for a person, first of all: each question with its facts, and its options as buttons. */
import { useId, useState } from "preact/hooks";
import { Problem } from "../api/client";
import type { OptionView, QuestionView } from "../api/types";
import { go, me } from "../live";
import { cardOf } from "../live/board";
import { Icon } from "../ui/icons";
import { Refusal } from "../ui/refusal";
import { answer, open, sent } from "./answering";
import { Since } from "./card";
import "./needs.css";

export function Needs() {
  const all = open.value;
  if (!all.length) return null;
  return (
    <section class="needs" aria-labelledby="needs-title">
      <h2 id="needs-title" class="needs-title">
        <Icon name="you" /> Needs you <span class="needs-count">{all.length}</span>
        <span class="needs-key">
          <kbd>q</kbd> goes here
        </span>
      </h2>
      <div class="needs-list">
        {all.map((question) => (
          <Question key={question.id} question={question} />
        ))}
      </div>
    </section>
  );
}

function Question({ question }: { question: QuestionView }) {
  const heading = useId();
  const item = cardOf(question.task_id)?.value;
  const state = sent.value.get(question.id);
  const mayAct = me.value?.canWrite ?? false;
  return (
    <article class="question" data-question={question.id} tabIndex={0} aria-labelledby={heading}>
      <p class="question-from">
        <a href={`#/item/${question.task_id}`} onClick={() => go(`/item/${question.task_id}`)}>
          #{question.task_id} {item?.title ?? ""}
        </a>
        <span>{question.agent_id}</span>
        <Since then={question.requested_at} />
      </p>
      <h3 id={heading} class="question-words">
        {question.question}
      </h3>
      {question.context ? <Facts text={question.context} /> : null}
      {question.help ? <p class="question-facts">{question.help}</p> : null}
      {mayAct ? (
        <>
          <ol class="question-options">
            {question.options.map((option, at) => (
              <li key={at}>
                <Option option={option} number={at + 1} question={question} />
              </li>
            ))}
          </ol>
          {question.takes === "words" ? <Words question={question} /> : null}
        </>
      ) : null}
      {question.default ? <p class="question-facts">Without an answer it goes on with: {question.default}</p> : null}
      <Refusal problem={state instanceof Problem ? state : null} />
    </article>
  );
}

function Facts({ text }: { text: string }) {
  const isLong = text.length > 220 || text.split("\n").length > 3;
  const [isOpen, setOpen] = useState(!isLong);
  return (
    <div class="question-facts">
      <p class={isOpen ? "" : "is-cut"}>{text}</p>
      {isLong ? (
        <button type="button" class="question-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "less" : "more"}
        </button>
      ) : null}
    </div>
  );
}

function Option({ option, number, question }: { option: OptionView; number: number; question: QuestionView }) {
  const does = option.does ?? option.why_insufficient;
  return (
    <button type="button" class="question-option" onClick={() => void answer(question, String(number), false)}>
      <kbd>{number}</kbd>
      <span>
        {option.option}
        {does ? <small>{does}</small> : null}
      </span>
    </button>
  );
}

function Words({ question }: { question: QuestionView }) {
  const [text, setText] = useState("");
  return (
    <form
      class="question-own"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void answer(question, text.trim(), question.options.length > 0);
      }}
    >
      <input
        class="input"
        aria-label={`Answer to: ${question.question}`}
        placeholder={question.options.length ? "or in your own words" : "Your answer"}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button class="button" disabled={!text.trim()}>
        Answer
      </button>
    </form>
  );
}
