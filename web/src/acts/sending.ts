/** One act of a sheet: under way, refused, or done. */
import { useState } from "preact/hooks";
import { Problem } from "../api/client";

export interface Sending {
  isBusy: boolean;
  problem: Problem | null;
  /** Does it, and says whether it was done. */
  send: (work: () => Promise<unknown>) => Promise<boolean>;
}

export function useSending(): Sending {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, send };
}
