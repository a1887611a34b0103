import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { actionOn, confirmedActionOn, runOf, toldTo } from "../../testing/actions.ts";
import { outcome } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";
import { answerJson, callsDuring, startWithReceiver } from "../../testing/with-receiver.ts";

let service: TestService;
let receiver: Receiver;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ service, receiver, close } = await startWithReceiver(UNLIMITED));
});
afterAll(async () => await close());
afterEach(() => receiver.status(200));

describe("in the sandbox", () => {
  test("a run goes to the sandbox endpoint, and without one it is simulated", async () => {
    const box = await startReceiver();
    box.status(200);
    const here = await actionOn(service, receiver, { sandbox_endpoint: box.url });
    const nowhere = await actionOn(service, receiver);
    const calls = await callsDuring(receiver, async () => {
      const real = await runOf(service, here, {}, { key: service.sandboxKey });
      expect([real.body.status, real.body.simulated, real.body.environment]).toEqual(["executed", false, "sandbox"]);
      const simulated = await runOf(service, nowhere, {}, { key: service.sandboxKey });
      expect([simulated.body.status, simulated.body.simulated]).toEqual(["executed", true]);
      expect(outcome(await service.api("GET", `/v1/runs/${simulated.body.id}`))).toBe("403 environment_mismatch");
    });
    expect([calls, box.received.length]).toEqual([0, 1]);
    await box.close();
  });
});

test("an async contract answers 202 with its run, which reports its end later", async () => {
  const action = await confirmedActionOn(service, receiver, { delivery: "async" });
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  receiver.answer((response) => void held.then(() => response.writeHead(200).end("{}")));
  const answer = await runOf(service, action, { confirmed: true });
  expect([answer.status, answer.body.status]).toEqual([202, "executing"]);
  letGo();
  const ended = await service.until(`/v1/runs/${answer.body.id}`, (run) => run.status !== "executing");
  expect([ended.status, ended.audit_id]).toEqual(["executed", expect.stringMatching(/^aud_/)]);
});

describe("idempotency", () => {
  covers(
    "idempotency.op.actions-run",
    "the same key returns the same bytes and makes one call, for any outcome",
    async () => {
      const cases: [() => void, number, boolean][] = [
        [() => receiver.status(200), 200, true],
        [() => receiver.status(500), 502, true],
        [() => receiver.status(200), 202, false],
      ];
      for (const [prepare, status, confirmed] of cases) {
        const action = await confirmedActionOn(service, receiver);
        prepare();
        const headers = { "Idempotency-Key": `same-${action}` };
        const calls = await callsDuring(receiver, async () => {
          const first = await runOf(service, action, { confirmed }, { headers });
          const again = await runOf(service, action, { confirmed }, { headers });
          expect([first.status, again.status, again.text === first.text]).toEqual([status, status, true]);
          expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
            null,
            "true",
          ]);
        });
        expect(calls).toBe(status === 202 ? 0 : 1);
        const other = await runOf(service, action, { confirmed: !confirmed }, { headers });
        expect(outcome(other)).toBe("422 idempotency_key_reused");
      }
    },
  );

  test("a copy gets 409 during the first call, and its answer afterwards", async () => {
    const action = await actionOn(service, receiver);
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    receiver.answer((response) => void held.then(() => response.writeHead(200).end()));
    const headers = { "Idempotency-Key": `slow-${action}` };
    const seen = receiver.received.length;
    const first = runOf(service, action, {}, { headers });
    await receiver.count(seen + 1);
    expect(outcome(await runOf(service, action, {}, { headers }))).toBe("409 idempotency_in_progress");
    letGo();
    const { text } = await first;
    expect((await runOf(service, action, {}, { headers })).text).toBe(text);
  });

  covers(
    "target.action.unsafe",
    "an unsafe target fails the run with 422, without a call, freeing its key",
    async () => {
      const action = await actionOn(service, receiver);
      const repoint = async (from: string, to: string): Promise<unknown> =>
        await service.database.query(
          "update action_contract_version set definition = replace(definition, $2, $3) where key = $1",
          [action, from, to],
        );
      await repoint(receiver.url, "https://10.0.0.1/hook");
      const headers = { "Idempotency-Key": `unsafe-${action}` };
      const calls = await callsDuring(receiver, async () => {
        const answer = await runOf(service, action, {}, { headers });
        expect([outcome(answer), answer.body.reason, answer.body.execution.status]).toEqual([
          "422 url_blocked",
          "private",
          "failed",
        ]);
        expect(answer.text).not.toContain("10.0.0.1");
      });
      expect(calls).toBe(0);
      await repoint("https://10.0.0.1/hook", receiver.url);
      expect((await runOf(service, action, {}, { headers })).status).toBe(200);
    },
  );

  test("the General API calls contracts flat or nested, and replays in its envelope", async () => {
    answerJson(receiver, '{"refund":1e400}');
    const action = await confirmedActionOn(service, receiver);
    const flat = { action, confirmed: true, order: "ord_9" };
    const nested = { action, confirmed: true, parameters: { order: "ord_9" } };
    for (const [at, body] of [flat, nested].entries()) {
      const headers = { "Idempotency-Key": `general-${action}-${at}` };
      const first = await service.api("POST", "/api/v1.php", body, { headers });
      const again = await service.api("POST", "/api/v1.php", body, { headers });
      expect([first.status, first.body.ok, first.body.action, first.body.result.status]).toEqual([
        200,
        true,
        action,
        "executed",
      ]);
      expect(first.text).toContain('"result":{"refund":1e400}');
      expect(again.text).toBe(first.text);
      expect(toldTo(receiver.received.at(-1)).parameters).toEqual({ order: "ord_9" });
    }
    receiver.status(500);
    const failed = await service.api("POST", "/api/v1.php", nested);
    expect([failed.status, failed.body.ok, failed.body.execution.status]).toEqual([502, false, "failed"]);
  });
});

test("200 concurrent runs make 200 calls and get 200 answers of their own", async () => {
  receiver.answer((response, { body }) => response.writeHead(200).end(JSON.parse(body).parameters.order));
  const action = await actionOn(service, receiver);
  const calls = await callsDuring(receiver, async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => await runOf(service, action, { parameters: { order: `"${at}"` } })),
    );
    expect(answers.map(({ body }) => body.result)).toEqual(answers.map((_, at) => String(at)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(200);
  });
  expect(calls).toBe(200);
  const { body } = await service.api("GET", `/v1/runs?action=${action}&limit=100`);
  const { body: rest } = await service.api("GET", `/v1/runs?action=${action}&limit=100&cursor=${body.next_cursor}`);
  expect([body.data.length, rest.data.length, rest.has_more]).toEqual([100, 100, false]);
  const chains = await service.database.query<{ n: number; last: number }>(
    "select count(*)::int as n, max(seq)::int as last from audit_row group by tag",
  );
  expect(chains.map(({ n }) => n)).toEqual(chains.map(({ last }) => last));
});
