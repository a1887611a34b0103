import { currentVersions, isEventName } from "../../events/events.ts";
import type { MatchedEvent } from "../../events/events.ts";
import type { Query } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { Nullable, pointerOf, Type } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";

/** The versions of event types that an endpoint gets, by the name of the type. */
export type PinnedVersions = Readonly<Record<string, number>>;

const MAX_PINNED = 100;

export const PinnedVersionsView = Nullable(
  Type.Unsafe<Record<string, number>>({
    type: "object",
    additionalProperties: { type: "integer", minimum: 1, maximum: 32_767 },
    maxProperties: MAX_PINNED,
    description:
      "The versions of event types that the endpoint gets, by the name of the type. Each version has to exist. The endpoint gets no events of other versions of these types. Null: all versions.",
    examples: [{ "parcel.scanned": 1 }],
  }),
);

/** Returns the faults of pinned versions: names that no type can have, and versions that do not exist. */
export async function pinnedFaults(query: Query, scope: Scope, versions: PinnedVersions): Promise<Violation[]> {
  const names = Object.keys(versions);
  const unnamed = names.filter((name) => !isEventName(name));
  const known = await currentVersions(query, scope, names.filter(isEventName));
  const isOfTenant = (scope.tenant ?? null) !== null;
  const missing = names.filter(isEventName).flatMap((name): Violation[] => {
    const type = known.get(name);
    // A tenant learns nothing about the types that are not shown to it.
    const last = type === undefined || (isOfTenant && !type.isPublic) ? 0 : type.version;
    if ((versions[name] ?? 0) <= last) return [];
    const message =
      last === 0
        ? "must be a version that exists: there is no event type of this name"
        : `must be a version that exists: the type's last version is ${last}`;
    return [{ pointer: pointerOf(["event_versions", name]), code: "version", message }];
  });
  return [
    ...unnamed.map((name) => ({
      pointer: pointerOf(["event_versions", name]),
      code: "event_name",
      message: "must be the name of an event type, such as parcel.scanned",
    })),
    ...missing,
  ];
}

/** Returns the versions as they are stored. */
export function pinnedText(versions: PinnedVersions | null | undefined): string | null {
  return versions === null || versions === undefined ? null : JSON.stringify(versions);
}

/** Returns whether an endpoint with this pinned version gets the event. Canonical events always have version 1. */
export function isPinnedVersion(
  pinned: number | null,
  { typeVersion, canonical }: Pick<MatchedEvent, "typeVersion" | "canonical">,
): boolean {
  return pinned === null || pinned === (typeVersion ?? (canonical ? 1 : null));
}
