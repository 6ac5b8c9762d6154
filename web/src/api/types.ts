// Made by scripts/web_types.py from the structs of the contract. Do not change it by hand.

/** Accept a message as its receiver. */
export interface AcceptMessage {
  message: string;
}

/** Add an item. */
export interface Add {
  title: string;
  body?: string;
  column?: string | null;
  type?: string;
  priority?: string;
  tags?: (string)[];
  files?: (string)[];
  after?: (string)[];
  parent?: string | null;
  needs?: (string)[];
  parked?: boolean;
  issue?: IssueLink | null;
}

/** Comment on an item, or reply to a comment. */
export interface AddComment {
  content: string;
  item?: string | null;
  artifact?: string | null;
  target?: string | null;
  parent?: string | null;
  resolution?: string | null;
}

export interface Agent {
  name: string;
  ladder?: (Rung)[];
  escalate_to?: string | null;
  may?: (string)[];
  prompt?: string | null;
  instructions?: string;
  write?: "any" | "new_tests" | "none" | "own";
  timeout?: number | null;
  experts?: (string)[];
  expert?: boolean;
  run?: Record<string, unknown>;
  setup?: ((string)[])[];
  network?: boolean;
  needs?: (string)[];
}

/** Answer a question, by an option's number, its words or how they begin; or in words. */
export interface AnswerQuestion {
  question: string;
  answer: string;
  to?: string | null;
  more?: string;
  text?: boolean;
}

export interface ArtifactView {
  name: string;
  column: string;
  agent: string;
  run: string;
  path?: string | null;
}

/** Ask a person in the middle of a run, and go on. */
export interface AskPerson {
  question: string;
  context?: string;
  options?: (string)[];
}

export interface AskedQuestion {
  question: string;
  context?: string | null;
  options?: (Choice)[];
  help?: string | null;
  blocking?: boolean;
  default?: string | null;
}

export interface AttemptView {
  attempt: number;
  kind: string;
  model: string | null;
  agent: string;
  cause: "capability" | "conflict" | "environment" | "fatal" | "integration" | "protocol" | "quota" | "requirement" | "size" | "timeout" | "transient" | "outage" | "gate" | null;
  reason: string;
  approach: string | null;
  outcome: string | null;
  why_different: string | null;
  counted: boolean;
  ground: string;
  run: string;
}

/** Items that could be worked on and begin no run, all for the same reason. */
export interface Blocked {
  why: "held" | "label" | "no_run" | "paused" | "resting" | "starts" | "unable";
  reason: string;
  pause: PauseView | null;
  agents: (string)[];
  items: (string)[];
  until?: string | null;
  labels?: (string)[];
}

/** What could be worked on and begins no run, and why; and the runs that go on, with their leases. */
export interface BlockedItems {
  blocked: (Blocked)[];
  runs: (LiveRun)[];
}

/** How the board stands, in few words. */
export interface BoardStatus {
  flow: string;
  counts: Record<string, number>;
  runs: (LiveRun)[];
  questions: (QuestionView)[];
  pauses: (PauseView)[];
  blocked: (Blocked)[];
  today: Today;
  lost?: (LostWork)[];
}

/** The board at one moment. */
export interface BoardView {
  flow: string;
  seq: number;
  whole: boolean;
  columns: (string)[];
  kinds: Record<string, "backflow" | "dispute" | "escalation" | "flow">;
  start: string;
  totals: Record<string, number>;
  open: Record<string, number>;
  items: (Card)[];
  next: number | null;
  questions: (QuestionView)[];
  runs: (LiveRun)[];
  pauses: (PauseView)[];
  windows: (WindowLine)[];
  blocked: (Blocked)[];
  messages: (MessageView)[];
  aside?: string | null;
  lost?: (string)[];
  in_the_way?: (string)[];
}

/** What agents may use up: money, tokens and running time, on one item and on one day. None: no limit. */
export interface Budget {
  item_usd?: number | null;
  day_usd?: number | null;
  item_tokens?: number | null;
  day_tokens?: number | null;
  item_time?: number | null;
  day_time?: number | null;
}

/** A budget of the flow, and how far it is used up; of `item`, by the item that has used most. */
export interface BudgetLine {
  of: "day" | "item";
  unit: "seconds" | "tokens" | "usd";
  used: number;
  most: number;
  item: string | null;
  unknown?: boolean;
  alike?: number | null;
  again?: boolean;
}

/** End an item without its work. */
export interface Cancel {
  item: string;
  version?: number | null;
  why?: string;
}

/** An item as a board shows it. */
export interface Card {
  id: string;
  title: string;
  column: string;
  status: "blocked" | "proving" | "ready" | "running" | "waiting" | "awaiting-divine-guidance" | "needs-human-review" | "parked" | "cancelled" | "done" | "failed";
  priority: "critical" | "high" | "low" | "medium";
  tags: (string)[];
  needs: (string)[];
  runs_on: (string)[];
  after: (string)[];
  waits_for: (string)[];
  kind: "dispatch" | "expert" | "item" | "part" | "sub" | "task";
  parent: string | null;
  agent: string | null;
  watcher: string | null;
  taken: string | null;
  blocked_by: string | null;
  pause: number | null;
  failure_count: number;
  dispute_rounds: number;
  dispute_agents: (string)[];
  escalation_tier: number;
  cost_usd: number | null;
  why: string;
  version: number;
  updated_at: string | null;
  since: string | null;
  model: string | null;
  rung: number | null;
  rungs: number | null;
  iteration: number;
  max_rounds: number;
  questions: (string)[];
  runs_begun: number;
  findings_open: number;
  landed: string | null;
  lines_added: number | null;
  lines_removed: number | null;
}

export interface Change {
  path: string;
  how: string;
}

/** Look whether the store, the log's chain and the workers are sound; it takes two seconds at most. */
export interface CheckHealth {
  whole?: boolean;
}

export interface Choice {
  option: string;
  why_insufficient?: string | null;
}

/** The next item for an agent, with its brief; without one, for any agent of the flow. With `clone` a clone is made for the work: the report takes in what was changed there. */
export interface Claim {
  agent?: string | null;
  column?: string | null;
  item?: string | null;
  lease?: number | null;
  worker?: string;
  show?: boolean;
  clone?: boolean;
  agents_only?: boolean;
}

/** A run that has just begun: its lease, its item, and what its agent is told. */
export interface ClaimView {
  run: string;
  token: number;
  agent: string;
  model: string | null;
  lease_expires_at: string | null;
  workspace: string | null;
  item: ItemView | null;
  brief: Record<string, unknown>;
  bearer?: string;
  prompt?: string | null;
  base?: string | null;
}

/** A program that runs agents: how it is started, what it is heard to say, and what passes into its environment. Everything may be left out for a client that Folkmoot knows by its name. */
export interface Client {
  env?: (string)[];
  files?: (string)[];
  set?: Record<string, string>;
  command?: (string)[];
  acp?: (string)[];
  speaks?: string | null;
  permissions?: string;
}

/** What the clone of a run gets beside the project's files, so that the project runs in it. */
export interface Clone {
  setup?: ((string)[])[];
  setup_from?: (string)[];
  teardown?: ((string)[])[];
  ports?: number;
}

export interface Column {
  name: string;
  agents?: (string)[];
  next?: string | null;
  fix?: string | null;
  kind?: "backflow" | "dispute" | "escalation" | "flow";
  human?: boolean;
  gate?: (string)[];
  on_red?: string | null;
  tags?: (string)[];
  work?: string | null;
}

/** Where the time of items that agents worked on went, in one column; what stands there still is counted so far. */
export interface ColumnFigure {
  column: string;
  items: number;
  worked_seconds: number;
  proved_seconds: number;
  waited_seconds: number;
  asked_seconds: number;
}

export interface CommentView {
  id: string;
  author: string;
  timestamp: string | null;
  artifact: string | null;
  target: string | null;
  content: string;
  parent: string | null;
  status: "open" | "resolved";
  resolution: "accepted" | "rejected" | null;
}

export interface Comments {
  comments: (CommentView)[];
  next?: string;
}

/** Complete a message that was accepted. */
export interface CompleteMessage {
  message: string;
}

/** A part of the board: whether it is sound, and in words what was looked at, or what is wrong. */
export interface Component {
  name: string;
  ok: boolean;
  warning: boolean;
  words: string;
}

/** What several tasks rely on, in words or code. */
export interface Contract {
  name: string;
  text?: string;
}

export interface ContractView {
  name: string;
  text: string;
}

/** A day (UTC, as budgets count). An item has landed on the day on which its last run ended with it done. */
export interface DayFigure {
  day: string;
  added: number;
  landed: number;
  asked: number;
}

/** Help asked of an expert (`to` names one), of another agent, or of a sub-agent. */
export interface Delegation {
  task: string;
  to?: string | null;
  scope?: string | null;
}

/** What happened since a moment, and what waits for a person now. */
export interface Digest {
  flow: string;
  since: string | null;
  until: string | null;
  seq: number;
  landed: (DigestItem)[];
  done: (DigestItem)[];
  cancelled: (DigestItem)[];
  questions: (QuestionView)[];
  pauses: (PauseView)[];
  counts: Record<string, number>;
  total: UsageLine;
  agents: (UsageLine)[];
  failed: number;
  lessons: (LessonView)[];
  lost?: (LostWork)[];
}

/** An item that ended. */
export interface DigestItem {
  item: string;
  title: string;
  status: "cancelled" | "done" | "failed";
  at: string | null;
  branch: string | null;
  commit: string | null;
  cost_usd: number | null;
  unpriced: number;
  why: string;
}

/** Give an agent a small thing to do; the answer is the new item. */
export interface Dispatch {
  agent: string;
  task: string;
  purpose?: string;
}

/** An unfinished item that a run has sent for. */
export interface Dispatched {
  item: string;
  agent: string;
}

export interface Dropped {
  agent: string;
  files: (string)[];
}

/** Change what an item says, or turn round the verdict on one of its attempts. */
export interface Edit {
  item: string;
  version?: number | null;
  title?: string;
  body?: string;
  type?: string;
  priority?: string;
  tags?: (string)[];
  files?: (string)[];
  after?: (string)[];
  needs?: (string)[];
  overrule?: number;
}

/** End the run that is at work on an item. What it made is kept, the next run begins anew, nothing is counted. */
export interface EndRun {
  item: string;
  version?: number | null;
  why?: string;
}

export interface Escalations {
  escalation_tracking: Record<string, Tracking>;
  pending_divine_questions: (PendingQuestion)[];
}

/** Events in the order of their commits; `next` is the number of the last one, to go on from. */
export interface EventPage {
  events: (EventView)[];
  next: number;
  last: number;
}

export interface EventView {
  seq: number;
  timestamp: string | null;
  event: "agent_completed" | "agent_dispatched" | "agent_resumes_with_guidance" | "agent_seeks_guidance" | "agent_started" | "attempt_counted" | "attempt_noted" | "attempt_overruled" | "attempt_repeated" | "board_resumed" | "board_stopped" | "budget_spent" | "changes_asked" | "child_added" | "clock_restarted" | "comment_added" | "comment_resolved" | "comment_restated" | "contract_changed" | "deadline_passed" | "default_taken" | "dependency_done" | "dependency_reopened" | "dispute_answered" | "dispute_opened" | "dispute_settled" | "divine_clarification_received" | "divine_response_received" | "error_occurred" | "escalation_counters_reset" | "escalation_triggered" | "expert_unsuccessful" | "finding_set_aside" | "flow_adopted" | "gate_called" | "gate_failed" | "gate_passed" | "gates_waived" | "handoff_accepted" | "handoff_completed" | "handoff_created" | "handoff_rejected" | "issue_noted" | "item_added" | "item_cancelled" | "item_done" | "item_edited" | "item_failed" | "item_moved" | "item_parked" | "item_ranked" | "item_ready" | "item_reopened" | "item_rests" | "item_resumed" | "item_unbound" | "items_counted" | "landing_called" | "landing_deferred" | "landing_dropped" | "landing_failed" | "landing_found" | "landing_recorded" | "lease_renewed" | "lesson_learned" | "output_received" | "parts_dealt" | "parts_merged" | "paths_held" | "paths_released" | "paths_wanted" | "phase_completed" | "pool_paused" | "proposal_answered" | "proposal_seen" | "question_withdrawn" | "report_refused" | "run_lapsed" | "run_paused" | "run_released" | "run_revoked" | "run_stopped" | "sentence_heard" | "sentence_said" | "setup_ended" | "verdict_given" | "work_delegated" | "work_dropped" | "work_kept" | "work_landed" | "work_left_incomplete" | "work_proposed" | "work_refused" | "work_split" | "work_waits";
  item: string | null;
  run: string | null;
  agent: string | null;
  context: Record<string, unknown>;
}

/** How a gate's command really ended, and on what. */
export interface Evidence {
  gate: string;
  green: boolean;
  command?: (string)[];
  check?: string;
  exit_code?: number | null;
  seconds?: number;
  commit?: string | null;
  tree?: string | null;
  output?: string;
  before?: string;
  beside?: (string)[];
}

/** What happened since a moment, for plots. All of it is of one moment. */
export interface Figures {
  since: string | null;
  until: string | null;
  runs: (RunFigure)[];
  left_out: number;
  titles: Record<string, string>;
  days: (DayFigure)[];
  columns: (ColumnFigure)[];
  slots: number;
}

/** A file that an item changed; lines are None of what is not text. */
export interface FileChange {
  path: string;
  how: string;
  added: number | null;
  removed: number | null;
}

export interface Files {
  created?: (string)[];
  modified?: (string)[];
}

/** One run, by its id, by how the id begins, or by an item: then its latest. */
export interface FindRun {
  run: string;
}

export interface Finding {
  kind?: "review" | "security" | "test";
  severity?: "critical" | "high" | "low" | "medium";
  issue?: string;
  file?: string | null;
  line?: number | null;
  recommendation?: string | null;
  test?: string | null;
  exploit?: string | null;
  category?: string | null;
  why?: string | null;
  found_by?: (string)[];
  wordings?: (string)[];
  remark?: boolean;
  fixed?: string | null;
  unheard?: string | null;
}

/** `dict`: what follows from the fields alone is found out once. */
export interface Flow {
  name: string;
  start: string;
  columns: Record<string, Column>;
  agents: Record<string, Agent>;
  limits?: Limits;
  reasons?: Record<string, string>;
  questions?: QuestionPolicy;
  discover?: string | null;
  arbiter?: string | null;
  gates?: Record<string, Gate>;
  messages?: Record<string, MessageRule>;
  models?: Record<string, Model>;
  pools?: Record<string, Pool>;
  clients?: Record<string, Client>;
  notify?: (string)[];
  notices?: (Target)[];
  budget?: Budget;
  target?: string;
  remote?: string | null;
  land?: Land;
  widen?: string | (string)[];
  mirror?: string | null;
  mirror_people?: (string)[];
  mirror_shown?: boolean;
  clone?: Clone;
  secrets?: SecretPolicy;
  sandbox?: string;
}

/** Items in which words are said, what changed last first, and for each where that is. */
export interface Found {
  items: (ItemSummary)[];
  matches: Record<string, string>;
}

/** What the handoff document measures; of workflows by their type, the sums. */
export interface FourMetrics {
  time_per_agent: Record<string, number>;
  workflows: Record<string, number>;
  handoffs_per_workflow: Record<string, number>;
  handoffs: Record<string, number>;
  fix_iterations: Record<string, number>;
  escalated: Record<string, number>;
  escalation_rate: number | null;
}

/** A check of the user's own: a run like any other, that a script can play. */
export interface Gate {
  name: string;
  run?: (string)[];
  timeout?: number | null;
  setup?: ((string)[])[];
  network?: boolean;
  needs?: (string)[];
}

/** A board in numbers. All of it is of one moment, but for `metrics`, which may be some seconds old. */
export interface Gauges {
  flow: string;
  seq: number;
  items: (ItemGauge)[];
  runs: (RunGauge)[];
  spent: (SpentGauge)[];
  queues: (QueueGauge)[];
  live: (LiveGauge)[];
  next_lease_end: number | null;
  open_questions: number;
  oldest_question_seconds: number | null;
  pauses: (string)[];
  locks: number;
  rows: Record<string, number>;
  metrics: FourMetrics;
}

/** A person's answer. Where any words are one, `options`, `context` and `help` are what they may refer to: "the second", or "yes" to what would help. */
export interface Guidance {
  question: string;
  answer: string;
  by: string;
  options?: (string)[];
  context?: string;
  help?: string;
}

/** `ok` where every component is. `left`: so many events of the log are still to be proved by further calls with `whole`; 0 where it is through, or nobody asked for it. */
export interface Health {
  ok: boolean;
  components: (Component)[];
  left: number;
}

/** What people have said to this run since it was last told; each sentence is told once. */
export interface Hear {

}

export interface HoldView {
  resource: string;
  agent: string;
  item: string | null;
  run: string | null;
  acquired: string | null;
  expires: string | null;
}

/** What waits for a person: open questions, and messages about no item that nobody has taken up yet. */
export interface Inbox {
  questions: (QuestionView)[];
  messages: (MessageView)[];
}

/** Which issue it is. */
export interface IssueLink {
  forge?: "github" | "gitlab";
  repository: string;
  number: number;
  url: string;
  node?: string;
}

/** What an item has changed, as git shows it; places of secrets are marked. */
export interface ItemChange {
  item: string;
  title: string;
  status: string;
  base: string | null;
  commit: string;
  landed_on: string | null;
  files: (FileChange)[];
  diff: string;
  run?: string | null;
  cut?: boolean;
}

export interface ItemGauge {
  column: string;
  status: string;
  items: number;
}

/** Items in the order they were added, and the cursor of the next page. */
export interface ItemPage {
  items: (ItemSummary)[];
  next: number | null;
}

/** The short form of a list. */
export interface ItemSummary {
  id: string;
  title: string;
  column: string;
  status: "blocked" | "proving" | "ready" | "running" | "waiting" | "awaiting-divine-guidance" | "needs-human-review" | "parked" | "cancelled" | "done" | "failed";
  priority: "critical" | "high" | "low" | "medium";
  tags: (string)[];
  needs: (string)[];
  runs_on: (string)[];
  after: (string)[];
  waits_for: (string)[];
  kind: "dispatch" | "expert" | "item" | "part" | "sub" | "task";
  parent: string | null;
  agent: string | null;
  watcher: string | null;
  taken: string | null;
  blocked_by: string | null;
  pause: number | null;
  failure_count: number;
  dispute_rounds: number;
  dispute_agents: (string)[];
  escalation_tier: number;
  cost_usd: number | null;
  why: string;
}

/** The whole item. */
export interface ItemView {
  id: string;
  title: string;
  column: string;
  status: "blocked" | "proving" | "ready" | "running" | "waiting" | "awaiting-divine-guidance" | "needs-human-review" | "parked" | "cancelled" | "done" | "failed";
  priority: "critical" | "high" | "low" | "medium";
  tags: (string)[];
  needs: (string)[];
  runs_on: (string)[];
  after: (string)[];
  waits_for: (string)[];
  kind: "dispatch" | "expert" | "item" | "part" | "sub" | "task";
  parent: string | null;
  agent: string | null;
  watcher: string | null;
  taken: string | null;
  blocked_by: string | null;
  pause: number | null;
  failure_count: number;
  dispute_rounds: number;
  dispute_agents: (string)[];
  escalation_tier: number;
  cost_usd: number | null;
  why: string;
  body: string;
  type: "bugfix" | "feature" | "refactor";
  files: (string)[];
  children: (string)[];
  dispatched: (Dispatched)[];
  dispatched_by: string | null;
  contracts: (ContractView)[];
  integration_points: Record<string, unknown>;
  spec: string | null;
  constraints: (string)[];
  purpose: string | null;
  outputs: (OutputView)[];
  tests: Tests | null;
  holds: (string)[];
  failure_history: (AttemptView)[];
  incomplete_count: number;
  escalation_reason: string | null;
  escalation_tracking: Tracking;
  flag: string | null;
  told: string | null;
  dropped: (Dropped)[];
  iteration: number;
  max_rounds: number;
  artifacts: (ArtifactView)[];
  comments: (CommentView)[];
  findings: (NamedFinding)[];
  questions: (QuestionView)[];
  guidance: (Guidance)[];
  said: (SentenceView)[];
  runs: (RunView)[];
  head: string | null;
  branch: string | null;
  proposal: Proposal | null;
  issue: IssueLink | null;
  landed: string | null;
  landed_on: string | null;
  evidence: (Proof)[] | string | null;
  version: number;
  created_at: string | null;
  updated_at: string | null;
  acted?: (Statement)[];
  kept?: (Statement)[];
  reason_does?: string;
  note?: string;
}

/** How finished work comes to the branch it is for: moved there, or proposed to people as a pull request. */
export interface Land {
  mode?: "branch" | "pr";
  batch?: number;
  remote?: string | null;
  branch?: string;
  draft?: boolean;
  checks?: "required";
  merge?: "never" | "when_green";
  forge?: "github" | "gitlab" | null;
  command?: (string)[];
  repository?: string | null;
  api?: string | null;
}

/** Whether an item's work would land now, as it is; else the one thing that stands first in its way. */
export interface LandingProspect {
  item: string;
  version: number;
  lands: boolean;
  stands: "asks" | "clear" | "over" | "red" | "waits";
  why: string;
  by: string | null;
  branch: string;
}

export interface LessonView {
  id: string;
  text: string;
  agent: string;
  item: string;
  run: string;
  files: (string)[];
  timestamp: string | null;
}

/** What runs have learnt, the newest first. */
export interface Lessons {
  lessons: (LessonView)[];
}

/** How often each thing may happen; time spans are seconds. */
export interface Limits {
  slots?: number;
  attempts?: number | null;
  own_attempts?: number;
  executions?: number;
  dispute_rounds?: number;
  disputes?: number;
  feedback_rounds?: number;
  repeats?: number;
  splits?: number;
  runs?: number;
  lease?: number;
  timeout?: number;
  silence?: number;
  after_report?: number;
  starve?: number;
  starts?: number | null;
  window?: number;
  items?: number;
  messages?: number;
  comments?: number;
  questions?: number;
  memory?: number | null;
  processes?: number | null;
  open_files?: number | null;
  disk?: number | null;
  change_files?: number;
  change_bytes?: number;
}

/** The comments on an item. */
export interface ListComments {
  item: string;
}

/** A page of items, in the order they were added. */
export interface ListItems {
  column?: string | null;
  tag?: string | null;
  status?: string | null;
  open?: boolean;
  after?: number;
}

/** What runs have learnt, the newest first. */
export interface ListLessons {
  agent?: string | null;
  limit?: number;
}

/** Every hold on paths that is in force. */
export interface ListLocks {

}

/** Messages, in the order they were sent. */
export interface ListMessages {
  to?: string | null;
  status?: string | null;
  item?: string | null;
}

/** What begins no runs now. */
export interface ListPauses {

}

/** The open questions, oldest first. */
export interface ListQuestions {

}

/** The runs that go on now. */
export interface ListRuns {

}

/** The tokens of this board: names, roles and ends. */
export interface ListTokens {

}

/** The workers that live, as far as this machine and the runs on the board tell. */
export interface ListWorkers {

}

export interface LiveGauge {
  agent: string;
  runs: number;
  late: number;
}

/** A run and its item. */
export interface LiveRun {
  run: string;
  token: number;
  agent: string;
  column: string;
  model: string | null;
  person: string | null;
  cloned: boolean;
  worker: string;
  started_at: string | null;
  ended_at: string | null;
  end: "released" | "reported" | "rescued" | "revoked" | null;
  outcome: "asks" | "changes_requested" | "delegates" | "disputed" | "done" | "failed" | "incomplete" | "split" | "stuck" | "released" | "revoked" | null;
  cause: "capability" | "conflict" | "environment" | "fatal" | "integration" | "protocol" | "quota" | "requirement" | "size" | "timeout" | "transient" | "outage" | "gate" | null;
  cost_usd: number | null;
  tokens: number | null;
  setup_seconds: number | null;
  setup_kept: boolean;
  gate: boolean;
  sandboxed: boolean | null;
  commit: string | null;
  ref: string | null;
  changed: (Change)[];
  dropped: boolean;
  report: Report | null;
  refused: Report | null;
  refused_for: string | null;
  acted: (Statement)[];
  kept: (Statement)[];
  item: string;
  lease_expires_at?: string | null;
  pool?: string | null;
  host?: string | null;
  time_limit?: number | null;
  silence_limit?: number | null;
  doing?: string | null;
  last_output_at?: string | null;
}

export interface LiveRuns {
  runs: (LiveRun)[];
}

/** Keep others off these paths, all or none. */
export interface Lock {
  paths: (string)[];
  seconds: number;
}

/** Every hold in force: what items own while they are worked on, and what runs and people have locked. */
export interface Locks {
  locks: (HoldView)[];
  note?: string;
}

/** A code that signs one browser in, once. */
export interface LoginCode {
  code: string;
  path: string;
  expires_at: string | null;
}

/** Work that landed, and that its branch does not hold any more. */
export interface LostWork {
  item: string;
  title: string;
  branch: string;
  commit: string;
  brings_back: string;
  last: boolean;
  undone_by?: string | null;
}

/** Make a code for a browser: its link can be opened once, within ten minutes. */
export interface MakeLoginCode {
  observer?: boolean;
}

/** Make a token for somebody who speaks to the board through HTTP or MCP. It is told once. */
export interface MakeToken {
  name: string;
  role?: string;
  days?: number | null;
}

export interface Me {
  name: string;
  role: "observer" | "owner" | "person" | "run";
  board: string;
  flow: string;
  version: string;
}

/** How long agents worked, how often work changed hands or came back, what it cost. */
export interface Measure {
  item?: string | null;
}

/** Who may send a type of message to whom; `any` is everybody, `orchestrator` the rules themselves. */
export interface MessageRule {
  senders?: (string)[];
  receivers?: (string)[];
}

/** The envelope of the documents. */
export interface MessageView {
  schema_version: string;
  message_id: string;
  timestamp: string | null;
  from: string;
  to: string;
  type: string;
  priority: "critical" | "high" | "low" | "medium";
  payload: Record<string, unknown>;
  context: Record<string, unknown>;
  status: "accepted" | "completed" | "pending" | "rejected";
  item: string | null;
  run: string | null;
  why: string | null;
  note?: string;
}

export interface Messages {
  messages: (MessageView)[];
}

export interface Metrics {
  time_per_agent: Record<string, number>;
  handoffs_per_workflow: Record<string, number>;
  fix_iterations: Record<string, number>;
  escalation_rate: number;
  by_workflow: Record<string, TypeCounts>;
  success_rate: number | null;
  workflows: WorkflowCounts;
  runs: RunCounts;
  questions: QuestionCounts;
  cost_usd: number;
  cost_per_agent: Record<string, number>;
}

/** What the name of a rung means. */
export interface Model {
  client?: string | null;
  id?: string | null;
  pool?: string | null;
  price?: Price | null;
}

/** Put an item into another column. */
export interface Move {
  item: string;
  version?: number | null;
  column: string;
  why?: string;
}

/** What would come of moving the item into a column now. */
export interface MoveView {
  column: string;
  allowed: boolean;
  code: string | null;
  why: string;
  resets: (string)[];
}

export interface Moves {
  item: string;
  version: number;
  moves: (MoveView)[];
}

export interface NamedArtifact {
  name: string;
  path?: string | null;
}

/** A finding, and the short name by which people speak of it. */
export interface NamedFinding {
  kind?: "review" | "security" | "test";
  severity?: "critical" | "high" | "low" | "medium";
  issue?: string;
  file?: string | null;
  line?: number | null;
  recommendation?: string | null;
  test?: string | null;
  exploit?: string | null;
  category?: string | null;
  why?: string | null;
  found_by?: (string)[];
  wordings?: (string)[];
  remark?: boolean;
  fixed?: string | null;
  unheard?: string | null;
  id: string;
}

/** The only time that the token itself is told. */
export interface NewToken {
  name: string;
  role: "observer" | "owner" | "person" | "run";
  made_at: string | null;
  expires_at: string | null;
  state: "expired" | "good" | "revoked";
  token: string;
  note?: string;
}

/** Have the form of a report looked at, of which the end of the run's process will make the report. */
export interface OfferReport {
  report: Report;
  fault?: string | null;
}

export interface OptionView {
  option: string;
  why_insufficient: string | null;
  to: string | null;
  effect: string | null;
  does: string | null;
}

export interface OutputPart {
  part: number;
  text: string;
}

/** What a child ended with. */
export interface OutputView {
  agent: string;
  kind: "dispatch" | "expert" | "item" | "part" | "sub" | "task";
  outcome: "asks" | "changes_requested" | "delegates" | "disputed" | "done" | "failed" | "incomplete" | "split" | "stuck";
  title?: string;
  summary?: string;
  findings?: (Finding)[];
  comments?: (Remark)[];
  tests?: Tests | null;
  files?: (string)[];
  next_steps?: (string)[];
  integration_points?: Record<string, unknown>;
  run?: string;
  report?: Record<string, unknown>;
  dropped?: (string)[];
  interfaces?: (string)[];
  cut?: boolean;
  attempts?: (Try)[];
  blockers?: string;
  claimed?: string;
  item: string;
}

/** Put an item aside: nobody works on it before a person takes it up again. Nothing is counted or reset, and what it is split into goes on. Refused while somebody works on it. */
export interface Park {
  item: string;
  version?: number | null;
  why?: string;
}

/** The board as it was after an event. Messages are left out. */
export interface Past {
  seq: number;
  last: number;
  at: string | null;
  board: BoardView;
  item: ItemView | null;
}

/** Let no run begin any more. */
export interface Pause {
  why?: string;
  now?: boolean;
}

export interface PauseView {
  what: string;
  until: string | null;
  why: string;
  by: string;
  since: string | null;
  cause: "environment" | "outage" | "quota" | null;
  login: boolean;
  question: string | null;
  now?: boolean;
}

/** What begins no runs now. */
export interface Pauses {
  pauses: (PauseView)[];
}

/** An open question in the shape of the escalation document, with the id by which it is answered. */
export interface PendingQuestion {
  id: string;
  task_id: string;
  agent_id: string;
  question: string;
  context: string;
  options: (string)[];
  requested_at: string | null;
}

/** What must change, and where. */
export interface PersonFinding {
  text: string;
  file?: string | null;
  line?: number | null;
  severity?: "critical" | "high" | "low" | "medium";
}

export interface Pool {
  slots?: number | null;
}

/** A message that stands inside a report, in the documents' envelope: it is sent with the report. */
export interface Posted {
  type: string;
  sender?: string;
  to?: string;
  message_id?: string | null;
  timestamp?: string | null;
  schema_version?: string;
  priority?: string | null;
  payload?: Record<string, unknown>;
  context?: Record<string, unknown>;
  status?: string | null;
}

/** What a model costs: dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cached?: number | null;
}

/** A gate that ran. */
export interface Proof {
  gate: string;
  column: string;
  green: boolean;
  run: string;
  summary?: string;
  commit?: string | null;
  at?: number;
  evidence?: Evidence | null;
  head?: string | null;
}

/** A pull request of the board's, and the commit that it was opened or last renewed for. */
export interface Proposal {
  number: number;
  url: string;
  branch: string;
  commit: string;
  node?: string;
  tree?: string | null;
  head?: string | null;
  onto?: string;
  base?: string | null;
  run?: string;
  at?: number;
  state?: "changed" | "closed" | "merged" | "open";
  renew?: boolean;
  found?: string | null;
  taking?: string | null;
  taken?: (Taken)[];
  heard?: (string)[];
  question?: string | null;
  stands?: string;
  refused?: string;
  refused_at?: number;
}

export interface QuestionCounts {
  asked: number;
  open: number;
  answered: number;
  seconds_to_answer: number | null;
}

export interface QuestionPolicy {
  pause_all?: boolean;
  notice?: "divine" | "plain";
  deadline?: number | null;
  critical?: boolean;
}

export interface QuestionView {
  id: string;
  task_id: string;
  agent_id: string;
  kind: "budget" | "clarification" | "conflict" | "decision" | "dispute";
  question: string;
  context: string;
  help: string | null;
  options: (OptionView)[];
  takes: string;
  blocking: boolean;
  default: string | null;
  state: "answered" | "defaulted" | "open" | "withdrawn";
  answer: string | null;
  answered_by: string | null;
  requested_at: string | null;
}

export interface Questions {
  questions: (QuestionView)[];
}

export interface QueueGauge {
  agent: string;
  items: number;
  oldest_seconds: number | null;
}

/** What landed, what waits for a person, what it cost and what was learned. `since` is a span back from now (`12h`), a day (`yesterday`, `2026-11-18`) or a moment. */
export interface ReadDigest {
  since?: string;
}

/** Runs with their times and waits, what landed on each day, where the time went: what plots are drawn from. */
export interface ReadFigures {
  since?: string;
  item?: string | null;
}

/** The board in numbers, for monitoring: quick on a large board too. */
export interface ReadGauges {

}

/** The events after a number, in the order of their commits. */
export interface ReadLog {
  after?: number;
  item?: string | null;
  limit?: number;
}

/** What a run printed, as far as it was kept. `run` may be the beginning of its id, or an item: then its latest. With `said` also line by line as a person reads it; with `prompt` instead what its agent was told. */
export interface ReadOutput {
  run: string;
  after?: number;
  said?: boolean;
  prompt?: boolean;
}

/** What runs have used up: tokens, money where anybody can tell it, time; with budgets and windows of quota. */
export interface ReadUsage {
  by?: "agent" | "day" | "item" | "model" | "pool" | "run";
  since?: string | null;
  item?: string | null;
}

/** Reject a message; a run that does so disputes it. */
export interface RejectMessage {
  message: string;
  why: string;
}

/** Give a run's item back. */
export interface Release {

}

/** A comment that a report carries. */
export interface Remark {
  content: string;
  artifact?: string | null;
  target?: string | null;
  parent?: string | null;
  resolution?: "accepted" | "rejected" | null;
  status?: "open" | "resolved" | null;
  id?: string | null;
  author?: string | null;
  timestamp?: string | null;
}

/** Keep a run's lease. */
export interface Renew {

}

/** Take up an item again that has ended. */
export interface Reopen {
  item: string;
  version?: number | null;
  why?: string;
}

export interface Report {
  outcome: "asks" | "changes_requested" | "delegates" | "disputed" | "done" | "failed" | "incomplete" | "split" | "stuck";
  summary?: string;
  commit?: string | null;
  files?: Files;
  artifacts?: (NamedArtifact)[];
  findings?: (Finding)[];
  tests?: Tests | null;
  comments?: (Remark)[];
  attempts?: (Try)[];
  cause?: "capability" | "conflict" | "environment" | "fatal" | "integration" | "protocol" | "quota" | "requirement" | "size" | "timeout" | "transient" | "outage" | "gate" | null;
  reason?: string | null;
  escalation_reason?: string | null;
  blockers?: string | null;
  question?: AskedQuestion | null;
  tasks?: (Task)[];
  contracts?: (Contract)[];
  integration_points?: Record<string, unknown>;
  interfaces?: (string)[];
  delegate?: (Delegation)[];
  next_steps?: (string)[];
  lessons?: (string)[];
  usage?: Usage | null;
  messages?: (Posted)[];
  extra?: Record<string, unknown>;
  implied?: boolean;
}

/** Ask for more files than the run's item declared. */
export interface RequestFiles {
  paths: (string)[];
}

/** Let runs begin again. */
export interface Resume {
  pool?: string | null;
}

/** Take a token back; whoever shows it from now on is refused. */
export interface RevokeToken {
  name: string;
}

export interface RunCounts {
  total: number;
  open: number;
  outcomes: Record<string, number>;
  wasted: number;
  wasted_rate: number;
  gates?: number;
}

/** A run as a bar on an axis of time, with the wait before it. */
export interface RunFigure {
  run: string;
  item: string;
  agent: string;
  model: string | null;
  pool: string | null;
  column: string;
  worker: string;
  gate: boolean;
  begun_at: string | null;
  ended_at: string | null;
  outcome: "asks" | "changes_requested" | "delegates" | "disputed" | "done" | "failed" | "incomplete" | "split" | "stuck" | "released" | "revoked" | null;
  cause: "capability" | "conflict" | "environment" | "fatal" | "integration" | "protocol" | "quota" | "requirement" | "size" | "timeout" | "transient" | "outage" | "gate" | null;
  cost_usd: number | null;
  tokens: number | null;
  seconds: number;
  waited_seconds: number;
  asked_seconds: number;
}

/** Runs that have ended. */
export interface RunGauge {
  agent: string;
  kind: string;
  outcome: string;
  end: string;
  runs: number;
}

/** What a run printed, as far as it was kept. */
export interface RunOutput {
  run: string;
  agent: string;
  model: string | null;
  item: string;
  live: boolean;
  parts: (OutputPart)[];
  said?: (Said)[];
}

export interface RunView {
  run: string;
  token: number;
  agent: string;
  column: string;
  model: string | null;
  person: string | null;
  cloned: boolean;
  worker: string;
  started_at: string | null;
  ended_at: string | null;
  end: "released" | "reported" | "rescued" | "revoked" | null;
  outcome: "asks" | "changes_requested" | "delegates" | "disputed" | "done" | "failed" | "incomplete" | "split" | "stuck" | "released" | "revoked" | null;
  cause: "capability" | "conflict" | "environment" | "fatal" | "integration" | "protocol" | "quota" | "requirement" | "size" | "timeout" | "transient" | "outage" | "gate" | null;
  cost_usd: number | null;
  tokens: number | null;
  setup_seconds: number | null;
  setup_kept: boolean;
  gate: boolean;
  sandboxed: boolean | null;
  commit: string | null;
  ref: string | null;
  changed: (Change)[];
  dropped: boolean;
  report: Report | null;
  refused: Report | null;
  refused_for: string | null;
  acted: (Statement)[];
  kept: (Statement)[];
}

/** From `low` failures up to `high` (None: for ever) this model is used. */
export interface Rung {
  low: number;
  high: number | null;
  model: string;
}

/** A line of what a run printed, as a person reads it: the agent's words, a tool, an error; or printed as it is. */
export interface Said {
  kind: "error" | "printed" | "text" | "tool";
  text: string;
}

/** All that a page of a board in one file shows: what the calls would have answered, and the way there. */
export interface SavedPage {
  board: string;
  item: string | null;
  made_at: string | null;
  version: string;
  answers: Record<string, unknown>;
  steps: (Step)[];
  left_out: (string)[];
}

/** Say something to whoever works on an item: told to its run if that can hear it, else by the next brief. */
export interface Say {
  item: string;
  text: string;
}

/** Items that say all of these words in one place, in capitals or not: in the title, the body, a comment, a question or the summary of a report. Or the item of that number. */
export interface Search {
  text: string;
  limit?: number;
}

export interface SecretPolicy {
  allow?: (string)[];
}

/** Send the work on an item back with what must change. It goes to the column that makes such changes, or to the one that is named; a run on it ends. It is guidance, and counts as nobody's failure. */
export interface SendBack {
  item: string;
  version?: number | null;
  findings?: (PersonFinding)[];
  why?: string;
  column?: string | null;
}

/** Send a message; the answer is its envelope. */
export interface SendMessage {
  sender: string;
  to: string;
  type: string;
  message_id?: string | null;
  sent_at?: string | null;
  schema_version?: string;
  priority?: string | null;
  payload?: Record<string, unknown>;
  context?: Record<string, unknown>;
}

/** Report for a run. A report that breaks the form is refused, and the run lives; with `final` it ends the run. */
export interface SendReport {
  report: Report;
  fault?: string | null;
  final?: boolean;
}

/** What a person said to whoever works on an item. */
export interface SentenceView {
  number: number;
  text: string;
  by: string;
  timestamp: string | null;
  heard: string | null;
}

/** What people have said to a run since it was last told. */
export interface Sentences {
  sentences: (SentenceView)[];
}

/** One item with all that is known of it. */
export interface Show {
  item: string;
}

/** What could be worked on and begins no run, and why. A machine adds which agents it cannot start; `only` looks at the items of these agents. */
export interface ShowBlocked {
  unable?: Record<string, string>;
  only?: (string)[];
}

/** The board at one moment: what has not ended, and the newest of what has (`ended`; without it all). `each`: of what has not ended only the first so many of every column, by urgency and age, and beside them what is at work, what waits for a person, and the wholes that shown parts belong to. `since` the number of an event: of the items only those that have changed after it, and all of them if that is too long ago. */
export interface ShowBoard {
  since?: number | null;
  ended?: number | null;
  each?: number | null;
}

/** What an item has changed, landed or not: all of it, that of one of its runs, or all since one of its commits (`base`), which a look before this one has shown. */
export interface ShowChange {
  item: string;
  run?: string | null;
  base?: string | null;
}

/** What was tried on each item, and what people are asked, in the shape of the escalation document. */
export interface ShowEscalations {

}

/** The flow in force. */
export interface ShowFlow {

}

/** What waits for a person: open questions, and messages about no item. */
export interface ShowInbox {

}

/** What would come of it if a person moved an item now, for every column; nothing is changed. */
export interface ShowMoves {
  item: string;
}

/** The board, and an item, as they were after the event of this number; of what had ended by then the newest. */
export interface ShowPast {
  seq: number;
  item?: string | null;
  ended?: number;
  each?: number | null;
}

/** Would an item's work land now, as it is? Nothing is changed. */
export interface ShowProspect {
  item: string;
}

/** How the board stands: what moves, who waits for a person, what is paused, what today cost. */
export interface ShowStatus {

}

/** What was done since midnight, UTC, and what it cost. No item is read for it. */
export interface ShowToday {

}

/** What runs of one agent by one model have used up; null: nobody has told. */
export interface SpentGauge {
  agent: string;
  model: string | null;
  input_tokens: number | null;
  cached_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
}

/** A part of a report as its answer names it: shortly, since it stands whole in the report. */
export interface Statement {
  what: string;
  said: string;
  why?: string;
}

/** An item came to stand elsewhere, or otherwise. */
export interface Step {
  seq: number;
  at: string | null;
  event: string;
  item: string;
  column: string;
  status: string;
}

/** Take an item to do its agent's work by hand; the agent's run ends, and no other begins. */
export interface Take {
  item: string;
}

/** What somebody else put on the branch of a proposal, and a person had taken in: from then on it belongs to it. */
export interface Taken {
  commit: string;
  onto?: string;
}

/** An item that a person has taken: the run in which they do its agent's work by hand. */
export interface TakenView {
  run: string;
  token: number;
  agent: string;
  model: string | null;
  lease_expires_at: string | null;
  workspace: string | null;
  item: ItemView | null;
  brief: Record<string, unknown>;
  bearer?: string;
  prompt?: string | null;
  base?: string | null;
  took: string | null;
  again: boolean;
}

/** Exactly one of the ways is set. */
export interface Target {
  command?: (string)[];
  desktop?: boolean;
  webhook?: string | null;
  slack?: string | null;
  discord?: string | null;
  secret?: string | null;
  on?: ("budget" | "failure" | "idle" | "landed" | "pause" | "question")[];
  quiet?: string | null;
}

/** A part of the work, as whoever splits it says it. `after` names other tasks of the split by key or title. */
export interface Task {
  title: string;
  key?: string | null;
  body?: string;
  agent?: string | null;
  files?: (string)[];
  after?: (string)[];
  contracts?: (string)[];
  spec?: string | null;
  constraints?: (string)[];
  more?: Record<string, unknown>;
}

export interface Tests {
  total?: number | null;
  passed?: number | null;
  failed?: number;
}

/** What was done since midnight, UTC, as the day of a budget is. */
export interface Today {
  runs: number;
  landed: number;
  failed: number;
  cost_usd: number | null;
  unpriced: number;
  seconds: number;
}

export interface TokenView {
  name: string;
  role: "observer" | "owner" | "person" | "run";
  made_at: string | null;
  expires_at: string | null;
  state: "expired" | "good" | "revoked";
}

export interface Tokens {
  tokens: (TokenView)[];
}

/** What was tried on an item, in the shape of the escalation document. */
export interface Tracking {
  self_solve_attempts: number;
  expert_attempts: number;
  total_attempts: number;
  experts_tried: (string)[];
  last_attempt_type: string | null;
  last_attempt_outcome: string | null;
  divine_clarifications_received: number;
}

/** One attempt as the agent tells it. */
export interface Try {
  kind?: string;
  approach?: string | null;
  outcome?: string | null;
  why_different?: string | null;
  beside?: string | null;
}

/** Of the workflows of one type: feature, bugfix, refactor. */
export interface TypeCounts {
  items: number;
  handoffs: number;
  fix_iterations: number;
  escalated: number;
}

/** Give up a lock. */
export interface Unlock {
  paths: (string)[];
}

/** Take up an item that was put aside, as it stood before. What it had asked still needs its answer. */
export interface Unpark {
  item: string;
  version?: number | null;
  why?: string;
}

export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  cost_usd?: number | null;
  cached_tokens?: number;
}

/** The sum of some runs of agents. */
export interface UsageLine {
  key: string;
  title: string;
  runs: number;
  running: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  untold: number;
  cost_usd: number | null;
  unpriced: number;
  seconds: number;
}

export interface UsageView {
  by: "agent" | "day" | "item" | "model" | "pool" | "run";
  since: string | null;
  lines: (UsageLine)[];
  total: UsageLine;
  days: (UsageLine)[];
  gate_runs: number;
  gate_seconds: number;
  budgets: (BudgetLine)[];
  windows: (WindowLine)[];
  pauses: (PauseView)[];
  priceless?: (string)[];
  unmetered?: boolean;
}

/** As whom one asks, and what board that is. */
export interface WhoAmI {

}

/** A window of a pool's quota, as a client last told it. */
export interface WindowLine {
  pool: string;
  window: string;
  used: number | null;
  resets_at: string | null;
  status: string;
  seen_at: string | null;
}

/** A process that runs agents, on whichever machine. */
export interface WorkerView {
  worker: string;
  host: string | null;
  pid: number | null;
  slots: number | null;
  labels: (string)[];
  clients: (string)[];
  program: string | null;
  in_use: number;
  since: string | null;
  agents: (string)[];
  pools: (string)[];
  runs: (string)[];
}

export interface Workers {
  workers: (WorkerView)[];
}

export interface WorkflowCounts {
  total: number;
  begun: number;
  escalated: number;
  done: number;
  cancelled: number;
}

/** Every call that looks at the board: what is asked, what is answered. */
export interface Reads {
  show: { request: Show; response: ItemView };
  list: { request: ListItems; response: ItemPage };
  board: { request: ShowBoard; response: BoardView };
  blocked: { request: ShowBlocked; response: BlockedItems };
  status: { request: ShowStatus; response: BoardStatus };
  today: { request: ShowToday; response: Today };
  comments: { request: ListComments; response: Comments };
  questions: { request: ListQuestions; response: Questions };
  inbox: { request: ShowInbox; response: Inbox };
  log: { request: ReadLog; response: EventPage };
  flow: { request: ShowFlow; response: Flow };
  locks: { request: ListLocks; response: Locks };
  messages: { request: ListMessages; response: Messages };
  lessons: { request: ListLessons; response: Lessons };
  metrics: { request: Measure; response: Metrics };
  usage: { request: ReadUsage; response: UsageView };
  digest: { request: ReadDigest; response: Digest };
  escalations: { request: ShowEscalations; response: Escalations };
  pauses: { request: ListPauses; response: Pauses };
  runs: { request: ListRuns; response: LiveRuns };
  run: { request: FindRun; response: LiveRun };
  output: { request: ReadOutput; response: RunOutput };
  health: { request: CheckHealth; response: Health };
  gauges: { request: ReadGauges; response: Gauges };
  figures: { request: ReadFigures; response: Figures };
  change: { request: ShowChange; response: ItemChange };
  moves: { request: ShowMoves; response: Moves };
  prospect: { request: ShowProspect; response: LandingProspect };
  search: { request: Search; response: Found };
  past: { request: ShowPast; response: Past };
  workers: { request: ListWorkers; response: Workers };
  me: { request: WhoAmI; response: Me };
  tokens: { request: ListTokens; response: Tokens };
}

/** Every call that changes the board: what is asked, what is answered. */
export interface Writes {
  add: { request: Add; response: ItemView };
  dispatch: { request: Dispatch; response: ItemView };
  move: { request: Move; response: ItemView };
  send_back: { request: SendBack; response: ItemView };
  edit: { request: Edit; response: ItemView };
  park: { request: Park; response: ItemView };
  unpark: { request: Unpark; response: ItemView };
  cancel: { request: Cancel; response: ItemView };
  end_run: { request: EndRun; response: ItemView };
  reopen: { request: Reopen; response: ItemView };
  comment: { request: AddComment; response: ItemView };
  answer: { request: AnswerQuestion; response: ItemView };
  claim: { request: Claim; response: ClaimView };
  renew: { request: Renew; response: ItemView };
  release: { request: Release; response: ItemView };
  report: { request: SendReport; response: ItemView };
  offer: { request: OfferReport; response: ItemView };
  widen: { request: RequestFiles; response: ItemView };
  ask: { request: AskPerson; response: ItemView };
  say: { request: Say; response: ItemView };
  hear: { request: Hear; response: Sentences };
  take: { request: Take; response: TakenView };
  lock: { request: Lock; response: Locks };
  unlock: { request: Unlock; response: Locks };
  send: { request: SendMessage; response: MessageView };
  accept: { request: AcceptMessage; response: MessageView };
  complete: { request: CompleteMessage; response: MessageView };
  reject: { request: RejectMessage; response: MessageView };
  pause: { request: Pause; response: Pauses };
  resume: { request: Resume; response: Pauses };
  make_token: { request: MakeToken; response: NewToken };
  revoke_token: { request: RevokeToken; response: Tokens };
  login_code: { request: MakeLoginCode; response: LoginCode };
}
