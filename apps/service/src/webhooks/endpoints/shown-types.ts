import type { Caller } from "../../accounts/accounts.ts";
import { isEventName } from "../../events/events.ts";
import { pointerOf, ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { storedEndpoint } from "./endpoint.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import type { PinnedVersions } from "./pinned-versions.ts";
import { subscriptionsOf } from "./tenant-patterns.ts";

/** The members of an endpoint that name event types. */
export interface NamesTypes {
  readonly events?: readonly string[];
  readonly event_versions?: PinnedVersions | null;
}

export interface ShownTypes {
  /**
   * Throws 422 if a customer in the portal names an event type that the workspace does not show. The message is the same for types that
   * do not exist, so that names cannot be guessed. `*` and `prefix.*` select the events of the tenant, regardless of their types. What an
   * existing endpoint, the one with the id, already names can stay.
   */
  assertShown(caller: Caller, input: NamesTypes, id?: string): Promise<void>;
}

type ShownTypesDeps = Pick<EndpointsDeps, "db" | "inboxes" | "hiddenTypes">;

export function createShownTypes(deps: ShownTypesDeps): ShownTypes {
  return {
    async assertShown({ key, scope }, { events = [], event_versions: versions }, id) {
      if (key.portalMaker === undefined) return;
      const named = events.filter(isEventName);
      const pinned = Object.keys(versions ?? {}).filter(isEventName);
      if (named.length + pinned.length === 0) return;
      const hidden = new Set(await deps.hiddenTypes(scope, [...new Set([...named, ...pinned])]));
      if (hidden.size === 0) return;
      const kept = id === undefined ? [] : await namesOf(deps, scope, id);
      for (const name of kept) hidden.delete(name);
      const errors = [
        ...events.flatMap((name, at) => (hidden.has(name) ? [fault(["events", at])] : [])),
        ...pinned.filter((name) => hidden.has(name)).map((name) => fault(["event_versions", name])),
      ];
      if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
    },
  };
}

/** Returns the names that an endpoint already has. Of pinned versions, the names are those that were shown then. */
async function namesOf(deps: Pick<EndpointsDeps, "db">, scope: Caller["scope"], id: string): Promise<string[]> {
  const row = await storedEndpoint(deps, scope, id);
  return [...subscriptionsOf(row), ...Object.keys(row.event_versions ?? {})];
}

function fault(place: readonly (string | number)[]): Violation {
  const message = "is not an event type that you can select: choose one of the list of event types, a prefix or *";
  return { pointer: pointerOf([...place]), code: "event_type_unavailable", message };
}
