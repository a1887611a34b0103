import { locate, scanJson } from "../kernel/kernel.ts";
import type { Path, ScannedJson } from "../kernel/kernel.ts";

/** A value and how it is spelled: numbers are as exact as they came. */
export interface Fact {
  readonly value: unknown;
  /** JSON text. */
  readonly text: string;
}

/** What conditions and templates of a run look at: `{event, data, input, steps: {<id>: <output>}}`. */
export interface Facts {
  at(path: Path): Fact | undefined;
}

export interface FactsOf {
  readonly event: string;
  /** JSON text. */
  readonly data: string;
  /** JSON text; null where the trigger started the run. */
  readonly input: string | null;
  /** Outputs of the steps that have ended, JSON text by id. */
  readonly outputs: ReadonlyMap<string, string>;
}

export const ROOTS: readonly unknown[] = ["event", "data", "input", "steps"];

/** Nothing is read before it is looked at, and then once. Throws JsonFault for data that is no JSON. */
export function factsOf({ event, data, input, outputs }: FactsOf): Facts {
  const scans = new Map<string, ScannedJson>();
  const scanned = (name: string, text: string): ScannedJson => {
    const known = scans.get(name) ?? scanJson(Buffer.from(text));
    scans.set(name, known);
    return known;
  };
  return {
    at({ steps: [root, ...rest] }) {
      if (root === "event") return rest.length === 0 ? { value: event, text: JSON.stringify(event) } : undefined;
      if (root === "data") return factIn(scanned("data", data), rest);
      if (root === "input") return input === null ? undefined : factIn(scanned("input", input), rest);
      const [id, ...inside] = rest;
      const output = root === "steps" && typeof id === "string" ? outputs.get(id) : undefined;
      return output === undefined ? undefined : factIn(scanned(`steps.${String(id)}`, output), inside);
    },
  };
}

function factIn(scanned: ScannedJson, steps: Path["steps"]): Fact | undefined {
  const found = locate(scanned.value, steps);
  if (found === undefined) return undefined;
  return { value: found.value, text: scanned.slice(found.at) ?? "null" };
}
