import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { TestWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { takesTenant } from "./wait-tenant.ts";

let service: TestService;
let names = 0;
const keys = new Map<string | null, string>();

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  keys.set(null, service.key);
  for (const tenant of ["acme", "globex"]) keys.set(tenant, (await mintKey(service, { tenant })).key);
});
afterAll(async () => await service.close());

type Tenant = "acme" | "globex" | null;
const freshName = (): string => `across.event-${(names += 1)}`;
const MATCH = { field: "data.order", op: "eq", value: "${$.data.order}" };

/** The ways in which a step can wait. */
const WAYS: Readonly<Record<string, (wait: Record<string, unknown>) => object>> = {
  "by a text": (wait) => ({ ...wait, match: MATCH }),
  "for any event": (wait) => wait,
  "by a pattern": (wait) => ({ ...wait, event: "across.*", match: { ...MATCH, field: "data.of" } }),
  "in a branch": (wait) => ({ id: "both", type: "parallel", branches: [[{ ...wait, match: MATCH }]] }),
  "in an item": (wait) => ({ id: "each", type: "for_each", in: [1], steps: [{ ...wait, match: MATCH }] }),
};

async function fireAs(tenant: Tenant, event: string, data: object): Promise<Parsed> {
  const { body } = await service.api("POST", "/v1/events/fire", { event, data }, { key: keys.get(tenant) ?? null });
  return body;
}

async function settled({ id }: Parsed): Promise<void> {
  await service.until(`/v1/events/${id}`, ({ stages }) => stages.every(({ state }: Parsed) => state === "done"));
}

/** Starts a run of a tenant, and returns its id once all of it waits. */
async function waiting(workflow: TestWorkflow, tenant: Tenant, order: string): Promise<string> {
  const fired = await fireAs(tenant, workflow.event, { order });
  const mine = (body: Parsed): Parsed => body.data.find((run: Parsed) => run.event_id === fired["id"]);
  const runs = await service.until(`/v1/workflows/${workflow.id}/runs`, (body) => mine(body) !== undefined);
  const { id } = mine(runs);
  await workflow.run(id, "waiting");
  await expect.poll(async () => await openWaits(order)).toBe(1);
  return id;
}

async function openWaits(order: string): Promise<number> {
  const [row] = await service.database.query<{ n: number }>(
    `select count(*)::int as n from workflow_wait w join workflow_run r on r.tag = w.tag and r.id = w.run_id
       left join workflow_run p on p.tag = r.tag and p.id = r.parent_id
     where coalesce(p.data, r.data) like $1 and w.armed is not null`,
    [`%"${order}"%`],
  );
  return row?.n ?? 0;
}

for (const [way, stepOf] of Object.entries(WAYS))
  test(`a run that waits ${way} continues with an event of its tenant alone`, async () => {
    const [awaited, after] = [freshName(), freshName()];
    const wait = { id: "wait", type: "wait_event", event: awaited, timeout_seconds: 3600 };
    const workflow = await makeWorkflow(service, [
      stepOf(wait),
      { id: "after", type: "fire_event", event: after, data: { steps: "${steps}", order: "${$.data.order}" } },
    ]);
    for (const own of ["acme", null] as const) {
      const order = `${own}-${awaited}`;
      const run = await waiting(workflow, own, order);
      const others = (["acme", "globex", null] as const).filter((tenant) => tenant !== own);
      for (const other of others) await settled(await fireAs(other, awaited, { order, of: order, secret: "GLOBEX" }));
      const { body } = await service.api("GET", `/v1/workflows/runs/${run}`);
      expect([own, body["state"]]).toEqual([own, "waiting"]);
      await fireAs(own, awaited, { order, of: order });
      const ended = await workflow.run(run, "completed");
      const { event_id: id } = ended["steps"].at(-1).output;
      const fired = await service.api("GET", `/v1/events/${id}`);
      expect([fired.body["tenant"] ?? null, fired.text.includes("GLOBEX")]).toEqual([own, false]);
    }
  });

test("an event that came while the step began is judged by its tenant", async () => {
  const awaited = freshName();
  const wait = { id: "wait", type: "wait_event", event: awaited, timeout_seconds: 3600, match: MATCH };
  const workflow = await makeWorkflow(service, [wait]);
  const run = await waiting(workflow, "acme", "late");
  await settled(await fireAs("globex", awaited, { order: "late" }));
  // This is the state if the events were planned before the wait was visible.
  await service.database.query("update workflow_wait set began = '00000000-0000-7000-8000-000000000000', armed = null");
  await service.database.query("update workflow_run set due_at = now() where state = 'waiting'");
  await expect.poll(async () => await openWaits("late")).toBe(1);
  expect((await service.api("GET", `/v1/workflows/runs/${run}`)).body["state"]).toBe("waiting");
  await service.database.query("update workflow_wait set key_value = 'unfound' where event = $1", [awaited]);
  await settled(await fireAs("acme", awaited, { order: "late" }));
  await service.database.query("update workflow_wait set armed = null where event = $1", [awaited]);
  await service.database.query("update workflow_run set due_at = now() where state = 'waiting'");
  await workflow.run(run, "completed");
});

test("another tenant's event in the same batch does not replace the own one", async () => {
  const awaited = freshName();
  const workflow = await makeWorkflow(service, [
    { id: "wait", type: "wait_event", event: awaited, timeout_seconds: 3600, match: MATCH },
  ]);
  const run = await waiting(workflow, "acme", "batch");
  const events = (["globex", "globex", "acme", "globex"] as const).map((tenant, n) => ({
    event: awaited,
    data: { order: "batch", n },
    tenant,
  }));
  await service.api("POST", "/v1/events/batch", { events });
  const ended = await workflow.run(run, "completed");
  expect(ended["steps"][0].output.data).toMatchObject({ n: 2 });
});

test("a shared wait crosses between workspace and tenant, never between tenants", async () => {
  const awaited = freshName();
  const after = { id: "after", type: "fire_event", event: "across.after", data: { got: "${steps.wait.data}" } };
  const wait = { id: "wait", type: "wait_event", event: awaited, timeout_seconds: 3600, match: MATCH };
  const workflow = await makeWorkflow(service, [{ ...wait, tenants: "shared" }, after]);
  const firedBy = async (run: Parsed): Promise<unknown> =>
    (await service.api("GET", `/v1/events/${run["steps"].at(-1).output.event_id}`)).body["tenant"] ?? null;
  const theirs = await waiting(workflow, "acme", "shared-acme");
  await settled(await fireAs("globex", awaited, { order: "shared-acme" }));
  expect((await service.api("GET", `/v1/workflows/runs/${theirs}`)).body["state"]).toBe("waiting");
  await fireAs(null, awaited, { order: "shared-acme" });
  expect(await firedBy(await workflow.run(theirs, "completed"))).toBe("acme");
  const own = await waiting(workflow, null, "shared-own");
  await fireAs("globex", awaited, { order: "shared-own" });
  // Later events of the run hold the tenant's data.
  expect(await firedBy(await workflow.run(own, "completed"))).toBe("globex");
});

test("branches and items fire events of their run's tenant, and are stored with it", async () => {
  const fired = freshName();
  const step = (id: string): object => ({ id, type: "fire_event", event: fired, data: { id } });
  const workflow = await makeWorkflow(service, [
    { id: "both", type: "parallel", branches: [[step("branch")]] },
    { id: "each", type: "for_each", in: [1, 2], steps: [step("item")] },
  ]);
  await fireAs("acme", workflow.event, {});
  const events = await service.until(`/v1/events?event=${fired}`, ({ data }) => data.length === 3);
  expect(events["data"].map(({ tenant }: Parsed) => tenant)).toEqual(["acme", "acme", "acme"]);
  const rows = await service.database.query<{ tenant: string }>(
    "select distinct tenant from workflow_run where parent_id is not null and data = '{}' and event_name = $1",
    [workflow.event],
  );
  expect(rows).toEqual([{ tenant: "acme" }]);
});

test("a step says own or shared, and nothing else", async () => {
  const wait = { id: "wait", type: "wait_event", event: "across.x", timeout_seconds: 60, tenants: "all" };
  const trigger = { event: "across.start" };
  const { body } = await service.api("POST", "/v1/workflows", { name: "No", trigger, steps: [wait] });
  expect(body["errors"]).toMatchObject([{ pointer: "/steps/0/tenants" }]);
});

test("no run of a tenant takes another tenant's event, with any step", () => {
  for (const isShared of [true, false])
    for (const parent of [null, "00000000-0000-7000-8000-000000000000" as never]) {
      expect(takesTenant({ run: { tenant: "acme", parent_id: parent }, isShared }, "globex")).toBe(false);
      expect(takesTenant({ run: { tenant: "acme", parent_id: parent }, isShared }, "acme")).toBe(true);
      expect(takesTenant({ run: { tenant: null, parent_id: parent }, isShared }, "acme")).toBe(
        isShared && parent === null,
      );
    }
});
