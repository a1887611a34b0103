import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { createMaintenance } from "../platform/db/db.ts";
import { confirmedActionOn, proposalOf, runOf } from "../testing/actions.ts";
import { dump } from "../testing/dump.ts";
import { startReceiver } from "../testing/receiver.ts";
import type { Receiver } from "../testing/receiver.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import { provesSuccesses } from "../testing/successes.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let action: string;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.status(200);
  const undo = { endpoint: receiver.url, window_seconds: 60 };
  action = await confirmedActionOn(service, receiver, { reversible: true, undo });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function executed(): Promise<string> {
  return (await runOf(service, action, { confirmed: true })).body.id;
}

async function tidied(): Promise<void> {
  const log = { info: () => undefined, warn: () => undefined };
  const maintenance = createMaintenance({ db: service.service.db, log, retentionDays: 30 });
  await maintenance.start();
  await maintenance.stop();
}

function call(method: string, path: string, body?: unknown): () => Promise<ApiAnswer> {
  return async () => await service.api(method, path, body);
}

covers("openapi.document.complete", "each route of runs and proposals answers as the document describes", async () => {
  await provesSuccesses(service, ["/v1/actions"], {
    "POST /v1/actions/run 200": async () => await runOf(service, action, { confirmed: true }),
    "POST /v1/actions/run 202": async () => await runOf(service, action),
  });
  await provesSuccesses(service, ["/v1/runs"], {
    "GET /v1/runs 200": call("GET", "/v1/runs?status=executed"),
    "GET /v1/runs/{id} 200": call("GET", `/v1/runs/${await executed()}`),
    "POST /v1/runs/{id}/undo 200": call("POST", `/v1/runs/${await executed()}/undo`),
  });
  const [one, two, three, four] = await Promise.all([1, 2, 3, 4].map(async () => await proposalOf(service, action)));
  await provesSuccesses(service, ["/v1/proposals"], {
    "GET /v1/proposals 200": call("GET", "/v1/proposals?state=proposed"),
    "GET /v1/proposals/{id} 200": call("GET", `/v1/proposals/${one.id}`),
    "POST /v1/proposals/{id}/approve 200": call("POST", `/v1/proposals/${one.id}/approve`, {
      params_hash: one.params_hash,
    }),
    "POST /v1/proposals/{id}/reject 200": call("POST", `/v1/proposals/${two.id}/reject`, { reason: "no" }),
    "POST /v1/proposals/{id}/cancel 200": call("POST", `/v1/proposals/${three.id}/cancel`),
    "PATCH /v1/proposals/{id} 200": call("PATCH", `/v1/proposals/${four.id}`, { parameters: { order: "ord_2" } }),
  });
});

describe("at rest", () => {
  covers(
    "audit.row.params-redacted",
    "a dump contains no secret in parameters, prompts, results and comments",
    async () => {
      const canaries = {
        sensitive: "canary-of-a-sensitive-parameter",
        named: "canary-of-a-parameter-named-password",
        card: "4111111111111111",
        token: "ghp_canaryCANARYcanaryCANARY0123456789ab",
        result: "canary-of-a-result-named-token",
      };
      const guarded = await confirmedActionOn(service, receiver, {
        params: {
          pin: { type: "string", sensitive: true },
          password: { type: "string" },
          note: { type: "string" },
        },
        reversible: true,
        undo: { endpoint: receiver.url, window_seconds: 60 },
      });
      receiver.answer((response) => response.writeHead(200).end(JSON.stringify({ access_token: canaries.result })));
      const parameters = { pin: canaries.sensitive, password: canaries.named, note: `card ${canaries.card}` };
      const prompt = `use ${canaries.token}`;
      const ran = await runOf(service, guarded, { parameters, prompt, confirmed: true });
      const waiting = await runOf(service, guarded, { parameters, prompt });
      const { id, params_hash: hash } = waiting.body.proposal;
      const body = { params_hash: hash, comment: `fine ${canaries.token}` };
      await service.api("POST", `/v1/proposals/${id}/approve`, body);
      await service.api("POST", `/v1/runs/${ran.body.id}/undo`);
      const rejected = await runOf(service, guarded, { parameters });
      const reason = `no ${canaries.token}`;
      await service.api("POST", `/v1/proposals/${rejected.body.proposal.id}/reject`, { reason });
      expect(receiver.received.some((one) => one.body.includes(canaries.sensitive))).toBe(true);
      const text = [...(await dump(service)).values()].join("\n");
      for (const [what, canary] of Object.entries(canaries))
        expect([what, text.includes(canary), text.includes(Buffer.from(canary).toString("hex"))]).toEqual([
          what,
          false,
          false,
        ]);
      const shown = await service.api("GET", `/v1/runs/${ran.body.id}`);
      for (const canary of Object.values(canaries)) expect(shown.text).not.toContain(canary);
    },
  );

  test("old runs and proposals are deleted, except those that can still be undone", async () => {
    const { body: run } = await runOf(service, action, { confirmed: true });
    await service.database.query(
      "update action_run set ended_at = now() - interval '40 days', undo_until = now() + interval '1 day'",
    );
    await service.database.query(
      "update action_proposal set ended_at = now() - interval '40 days' where ended_at is not null",
    );
    const counts = async (): Promise<Parsed> =>
      (
        await service.database.query(
          "select (select count(*)::int from action_run) r, (select count(*)::int from action_proposal where run_id is not null) p",
        )
      )[0];
    const before = await counts();
    await tidied();
    expect(await counts()).toEqual(before);
    expect((await service.api("GET", `/v1/runs/${run.id}`)).status).toBe(200);
    await service.database.query("update action_run set undo_until = now() - interval '1 day'");
    await tidied();
    await tidied();
    expect(await counts()).toEqual({ r: 0, p: 0 });
  });
});
