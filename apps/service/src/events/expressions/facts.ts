import type { FoundContact } from "../../contacts/contacts.ts";
import { elementReader, locate, scanKnownJson, WorkBudget } from "../../lib/lib.ts";
import type { Path, ScannedJson, Steps } from "../../lib/lib.ts";
import { readNumber } from "./number.ts";
import type { ExactNumber } from "./number.ts";

/** The value at a path, and its spelling. What is read first is charged to the budget of its facts. */
export interface Fact {
  readonly value: unknown;
  readonly text: string;
  /** The exact value of a number; undefined if its exponent is too long. */
  readonly number: ExactNumber | undefined;
  /** Returns a reader of the spellings of a list's elements, which is quick in their order. */
  elements(): (at: number) => string;
}

/** The values that conditions and templates can read. */
export interface Facts {
  /** Pays for all that is read, compared and written with these facts. `evaluate` and `holds` can set another one. */
  budget: WorkBudget;
  /** Returns undefined if there is no value. Remembers the result, because many leaves read the same path. */
  at(path: Path): Fact | undefined;
}

/** Resolves the paths below one root to a text and the steps in it. Undefined if there is no value. */
export type Source = (steps: Steps) => { readonly scan: ScannedJson; readonly steps: Steps } | undefined;

/** The sources by the first name of a path. */
export type Sources = Readonly<Record<string, Source>>;

const NUMBER_PER_UNIT = 16;
const STEPS_PER_UNIT = 4;

/** Returns the facts of one moment. */
export function factsOf(sources: Sources): Facts {
  const known = new Map<string, Fact | undefined>();
  const facts: Facts = {
    budget: new WorkBudget(),
    at(path) {
      if (known.has(path.text)) return known.get(path.text);
      const [root, ...steps] = path.steps;
      facts.budget.spend(1 + steps.length / STEPS_PER_UNIT);
      const source = typeof root === "string" && Object.hasOwn(sources, root) ? sources[root] : undefined;
      const place = source?.(steps);
      const fact = place === undefined ? undefined : factAt(place.scan, place.steps, facts);
      known.set(path.text, fact);
      return fact;
    },
  };
  return facts;
}

/**
 * Returns a source of JSON text, which is parsed when a part of it is first read. Without a text, no path has a value. Parsing is not
 * charged: it is done once, and the size of the text is limited where it is made.
 */
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

function factAt(scan: ScannedJson, steps: Steps, facts: Facts): Fact | undefined {
  if (steps.length === 0) return new WholeFact(scan, facts);
  const found = locate(scan.value, steps);
  return found === undefined ? undefined : new PartFact(scan, found, facts);
}

// Classes, because an object literal with a getter takes a microsecond to make.

abstract class SpelledFact implements Fact {
  readonly facts: Facts;
  #number: { readonly read: ExactNumber | undefined } | undefined;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  abstract readonly value: unknown;
  abstract readonly text: string;

  get number(): ExactNumber | undefined {
    if (this.#number === undefined) {
      this.facts.budget.spend(this.text.length / NUMBER_PER_UNIT);
      this.#number = { read: readNumber(this.text) };
    }
    return this.#number.read;
  }

  elements(): (at: number) => string {
    return elementReader(this.text);
  }
}

/** A part of a text. */
class PartFact extends SpelledFact {
  readonly #scan: ScannedJson;
  readonly #at: Steps;
  #text: string | undefined;
  readonly value: unknown;

  constructor(scan: ScannedJson, { at, value }: { readonly at: Steps; readonly value: unknown }, facts: Facts) {
    super(facts);
    this.#scan = scan;
    this.#at = at;
    this.value = value;
  }

  get text(): string {
    return (this.#text ??= this.#scan.slice(this.#at, this.facts.budget) ?? "null");
  }
}

/** A whole text, which always has a value. Its text is read without a parser. */
class WholeFact extends SpelledFact {
  readonly #scan: ScannedJson;

  constructor(scan: ScannedJson, facts: Facts) {
    super(facts);
    this.#scan = scan;
  }

  get value(): unknown {
    return this.#scan.value;
  }

  get text(): string {
    return this.#scan.slice([]) ?? "null";
  }
}
