import { afterAll, beforeAll, expect, test } from "vitest";
import { withPasskey } from "../../testing/authenticator.ts";
import { joined } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";
import { forgetStepUps } from "../workspaces/workspace-settings.store.ts";

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(async () => await service.close());

test("unproved step-ups are bounded for each person, and go after their end", async () => {
  const person = await joined(service, "admin");
  await withPasskey(service.baseUrl, person);
  const body = { change: { operation: "auth.passkeys.begin" } };
  const count = async (): Promise<number> => {
    const sql =
      "select count(*)::int as n from step_up s join member m on m.person_id = s.person_id join person p on p.id = m.person_id where p.email = $1";
    return (await service.database.query<{ n: number }>(sql, [person.email]))[0]?.n ?? -1;
  };
  const [first] = [await person.call("POST", "/v1/step-ups", body)];
  for (let at = 0; at < 3; at += 1) await person.call("POST", "/v1/step-ups", body);
  expect([first.status, await count()]).toEqual([201, 4]);
  await service.database.query(
    `insert into step_up select gen_random_uuid(), sha256(n::text::bytea), workspace_id, person_id, session_id, method, challenge_hash, proved_at, expires_at
     from step_up s, generate_series(1, 600) n where s.id = (select s.id from step_up s join person p on p.id = s.person_id where p.email = $1 limit 1)`,
    [person.email],
  );
  await person.call("POST", "/v1/step-ups", body);
  expect(await count()).toBeLessThanOrEqual(500);
  await service.database.query("update step_up set expires_at = now() - interval '6 minutes'");
  await service.service.db.transaction(async (tx) => await forgetStepUps(tx.query, new Date(Date.now() - 5 * 60_000)));
  expect(await count()).toBe(0);
});
