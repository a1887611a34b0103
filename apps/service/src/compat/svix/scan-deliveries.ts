import type { Uuid } from "../../lib/lib.ts";
import type { LoggedDelivery } from "../../webhooks/webhooks.ts";
import { labelledBy, rangeOf } from "./attempts.ts";
import type { SvixDeps } from "./deps.ts";
import type { Call } from "./surface.routes.ts";

/** A search in the deliveries of an endpoint, newest first. */
export interface Scan<Item> {
  readonly endpointId: string;
  /** The delivery that an iterator names. */
  readonly before: Uuid | undefined;
  readonly filter: { readonly state?: string };
  /** Returns the items of some deliveries, in their order. */
  pick(rows: readonly LoggedDelivery[]): Promise<readonly Item[]>;
  readonly most: number;
}

export interface Scanned<Item> {
  readonly found: readonly Item[];
  /** The last delivery that was read, if the search stopped before it found enough. */
  readonly cutAt: LoggedDelivery | undefined;
}

/** The number of deliveries that are read at once, and how often. */
const AT_ONCE = 250;
const MOST_READS = 8;

/** Reads deliveries until enough items are found. A query that selects few of many gets some of them, and continues from there. */
export async function scanDeliveries<Item>(
  deps: SvixDeps,
  call: Call,
  { endpointId, before: start, filter, pick, most }: Scan<Item>,
): Promise<Scanned<Item>> {
  const { scope } = call.caller;
  const { from, to, names } = rangeOf(call);
  const found: Item[] = [];
  let before = start ?? to;
  for (let read = 0; found.length < most; read += 1) {
    const rows = await deps.deliver.toEndpoint(scope, endpointId, { ...filter, before, from }, AT_ONCE);
    const meant = rows.filter((row) => names?.has(row.event_name) ?? true);
    found.push(...(await pick(await labelled(deps, call, meant))));
    const last = rows.at(-1);
    if (rows.length < AT_ONCE || last === undefined) break;
    if (read === MOST_READS && found.length < most) return { found, cutAt: last };
    before = last.id;
  }
  return { found: found.slice(0, most), cutAt: undefined };
}

/** Returns the deliveries whose messages have the labels of the query. */
async function labelled(
  { events }: SvixDeps,
  call: Call,
  rows: readonly LoggedDelivery[],
): Promise<readonly LoggedDelivery[]> {
  const isLabelled = labelledBy(call);
  if (isLabelled === undefined) return rows;
  const labels = await events.labels(call.caller.scope, [...new Set(rows.map((row) => row.event_id))]);
  return rows.filter((row) => isLabelled(labels.get(row.event_id)));
}

const STATES: Readonly<Record<string, string>> = { "0": "delivered", "1": "pending", "2": "failed", "3": "pending" };

/** Returns the state of deliveries that have a status of Svix; undefined if several have. */
export function stateOf(status: string | undefined): string | undefined {
  return status === undefined ? undefined : STATES[status];
}
