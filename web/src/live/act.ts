/** Changing the board. A refusal comes as a `Problem`, to be shown where the act was. */
import { Problem, write } from "../api/client";
import type { Writes } from "../api/types";

const ATTEMPTS = 3;

/** Sent again with the same key when no answer came, so that it happens once. */
export async function act<Name extends keyof Writes>(
  name: Name,
  request: Writes[Name]["request"],
): Promise<Writes[Name]["response"]> {
  const key = crypto.randomUUID();
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(name, request, key);
    } catch (error) {
      if (error instanceof Problem) throw error;
      if (attempt === ATTEMPTS) {
        const detail = "The server does not answer. Nothing is known of what became of this.";
        throw new Problem(0, { code: "offline", detail, hint: "try it again when the board is live" });
      }
      await new Promise((done) => setTimeout(done, 300 * attempt));
    }
  }
}
