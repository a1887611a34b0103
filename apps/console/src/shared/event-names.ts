import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { read } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import type { Option } from "../ui/ui.ts";

export interface EventTypes {
  readonly all: readonly wire.EventType[];
  readonly byName: ReadonlyMap<string, wire.EventType>;
  readonly options: readonly Option[];
}

/** The canonical events and the system's, for suggestions; they change with a release alone. */
export function useEventTypes(): EventTypes {
  const list = useQuery({ ...read("event_types.list"), staleTime: Infinity });
  const all = list.data?.data;
  return useMemo(
    () => ({
      all: all ?? [],
      byName: new Map((all ?? []).map((one) => [one.name, one])),
      options: (all ?? []).map((one) => ({ value: one.name, label: one.name, detail: one.title })),
    }),
    [all],
  );
}
