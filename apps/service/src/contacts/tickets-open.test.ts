import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../testing/service.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

/** A contact shows the number of its open tickets, as the customer does (contract, section 6). */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

let contacts = 0;

async function contact(more: Record<string, unknown> = {}): Promise<Parsed> {
  contacts += 1;
  const { status, body } = await service.api("POST", "/v1/contacts", { name: `Contact ${contacts}`, ...more });
  expect(status).toBe(201);
  return body;
}

async function ticket(externalId: string, body: Record<string, unknown>): Promise<void> {
  const { status } = await service.api("PUT", `/v1/tickets/${externalId}`, body);
  expect([200, 201]).toContain(status);
}

async function shown(id: string): Promise<number[]> {
  const [one, customer, list] = await Promise.all([
    service.api("GET", `/v1/contacts/${id}`),
    service.api("GET", `/v1/customers/${id}`),
    service.api("GET", "/v1/contacts?limit=100"),
  ]);
  const listed = list.body.data.find((row: Parsed) => row.id === id);
  return [one.body.tickets_open, customer.body.tickets_open, listed.tickets_open];
}

test("a contact shows its number of open tickets everywhere, and follows each ticket", async () => {
  const ada = await contact();
  expect(ada.tickets_open).toBe(0);
  await ticket("open-1", { customer_id: ada.id });
  await ticket("open-2", { customer_id: ada.id, status: "pending" });
  await ticket("open-3", { customer_id: ada.id, status: "closed" });
  expect(await shown(ada.id)).toEqual([2, 2, 2]);
  await ticket("open-1", { status: "resolved" });
  expect(await shown(ada.id)).toEqual([1, 1, 1]);
  const changed = await service.api("PATCH", `/v1/contacts/${ada.id}`, { tags: ["vip"] });
  expect(changed.body.tickets_open).toBe(1);
  const { contact: exported } = (await service.api("GET", `/v1/contacts/${ada.id}/export`)).body;
  expect(exported.tickets_open).toBe(1);
});

test("a merged contact counts the tickets of both", async () => {
  const [from, into] = [await contact(), await contact()];
  await ticket("merged-1", { customer_id: from.id });
  await ticket("merged-2", { customer_id: into.id });
  const { body } = await service.api("POST", `/v1/contacts/${from.id}/merge`, { into: into.id });
  expect([body.id, body.tickets_open]).toEqual([into.id, 2]);
});

test("tickets of the other environment are not counted", async () => {
  const live = await contact({ email: "both@example.com" });
  const options = { key: service.sandboxKey };
  const sandbox = (await service.api("POST", "/v1/contacts", { email: "both@example.com" }, options)).body;
  await service.api("PUT", "/v1/tickets/sandbox-1", { customer_id: sandbox.id }, options);
  expect((await service.api("GET", `/v1/contacts/${live.id}`)).body.tickets_open).toBe(0);
  expect((await service.api("GET", `/v1/contacts/${sandbox.id}`, undefined, options)).body.tickets_open).toBe(1);
});
