import type { Client, ClientRequest } from "../api.ts";
import type { Body, EndpointState, Operation } from "../history.ts";
import type { World } from "../world.ts";

/** An endpoint that clients know. Only its owner changes it, so that the order of its changes is known. */
export interface KnownEndpoint {
  readonly id: string;
  readonly kind: "webhook" | "pull";
  /** The client that changes it; null: none does. */
  readonly owner: number | null;
  state: EndpointState;
}

/** The knowledge that the clients of a run share. */
export interface Known {
  readonly endpoints: KnownEndpoint[];
  /** Ids of deliveries, the newest last. */
  readonly deliveries: string[];
  readonly proposals: { readonly id: string; readonly hash: string }[];
  readonly scheduled: string[];
  readonly keys: {
    readonly id: string;
    readonly key: string;
    readonly tenant: string | null;
    readonly owner: number;
  }[];
  /** The number of the last event. */
  events: number;
  /** The number of the last path. */
  paths: number;
}

/** The things with which an operation works. */
export interface Acting {
  readonly world: World;
  readonly client: Client;
  readonly known: Known;
}

export interface Act {
  readonly name: string;
  readonly weight: number;
  /** Does it once. Does nothing where there is nothing to do it with. */
  run(acting: Acting): Promise<unknown>;
}

export const EVENTS = ["nemesis.a", "nemesis.b", "nemesis.c"] as const;
/** Tenants that are never deleted. */
export const TENANTS = ["north", "south"] as const;
export const LANES = 4;
export const CONTRACT = "nemesis.act";

const MOST_KEPT = 200;

export function createKnown(): Known {
  return { endpoints: [], deliveries: [], proposals: [], scheduled: [], keys: [], events: 0, paths: 0 };
}

/** Keeps the newest. */
export function keep<Item>(items: Item[], ...more: readonly Item[]): void {
  items.push(...more);
  items.splice(0, items.length - MOST_KEPT);
}

export function take<Item>(items: Item[], item: Item): void {
  const at = items.indexOf(item);
  if (at >= 0) items.splice(at, 1);
}

/** One of the client's own endpoints. */
export function ownEndpoint({ client, known }: Acting): KnownEndpoint | undefined {
  return client.random.any(known.endpoints.filter(({ owner }) => owner === client.number));
}

/** Sends a POST of the client. */
export async function post(
  { client }: Acting,
  operation: Operation,
  request: Pick<ClientRequest, "path"> & Partial<ClientRequest>,
): Promise<Body | undefined> {
  return await client.call(operation, { method: "POST", body: {}, ...request });
}
