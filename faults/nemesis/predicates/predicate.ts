import type { EndpointTimes } from "../endpoint-times.ts";
import type { Facts } from "../facts.ts";

/** A promise of the service, as a function of what happened. */
export interface Predicate {
  readonly name: string;
  /** A sentence without its period, for people. */
  readonly promise: string;
  /** Returns what contradicts it. */
  broken(facts: Facts, endpoints: readonly EndpointTimes[]): string[];
}

/** The time between the read of an endpoint and the arrival of a request on a busy machine. */
export const SLACK_MS = 3000;

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
