import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";

/** `webhook`: requests are sent to its URL. `pull`: consumers read its messages. */
export const ENDPOINT_KINDS = ["webhook", "pull"] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

/** The stored number of concurrent attempts of a pull endpoint. Nothing is sent to it, also not by a node that does not know its kind. */
export const NO_ATTEMPTS = 0;

/** Returns true if the deliveries of the endpoint are pulled. The queries of endpoints read the number anyway. */
export function isPulled({ maxInFlight }: { readonly maxInFlight: number }): boolean {
  return maxInFlight === NO_ATTEMPTS;
}

/** Settings of requests that are sent. */
const OF_SENDING = ["url", "auth", "ordering", "rate_limit_per_second", "max_in_flight"] as const;

interface KindInput {
  readonly kind?: EndpointKind;
  readonly url?: string;
}

/** Returns the violations of members that do not fit the kind of a new endpoint. */
export function kindFaults(input: KindInput): Violation[] {
  if (input.kind === "pull") return sendingFaults(input);
  return input.url === undefined ? [{ pointer: "/url", code: "required", message: "is required" }] : [];
}

/** Throws 422 if a change does not fit the kind of the endpoint, or would change it. */
export function assertFitsKind({ kind }: { readonly kind: string }, input: KindInput): void {
  const errors = kind === "pull" ? sendingFaults(input) : [];
  if (input.kind !== undefined && input.kind !== kind)
    errors.push({ pointer: "/kind", code: "immutable", message: `cannot be changed; it is ${kind}` });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

function sendingFaults(input: object): Violation[] {
  const given = input as Readonly<Record<string, unknown>>;
  return OF_SENDING.filter((name) => (given[name] ?? null) !== null).map((name) => ({
    pointer: `/${name}`,
    code: "not_for_pull",
    message: "must be omitted: the messages of a pull endpoint are not sent",
  }));
}
