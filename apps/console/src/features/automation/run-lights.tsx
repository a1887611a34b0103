import { StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

type Words = Readonly<Record<string, readonly [tone: Tone, word: string]>>;

const RULE_RUNS: Words = {
  running: ["info", "Running"],
  ok: ["good", "Done"],
  failed: ["bad", "Failed"],
  unmatched: ["neutral", "Condition not met"],
  skipped: ["neutral", "Skipped"],
  limited: ["warn", "Rate limited"],
  refused: ["bad", "Denied"],
};
const WORKFLOW_RUNS: Words = {
  running: ["info", "Running"],
  waiting: ["warn", "Waiting"],
  completed: ["good", "Completed"],
  failed: ["bad", "Failed"],
  cancelled: ["neutral", "Cancelled"],
  ahead: ["neutral", "Not reached yet"],
  skipped: ["neutral", "Skipped"],
};

interface LightProps {
  readonly state: string;
}

function Light({ state, words }: LightProps & { readonly words: Words }) {
  const [tone, word] = words[state] ?? ["neutral", state];
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

export function RuleRunLight({ state }: LightProps) {
  return <Light state={state} words={RULE_RUNS} />;
}

export function WorkflowRunLight({ state }: LightProps) {
  return <Light state={state} words={WORKFLOW_RUNS} />;
}
