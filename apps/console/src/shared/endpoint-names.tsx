import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { read } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { paths } from "../paths.ts";
import { Link } from "../ui/ui.ts";
import type { Option } from "../ui/ui.ts";

export interface Endpoints {
  readonly all: readonly wire.WebhookEndpoint[];
  readonly byId: ReadonlyMap<string, wire.WebhookEndpoint>;
  /** Options for a filter or a select. */
  readonly options: readonly Option[];
  readonly isPending: boolean;
}

/** Reads the newest hundred endpoints to name the endpoint of a delivery. An older endpoint is named by its id. */
export function useEndpoints(): Endpoints {
  const list = useQuery({ ...read("webhook_endpoints.list", { query: { limit: 100 } }), staleTime: 60_000 });
  const all = list.data?.data;
  return useMemo(
    () => ({
      all: all ?? [],
      byId: new Map((all ?? []).map((one) => [one.id, one])),
      options: (all ?? []).map((one) => ({ value: one.id, label: shownAddress(one), detail: one.description })),
      isPending: list.isPending,
    }),
    [all, list.isPending],
  );
}

/** Returns host and path, which distinguish endpoints. A pull endpoint has no URL. */
export function shortUrl(url: string | null): string {
  if (url === null) return "Pull endpoint";
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.host + (parsed.pathname === "/" ? "" : parsed.pathname);
}

/** Returns the address of an endpoint. One with a broker has a name instead. */
export function shownAddress({ kind, name, url }: Pick<wire.WebhookEndpoint, "kind" | "name" | "url">): string {
  return url === null && kind !== "pull" ? name : shortUrl(url);
}

/** Returns the description and the address, because receivers of one host look alike. */
export function endpointName({
  description,
  ...endpoint
}: Pick<wire.WebhookEndpoint, "description" | "kind" | "name" | "url">): string {
  return description === "" ? shownAddress(endpoint) : `${description} · ${shownAddress(endpoint)}`;
}

export function EndpointLink({ id, endpoints }: { readonly id: string; readonly endpoints: Endpoints }) {
  const found = endpoints.byId.get(id);
  return (
    <Link to={paths.endpoint(id)} look="plain" className="block truncate hover:underline">
      {found === undefined ? <span className="font-mono text-xs">{id}</span> : <bdi>{endpointName(found)}</bdi>}
    </Link>
  );
}
