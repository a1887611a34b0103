import { afterAll, beforeAll, expect, test } from "vitest";
import { createIdMaker, systemClock } from "../lib/lib.ts";
import { scopeOf } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";
import type { Scope } from "../accounts/accounts.ts";
import { createTickets } from "./tickets.ts";
import type { Tickets } from "./tickets.ts";

let service: TestService;
let scope: Scope;
beforeAll(async () => {
  service = await startService();
  scope = await scopeOf(service, service.key);
});
afterAll(async () => await service.close());

let people = 0;

async function contact(): Promise<Parsed> {
  people += 1;
  const { status, body } = await service.api("POST", "/v1/contacts", { email: `tickets-${people}@example.com` });
  expect(status).toBe(201);
  return body;
}

/** Returns tickets of a directory that knows one ticket of each customer. `meanwhile` runs while it is queried. */
function ticketsOf(externalId: string, meanwhile: () => Promise<unknown>): Tickets {
  return createTickets({
    db: service.service.db,
    clock: systemClock,
    ids: createIdMaker(systemClock),
    elsewhere: () => ({
      context: async () => await Promise.resolve({}),
      identify: async () => await Promise.resolve({ found: [], told: [] }),
      async tickets() {
        await meanwhile();
        return {
          tickets: [{ externalId, subject: "Printer" }],
          told: [{ connector: "helpdesk", provider: "tickets", status: "ok", error: null }],
        };
      },
    }),
  });
}

test("found tickets belong to the remaining contact when a merge overtakes the query", async () => {
  const [from, into] = [await contact(), await contact()];
  const merge = async (): Promise<unknown> =>
    await service.api("POST", `/v1/contacts/${from.id}/merge`, { into: into.id });
  const page = await ticketsOf("overtaken-1", merge).list(scope, { customer_id: from.id });
  expect(page.data).toMatchObject([{ external_id: "overtaken-1", customer_id: into.id }]);
  expect((await service.api("GET", `/v1/contacts/${into.id}/export`)).body.tickets).toMatchObject([
    { external_id: "overtaken-1" },
  ]);
  await service.api("DELETE", `/v1/contacts/${into.id}`);
  const { body } = await service.api("GET", "/v1/tickets?external_id=overtaken-1");
  expect(body.data).toMatchObject([{ customer_id: null, subject: null }]);
});

test("found tickets are not stored when an erasure overtakes the query", async () => {
  const { id } = await contact();
  const erase = async (): Promise<unknown> => await service.api("DELETE", `/v1/contacts/${id}`);
  await expect(ticketsOf("overtaken-2", erase).list(scope, { customer_id: id })).rejects.toMatchObject({
    code: "not_found",
  });
  expect((await service.api("GET", "/v1/tickets?external_id=overtaken-2")).body.data).toEqual([]);
});

test("a ticket shows a later update time when its customer is merged", async () => {
  const [from, into] = [await contact(), await contact()];
  const before = (await service.api("PUT", "/v1/tickets/moved-1", { customer_id: from.id })).body;
  await service.api("POST", `/v1/contacts/${from.id}/merge`, { into: into.id });
  const after = (await service.api("GET", `/v1/tickets/${before.id}`)).body;
  expect(after.customer_id).toBe(into.id);
  expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
});
