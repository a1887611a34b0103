import type { EndpointRow } from "./endpoints.store.ts";

/**
 * The forms of an endpoint's requests that a caller can choose. `service`: the event in an envelope, with the headers of the service.
 * `svix`: the body is the data alone, and the message has one id for all endpoints (contract, section 18).
 */
export const WIRES = ["service", "svix"] as const;
/** `mcp`: the form of the subscriptions of AI clients (contract, section 17). */
export const SHOWN_WIRES = [...WIRES, "mcp"] as const;
export type Wire = (typeof SHOWN_WIRES)[number];

export function wireOf({ wire }: Pick<EndpointRow, "wire">): Wire {
  return SHOWN_WIRES.find((one) => one === wire) ?? "service";
}

/**
 * The stored transformation of an endpoint with the form `svix` and none of its own. A node of the version before fills it in, and so
 * sends the data alone as well, with the `webhook-` headers that libraries of Svix accept.
 */
const DATA_ALONE = '{"kind":"template","body":"${$.data}"}';

type Stored = Pick<EndpointRow, "wire" | "transform">;

/** Returns the transformation that a caller gave an endpoint, as JSON text; null for none. */
export function ownTransform({ wire, transform }: Stored): string | null {
  return wire === "svix" && transform === DATA_ALONE ? null : transform;
}

/** Returns the text that is stored for the transformation of a caller. No node sends the messages of a pull endpoint. */
export function storedTransform(
  { kind, wire }: { readonly kind: string; readonly wire: Wire },
  own: string | null,
): string | null {
  return wire === "svix" && kind !== "pull" && own === null ? DATA_ALONE : own;
}
