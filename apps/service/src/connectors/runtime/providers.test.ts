import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { runConnector } from "../../testing/connector-runs.ts";
import { outcome } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

async function contact(externalId: string, email = `${externalId}@example.com`): Promise<Parsed> {
  return (await service.api("PUT", `/v1/customers/${externalId}`, { email, name: "Ada" })).body;
}

covers(
  "connector.hook.context-providers",
  "context providers add data to a customer, and failing ones only report errors",
  async () => {
    const customer = await contact("ctx-1");
    const good = await runConnector(service, {
      members: `contextProviders() { return { orders: "orders", echo: "echo" }; }
        async orders() { return [{ id: "ord_1", total: 12.5 }]; }
        async echo(customer) { return customer; }`,
      description: { context_providers: ["orders", "echo"] },
    });
    const bad = await runConnector(service, {
      members: `contextProviders() { return { throws: "throws", hangs: "hangs", large: "large" }; }
        async throws() { throw new Error("no such account"); }
        async hangs() { await new Promise(() => setTimeout(() => {}, 1e6)); }
        async large() { return "x".repeat(70_000); }`,
      description: { context_providers: ["throws", "hangs", "large"] },
    });
    // Child processes that have just started may exceed the deadline once.
    await service.api("GET", `/v1/customers/${customer["id"]}`);
    const answer = await service.until(
      `/v1/customers/${customer["id"]}`,
      (body) =>
        body["context"][good.key]?.orders?.error === undefined &&
        body["context"][bad.key]?.throws?.error.code === "failed",
    );
    expect(answer["context"][good.key]).toEqual({
      orders: [{ id: "ord_1", total: 12.5 }],
      echo: { id: customer["id"], external_ids: ["ctx-1"], email: "ctx-1@example.com", name: "Ada", phone: null },
    });
    expect(answer["context"][bad.key]).toMatchObject({
      throws: { error: { code: "failed", message: expect.stringContaining("no such account") } },
      hangs: { error: { code: "timeout" } },
      large: { error: { code: expect.stringMatching(/^(too_large|failed)$/) } },
    });
    const listed = (await service.api("GET", "/v1/customers?external_id=ctx-1")).body["data"][0];
    expect(listed.context).toEqual({});
    await bad.disable();
    expect(Object.keys((await service.api("GET", `/v1/customers/${customer["id"]}`)).body["context"])).toEqual([
      good.key,
    ]);
    await good.disable();
  },
);

test("a provider can store data, but cannot fire events, write contacts or send mail", async () => {
  const customer = await contact("ctx-2");
  const connector = await runConnector(service, {
    members: `contextProviders() { return { tries: "tries" }; } async tries(customer) {
      const codes = [];
      for (const attempt of [
        () => this.fire("payment.completed", {}),
        () => this.contacts.upsert({ email: "x@example.com" }),
        () => this.timeline.add(customer.id, { summary: "x" }),
        () => this.mail({ to: "x@example.com", subject: "x", text: "x" }),
      ]) await attempt().catch((error) => codes.push(error.code));
      await this.kv.set("seen", customer.id);
      return { codes, seen: await this.kv.get("seen") };
    }`,
    description: { context_providers: ["tries"], fires: ["payment.completed"], reads: ["contacts"], mail: true },
  });
  const { context } = await service.until(
    `/v1/customers/${customer["id"]}`,
    (body) => body["context"][connector.key]?.tries?.codes !== undefined,
  );
  expect(context[connector.key].tries).toEqual({ codes: Array(4).fill("not_declared"), seen: customer["id"] });
  await connector.disable();
});

covers(
  "connector.hook.identity-providers",
  "customers are found by external identifiers, with each provider's result: 200, 400",
  async () => {
    const ada = await contact("id-1");
    const bob = await contact("id-2", "bob.k3@example.com");
    const one = await runConnector(service, {
      members: `identityProviders() { return { crm: "crm" }; }
        async crm(identifier) {
          if (identifier === "boom") throw new Error("away");
          return { "a:1": { external_id: "id-1" }, b: { email: "BOB.k3@example.com" }, gone: { external_id: "nobody" } }[identifier] ?? null;
        }`,
      description: { identity_providers: ["crm"] },
    });
    const find = async (identity: string): Promise<Parsed> =>
      (await service.api("GET", `/v1/customers?identity=${encodeURIComponent(identity)}`)).body;
    // A child process that has just started may exceed the deadline once.
    await find("crm:a:1");
    const told = { connector: one.key, provider: "crm", status: "ok", error: null };
    expect(await find("crm:a:1")).toMatchObject({
      object: "list",
      data: [{ id: ada["id"] }],
      has_more: false,
      connectors: [told],
    });
    expect((await find("crm:b"))["data"].map((row: Parsed) => row.id)).toEqual([bob["id"]]);
    expect(await find("crm:gone")).toMatchObject({ data: [], connectors: [told] });
    expect(await find("crm:nothing")).toMatchObject({ data: [], connectors: [told] });
    expect(await find("crm:boom")).toMatchObject({
      data: [],
      connectors: [{ status: "failed", error: expect.stringContaining("away") }],
    });
    for (const wrong of ["nosuch:1", "crm", "crm:", ":x:"])
      expect([wrong, outcome(await service.api("GET", `/v1/customers?identity=${encodeURIComponent(wrong)}`))]).toEqual(
        [wrong, wrong === "crm:" ? "200" : "400 query_invalid"],
      );
    const both = await runConnector(service, {
      members: `identityProviders() { return { crm: "crm" }; } async crm() { return { external_id: "id-1" }; }`,
      description: { identity_providers: ["crm"] },
    });
    await find("crm:a:1");
    const twice = await find("crm:a:1");
    expect([twice["data"].length, twice["connectors"].length]).toEqual([1, 2]);
    await both.disable();
    await one.disable();
    expect(outcome(await service.api("GET", "/v1/customers?identity=crm:a"))).toBe("400 query_invalid");
  },
);

test("a customer's tickets are read from the helpdesk, stored, and updated on changes", async () => {
  const customer = await contact("tkt-1");
  const connector = await runConnector(service, {
    members: `contextProviders() { return { tickets: "tickets" }; }
      async tickets(customer) {
        if (await this.kv.get("away")) throw new Error("the helpdesk is away");
        const status = (await this.kv.get("status")) ?? "open";
        return [{ external_id: "H-1", subject: "Printer", status, priority: "high", assignee: null }, { id: 2, subject: "Second" }, "nonsense", {}];
      }
      subscribers() { return { "test.helpdesk": ["change"] }; }
      async change(event) { for (const [name, value] of Object.entries(event.data)) await this.kv.set(name, value); }`,
    description: { context_providers: ["tickets"], events: ["test.helpdesk"] },
  });
  const list = async (more = ""): Promise<Parsed> =>
    (await service.api("GET", `/v1/tickets?customer_id=${customer["id"]}${more}`)).body;
  await list();
  const first = await list();
  expect(
    first["data"]
      .map((row: Parsed) => [row.external_id, row.status, row.subject, row.priority, row.customer_id])
      .toSorted(),
  ).toEqual([
    ["2", "open", "Second", null, customer["id"]],
    ["H-1", "open", "Printer", "high", customer["id"]],
  ]);
  expect(first["connectors"]).toEqual([{ connector: connector.key, provider: "tickets", status: "ok", error: null }]);
  const again = await list();
  expect(again["data"]).toEqual(first["data"]);
  await service.fire("test.helpdesk", { status: "resolved" });
  await connector.until((run) => run.hook === "subscriber");
  expect((await list("&status=resolved"))["data"].map((row: Parsed) => row.external_id)).toEqual(["H-1"]);
  expect((await service.api("GET", `/v1/customers/${customer["id"]}`)).body["tickets_open"]).toBe(1);
  await service.fire("test.helpdesk", { away: true });
  await connector.until((run) => run.hook === "subscriber", 2);
  const away = await list();
  expect(away["data"]).toHaveLength(2);
  expect(away["connectors"]).toMatchObject([{ status: "failed", error: expect.stringContaining("away") }]);
  // Neither a further page nor a request without a customer calls a provider.
  const page = await list("&limit=1");
  expect((await list(`&limit=1&cursor=${page["next_cursor"]}`))["connectors"]).toBeUndefined();
  expect((await service.api("GET", "/v1/tickets")).body["connectors"]).toBeUndefined();
  await connector.disable();
});
