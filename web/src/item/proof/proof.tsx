/** What stands between the item and its landing: gates as they really ended, findings, and the one reason why not. */
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { read } from "../../api/client";
import type { Finding, NamedFinding, ItemView, LandingProspect, Proof as GateProof } from "../../api/types";
import { Icon } from "../../ui/icons";
import { dayTime, type IconName, lasted, type Tone } from "../words";
import "./proof.css";

export function Proof({ item }: { item: ItemView }) {
  const proofs = Array.isArray(item.evidence) ? item.evidence : [];
  const verdict = verdictOf(item, useProspect(item));
  const newest = new Map(proofs.map((proof) => [proof.gate, proof]));
  const earlier = proofs.filter((proof) => newest.get(proof.gate) !== proof).toReversed();
  const running = item.runs.filter((run) => run.gate && !run.ended_at);
  return (
    <div class="proof">
      <p class={`verdict tone-${verdict.tone}`} role="status"><Icon name={verdict.icon} /> {verdict.words}</p>
      {typeof item.evidence === "string" && <p class="quiet">{item.evidence}</p>}
      <h3>Gates</h3>
      {running.map((run) => <p key={run.run} class="gate"><span class="badge tone-work"><Icon name="dot" /> running</span> <b>{run.agent}</b></p>)}
      {!proofs.length && !running.length && <p class="quiet">No gate has run on it yet.</p>}
      {[...newest.values()].map((proof) => <Gate key={proof.gate} proof={proof} current={proof.head === item.head} open />)}
      {earlier.length > 0 && (
        <details class="proof-earlier">
          <summary>{earlier.length} earlier {earlier.length === 1 ? "run" : "runs"} of gates</summary>
          {earlier.map((proof) => <Gate key={proof.run} proof={proof} current={false} />)}
        </details>
      )}
      <Findings item={item} />
    </div>
  );
}

const LOOKS = {
  clear: { tone: "good", icon: "tick" },
  asks: { tone: "you", icon: "you" },
  red: { tone: "bad", icon: "bad" },
  waits: { tone: "wait", icon: "wait" },
} as const;

interface Verdict {
  tone: Tone;
  icon: IconName;
  words: string;
}

/** The rules' own verdict on the item as it is. Past versions and saved pages have none: then how it stands is all there is. */
function verdictOf(item: ItemView, told: LandingProspect | null): Verdict {
  if (item.landed) return { tone: "good", icon: "flag", words: `Landed on ${item.landed_on ?? "its branch"} as ${item.landed.slice(0, 10)}.` };
  if (!told) return { tone: "wait", icon: "wait", words: item.why };
  const said = `${told.why.charAt(0).toUpperCase()}${told.why.slice(1)}.`;
  if (told.stands === "over") return item.status === "done" ? { tone: "good", icon: "tick", words: said } : { tone: "wait", icon: "stop", words: said };
  return { ...LOOKS[told.stands], words: told.lands ? `Would land now on ${told.branch}.` : `Would not land now: ${told.why}.` };
}

function useProspect(item: ItemView): LandingProspect | null {
  const [told, setTold] = useState<LandingProspect | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    void read("prospect", { item: item.id }, stop.signal).then(setTold, () => setTold(null)); // then how it stands is said
    return () => stop.abort();
  }, [item.id, item.version, item.status, item.why]);
  return told;
}

function Gate({ proof, current, open }: { proof: GateProof; current: boolean; open?: boolean }) {
  const { evidence } = proof;
  const folded = useSignal(!open);
  return (
    <section class="gate">
      <p class="gate-head">
        <span class={`badge tone-${proof.green ? "good" : "bad"}`}><Icon name={proof.green ? "tick" : "cross"} /> {proof.green ? "green" : "red"}</span>
        <b>{proof.gate}</b>
        <span class="quiet">in {proof.column}{proof.at ? `, ${dayTime(proof.at)}` : ""}{current ? ", on the change as it is now" : ", on an earlier change"}</span>
        {evidence && <button class="button plain gate-fold" aria-expanded={!folded.value} onClick={() => (folded.value = !folded.value)}>{folded.value ? "Show" : "Hide"}</button>}
      </p>
      {evidence && !folded.value && (
        <>
          <pre class="gate-command"><code>{commandOf(evidence.command ?? [])}</code></pre>
          <p class="gate-facts quiet">
            exit {evidence.exit_code ?? "unknown"} · {lasted((evidence.seconds ?? 0) * 1000)}
            {evidence.tree && <> · tree <span class="mono">{evidence.tree.slice(0, 10)}</span></>}
            {evidence.commit && <> · commit <span class="mono">{evidence.commit.slice(0, 10)}</span></>}
          </p>
          {evidence.output?.trim() && <pre class="gate-output" tabIndex={0} aria-label={`Last lines of ${proof.gate}`}>{evidence.output.trimEnd()}</pre>}
        </>
      )}
      {!evidence && proof.summary && <p class="gate-facts" dir="auto">{proof.summary}</p>}
    </section>
  );
}

/** As one would type it. */
function commandOf(words: string[]): string {
  const [program = "", option, script] = words;
  if (words.length === 3 && option === "-c" && script && /(^|\/)(ba|da|z)?sh$/.test(program)) return script;
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What checking runs have asked for and nobody asks for any more. */
function closedOf(item: ItemView): Finding[] {
  const key = (finding: Finding) => `${finding.file ?? ""} ${finding.issue ?? ""}`;
  const open = new Set(item.findings.filter((finding) => !finding.fixed).map(key));
  const told = item.runs.filter((run) => !run.gate).flatMap((run) => run.report?.findings ?? []);
  const found = [...item.findings.filter((finding) => finding.fixed), ...told];
  return [...new Map(found.filter((one) => !open.has(key(one))).map((one) => [key(one), { ...one, fixed: one.fixed ?? "" }])).values()];
}

function Findings({ item }: { item: ItemView }) {
  const open = item.findings.filter((finding) => !finding.fixed);
  const closed = closedOf(item);
  return (
    <>
      <h3>Findings</h3>
      {!open.length && <p class="quiet">{closed.length ? "None is open." : "Nobody has found anything that must change."}</p>}
      <ul class="findings">{open.map((finding, at) => <Found key={at} finding={finding} />)}</ul>
      {closed.length > 0 && (
        <details class="proof-earlier">
          <summary>{closed.length} closed</summary>
          <ul class="findings">{closed.map((finding, at) => <Found key={at} finding={finding} />)}</ul>
        </details>
      )}
    </>
  );
}

function Found({ finding }: { finding: Finding | NamedFinding }) {
  const isClosed = finding.fixed !== null && finding.fixed !== undefined;
  const tone = isClosed ? "good" : finding.remark ? "wait" : "bad";
  const words = isClosed ? "closed" : finding.remark ? "remark" : (finding.severity ?? "open");
  return (
    <li class="finding">
      <span class={`badge tone-${tone}`}><Icon name={isClosed ? "tick" : finding.remark ? "talk" : "cross"} /> {words}</span>
      <span class="finding-words">
        {"id" in finding && <span class="mono quiet">{finding.id}</span>}
        <span dir="auto">{finding.issue}</span>
        {finding.file && <span class="mono finding-place">{finding.file}{finding.line ? `:${finding.line}` : ""}</span>}
        {finding.recommendation && <span class="quiet" dir="auto">{finding.recommendation}</span>}
        {finding.found_by?.length ? <span class="quiet">found by {finding.found_by.join(", ")}</span> : null}
        {finding.fixed && <span class="quiet" dir="auto">{finding.fixed}</span>}
      </span>
    </li>
  );
}
