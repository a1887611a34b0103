import type { BrokerDriver, BrokerKind } from "./broker.ts";

/** What a destination needs is judged by its kind before it is stored, so that it fits the driver of its kind. */
export type AnyDriver = BrokerDriver<never>;

export const DRIVERS: readonly AnyDriver[] = [];

/** The kinds that have a driver, which are those that the API has. */
export const DRIVEN_KINDS: readonly BrokerKind[] = DRIVERS.map(({ kind }) => kind);
