/** What the pages know of the board as it is now. */
import { signal } from "@preact/signals";
import { takeBoard } from "./board";
import { connect } from "./connect";
import type { Link, Message } from "./source";
import { touch } from "./touched";

export { act } from "./act";
export { now } from "./clock";
export { lookWhoIAm, me, type Me } from "./me";
export { go, route, type Route } from "./route";
export { onEvents, onItem, seq } from "./touched";

/** How the picture stands: from when it is, and why it is no newer. */
export const link = signal<{ link: Link; asOf: number; why: string }>({ link: "starting", asOf: 0, why: "" });

let more: () => void = () => undefined;

/** More of each column than is shown. */
export const showMore = (): void => more();

export function start(): void {
  more = connect((message: Message) => {
    if (message.kind === "board") takeBoard(message.board);
    else if (message.kind === "events") touch(message.events, message.last);
    else link.value = { link: message.link, asOf: message.asOf, why: message.why };
  });
}
