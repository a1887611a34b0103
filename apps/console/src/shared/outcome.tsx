import { labelOf, StatusLight } from "../ui/ui.ts";
import type { Tone } from "../ui/ui.ts";

const TONES: Readonly<Record<string, Tone>> = { ok: "good", executed: "good", refused: "warn", failed: "bad" };

/** Returns the word for an outcome. The API calls a denied request `refused`. */
export function outcomeWord(status: string): string {
  return status === "refused" ? "Denied" : labelOf(status);
}

/** Shows the result of an entry of the audit log or the AI history. */
export function Outcome({ status }: { readonly status: string }) {
  return <StatusLight tone={TONES[status] ?? "neutral"}>{outcomeWord(status)}</StatusLight>;
}
