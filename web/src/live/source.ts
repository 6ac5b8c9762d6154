/** The one stream and the one picture of the board, for all tabs of a browser. Without a gap: the stream is open before
 *  the board is read, and what comes after that moment is asked for again. A read never writes. */
import { Problem, read } from "../api/client";
import type { BoardView, EventView } from "../api/types";
import { listen } from "./stream";

export type Link = "starting" | "live" | "offline" | "stranger";

export type Message =
  | { kind: "board"; board: BoardView }
  | { kind: "events"; events: EventView[]; last: number }
  | { kind: "link"; link: Link; asOf: number; why: string };

const ENDED = 40; // so many items that have ended are shown
const EACH = 100; // and so many of each column that have not, until somebody asks for more
const BURST = 150; // ms in which what comes is gathered to one request
const SIGHT = 4_000; // what a run does right now makes no events: ms between two looks while somebody looks
const WHOLE = 60_000; // what time alone changes makes no events either: ms between two looks at all of it
const SILENCE = 40_000; // the server says each 15 s that it lives
const DELAYS = [300, 1_000, 2_000, 4_000];

export class Source {
  private board: BoardView | null = null;
  private readonly items = new Map<string, BoardView["items"][number]>();
  private last: number | null = null;
  private link: Link = "starting";
  private why = "";
  private asOf = 0;
  private events: EventView[] = [];
  private isReading = false;
  private isDirty = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private heardAt = 0;
  private wholeAt = 0;
  private failures = 0;
  private stop = new AbortController();
  private retry: (() => void) | null = null;
  private each = EACH;
  private isLost = false; // there is no network: no try before somebody wakes this

  constructor(private readonly tell: (message: Message) => void, private readonly isSeen: () => boolean) {
    void this.run();
    setInterval(() => this.look(), SIGHT);
  }

  /** What somebody must know who has just come. */
  greeting(): Message[] {
    const link: Message = { kind: "link", link: this.link, asOf: this.asOf, why: this.why };
    const board = this.board && { ...this.board, whole: true, items: [...this.items.values()] };
    return board ? [{ kind: "board", board }, link] : [link];
  }

  /** Somebody has come back, or the network has: do not wait for the next try. */
  wake(): void {
    this.isLost = false;
    if (this.retry) this.retry();
    else if (this.link !== "starting") this.look();
  }

  /** Somebody wants to see more of a column. */
  more(): void {
    this.each *= 2;
    this.wholeAt = 0;
    this.touch(0);
  }

  lost(): void {
    this.isLost = true;
    this.stop.abort();
  }

  private async run(): Promise<never> {
    for (;;) {
      this.stop = new AbortController();
      try {
        const status = await listen(this.last, this.heard, this.stop.signal);
        if (status === 401) this.say("stranger", "");
        else this.say("offline", status === 200 ? "the server has ended" : `the server answered ${status}`);
      } catch {
        this.say("offline", this.isLost ? "this machine has no network" : "the server does not answer");
      }
      const delay = this.link === "stranger" ? 10_000 : (DELAYS[this.failures] ?? DELAYS.at(-1));
      this.failures++;
      await new Promise<void>((done) => {
        this.retry = done;
        if (!this.isLost) setTimeout(done, delay);
      });
      this.retry = null;
    }
  }

  private readonly heard = {
    opened: () => {
      this.failures = 0;
      this.heardAt = Date.now();
      this.touch(0);
    },
    event: (event: EventView) => {
      this.heardAt = Date.now();
      this.last = Math.max(this.last ?? 0, event.seq);
      this.events.push(event);
      this.touch(BURST);
    },
    alive: (last: number) => {
      this.heardAt = Date.now();
      this.last ??= last;
      this.asOf = this.heardAt;
      this.say("live", "");
    },
    reset: () => {
      this.last = null;
      this.board = null;
      this.items.clear();
      this.touch(0);
    },
  };

  private look(): void {
    if (this.link === "live" && Date.now() - this.heardAt > SILENCE) this.stop.abort();
    else if (this.link === "live" && this.isSeen() && (this.board?.runs.length || this.isOld())) this.touch(0);
  }

  private isOld(): boolean {
    return Date.now() - this.wholeAt > WHOLE;
  }

  private touch(delay: number): void {
    this.isDirty = true;
    if (!this.isReading) this.timer ??= setTimeout(() => void this.refresh(), delay);
  }

  /** One request at a time, so that no older answer can come after a newer one. */
  private async refresh(): Promise<void> {
    this.timer = undefined;
    this.isReading = true;
    this.isDirty = false;
    try {
      const since = this.isOld() ? undefined : this.board?.seq;
      const shown = { ended: ENDED, each: this.each };
      const found = await read("board", since === undefined ? shown : { ...shown, since });
      this.take(found);
    } catch (error) {
      if (error instanceof Problem && error.status === 401) this.stop.abort();
      else if (error instanceof Problem) this.say("offline", error.message);
      else this.stop.abort();
    } finally {
      this.isReading = false;
      if (this.isDirty) this.touch(BURST);
    }
  }

  private take(found: BoardView): void {
    if (this.board && found.seq < this.board.seq) return;
    if (found.whole) {
      this.items.clear();
      this.wholeAt = Date.now();
    }
    for (const item of found.items) this.items.set(item.id, item);
    this.board = found;
    this.last = Math.max(this.last ?? 0, found.seq);
    this.asOf = Date.now();
    this.tell({ kind: "board", board: found });
    this.tell({ kind: "events", events: this.events, last: this.last });
    this.events = [];
    this.say("live", "");
  }

  private say(link: Link, why: string): void {
    this.link = link;
    this.why = why;
    this.tell({ kind: "link", link, asOf: this.asOf, why });
  }
}
