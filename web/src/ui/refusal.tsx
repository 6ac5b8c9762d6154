/** What the server refused, where the act was: what was asked, what holds, what to do next. */
import type { Problem } from "../api/client";
import { Icon } from "./icons";
import "./refusal.css";

export function Refusal({ problem }: { problem: Problem | null }) {
  return (
    <div role="alert" class="refusal-place">
      {problem ? (
        <p class="refusal">
          <Icon name="bad" />
          <span>
            {problem.message}
            {problem.hint ? <span class="refusal-hint"> Next: {problem.hint}.</span> : null}
          </span>
        </p>
      ) : null}
    </div>
  );
}
