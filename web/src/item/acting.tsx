/** One act of a person: on its way, refused with the server's own words, or done. */
import { type Signal, useSignal } from "@preact/signals";
import type { Problem } from "../api/client";
import { asProblem } from "./use_item";

export interface Acting {
  busy: Signal<boolean>;
  problem: Signal<Problem | null>;
  /** True if it was done. */
  attempt: (act: () => Promise<unknown>) => Promise<boolean>;
}

export function useActing(): Acting {
  const busy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const attempt = async (act: () => Promise<unknown>) => {
    if (busy.peek()) return false;
    busy.value = true;
    problem.value = null;
    try {
      await act();
      return true;
    } catch (error) {
      problem.value = asProblem(error);
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { busy, problem, attempt };
}
