import { useQueries } from "@tanstack/react-query";
import { read } from "../../api/api.ts";

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

export function useProgress(): Progress {
  const every = { refetchInterval: REFRESH_MS };
  const queries = useQueries({
    queries: [
      { ...read("events.list", { query: { limit: 1 } }), ...every },
      { ...read("deliveries.list", { query: { state: "delivered", limit: 50 } }), ...every },
      { ...read("webhook_endpoints.list", { query: { limit: 100 } }), ...every },
      { ...read("inbound_receipts.list", { query: { limit: 1 } }), ...every },
      { ...read("proposals.list", { query: { state: "executed", limit: 1 } }), ...every },
    ],
  });
  const [events, delivered, endpoints, receipts, executed] = queries;
  const own = new Set(endpoints.data?.data.filter((one) => !isInbox(one.url)).map((one) => one.id));
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
