import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { newTag } from "../../lib/lib.ts";
import { createTelemetry } from "./telemetry.ts";
import { tenantMetrics } from "./tenant-metrics.ts";

const tag = newTag();
const accepted = (tenant: string | null) =>
  ({ id: "", traceparent: null, scope: { tag }, name: "a.b", tenant }) as never;

test("only the busiest tenants have labels, with all that was counted of them", async () => {
  const registry = new Registry();
  const signals = tenantMetrics([registry], 2);
  signals.eventsAccepted?.([accepted("small"), accepted("large"), accepted("large"), accepted(null)]);
  signals.deliveryEnded?.(tag, "delivered", "large");
  signals.deliveryEnded?.(tag, "failed", "middle");
  signals.deliveryEnded?.(tag, "failed", "middle");
  signals.deliveryEnded?.(tag, "cancelled", "small");
  signals.deliveryEnded?.(tag, "delivered", null);
  const text = await registry.metrics();
  const values = text.split("\n").filter((line) => line.startsWith("junction_tenant_"));
  expect(values.toSorted()).toEqual([
    `junction_tenant_deliveries_total{workspace="${tag}",tenant="large",outcome="delivered"} 1`,
    `junction_tenant_deliveries_total{workspace="${tag}",tenant="large",outcome="failed"} 0`,
    `junction_tenant_deliveries_total{workspace="${tag}",tenant="middle",outcome="delivered"} 0`,
    `junction_tenant_deliveries_total{workspace="${tag}",tenant="middle",outcome="failed"} 2`,
    `junction_tenant_events_total{workspace="${tag}",tenant="large"} 2`,
    `junction_tenant_events_total{workspace="${tag}",tenant="middle"} 0`,
  ]);
});

test("the memory for tenants is bounded, and the busiest are kept", async () => {
  const registry = new Registry();
  const signals = tenantMetrics([registry], 1);
  signals.eventsAccepted?.([accepted("large"), accepted("large")]);
  for (let n = 0; n < 25_000; n += 1) signals.eventsAccepted?.([accepted(`tenant-${n}`)]);
  expect(await registry.metrics()).toContain(`tenant="large"} 2`);
});

test("tenants have no metrics unless their number is set", async () => {
  const { signals, metrics } = createTelemetry("silent");
  signals.eventsAccepted([accepted("acme")]);
  expect(await metrics()).not.toContain("acme");
  const telemetry = createTelemetry("silent", "json", 10);
  telemetry.signals.eventsAccepted([accepted("acme")]);
  expect(await telemetry.metrics()).toContain(`junction_tenant_events_total{workspace="${tag}",tenant="acme"} 1`);
});
