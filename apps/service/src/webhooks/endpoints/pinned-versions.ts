import { isEventName } from "../../events/events.ts";
import type { MatchedEvent } from "../../events/events.ts";
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
      "The versions of event types that the endpoint gets, by the name of the type. It gets no events of other versions of these types. Null: all versions.",
    examples: [{ "parcel.scanned": 1 }],
  }),
);

export function pinnedFaults(versions: PinnedVersions): Violation[] {
  return Object.keys(versions)
    .filter((name) => !isEventName(name))
    .map((name) => ({
      pointer: pointerOf(["event_versions", name]),
      code: "event_name",
      message: "must be the name of an event type, such as parcel.scanned",
    }));
}

/** Returns whether an endpoint with this pinned version gets the event. Canonical events always have version 1. */
export function isPinnedVersion(
  pinned: number | null,
  { typeVersion, canonical }: Pick<MatchedEvent, "typeVersion" | "canonical">,
): boolean {
  return pinned === null || pinned === (typeVersion ?? (canonical ? 1 : null));
}
