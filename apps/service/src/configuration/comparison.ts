import type { Caller } from "../accounts/accounts.ts";
import { canonicalJson, differenceOf, ServiceError, sha256 } from "../lib/lib.ts";
import type { Promotion, Violation } from "../lib/lib.ts";
import { isSame, pick } from "./kinds/documents.ts";
import type { Document } from "./kinds/documents.ts";
import { fault, nameFaults, sentObjects } from "./file.ts";
import type { SentObject } from "./file.ts";
import { SECTIONS } from "./kinds/kind.ts";
import type { Held, Kind } from "./kinds/kind.ts";
import { referenceFaults } from "./reference-faults.ts";
import { newReferences } from "./kinds/references.ts";
import type { References } from "./kinds/references.ts";
import { secretDigests, secretFaults, settledHeaders } from "./secrets.ts";
import type { HeaderValues, SecretsDeps } from "./secrets.ts";

/** A configuration that a caller sent. */
export interface SentConfiguration {
  readonly configuration: Document;
  /** True to delete the objects of managed sections that it does not contain. */
  readonly prune: boolean;
}

/** The changes that turn the configuration of the workspace into the given one. */
export interface Comparison {
  readonly parts: readonly Part[];
  readonly references: References;
  readonly headerValues: HeaderValues;
  readonly warnings: readonly Warning[];
}

interface Warning {
  readonly code: "left_out";
  readonly section: string;
  readonly message: string;
}

/** The changes of one kind. */
export interface Part {
  readonly kind: Kind;
  readonly create: readonly Creation[];
  readonly update: readonly Update[];
  readonly remove: readonly Held[];
  readonly unchanged: number;
}

interface Creation {
  readonly wanted: SentObject;
  readonly document: Document;
}

export interface Update {
  readonly wanted: SentObject;
  readonly held: Held;
  readonly document: Document;
  readonly changed: ReadonlySet<string>;
  readonly differences: Promotion["difference"];
}

export interface ComparisonDeps extends SecretsDeps {
  readonly kinds: readonly Kind[];
}

/** Reads the objects of all kinds, in the order in which they refer to each other. */
export async function readKinds(
  { kinds }: Pick<ComparisonDeps, "kinds">,
  caller: Caller,
): Promise<{ readonly held: ReadonlyMap<Kind, readonly Held[]>; readonly references: References }> {
  const references = newReferences();
  const held = new Map<Kind, readonly Held[]>();
  for (const kind of kinds) held.set(kind, await kind.read(caller, references));
  return { held, references };
}

/** Compares the workspace with a configuration. Throws 422 with each place at which the configuration is wrong. */
export async function compare(
  deps: ComparisonDeps,
  caller: Caller,
  { configuration, prune }: SentConfiguration,
): Promise<Comparison> {
  const { held, references } = await readKinds(deps, caller);
  const faults: Violation[] = [];
  const parts: Part[] = [];
  const warnings: Warning[] = [];
  const headerValues: HeaderValues = { values: new Map() };
  const known = knownNames(deps.kinds, held, configuration, references);
  for (const kind of deps.kinds) {
    const wanted = sentObjects(kind, configuration);
    if (wanted === undefined) continue;
    if (kind.isShared === true && caller.scope.environment === "sandbox") {
      warnings.push(leftOut(kind));
      continue;
    }
    faults.push(...nameFaults(kind, wanted), ...referenceFaults(kind, wanted, known));
    for (const one of wanted) faults.push(...(await secretFaults(deps, caller, one, headerValues)));
    if (faults.length > 0) continue;
    const own = { kind, wanted, held: held.get(kind) ?? [], prune };
    parts.push(await partOf(caller, own, { headerValues, faults }));
  }
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  return { parts, references, headerValues, warnings };
}

function leftOut({ section }: Kind): Warning {
  const message = `${section} are shared by live and sandbox, and are left out. Change them with a live key.`;
  return { code: "left_out", section, message };
}

function knownNames(
  kinds: readonly Kind[],
  held: ReadonlyMap<Kind, readonly Held[]>,
  configuration: Document,
  references: References,
): { readonly workflows: ReadonlySet<string>; readonly inboxes: ReadonlySet<string> } {
  const namesOf = (section: Kind["section"], known: Iterable<string>): ReadonlySet<string> => {
    const kind = kinds.find((one) => one.section === section);
    const wanted = kind === undefined ? [] : (sentObjects(kind, configuration) ?? []);
    const gone = new Set(wanted.map(({ renamedFrom }) => renamedFrom));
    return new Set([...[...known].filter((name) => !gone.has(name)), ...wanted.map(({ name }) => name)]);
  };
  return {
    workflows: namesOf("workflows", references.workflows.keys()),
    inboxes: namesOf("inboxes", references.inboxes.keys()),
  };
}

interface Side {
  readonly kind: Kind;
  readonly wanted: readonly SentObject[];
  readonly held: readonly Held[];
  readonly prune: boolean;
}

async function partOf(
  caller: Caller,
  { kind, wanted, held, prune }: Side,
  { headerValues, faults }: { readonly headerValues: HeaderValues; readonly faults: Violation[] },
): Promise<Part> {
  const byName = new Map(held.map((one) => [one.name, one]));
  const create: Creation[] = [];
  const update: Update[] = [];
  const matched = new Set<Held>();
  for (const one of wanted) {
    const before = byName.get(one.name) ?? byName.get(one.renamedFrom ?? one.name);
    if (before === undefined) {
      create.push({ wanted: one, document: kind.resolve(one.document) });
      continue;
    }
    matched.add(before);
    const change = await changeOf(kind, caller, { wanted: one, held: before }, headerValues);
    faults.push(...fixedFaults(kind, change));
    if (change.changed.size > 0) update.push(change);
  }
  const others = held.filter((one) => !matched.has(one) && kind.isRemovable?.(one) !== false);
  const remove = prune && kind.remove !== undefined ? others : [];
  return { kind, create, update, remove, unchanged: matched.size - update.length };
}

async function changeOf(
  kind: Kind,
  caller: Caller,
  { wanted, held }: Pick<Update, "wanted" | "held">,
  headerValues: HeaderValues,
): Promise<Update> {
  const kept = (kind.stays?.(wanted.document) ?? []).filter((name) => !Object.hasOwn(wanted.document, name));
  const whole = kind.resolve({ ...wanted.document, ...pick(held.document, kept) });
  const document = await settledHeaders(kind, caller, { document: whole, held }, headerValues);
  const names = [...new Set([...Object.keys(held.document), ...Object.keys(document)])];
  const changed = new Set(names.filter((name) => !isSame(held.document[name], document[name])));
  const of = (one: Document): Document => pick(one, [...changed]);
  return { wanted, held, document, changed, differences: differenceOf(of(held.document), of(document)) };
}

function fixedFaults({ fixed = [] }: Kind, { wanted, changed }: Update): Violation[] {
  return fixed
    .filter((name) => changed.has(name))
    .map((name) =>
      fault([...wanted.place, name], "fixed", "cannot change: give the object another name to replace it"),
    );
}

/** Returns a digest of the changes, of the objects that they concern, and of what these refer to. */
export function digestOf({ parts, references, headerValues }: Comparison): Buffer {
  const workflows = [...references.workflows].toSorted(byFirst);
  const rules = parts.find(({ kind }) => kind.section === "rules");
  const isNaming = rules !== undefined && rules.create.length + rules.update.length > 0;
  return sha256(
    canonicalJson([
      parts.map(({ kind, create, update, remove }) => [
        kind.section,
        create.map(({ document }) => [document, secretDigests(document, headerValues)]),
        update.map(({ held, document }) => [held.id, held.document, document, secretDigests(document, headerValues)]),
        remove.map(({ id, document }) => [id, document]),
      ]),
      isNaming ? workflows.filter(([name]) => isNamed(rules, name)) : [],
    ]),
  );
}

function isNamed({ create, update }: Part, workflow: string): boolean {
  const text = JSON.stringify(workflow);
  return [...create, ...update].some(({ document }) => JSON.stringify(document["then"]).includes(text));
}

function byFirst([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/** Returns the singular name of a kind, as plans show it. */
export function kindName({ section }: Kind): (typeof SECTIONS)[Kind["section"]] {
  return SECTIONS[section];
}
