import { useQueries } from "@tanstack/react-query";
import { call, useScope } from "../../api/api.ts";
import type { CallOptions, Environment } from "../../api/api.ts";

/** True for each of the five steps that has happened: fired, delivered, delivered to the user's own endpoint, received, approved. */
export type Steps = readonly [boolean, boolean, boolean, boolean, boolean];

export interface Progress {
  readonly steps: Steps;
  readonly isPending: boolean;
  readonly error: Error | null;
  refetch(): void;
}

/** Interval for data that the event stream does not report. */
const REFRESH_MS = 5000;
/** Interval for the environment that is not shown. */
const SELDOM_MS = 60_000;

/**
 * Returns the steps that happened in either environment: the first start prints a sandbox key, while the console opens in
 * live.
 */
export function useProgress(): Progress {
  const here = useScope().environment;
  const own = useStepsIn(here, REFRESH_MS);
  const other = useStepsIn(here === "live" ? "sandbox" : "live", SELDOM_MS);
  const steps = own.steps.map((isDone, at) => isDone || other.steps[at] === true);
  return {
    steps: steps as unknown as Steps,
    isPending: own.isPending || other.isPending,
    error: own.error,
    refetch: own.refetch,
  };
}

function useStepsIn(environment: Environment, refetchInterval: number): Progress {
  const scope = { ...useScope(), environment };
  const at = <Answer>(what: string, ask: (on: CallOptions) => Promise<Answer>) => ({
    queryKey: [what, "getting started", environment],
    queryFn: async () => await ask({ scope }),
    refetchInterval,
  });
  const queries = useQueries({
    queries: [
      at("events.list", async (on) => await call("events.list", { query: { limit: 1 } }, on)),
      at(
        "deliveries.list",
        async (on) => await call("deliveries.list", { query: { state: "delivered", limit: 50 } }, on),
      ),
      at("webhook_endpoints.list", async (on) => await call("webhook_endpoints.list", { query: { limit: 100 } }, on)),
      at("inbound_receipts.list", async (on) => await call("inbound_receipts.list", { query: { limit: 1 } }, on)),
      at("proposals.list", async (on) => await call("proposals.list", { query: { state: "executed", limit: 1 } }, on)),
    ],
  });
  const [events, delivered, endpoints, receipts, executed] = queries;
  const own = new Set(endpoints.data?.data.filter(({ url }) => url === null || !isInbox(url)).map((one) => one.id));
  const deliveries = delivered.data?.data ?? [];
  return {
    steps: [
      hasAny(events.data),
      deliveries.length > 0,
      deliveries.some((one) => own.has(one.endpoint_id)),
      hasAny(receipts.data),
      hasAny(executed.data),
    ],
    isPending: queries.some((query) => query.isPending && !query.isError),
    error: queries.find((query) => query.isError)?.error ?? null,
    refetch: () => {
      for (const query of queries) void query.refetch();
    },
  };
}

/** Returns true for the URL of the built-in inbox, which verifies by itself. */
function isInbox(url: string): boolean {
  return URL.parse(url)?.pathname.startsWith("/inbox/") ?? false;
}

function hasAny(list: { readonly data: readonly unknown[] } | undefined): boolean {
  return (list?.data.length ?? 0) > 0;
}
