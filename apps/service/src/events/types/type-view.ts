import { fromDate, scanJson, toRfc3339 } from "../../lib/lib.ts";
import { isSystem } from "../catalogue/catalogue.ts";
import type { EventType } from "../catalogue/event-type.ts";
import type { TypeUsage } from "../../insights/insights.ts";
import type { StoredType, VersionRow } from "./event-types.store.ts";

/** A type of any origin. `row` is absent for a type of the catalogue that the workspace has not changed. */
export interface AnyType {
  readonly catalogued: EventType | undefined;
  readonly row: StoredType | undefined;
  /** The workspace fired such an event in the last 30 days. */
  readonly isFired: boolean;
}

export function nameOf({ catalogued, row }: AnyType): string {
  return catalogued?.name ?? row?.name ?? "";
}

/**
 * Returns true for a type that tenants see: one that the workspace shows. Without its choice, that is a canonical type that it fires, and
 * each of its own types. System events are about its own work.
 */
export function isPublic(type: AnyType): boolean {
  return visibilityOf(type) === "public" && (type.row?.archived_at ?? null) === null;
}

function visibilityOf({ catalogued, row, isFired }: AnyType): string {
  if (catalogued === undefined) return row?.visibility ?? "private";
  if (isSystem(catalogued.name)) return "private";
  if (row?.visibility_chosen === true) return row.visibility;
  return isFired ? "public" : "private";
}

/** Returns a type as JSON text. Its schema and examples keep the spelling of their numbers. */
export function typeText(
  type: AnyType,
  usage: TypeUsage | undefined,
  more: Readonly<Record<string, string>> = {},
): string {
  const origin = originOf(type);
  const { lastHour, refused, warned } = usage ?? UNUSED;
  const head = {
    object: "event_type",
    name: nameOf(type),
    ...descriptionOf(type),
    origin,
    canonical: origin === "canonical",
    system: origin === "system",
    ...stateOf(type),
    last_seen_at: lastHour,
    violations_24h: { refused, warned },
  };
  return withTexts(head, { ...dataTexts(type), ...more });
}

const UNUSED: TypeUsage = { lastHour: null, refused: 0, warned: 0 };

function descriptionOf({ catalogued, row }: AnyType): object {
  if (catalogued === undefined) return { domain: "custom", title: row?.title, description: row?.description };
  const { domain, title, description } = catalogued;
  return { domain, title, description };
}

function stateOf(type: AnyType): object {
  const { row } = type;
  const visibility = visibilityOf(type);
  if (row === undefined) return { enforcement: "off", visibility, version: 1, deprecated_at: null, archived_at: null };
  const { enforcement, version } = row;
  return {
    enforcement,
    visibility,
    version,
    deprecated_at: time(row.deprecated_at),
    archived_at: time(row.archived_at),
  };
}

export function originOf({ catalogued }: AnyType): "canonical" | "custom" | "system" {
  if (catalogued === undefined) return "custom";
  return isSystem(catalogued.name) ? "system" : "canonical";
}

/** Returns a version as JSON text. */
export function versionText(row: VersionRow, current: number): string {
  const head = {
    object: "event_type_version",
    name: row.name,
    version: row.version,
    current: row.version === current,
    created_at: time(row.created_at),
  };
  return withTexts(head, { schema: row.schema ?? "null", examples: row.examples });
}

/** Appends members that are JSON text. */
function withTexts(head: object, texts: Readonly<Record<string, string>>): string {
  const members = Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `${JSON.stringify(head).slice(0, -1)},${members.join(",")}}`;
}

function dataTexts({ catalogued, row }: AnyType): { schema: string; example: string; examples: string } {
  if (catalogued !== undefined) {
    const example = JSON.stringify(catalogued.example);
    return { schema: JSON.stringify(catalogued.schema), example, examples: `[${example}]` };
  }
  const examples = row?.examples ?? "[]";
  return { schema: row?.schema ?? "null", example: firstExample(examples) ?? "null", examples };
}

function time(date: Date | null): string | null {
  return date === null ? null : toRfc3339(fromDate(date));
}

/** Returns the first element of a list as JSON text; undefined if it is empty. */
export function firstExample(examples: string): string | undefined {
  return examples === "[]" ? undefined : scanJson(Buffer.from(examples)).slice([0]);
}
