import { useQuery } from "@tanstack/react-query";
import { createContext, useContext, useMemo, useState } from "react";
import type { ReactNode } from "react";
import { readExact } from "../../api/api.ts";
import { useEventTypes, pretty } from "../../shared/shared.ts";
import { useSettled } from "./settled.ts";

/** Values with which the editor shows requests, and offers paths. They are not part of the definition. */
export interface Sample {
  readonly event: string;
  /** JSON text of the event's data. */
  readonly data: string;
  /** JSON texts of the outputs of steps, by the steps' ids. */
  readonly outputs: Readonly<Record<string, string>>;
  change(part: Partial<Pick<Sample, "event" | "data" | "outputs">>): void;
}

const SETTLED_MS = 600;
const NONE: Sample = { event: "", data: "{}", outputs: {}, change: () => undefined };
const SampleContext = createContext<Sample>(NONE);

export function useSample(): Sample {
  return useContext(SampleContext);
}

export interface SampleProviderProps {
  /** The event that starts what is edited. Its last occurrence is the sample until another one is chosen. */
  readonly event: string;
  readonly children: ReactNode;
}

/** Keeps the sample of an editor. */
export function SampleProvider({ event, children }: SampleProviderProps) {
  const [own, setOwn] = useState<Partial<Pick<Sample, "event" | "data" | "outputs">>>({});
  const name = useSettled(event.trim(), SETTLED_MS);
  const data = useSampleData(name);
  const sample = useMemo(
    (): Sample => ({
      event: own.event ?? name,
      data: own.data ?? data,
      outputs: own.outputs ?? {},
      change: (part) => setOwn((before) => ({ ...before, ...part })),
    }),
    [own, name, data],
  );
  return <SampleContext value={sample}>{children}</SampleContext>;
}

/** Returns the data of the last event of a type, or else of the type's example. */
function useSampleData(event: string): string {
  const types = useEventTypes();
  const last = useQuery({
    ...readExact("events.list", { query: { event, limit: 1 } }),
    enabled: event.includes("."),
    staleTime: 60_000,
    retry: false,
  });
  return pretty(last.data?.data[0]?.data ?? types.byName.get(event)?.example ?? {});
}
