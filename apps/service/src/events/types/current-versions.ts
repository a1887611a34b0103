import type { Query } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { isCanonical } from "../catalogue/catalogue.ts";
import { typesNamed } from "./event-types.store.ts";

/** The current version of an event type. Its earlier versions exist too, down to 1. */
export interface CurrentVersion {
  readonly version: number;
  /** True if tenants may know the type. */
  readonly isPublic: boolean;
}

/** Returns the current versions of event types by name. The catalogue's types have only version 1. */
export async function currentVersions(
  query: Query,
  scope: Scope,
  names: readonly string[],
): Promise<ReadonlyMap<string, CurrentVersion>> {
  if (names.length === 0) return new Map();
  const catalogued = names.filter(isCanonical).map((name) => [name, { version: 1, isPublic: true }] as const);
  const rows = await typesNamed(query, scope, names);
  return new Map([
    ...catalogued,
    ...rows.map(({ name, version, visibility }) => [name, { version, isPublic: visibility === "public" }] as const),
  ]);
}
