import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { DRIVEN_KINDS } from "../../platform/brokers/brokers.ts";
import type { BrokerKind } from "../../platform/brokers/brokers.ts";

/** `webhook`: requests are sent to its URL. `pull`: consumers read its messages. Others: messages are sent to a broker. */
export type EndpointKind = "webhook" | "pull" | BrokerKind;
export const ENDPOINT_KINDS: readonly EndpointKind[] = ["webhook", "pull", ...DRIVEN_KINDS];

/** The stored number of concurrent attempts of a pull endpoint. Nothing is sent to it, also not by a node that does not know its kind. */
export const NO_ATTEMPTS = 0;
const MOST_ATTEMPTS = 16;

/** Returns true if the deliveries of the endpoint are pulled. The queries of endpoints read the number anyway. */
export function isPulled({ maxInFlight }: { readonly maxInFlight: number }): boolean {
  return maxInFlight === NO_ATTEMPTS;
}

/** Returns the kind of a broker; undefined for other kinds, and for one that a later version stored. */
export function brokerKindOf({ kind = "webhook" }: { readonly kind?: string }): BrokerKind | undefined {
  return DRIVEN_KINDS.find((one) => one === kind);
}

/** Returns true for a broker, also of a kind that this version does not know. */
export function isOfBroker({ kind }: { readonly kind: string }): boolean {
  return kind !== "webhook" && kind !== "pull";
}

/**
 * Returns the stored number of concurrent attempts. That of a broker is negative: a node that does not know its kind begins none of the
 * deliveries that it leases.
 */
export function storedAttempts(kind: string, wanted: number = MOST_ATTEMPTS): number {
  if (kind === "pull") return NO_ATTEMPTS;
  return isOfBroker({ kind }) ? -wanted : wanted;
}

/** Settings of requests that are sent. */
const OF_SENDING = ["url", "auth", "ordering", "rate_limit_per_second", "max_in_flight", "destination"] as const;
const OF_HTTP = ["url", "auth"] as const;

interface KindInput {
  readonly kind?: EndpointKind;
  readonly url?: string;
  readonly destination?: unknown;
}

/** Returns the violations of members that do not fit the kind of a new endpoint. */
export function kindFaults(input: KindInput): Violation[] {
  const { kind = "webhook" } = input;
  const faults = faultsOfKind(kind, input);
  const needed = kind === "webhook" ? "url" : "destination";
  if (kind === "pull" || input[needed] !== undefined) return faults;
  return [...faults, { pointer: `/${needed}`, code: "required", message: "is required" }];
}

/** Throws 422 if a change does not fit the kind of the endpoint, or would change it. */
export function assertFitsKind({ kind }: { readonly kind: string }, input: KindInput): void {
  const errors = faultsOfKind(kind, input);
  if (input.kind !== undefined && input.kind !== kind)
    errors.push({ pointer: "/kind", code: "immutable", message: `cannot be changed; it is ${kind}` });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

function faultsOfKind(kind: string, input: object): Violation[] {
  if (kind === "pull")
    return given(input, OF_SENDING, "not_for_pull", "must be omitted: the messages of a pull endpoint are not sent");
  if (isOfBroker({ kind }))
    return given(input, OF_HTTP, "not_for_broker", `must be omitted: messages of kind ${kind} go to its destination`);
  return given(input, ["destination"], "not_for_webhook", "must be omitted: requests are sent to url");
}

function given(input: object, names: readonly string[], code: string, message: string): Violation[] {
  const members = input as Readonly<Record<string, unknown>>;
  return names
    .filter((name) => (members[name] ?? null) !== null)
    .map((name) => ({ pointer: `/${name}`, code, message }));
}
