import type { wire } from "../api/api.ts";
import type { Tone } from "../ui/ui.ts";

/** How a state is said and shown. */
export interface Words {
  readonly tone: Tone;
  readonly word: string;
}

const DELIVERY: Readonly<Record<string, Words>> = {
  delivered: { tone: "good", word: "Delivered" },
  failed: { tone: "bad", word: "Failed" },
  cancelled: { tone: "neutral", word: "Cancelled" },
};
const HEALTH: Readonly<Record<string, Words>> = {
  green: { tone: "good", word: "Healthy" },
  amber: { tone: "warn", word: "Failing" },
  red: { tone: "bad", word: "Switched off by the service" },
};
const STAGE: Readonly<Record<string, Words>> = {
  waiting: { tone: "neutral", word: "Waiting" },
  running: { tone: "info", word: "Running" },
  done: { tone: "good", word: "Done" },
  failed: { tone: "bad", word: "Failed" },
};

export function deliveryWords({ state, attempt_count: attempts }: { state: string; attempt_count?: number }): Words {
  const known = DELIVERY[state];
  if (known !== undefined) return known;
  return (attempts ?? 0) === 0 ? { tone: "neutral", word: "Waiting" } : { tone: "warn", word: "Retrying" };
}

export function endpointWords(endpoint: Pick<wire.WebhookEndpoint, "active" | "health" | "disabled_reason">): Words {
  if (endpoint.disabled_reason !== null) return { tone: "bad", word: "Switched off by the service" };
  if (!endpoint.active) return { tone: "neutral", word: "Off" };
  return HEALTH[endpoint.health] ?? { tone: "neutral", word: endpoint.health };
}

export function stageWords(state: string): Words {
  return STAGE[state] ?? { tone: "neutral", word: state };
}

/** Why the service switched an endpoint off, and what to do. */
export function disabledText(reason: string): string {
  if (reason === "gone")
    return "Its receiver answered 410 Gone, so the service switched it off. Switch it on again once the receiver takes deliveries, then replay what was parked.";
  return "Every attempt of the last five days failed, so the service switched it off. Mend the receiver, switch the endpoint on again, then replay what was parked.";
}
