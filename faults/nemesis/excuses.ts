import type { DoneFault } from "./history.ts";
import type { FaultKind } from "./schedule.ts";

/** Faults after which a delivery may come again: its node ended or was suspended, or the result could not be written. */
const OF_RECEIVERS: ReadonlySet<FaultKind> = new Set([
  "receiver-refuses",
  "receiver-hangs",
  "receiver-resets",
  "receiver-slow",
  "receiver-gone",
]);
/** Faults that hold nothing up. */
const HARMLESS: ReadonlySet<FaultKind> = new Set(["snapshot-held", "slot-idle"]);
/** Suspended for less than this, a process cannot lose a lease while a request is in flight: see LEASE_MARGIN_MS of the engine. */
const LEASE_SAFE_MS = 9000;
/** The time in which delayed work continues after a fault. */
const AFTERMATH_MS = 5000;
/** The same for a request that a suspended process sends after its end. */
const LATE_REQUEST_MS = 30_000;

/** The faults of nodes and of the database that overlap a time. */
export function disturbances(faults: readonly DoneFault[], fromMs: number, toMs: number): DoneFault[] {
  return faults.filter(
    ({ kind, startMs, endMs }) =>
      !OF_RECEIVERS.has(kind) && !HARMLESS.has(kind) && startMs <= toMs && endMs + AFTERMATH_MS >= fromMs,
  );
}

/** The faults of receivers that overlap a time. */
export function receiverFaults(faults: readonly DoneFault[], fromMs: number, toMs: number): DoneFault[] {
  return faults.filter(
    ({ kind, startMs, endMs }) => OF_RECEIVERS.has(kind) && startMs <= toMs && endMs + 1000 >= fromMs,
  );
}

/** Milliseconds in which a fault may have held up what began before. */
export function heldMs(faults: readonly DoneFault[], fromMs: number, toMs: number): number {
  const overlaps = disturbances(faults, fromMs, toMs).map(
    ({ startMs, endMs }) => Math.min(toMs, endMs) - Math.max(fromMs, startMs),
  );
  return overlaps.reduce((sum, ms) => sum + Math.max(0, ms), 0);
}

/**
 * True if a process may have been suspended past its lease in this time, so that another one has taken over while the first still
 * sends (contract, section 14).
 */
export function mayHaveLostLease(faults: readonly DoneFault[], fromMs: number, toMs: number): boolean {
  return faults.some(({ kind, place, startMs, endMs }) => {
    const isLong = endMs - startMs >= LEASE_SAFE_MS || (kind === "failpoint" && place === "lease_lost");
    const isSuspending = kind === "node-paused" || kind === "node-paused-long" || kind === "failpoint";
    return isSuspending && isLong && startMs <= toMs && endMs + LATE_REQUEST_MS >= fromMs;
  });
}
