import type { FoundContact } from "../../contacts/contacts.ts";
import { locate, scanKnownJson } from "../../lib/lib.ts";
import type { Path, ScannedJson, Steps } from "../../lib/lib.ts";

/** The value at a path, and its spelling. */
export interface Fact {
  readonly value: unknown;
  readonly text: string;
  /** Returns the spelling of an element of a list. */
  element(at: number): string;
}

/** The values that conditions and templates can read. */
export interface Facts {
  /** Returns undefined if there is no value. Remembers the result, because many leaves read the same path. */
  at(path: Path): Fact | undefined;
}

/** Resolves the paths below one root to a text and the steps in it. Undefined if there is no value. */
export type Source = (steps: Steps) => { readonly scan: ScannedJson; readonly steps: Steps } | undefined;

/** The sources by the first name of a path. */
export type Sources = Readonly<Record<string, Source>>;

/** Returns the facts of one moment. */
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

/** Returns a source of JSON text, which is parsed when a part of it is first read. Without a text, no path has a value. */
export function sourceOfText(text: string | undefined): Source {
  if (text === undefined) return () => undefined;
  const scan = scanKnownJson(text);
  return (steps) => ({ scan, steps });
}

/** Returns a source of one value, which is not parsed. */
export function sourceOfScalar(value: string | number | null): Source {
  const text = JSON.stringify(value);
  const scan: ScannedJson = { value, text, slice: ({ length }) => (length === 0 ? text : undefined) };
  return (steps) => ({ scan, steps });
}

/** The names with which paths can begin in rules and in triggers of workflows. */
export const EVENT_ROOTS = ["event", "data", "tenant", "contact"] as const;

/** Returns the sources that all subscribers of an event share: its name, its data as JSON text, and its tenant or null. */
export function eventSources(event: string, data: string, tenant: string | null): Sources {
  return {
    event: sourceOfScalar(event),
    data: sourceOfText(data),
    tenant: sourceOfScalar(tenant),
  };
}

/** Returns the contact of the event in the form of `GET /v1/contacts/{id}`. See `Reacting.find`. */
export function contactSource(contact: FoundContact | undefined): Source {
  return sourceOfText(contact === undefined ? undefined : JSON.stringify(contact.view));
}

export function looksAtContact(paths: readonly Path[]): boolean {
  return paths.some(({ steps: [root] }) => root === "contact");
}

function factAt(scan: ScannedJson, steps: Steps): Fact | undefined {
  if (steps.length === 0) return new WholeFact(scan);
  const found = locate(scan.value, steps);
  return found === undefined ? undefined : new PartFact(scan, found.at, found.value);
}

// Classes, because an object literal with a getter takes a microsecond to make.

/** A part of a text. */
class PartFact implements Fact {
  readonly #scan: ScannedJson;
  readonly #at: Steps;
  readonly value: unknown;

  constructor(scan: ScannedJson, at: Steps, value: unknown) {
    this.#scan = scan;
    this.#at = at;
    this.value = value;
  }

  get text(): string {
    return this.#scan.slice(this.#at) ?? "null";
  }

  element(at: number): string {
    return this.#scan.slice([...this.#at, at]) ?? "null";
  }
}

/** A whole text, which always has a value. Its text is read without a parser. */
class WholeFact implements Fact {
  readonly #scan: ScannedJson;

  constructor(scan: ScannedJson) {
    this.#scan = scan;
  }

  get value(): unknown {
    return this.#scan.value;
  }

  get text(): string {
    return this.#scan.slice([]) ?? "null";
  }

  element(at: number): string {
    return this.#scan.slice([at]) ?? "null";
  }
}
