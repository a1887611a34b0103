import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { apiCall, callOf, calls, operations } from "../testing/calls.ts";
import { watchEffects } from "../testing/effects.ts";
import type { Effects } from "../testing/effects.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

const COPIES = 50;
/** A person who signed out has no session for a repeat. Responses about pulled messages are not stored (contract, section 14). */
const REPEATED: ReadonlySet<string> = new Set([
  "auth.sign_out",
  "webhooks.pull",
  "webhooks.commit",
  "webhooks.release",
  "webhooks.seek",
]);

let service: TestService;
let effects: Effects;
beforeAll(async () => {
  // Without workers, only the calls themselves have effects.
  const limits = { ...JSON.parse(UNLIMITED.JUNCTION_RATE_LIMITS), "webhooks.test": 100_000 };
  service = await startService({ env: { JUNCTION_ROLES: "api", JUNCTION_RATE_LIMITS: JSON.stringify(limits) } });
  effects = await watchEffects(service);
});
afterAll(async () => await service.close());

/**
 * Returns the effects after replay jobs and connectors' webhooks, except the job that testing/calls.ts keeps open. How often a
 * webhook is handed to its connector depends on when the connector's process is ready; what it did is in `connector_run`.
 */
async function settled(): Promise<Record<string, number>> {
  for (;;) {
    const open = await service.database.query(
      "select 1 from replay_job where finished_at is null and filter ->> 'event' is distinct from 'test.nothing' union all select 1 from connector_webhook where state = 'waiting'",
    );
    if (open.length === 0) {
      const { "connector_webhook update": _tries, ...taken } = await effects.taken();
      return taken;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("every operation of the API has its calls in testing/calls.ts", async () => {
  const known = (await operations(service)).map((route) => route.operation);
  expect(known.toSorted()).toEqual(Object.keys(calls).toSorted());
});

covers(
  ["idempotency.repeat.original", "idempotency.header.write"],
  "one of 50 concurrent copies of any write takes effect, and each gets its answer",
  async () => {
    const writes = (await operations(service)).filter(
      (route) => route.access === "write" && !REPEATED.has(route.operation),
    );
    for (const route of writes) {
      const good = async (): Promise<(key: string) => Promise<ApiAnswer>> => {
        const { args, send } = await callOf(service, route.operation, "good");
        return async (key) => await send(apiCall(route, args), { "Idempotency-Key": key });
      };
      const single = await good();
      await settled();
      const alone = await single(randomUUID());
      expect([route.operation, Math.floor(alone.status / 100)]).toEqual([route.operation, 2]);
      const wanted = await settled();

      // Made after the first call, which may have ended the only object of its kind.
      const copied = await good();
      await settled();
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: COPIES }, async () => await copied(key)));
      const done = answers.filter((answer) => answer.status !== 409);
      const waiting = answers.filter((answer) => answer.status === 409);
      const last = await copied(key);
      expect([route.operation, last.status, await settled()]).toEqual([route.operation, alone.status, wanted]);
      expect(new Set([...done, last].map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
      expect([...done, last].filter((answer) => !answer.headers.has("idempotent-replayed"))).toHaveLength(1);
      expect(new Set(waiting.map((one) => `${one.body["code"]} ${one.headers.get("retry-after")}`)).size).toBeLessThan(
        2,
      );
      expect(waiting[0]?.body["code"] ?? "idempotency_in_progress").toBe("idempotency_in_progress");
      expect(waiting[0]?.headers.get("retry-after") ?? "1").toBe("1");
    }
  },
);
