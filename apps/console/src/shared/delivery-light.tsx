import { StatusLight } from "../ui/ui.ts";
import { deliveryWords, endpointWords } from "../outbound/states.ts";
import type { wire } from "../api/api.ts";

/** A delivery's state by icon, colour and word. */
export function DeliveryLight({ delivery }: { readonly delivery: { state: string; attempt_count?: number } }) {
  const { tone, word } = deliveryWords(delivery);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

export function EndpointLight({
  endpoint,
}: {
  readonly endpoint: Pick<wire.WebhookEndpoint, "active" | "health" | "disabled_reason">;
}) {
  const { tone, word } = endpointWords(endpoint);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

/** An HTTP status; green, amber or red by its class. */
export function StatusCode({ code }: { readonly code: number }) {
  const tone = code < 300 ? "text-good" : code < 500 ? "text-warn" : "text-bad";
  return <span className={`tabular font-mono text-xs font-medium ${tone}`}>{code}</span>;
}
