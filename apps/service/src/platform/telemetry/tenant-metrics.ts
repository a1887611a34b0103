import { Counter } from "prom-client";
import type { Registry } from "prom-client";
import type { Tag } from "../../lib/lib.ts";
import type { Signals } from "./signals.ts";

interface Counts {
  readonly workspace: Tag;
  readonly tenant: string;
  events: number;
  delivered: number;
  failed: number;
}

/** The number of tenants that a process counts. Beyond it, the less busy half is forgotten, and begins at 0 when it is seen again. */
const MOST_COUNTED = 10_000;

const busyness = ({ events, delivered, failed }: Counts): number => events + delivered + failed;

/**
 * Counts the events and ended deliveries of tenants, and shows the `most` busiest ones of this process at each scrape. Callers
 * choose the names of tenants, so that a label for each of them would have no limit.
 */
export function tenantMetrics(registers: Registry[], most: number): Partial<Signals> {
  let counted = new Map<string, Counts>();

  function countsOf(workspace: Tag, tenant: string): Counts {
    const name = `${workspace} ${tenant}`;
    const known = counted.get(name);
    if (known !== undefined) return known;
    if (counted.size >= MOST_COUNTED) counted = new Map(busiest(counted, MOST_COUNTED / 2));
    const made: Counts = { workspace, tenant, events: 0, delivered: 0, failed: 0 };
    counted.set(name, made);
    return made;
  }

  const shown = (): Counts[] => busiest(counted, most).map(([, counts]) => counts);
  const events: Counter = new Counter({
    name: "junction_tenant_events_total",
    help: "Events committed, of the tenants that this process saw most.",
    labelNames: ["workspace", "tenant"],
    registers,
    collect() {
      events.reset();
      for (const { workspace, tenant, events: count } of shown()) events.inc({ workspace, tenant }, count);
    },
  });
  const deliveries: Counter = new Counter({
    name: "junction_tenant_deliveries_total",
    help: "Deliveries to the tenant's endpoints that ended, of the tenants that this process saw most.",
    labelNames: ["workspace", "tenant", "outcome"],
    registers,
    collect() {
      deliveries.reset();
      for (const { workspace, tenant, delivered, failed } of shown()) {
        deliveries.inc({ workspace, tenant, outcome: "delivered" }, delivered);
        deliveries.inc({ workspace, tenant, outcome: "failed" }, failed);
      }
    },
  });
  return {
    eventsAccepted(accepted) {
      for (const { scope, tenant } of accepted) if (typeof tenant === "string") countsOf(scope.tag, tenant).events += 1;
    },
    deliveryEnded(tag, state, tenant) {
      if (tenant !== null && (state === "delivered" || state === "failed")) countsOf(tag, tenant)[state] += 1;
    },
  };
}

function busiest(counted: ReadonlyMap<string, Counts>, most: number): [string, Counts][] {
  return [...counted].toSorted(([, a], [, b]) => busyness(b) - busyness(a)).slice(0, most);
}
