import type { Tx } from "../../platform/db/db.ts";
import { nextTurn, ServiceError, toDate, WorkBudget } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Clock, Violation } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { findEventType, isEventName } from "../catalogue/catalogue.ts";
import * as store from "./event-types.store.ts";
import type { SetView } from "./event-types.schemas.ts";
import { assertCanonicalChange, assertFits, differencesOf, writeType } from "./event-types.ts";
import type { EventTypesDeps, Saving } from "./event-types.ts";
import { incompatible, inputFaults, nextState } from "./type-state.ts";
import type { NextState, TypeInput } from "./type-state.ts";

/** One type of a set. `version`: the version that it is to have; one above the current version makes a new one. */
export interface SetMember extends TypeInput {
  readonly name: string;
  readonly version?: number | undefined;
}

export interface TypeSet {
  readonly types: readonly SetMember[];
  /** Archives the workspace's own types that are not in the set. */
  readonly prune: boolean;
  readonly dryRun: boolean;
}

/** The changes that a set makes, by the names of types. */
export type SetOutcome = t.Static<typeof SetView>;

/** Units for all types of a set. After each type, other work takes its turn. */
const SET_BUDGET = 3_000_000;

interface Planned {
  readonly saving: Saving;
  readonly next: NextState;
  readonly differences: readonly Violation[];
  /** The position in the set. */
  readonly at: number;
}

/**
 * Writes a whole set of types, all or nothing. Throws 422 for faults, and 409 `schema_incompatible` unless it is only a
 * dry run.
 */
export async function putTypes(deps: EventTypesDeps, scope: Scope, set: TypeSet): Promise<SetOutcome> {
  assertNames(set.types);
  return await deps.db.transaction(async (tx) => {
    if (!set.dryRun) await store.lockTypes(tx, scope);
    const archive = set.prune ? await notIn(tx, scope, set.types) : [];
    const planned = await plannedOf(deps, tx, scope, set.types);
    const outcome = outcomeOf(planned, archive, set.dryRun);
    if (set.dryRun) return outcome;
    const differences = planned.flatMap(({ differences: own, at }) => placed(own, at));
    if (differences.length > 0) throw incompatible(differences);
    for (const { saving, next } of planned) if (next.isChanged) await writeType(tx, saving, next);
    for (const name of archive) await store.archiveType(tx, scope, name);
    await assertFits(tx, scope);
    return outcome;
  });
}

function placed(faults: readonly Violation[], at: number): Violation[] {
  return faults.map((fault) => ({ ...fault, pointer: `/types/${at}${fault.pointer}` }));
}

function assertNames(types: readonly SetMember[]): void {
  const seen = new Set<string>();
  const errors = types.flatMap(({ name }, at): Violation[] => {
    const pointer = `/types/${at}/name`;
    if (!isEventName(name))
      return [{ pointer, code: "event_name", message: "must be an event name such as order.created" }];
    if (seen.has(name)) return [{ pointer, code: "duplicate", message: "must not repeat another type of the set" }];
    seen.add(name);
    return [];
  });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

async function notIn(tx: Tx, scope: Scope, types: readonly SetMember[]): Promise<string[]> {
  const wanted = new Set(types.map(({ name }) => name));
  const rows = await store.listTypes(tx.query, scope, false);
  return rows.map(({ name }) => name).filter((name) => !wanted.has(name) && findEventType(name) === undefined);
}

async function plannedOf(
  { clock }: { readonly clock: Clock },
  tx: Tx,
  scope: Scope,
  types: readonly SetMember[],
): Promise<Planned[]> {
  const rows = [...(await store.listTypes(tx.query, scope, false)), ...(await store.listTypes(tx.query, scope, true))];
  const known = new Map(rows.map((row) => [row.name, row]));
  const now = toDate(clock.now());
  const whole = new WorkBudget(SET_BUDGET);
  const errors: Violation[] = [];
  const planned: Planned[] = [];
  for (const [at, { version, name, ...input }] of types.entries()) {
    const current = known.get(name);
    if (findEventType(name) !== undefined) assertCanonicalChange(name, input);
    errors.push(
      ...placed(
        [...inputFaults(input, current, new WorkBudget(undefined, whole)), ...versionFaults(current, version)],
        at,
      ),
    );
    const isNewVersion = version !== undefined && version === (current?.version ?? 0) + 1;
    const saving = { scope, name, input, current, isNewVersion };
    await nextTurn();
    // The differences are of no interest once the set is refused.
    if (errors.length > 0) continue;
    const next = nextState(input, current, { isNewVersion, now });
    const differences = differencesOf(saving, next, new WorkBudget(undefined, whole));
    planned.push({ saving, next, differences, at });
    await nextTurn();
  }
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  return planned;
}

function versionFaults(current: Saving["current"], version: number | undefined): Violation[] {
  if (version === undefined) return [];
  const now = current?.version ?? 0;
  const isPossible = version === now + 1 || (version === now && current?.archived_at === null);
  if (isPossible) return [];
  return [{ pointer: "/version", code: "version", message: `must be ${now === 0 ? "" : `${now} or `}${now + 1}` }];
}

function outcomeOf(planned: readonly Planned[], archive: string[], dryRun: boolean): SetOutcome {
  const isNew = ({ saving: { current } }: Planned): boolean => current === undefined || current.archived_at !== null;
  const changed = planned.filter(({ next, differences }) => next.isChanged && differences.length === 0);
  const nameOf = ({ saving }: Planned): string => saving.name;
  return {
    object: "event_type_changes",
    dry_run: dryRun,
    create: changed.filter(isNew).map(nameOf),
    update: changed.filter((one) => !isNew(one)).map(nameOf),
    archive,
    incompatible: planned
      .filter(({ differences }) => differences.length > 0)
      .map((one) => ({ name: nameOf(one), errors: [...one.differences] })),
  };
}
