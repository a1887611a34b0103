import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { read } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { useAccess, usePortal } from "../session/session.ts";
import type { Option } from "../ui/ui.ts";

export interface EventTypes {
  readonly all: readonly wire.EventType[];
  readonly byName: ReadonlyMap<string, wire.EventType>;
  readonly options: readonly Option[];
  /** Returns true if a pattern of a subscription selects an event. */
  selects(pattern: string, event: string): boolean;
}

/** The canonical events and the system's, for suggestions; they change with a release alone. */
export function useEventTypes(): EventTypes {
  const enabled = useAccess().may("event_types.list");
  const list = useQuery({ ...read("event_types.list"), staleTime: Infinity, enabled });
  const all = list.data?.data;
  return useMemo(() => {
    const byName = new Map((all ?? []).map((one) => [one.name, one]));
    return {
      all: all ?? [],
      byName,
      options: (all ?? []).map((one) => ({ value: one.name, label: one.name, detail: one.title })),
      selects: (pattern, event) =>
        pattern === "*" ? byName.get(event)?.system !== true : pattern === event || isBelow(pattern, event),
    };
  }, [all]);
}

/** Returns the words for a subscription to `*`. A customer has no system events that it could leave out. */
export function useAllTypes(): string {
  return usePortal() === undefined ? "All except system events" : "All event types";
}

/** Returns true for `order.*` and an event below `order`. */
function isBelow(pattern: string, event: string): boolean {
  return pattern.endsWith(".*") && event.startsWith(pattern.slice(0, -1));
}
