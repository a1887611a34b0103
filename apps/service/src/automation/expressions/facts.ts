import type { FoundContact } from "../../contacts/contacts.ts";
import { locate, scanJson } from "../../lib/lib.ts";
import type { Path, ScannedJson, Steps } from "../../lib/lib.ts";

/** What a path leads to: the value, and how it is spelled. */
export interface Fact {
  readonly value: unknown;
  readonly text: string;
  /** The spelling of an element of a list. */
  element(at: number): string;
}

/** What conditions and templates look at. */
export interface Facts {
  /** Undefined where nothing is. Remembered: many ask for the same. */
  at(path: Path): Fact | undefined;
}

/** Where a root's paths lead: a text, and the way in it. Undefined where nothing is. */
export type Source = (steps: Steps) => { readonly scan: ScannedJson; readonly steps: Steps } | undefined;

/** By the name that a path begins with. */
export type Sources = Readonly<Record<string, Source>>;

/** Facts of one moment. */
export function factsOf(sources: Sources): Facts {
  const known = new Map<string, Fact | undefined>();
  return {
    at(path) {
      if (known.has(path.text)) return known.get(path.text);
      const [root, ...steps] = path.steps;
      const source = typeof root === "string" && Object.hasOwn(sources, root) ? sources[root] : undefined;
      const place = source?.(steps);
      const fact = place === undefined ? undefined : factAt(place.scan, place.steps);
      known.set(path.text, fact);
      return fact;
    },
  };
}

/** Of JSON text, read when it is first looked at; undefined: nothing is there. */
export function sourceOfText(text: string | undefined): Source {
  let scan: ScannedJson | undefined;
  return (steps) => (text === undefined ? undefined : { scan: (scan ??= scanJson(Buffer.from(text))), steps });
}

/** The names that paths of whatever reacts to an event can begin with. */
export const EVENT_ROOTS = ["event", "data", "contact"] as const;

/** What is the same for all that react to an event, and so read once: its name, and its data as JSON text. */
export function eventSources(event: string, data: string): Sources {
  return { event: sourceOfText(JSON.stringify(event)), data: sourceOfText(data) };
}

/** Whom the event is about, as `GET /v1/contacts/{id}` shows it: see `Reacting.find`. */
export function contactSource(contact: FoundContact | undefined): Source {
  return sourceOfText(contact === undefined ? undefined : JSON.stringify(contact.view));
}

export function looksAtContact(paths: readonly Path[]): boolean {
  return paths.some(({ steps: [root] }) => root === "contact");
}

function factAt(scan: ScannedJson, steps: Steps): Fact | undefined {
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
