import type { ContactView } from "../contacts/contacts.ts";
import { locate, readPath, scanJson } from "../kernel/kernel.ts";
import type { Path, ScannedJson } from "../kernel/kernel.ts";

/** What a path leads to: the value, and how it is spelled. */
export interface Fact {
  readonly value: unknown;
  readonly text: string;
  /** The spelling of an element of a list. */
  element(at: number): string;
}

/** What a rule may look at: `{event, data, contact}`. */
export interface Facts {
  /** Undefined where nothing is. Remembered: many rules ask for the same. */
  at(path: Path): Fact | undefined;
}

/** The names that a path can begin with. */
export const ROOTS = ["event", "data", "contact"] as const;

/** A path of a rule: `data.total` is short for `$.data.total`. Undefined for what is none, or begins with no root. */
export function readField(text: string): Path | undefined {
  const path = readPath(text.startsWith("$") ? text : `$.${text}`);
  return path !== undefined && hasRoot(path) ? path : undefined;
}

export function hasRoot({ steps: [first] }: Path): boolean {
  return ROOTS.some((root) => root === first);
}

export function factsOf(event: string, data: ScannedJson, contact: ContactView | undefined): Facts {
  const known = new Map<string, Fact | undefined>();
  const scans = new Map<unknown, ScannedJson>([["data", data]]);
  const scanOf = (root: unknown): ScannedJson => {
    const scan = scans.get(root) ?? scanJson(Buffer.from(JSON.stringify(root === "event" ? event : contact)));
    scans.set(root, scan);
    return scan;
  };
  return {
    at(path) {
      if (known.has(path.text)) return known.get(path.text);
      const [root, ...steps] = path.steps;
      const fact = root === "contact" && contact === undefined ? undefined : factAt(scanOf(root), steps);
      known.set(path.text, fact);
      return fact;
    },
  };
}

function factAt(scan: ScannedJson, steps: readonly (string | number)[]): Fact | undefined {
  const found = locate(scan.value, steps);
  if (found === undefined) return undefined;
  return {
    value: found.value,
    get text() {
      return scan.slice(found.at) ?? "null";
    },
    element: (at) => scan.slice([...found.at, at]) ?? "null",
  };
}
