import { labelOf, StatusLight } from "../ui/ui.ts";
import type { Tone } from "../ui/ui.ts";

const TONES: Readonly<Record<string, Tone>> = { ok: "good", executed: "good", refused: "warn", failed: "bad" };

/** Returns the word for an outcome. The API calls a denied request `refused`. */
export function outcomeWord(status: string): string {
  return status === "refused" ? "Denied" : labelOf(status);
}

/** Refusals that are about the call itself, and not about the rights of its caller. */
const INVALID: ReadonlySet<string> = new Set(["validation_failed", "action_unknown"]);

/** Shows the result of an entry of the audit log or the AI history. */
export function Outcome({ status, code = null }: { readonly status: string; readonly code?: string | null }) {
  const isInvalid = status === "refused" && code !== null && INVALID.has(code);
  return <StatusLight tone={TONES[status] ?? "neutral"}>{isInvalid ? "Invalid" : outcomeWord(status)}</StatusLight>;
}
