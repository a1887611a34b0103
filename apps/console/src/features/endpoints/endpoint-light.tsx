import type { wire } from "../../api/api.ts";
import { StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

/** Word and look of a state. */
interface Words {
  readonly tone: Tone;
  readonly word: string;
}

const HEALTH: Readonly<Record<string, Words>> = {
  green: { tone: "good", word: "Healthy" },
  amber: { tone: "warn", word: "Failing" },
  red: { tone: "bad", word: "Turned off by the service" },
};

export function EndpointLight({
  endpoint,
}: {
  readonly endpoint: Pick<wire.WebhookEndpoint, "active" | "health" | "disabled_reason">;
}) {
  const { tone, word } = endpointWords(endpoint);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

function endpointWords(endpoint: Pick<wire.WebhookEndpoint, "active" | "health" | "disabled_reason">): Words {
  if (endpoint.disabled_reason !== null) return { tone: "bad", word: "Turned off by the service" };
  if (!endpoint.active) return { tone: "neutral", word: "Off" };
  return HEALTH[endpoint.health] ?? { tone: "neutral", word: endpoint.health };
}

/** Explains why the service disabled an endpoint, and what to do. */
export function disabledText(reason: string): string {
  if (reason === "gone")
    return "The receiver responded 410 Gone, so the service turned the endpoint off. When the receiver accepts deliveries again, turn the endpoint on, replay the failed deliveries, and send the events that it missed.";
  return "All attempts of the last five days failed, so the service turned the endpoint off. Fix the receiver, turn the endpoint on, replay the failed deliveries, and send the events that it missed.";
}
