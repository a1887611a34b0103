import { StatusLight } from "../ui/ui.ts";
import type { Tone } from "../ui/ui.ts";

const TONES: Readonly<Record<string, Tone>> = { ok: "good", executed: "good", refused: "warn", failed: "bad" };

/** How something in the audit or the AI history ended. */
export function Outcome({ status }: { readonly status: string }) {
  return <StatusLight tone={TONES[status] ?? "neutral"}>{status.replaceAll("_", " ")}</StatusLight>;
}
