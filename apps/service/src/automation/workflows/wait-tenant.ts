import type { RunRow } from "./runs.store.ts";

/** The tenant of a run that waits, and whether its step takes events across the border of tenants. */
export interface Waiter {
  readonly run: Pick<RunRow, "tenant" | "parent_id">;
  readonly isShared: boolean;
}

/**
 * Returns whether a run takes an event, by its tenant. A tenant's run never takes another tenant's event: its key could name
 * the id that the run waits for. Branches and items without a tenant take no tenant's event, because their parent collects
 * the outputs of several.
 */
export function takesTenant({ run, isShared }: Waiter, tenant: string | null): boolean {
  if (run.tenant === tenant) return true;
  return isShared && (tenant === null || (run.tenant === null && run.parent_id === null));
}

/** Returns the tenant of a run that took an event: what the run causes afterwards holds the event's data. */
export function tenantAfter({ run }: Pick<Waiter, "run">, tenant: string | null): string | null {
  return run.tenant ?? tenant;
}
