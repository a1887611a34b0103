import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startReceiver } from "../apps/service/src/testing/receiver.ts";
import type { Receiver } from "../apps/service/src/testing/receiver.ts";
import { startService } from "../apps/service/src/testing/service.ts";
import { createReactions } from "./reactions.ts";
import { verify } from "./verify.ts";
import { CATALOGUE, PERSON_MARK, personDigits, SAMPLES } from "./workload.ts";
import type { TestService } from "../apps/service/src/testing/test-service.ts";

const ROUNDS = 2;
const FIRED = { names: CATALOGUE.names, accepted: ROUNDS * SAMPLES.length, doubtful: 0, hasReactions: true };

let service: TestService;
let receiver: Receiver;
let sql: Client;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
  sql = new Client({ connectionString: service.database.url });
  await sql.connect();
  await service.endpoint(receiver.url, { events: CATALOGUE.names });
  await createReactions(async (path, body) => await service.api("POST", path, body));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, name] of CATALOGUE.names.entries()) {
      const data = (SAMPLES[at] ?? "").replaceAll(PERSON_MARK, personDigits(round * at));
      const fired = await service.api("POST", "/v1/events/fire", `{"event":"${name}","data":${data}}`);
      if (fired.status !== 202) throw new Error(`not fired: ${fired.text}`);
    }
  }
  // Reactions follow some time after the events were accepted.
  const checked = await vi.waitFor(async () => await verify(sql, FIRED), { timeout: 60_000, interval: 100 });
  if (checked !== FIRED.accepted) throw new Error(`${checked} events were checked`);
});

afterAll(async () => {
  await sql.end();
  await service.close();
  await receiver.close();
});

test.each([
  [
    "1 events without a delivery that arrived",
    "delete from delivery where event_id = (select min(event_id::text)::uuid from delivery)",
  ],
  ["20 events without a delivery that arrived", "update delivery set state = 'failed'"],
  [
    "1 events without an activity on their contact",
    "delete from activity where id = (select min(id::text)::uuid from event where name = 'invoice.paid')",
  ],
  [
    "events without an activity on their contact",
    "update activity set contact_id = (select min(id::text)::uuid from contact where id <> contact_id)",
  ],
  ["events without an activity on their contact", "delete from contact"],
  ["4 events without their ticket", "delete from ticket"],
  [
    "2 stages that have not ended",
    "update dispatch_stage set state = 'running' where (event_id, priority) in (select event_id, min(priority) from dispatch_stage group by 1 limit 2)",
  ],
  [
    "1 stages that failed",
    "update dispatch_stage set state = 'failed' where (event_id, priority) in (select event_id, min(priority) from dispatch_stage group by 1 limit 1)",
  ],
  ["2 events without a run of the rule", "delete from rule_run"],
  [
    "5 points of score too many or too few",
    "update contact set score = score - 5 where id = (select id from contact order by score desc limit 1)",
  ],
  ["2 events without a completed run of the workflow", "update workflow_run set state = 'failed'"],
  [
    "1 events of the workflow too many or too few",
    "delete from event where id = (select min(id::text)::uuid from event where chain is not null)",
  ],
  [
    "1 accepted events that are not in the database",
    "delete from event where id = (select min(id::text)::uuid from event where name = 'invoice.paid')",
  ],
])("reports %s", async (complaint, damage) => {
  await sql.query("begin");
  await sql.query(damage);
  const found = await verify(sql, FIRED).then(String, String);
  await sql.query("rollback");
  expect(found).toContain(complaint);
});

test("reports an event that was never accepted, unless a request was refused or unanswered", async () => {
  const fewer = { ...FIRED, accepted: FIRED.accepted - 1 };
  await expect(verify(sql, fewer)).rejects.toThrow("1 events that were never accepted");
  await verify(sql, { ...fewer, doubtful: 1 });
});
