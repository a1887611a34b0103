import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { uuidOf } from "../../testing/keys.ts";
import { joined, OWNER } from "../../testing/people.ts";
import { leaseIn, numbersIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import type { PullEndpoint } from "../../testing/pull-endpoint.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let server: MailServer;
let service: TestService;

beforeAll(async () => {
  server = await startMailServer("junction@example.com", "secret");
  service = await startService({ env: { ...UNLIMITED, JUNCTION_SMTP_URL: server.url } });
  await joined(service, "admin");
});
beforeEach(async () => {
  await service.database.query("delete from mail");
  await service.database.query("delete from pull_consumer");
  server.forget();
});
afterAll(async () => {
  await service.close();
  await server.close();
});

/** Starts nodes, which look for idle consumers at once, and stops them after that. */
async function sweep(nodes = 1): Promise<void> {
  const env = { ...UNLIMITED, JUNCTION_SMTP_URL: server.url };
  const started = await Promise.all(
    Array.from({ length: nodes }, async () => await startService({ on: service, env })),
  );
  await Promise.all(started.map(async (node) => await node.close()));
}

/** Lets the last pull of a consumer be days ago, and the notice of it too. */
async function age({ id }: PullEndpoint, consumer: string, days: number, noticedDays: number | null): Promise<void> {
  await service.database.query(
    `update pull_consumer set last_pulled_at = now() - $3 * interval '1 day', noticed_at = now() - $4 * interval '1 day'
     where endpoint_id = $1 and name = $2`,
    [uuidOf(id), consumer, days, noticedDays],
  );
}

async function consumers({ path }: PullEndpoint): Promise<unknown[]> {
  return ((await service.api("GET", `${path}/consumers`)).body["data"] as Parsed[]).map(({ consumer }) => consumer);
}

const states = async (): Promise<unknown[]> =>
  ((await service.api("GET", "/v1/mails?limit=100&purpose=consumer_idle")).body["data"] as Parsed[]).map(
    ({ state }) => state,
  );

/** Sends all that waits, and returns the texts that an address got. */
async function textsTo(email: string): Promise<string[]> {
  await service.database.query("update mail set due_at = now() where state = 'waiting'");
  await expect.poll(async () => (await states()).includes("waiting"), { timeout: 30_000 }).toBe(false);
  return server.mails.filter(({ to }) => to.includes(email)).map(({ data }) => data.replaceAll("=\r\n", ""));
}

describe("a consumer that has not pulled for eleven months", () => {
  test("is one e-mail for owners and admins, whichever nodes find it", async () => {
    const endpoint = await pullEndpoint(service, { description: "Parcels" });
    for (const consumer of ["billing", "recent"]) await endpoint.pull({ consumer });
    await age(endpoint, "billing", 340, null);
    await age(endpoint, "recent", 330, null);
    await sweep(2);
    const [text = "", ...more] = await textsTo(OWNER.email);
    expect([more, await states()]).toEqual([[], ["sent", "sent"]]);
    expect(text).toContain("Subject: A consumer of a pull endpoint is idle");
    expect(text).toContain("billing of Parcels");
    expect(text).toContain(`/endpoints/${endpoint.id}?tab=3Dconsumers`);
    expect(text).not.toContain("recent");
    await service.database.query("delete from mail");
    await sweep(2);
    expect([await states(), await consumers(endpoint)]).toEqual([[], ["billing", "recent"]]);
  });

  test("is reported by the next node if its e-mail could not be stored", async () => {
    const endpoint = await pullEndpoint(service);
    await endpoint.pull();
    await age(endpoint, "c", 340, null);
    await service.database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no mail'; end $$;
       create trigger refuse before insert on mail for each row execute function refuse()`,
    );
    await sweep();
    const noticed = "select noticed_at from pull_consumer";
    expect(await service.database.query(noticed)).toEqual([{ noticed_at: null }]);
    await service.database.query("drop trigger refuse on mail; drop function refuse()");
    await sweep();
    expect(await textsTo(OWNER.email)).toHaveLength(1);
  });

  test("causes no e-mail if it pulls in time, and one after another year", async () => {
    const endpoint = await pullEndpoint(service);
    await endpoint.pull();
    await age(endpoint, "c", 340, null);
    await sweep();
    await endpoint.pull();
    expect(await textsTo(OWNER.email)).toEqual([]);
    expect(await states()).toEqual(["skipped", "skipped"]);
    await age(endpoint, "c", 366, 700);
    await sweep();
    expect(await textsTo(OWNER.email)).toHaveLength(1);
    expect(await consumers(endpoint)).toEqual(["c"]);
  });

  test("is reported to the contact of its own tenant, and to no other", async () => {
    for (const tenant of ["acme", "other"]) {
      const body = { tenant, capabilities: ["endpoints"], contact_email: `ops@${tenant}.example` };
      expect((await service.api("POST", "/v1/portal-sessions", body)).status).toBe(201);
      const endpoint = await pullEndpoint(service, { tenant, description: `Of ${tenant}` });
      await endpoint.pull({ consumer: `worker-of-${tenant}` });
      await age(endpoint, `worker-of-${tenant}`, 340, null);
    }
    await sweep();
    const [text = "", ...more] = await textsTo("ops@acme.example");
    expect(more).toEqual([]);
    expect(["worker-of-acme", "of-other", "/endpoints/"].map((part) => text.includes(part))).toEqual([
      true,
      false,
      false,
    ]);
    expect(await textsTo("ops@other.example")).toHaveLength(1);
  });

  test("causes no e-mail in the sandbox", async () => {
    const key = { key: service.sandboxKey };
    const made = await service.api("POST", "/v1/webhook-endpoints", { kind: "pull", events: ["idle.sandbox"] }, key);
    await service.api("POST", `/v1/webhook-endpoints/${String(made.body["id"])}/pull`, { consumer: "c" }, key);
    await service.database.query("update pull_consumer set last_pulled_at = now() - interval '340 days'");
    await sweep();
    expect(await service.database.query("select 1 from pull_consumer where noticed_at is not null")).toHaveLength(1);
    expect(await service.database.query("select 1 from mail")).toEqual([]);
  });
});

describe("a consumer that has not pulled for a year", () => {
  test("is ended 30 days after people were informed, and begins again", async () => {
    const endpoint = await pullEndpoint(service);
    await endpoint.fire({ n: 1 }, { n: 2 });
    const lease_id = leaseIn(await endpoint.pull({ consumer: "gone" }));
    for (const consumer of ["kept", "late"]) await endpoint.drain(consumer);
    await age(endpoint, "gone", 367, 31);
    await age(endpoint, "kept", 364, 31);
    await age(endpoint, "late", 500, 29);
    await sweep(2);
    const list = await service.api("GET", `${endpoint.path}/consumers`);
    expect(list.body["data"]).toMatchObject([
      { consumer: "kept", position: 3 },
      { consumer: "late", position: 3 },
    ]);
    const { body } = await service.api("GET", "/v1/audit?kind=endpoint&limit=20");
    const entries = (body["data"] as Parsed[]).filter(({ action }) => action === "webhooks.consumers.end");
    expect(entries).toMatchObject([
      {
        status: "ok",
        actor: { type: "system" },
        params_redacted: { id: endpoint.id, consumer: "gone" },
        result_redacted: { reason: "idle", position: 1 },
      },
    ]);
    const late = await endpoint.call("commit", { consumer: "gone", lease_id });
    expect([late.status, late.body["detail"]]).toEqual([404, expect.stringContaining("created by its first pull")]);
    expect(numbersIn(await endpoint.pull({ consumer: "gone" }))).toEqual([1, 2]);
  });

  test("is reported and not ended if no one was informed before", async () => {
    const endpoint = await pullEndpoint(service);
    await endpoint.pull();
    await age(endpoint, "c", 800, null);
    await sweep();
    expect([await consumers(endpoint), await textsTo(OWNER.email)]).toMatchObject([["c"], { length: 1 }]);
  });

  test("is kept with its position while a pull of it waits", async () => {
    const endpoint = await pullEndpoint(service);
    await endpoint.fire({ n: 1 });
    await endpoint.drain();
    await age(endpoint, "c", 367, 31);
    // If it were ended, this pull would create it again at the end, behind the message that comes in that time.
    const waiting = endpoint.pull({ wait_seconds: 25, start: "end" });
    const back = "select 1 from pull_consumer where last_pulled_at > now() - interval '1 day'";
    await expect.poll(async () => await service.database.query(back)).toHaveLength(1);
    await sweep();
    await endpoint.fire({ n: 2 });
    expect(numbersIn(await waiting)).toEqual([2]);
  });

  test("is kept if it pulls in the moment in which it is being ended", async () => {
    const endpoint = await pullEndpoint(service);
    await endpoint.pull();
    await age(endpoint, "c", 367, 31);
    const pull = new pg.Client(service.database.url);
    await pull.connect();
    await pull.query("begin");
    await pull.query("update pull_consumer set last_pulled_at = clock_timestamp()");
    const swept = sweep();
    const waits =
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%delete from pull_consumer%'";
    await expect.poll(async () => await service.database.query(waits), { timeout: 20_000 }).not.toEqual([]);
    await pull.query("commit");
    await pull.end();
    await swept;
    expect(await consumers(endpoint)).toEqual(["c"]);
  });
});
