import type { HotReader } from "../../platform/db/db.ts";
import { createPauses, WorkBudget } from "../../lib/lib.ts";
import type { Clock, Tag, Violation } from "../../lib/lib.ts";
import { findEventType } from "../catalogue/catalogue.ts";
import { CALL_BUDGET } from "../data-schemas/data-schema.ts";
import type { DataSchema } from "../data-schemas/data-schema.ts";
import type { Event } from "../event/event.ts";
import { catalogueSchema } from "./catalogue-schema.ts";
import { TYPES_QUERY, versionSchema } from "./event-types.store.ts";
import { createSchemaCache } from "./schema-cache.ts";
import type { SchemaCache } from "./schema-cache.ts";

/** The maximum number of faults that are stored with an event. */
const MAX_STORED = 20;

type Enforcement = "off" | "warn" | "refuse";

interface CurrentType {
  readonly enforcement: Enforcement;
  readonly version: number;
  /** How often the schema of the current version was changed. */
  readonly revision: number;
}

interface Checking extends CallBudgets {
  readonly cache: SchemaCache;
  readonly reader: HotReader;
}

export type TypeChecks = ReturnType<typeof createTypeChecks>;

/** Compares the data of events with the schemas of their types. */
export function createTypeChecks({ clock }: { readonly clock: Clock }) {
  const cache = createSchemaCache();
  return {
    question: TYPES_QUERY,
    /**
     * Returns the events with the versions and the faults that they have, based on the answers to the question. Schemas are
     * read once per version, which never changes, so that no node uses an old one.
     */
    async check(
      requests: readonly (readonly Event[])[],
      foundOf: (event: Event) => readonly string[],
      reader: HotReader,
    ): Promise<readonly (readonly Event[])[]> {
      const isTyped = (event: Event): boolean => event.typeVersion !== null || foundOf(event).length > 0;
      if (!requests.some((events) => events.some(isTyped))) return requests;
      const pauses = createPauses(clock);
      const checked: Event[][] = [];
      for (const events of requests) {
        const budgets = new Map<Tag, CallBudgets>();
        const ofRequest: Event[] = [];
        for (const event of events) {
          const [found] = foundOf(event);
          ofRequest.push(
            isTyped(event) ? await typed({ cache, reader, ...budgetsOf(budgets, event) }, event, found) : event,
          );
          if (pauses.isDue()) await pauses.pause();
        }
        checked.push(ofRequest);
      }
      return checked;
    },
  };
}

/** The units of a call, for the checks of its events, and for the schemas that the node does not keep. */
interface CallBudgets {
  readonly checks: WorkBudget;
  readonly schemas: WorkBudget;
}

/** Enough for the schemas of the largest batch, if each of its events is of another type and the node has just started. */
const SCHEMAS_BUDGET = 2_000_000;

/** The checks of one workspace never use up the time of another one. */
function budgetsOf(budgets: Map<Tag, CallBudgets>, { scope }: Event): CallBudgets {
  const found = budgets.get(scope.tag);
  if (found !== undefined) return found;
  const made = { checks: new WorkBudget(CALL_BUDGET), schemas: new WorkBudget(SCHEMAS_BUDGET) };
  budgets.set(scope.tag, made);
  return made;
}

export function currentType(found: string | undefined): CurrentType | undefined {
  if (found === undefined) return undefined;
  const [enforcement = "off", version, revision] = found.split(" ");
  return { enforcement: enforcement as Enforcement, version: Number(version), revision: Number(revision) };
}

async function typed(checking: Checking, event: Event, found: string | undefined): Promise<Event> {
  const current = currentType(found);
  const isNamed = event.typeVersion !== null;
  if (isNamed && !isPossible(event, current)) return { ...event, versionFault: true };
  if (current === undefined) return event;
  const typeVersion = event.typeVersion ?? current.version;
  const schema = await schemaOf(checking, event, typeVersion, current);
  if (schema === undefined) return { ...event, versionFault: true };
  const isChecked = schema !== null && current.enforcement !== "off";
  const violations = isChecked ? schema.violations(event.data, new WorkBudget(undefined, checking.checks)) : [];
  if (violations.length === 0) return { ...event, typeVersion };
  return { ...event, typeVersion, schemaErrors: stored(violations), refusal: refusal(current, violations) };
}

function refusal({ enforcement }: CurrentType, violations: readonly Violation[]): readonly Violation[] | null {
  return enforcement === "refuse" ? violations : null;
}

function stored(violations: readonly Violation[]): readonly Violation[] {
  return violations.slice(0, MAX_STORED).map((one) => ({ ...one, pointer: `/data${one.pointer}` }));
}

function isPossible({ name, typeVersion }: Event, current: CurrentType | undefined): boolean {
  if (findEventType(name) !== undefined) return typeVersion === 1;
  return current !== undefined && typeVersion !== null && typeVersion <= current.version;
}

/** Returns undefined if the version does not exist, and null if it has no schema. */
async function schemaOf(
  { cache, reader, schemas }: Checking,
  { name, scope }: Event,
  version: number,
  current: CurrentType,
): Promise<DataSchema | null | undefined> {
  const type = findEventType(name);
  if (type !== undefined)
    return cache.get(name) ?? cache.keep(name, JSON.stringify(catalogueSchema(type)), new WorkBudget());
  // Only the current version changes.
  const revision = version === current.version ? current.revision : "final";
  const key = `${scope.workspaceId} ${name} ${version} ${revision}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const row = await versionSchema(reader, scope, name, version);
  return row === undefined ? undefined : cache.keep(key, row.schema, schemas);
}
