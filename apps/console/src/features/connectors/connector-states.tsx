import { StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  readonly means: string;
}

const STATES: Readonly<Record<string, Words>> = {
  refused: { tone: "bad", word: "Refused", means: "The folder failed verification, so the connector does not run." },
  verified: {
    tone: "info",
    word: "Verified",
    means: "The signature is valid. Enter the settings to enable the connector.",
  },
  configured: { tone: "info", word: "Ready", means: "The settings are complete. The connector can be enabled." },
  enabled: { tone: "good", word: "Enabled", means: "The connector receives its events, and its actions can be run." },
  update_available: {
    tone: "warn",
    word: "Update",
    means: "The connector runs. Another version is available, and runs only when you enable it.",
  },
  disabled: {
    tone: "neutral",
    word: "Disabled",
    means: "The connector was enabled before. Its settings and version are kept.",
  },
  quarantined: {
    tone: "bad",
    word: "Quarantined",
    means: "The connector was stopped. Enable it again to end the quarantine.",
  },
  absent: { tone: "neutral", word: "Missing", means: "The connector's folder is missing." },
};

const HEALTH: Readonly<Record<string, readonly [Tone, string]>> = {
  not_running: ["neutral", "Not running"],
  idle: ["neutral", "No runs yet"],
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

/** Returns the language of a connector's code; empty while the folder was not read. */
export function languageOf(runtime: string | null): string {
  if (runtime === null) return "";
  return runtime === "php" ? "PHP" : "TypeScript";
}
