import { ServiceError } from "../../lib/lib.ts";
import type { TenantKey } from "../../lib/lib.ts";
import type { Query } from "../../platform/db/db.ts";
import { MOST_TENANTS, OTHER_TENANTS } from "./counters.ts";
import { hourOfId, readTenantHours } from "./usage.store.ts";

/** Counts by hour are kept for so many days. Those of tenants have no others. */
export const HOURS_KEPT_DAYS = 30;

/** The events of all tenants beyond `limit` in an hour. */
export interface OtherTenants {
  readonly limit: number;
  readonly events: number;
}

/** The tenant whose usage is read. */
export interface AskedTenant {
  readonly tenant: string;
  /** True for the workspace, which may know how many events other tenants had. */
  readonly withOthers: boolean;
}

interface TenantHour {
  readonly hour: number;
  readonly kind: string;
  readonly count: number;
}

/** Reads the counts of a tenant from one hour to another, both included, with the kinds of the environment's totals. */
export async function tenantUsage(
  query: Query,
  place: TenantKey,
  { tenant, withOthers }: AskedTenant,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<{ readonly hours: TenantHour[]; readonly others: OtherTenants | null }> {
  const subjects = withOthers ? [tenant, OTHER_TENANTS] : [tenant];
  const rows = (await readTenantHours(query, place, subjects, from)).filter(({ id }) => hourOfId(id) <= to);
  const others = rows.filter(({ subject, kind }) => subject === OTHER_TENANTS && kind === "tenant_events");
  return {
    hours: rows.flatMap(({ id, subject, kind, count }) =>
      subject === tenant ? [{ hour: hourOfId(id), kind: kind.slice("tenant_".length), count }] : [],
    ),
    others: withOthers ? { limit: MOST_TENANTS, events: others.reduce((total, { count }) => total + count, 0) } : null,
  };
}

/** Throws 400 for a first day whose hours are no longer kept. `firstKept` is `YYYY-MM-DD`. */
export function assertKept(first: string, firstKept: string): void {
  if (first >= firstKept) return;
  const detail = `The usage of a tenant is kept for ${HOURS_KEPT_DAYS} days: from must be ${firstKept} or later.`;
  throw new ServiceError("query_invalid", { detail });
}
