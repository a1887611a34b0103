import { StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  readonly means: string;
}

const STATES: Readonly<Record<string, Words>> = {
  refused: { tone: "bad", word: "Refused", means: "Its folder is not believed, so nothing of it runs." },
  verified: {
    tone: "info",
    word: "Verified",
    means: "Its signature is good. It wants its settings before it is enabled.",
  },
  configured: { tone: "info", word: "Ready", means: "Its settings are whole. It can be enabled." },
  enabled: { tone: "good", word: "Enabled", means: "It hears its events, and its actions can be run." },
  update_available: {
    tone: "warn",
    word: "Update",
    means: "It runs. Another version lies in its folder and does not run by itself.",
  },
  disabled: { tone: "neutral", word: "Disabled", means: "It was enabled. Its settings and its version are kept." },
  quarantined: { tone: "bad", word: "Quarantined", means: "It was stopped. Enabling it again lifts that." },
  absent: { tone: "neutral", word: "Gone", means: "Its folder is gone." },
};

const HEALTH: Readonly<Record<string, readonly [Tone, string]>> = {
  not_running: ["neutral", "Not running"],
  idle: ["neutral", "Has not run yet"],
  ok: ["good", "Healthy"],
  healthy: ["good", "Healthy"],
  failing: ["bad", "Failing"],
  quarantined: ["bad", "Stopped"],
};

export function connectorWords(state: string): Words {
  return STATES[state] ?? { tone: "neutral", word: state, means: "" };
}

export function ConnectorLight({ state }: { readonly state: string }) {
  const { tone, word } = connectorWords(state);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

export function HealthLight({ status }: { readonly status: string }) {
  const [tone, word] = HEALTH[status] ?? ["neutral", status];
  return <StatusLight tone={tone}>{word}</StatusLight>;
}
