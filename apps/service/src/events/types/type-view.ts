import { fromDate, scanJson, toRfc3339 } from "../../lib/lib.ts";
import { isSystem } from "../catalogue/catalogue.ts";
import type { EventType } from "../catalogue/event-type.ts";
import type { TypeUsage } from "../../insights/insights.ts";
import type { StoredType, VersionRow } from "./event-types.store.ts";

/** A type of any origin. `row` is absent for a type of the catalogue that the workspace has not changed. */
export interface AnyType {
  readonly catalogued: EventType | undefined;
  readonly row: StoredType | undefined;
}

export function nameOf({ catalogued, row }: AnyType): string {
  return catalogued?.name ?? row?.name ?? "";
}

/** Returns a type as JSON text. Its schema and examples keep the spelling of their numbers. */
export function typeText(
  type: AnyType,
  usage: TypeUsage | undefined,
  more: Readonly<Record<string, string>> = {},
): string {
  const { catalogued, row } = type;
  const head = {
    object: "event_type",
    name: nameOf(type),
    domain: catalogued?.domain ?? "custom",
    title: catalogued?.title ?? row?.title,
    description: catalogued?.description ?? row?.description,
    origin: originOf(type),
    canonical: originOf(type) === "canonical",
    system: originOf(type) === "system",
    enforcement: row?.enforcement ?? "off",
    visibility: row?.visibility ?? (catalogued === undefined ? "private" : "public"),
    version: row?.version ?? 1,
    deprecated_at: time(row?.deprecated_at),
    archived_at: time(row?.archived_at),
    last_seen_at: usage?.lastHour ?? null,
    violations_24h: { refused: usage?.refused ?? 0, warned: usage?.warned ?? 0 },
  };
  return withTexts(head, { ...dataTexts(type), ...more });
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

function time(date: Date | null | undefined): string | null {
  return date === null || date === undefined ? null : toRfc3339(fromDate(date));
}

/** Returns the first element of a list as JSON text; undefined if it is empty. */
export function firstExample(examples: string): string | undefined {
  return examples === "[]" ? undefined : scanJson(Buffer.from(examples)).slice([0]);
}
