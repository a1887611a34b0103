import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { actionOn, auditAbout, confirmedActionOn, eventsAbout, runOf, toldTo } from "../../testing/actions.ts";
import { mintKey, setKey } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";
import { answerJson, callsDuring, startWithReceiver } from "../../testing/with-receiver.ts";

let service: TestService;
let receiver: Receiver;
let close: () => Promise<void>;
let aiKey: string;

beforeAll(async () => {
  ({ service, receiver, close } = await startWithReceiver(UNLIMITED));
  aiKey = (await mintKey(service, { actor_type: "ai", role: "ai" })).key;
});
afterAll(async () => await close());
afterEach(() => receiver.status(200));

describe("the table of POST /v1/actions/run", () => {
  covers(
    ["action.run.direct", "action.run.api", "action.state.executed", "audit.row.flag"],
    "an unconfirmed action returns 200 with the backend's exact result and an audit entry",
    async () => {
      answerJson(receiver, '{"refund":12345678901234567890}');
      const action = await actionOn(service, receiver);
      const answer = await runOf(service, action);
      expect([answer.status, answer.body.status, answer.body.action]).toEqual([200, "executed", action]);
      expect(answer.text).toContain('"result":{"refund":12345678901234567890}');
      expect(answer.body).toMatchObject({
        id: expect.stringMatching(/^run_/),
        audit_id: expect.stringMatching(/^aud_/),
        reversible: false,
        duration_ms: expect.any(Number),
        proposal_id: null,
        actor: { type: "user", display: "Owner", ip: "127.0.0.1" },
      });
      expect(await auditAbout(service, "run_id", answer.body.id)).toEqual(["run executed"]);
      expect(toldTo(receiver.received.at(-1))).toMatchObject({ action, parameters: { order: "ord_1" } });
    },
  );

  covers(
    ["proposal.preview.card", "proposal.preview.no-effect", "action.run.api"],
    "a confirmed action without a confirmation returns 202 with a preview, and runs nothing",
    async () => {
      const action = await confirmedActionOn(service, receiver, { label: "Refund", risk: "medium" });
      let answer: ApiAnswer | undefined;
      expect(await callsDuring(receiver, async () => (answer = await runOf(service, action)))).toBe(0);
      const { proposal, ...rest } = answer?.body ?? {};
      expect([answer?.status, rest]).toEqual([202, { status: "pending_confirmation", action }]);
      expect(proposal).toMatchObject({
        id: expect.stringMatching(/^prop_/),
        state: "proposed",
        params_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        expires_at: expect.any(String),
        approve_url: `${service.baseUrl}/approvals/${proposal.id}`,
        preview: {
          title: "Refund",
          fields: [{ name: "order", value: "ord_1", masked: false }],
          risk: "medium",
          target_host: new URL(receiver.url).host,
          reversible: false,
        },
      });
      expect(await eventsAbout(service, proposal.id)).toEqual(["action.proposed"]);
      expect(await auditAbout(service, "proposal_id", proposal.id)).toEqual(["proposal proposed"]);
    },
  );

  covers(
    ["proposal.state.approved", "action.event.executed", "action.run.lifecycle"],
    "a confirmation by a person or service proposes, approves and executes at once: 200",
    async () => {
      const action = await confirmedActionOn(service, receiver);
      const { key } = await mintKey(service, { actor_type: "service", role: "operator" });
      for (const by of [service.key, key]) {
        let answer: ApiAnswer | undefined;
        const run = async (): Promise<unknown> =>
          (answer = await runOf(service, action, { confirmed: true }, { key: by }));
        expect(await callsDuring(receiver, run)).toBe(1);
        expect([answer?.status, answer?.body.status]).toEqual([200, "executed"]);
        const { id, proposal_id: proposalId } = answer?.body ?? {};
        const { body: proposal } = await service.api("GET", `/v1/proposals/${proposalId}`);
        expect(proposal).toMatchObject({ state: "executed", run_id: id, approvals: [{ kind: "inline" }] });
        expect(await eventsAbout(service, id)).toEqual(["action.executed"]);
        expect(await auditAbout(service, "proposal_id", proposalId)).toEqual(["proposal approved", "run executed"]);
      }
    },
  );

  covers(
    ["proposal.required.high-risk", "proposal.required.destructive"],
    "destructive, high-risk, second-person and multi-approver actions return 202 approval_required despite a confirmation",
    async () => {
      const kinds = [
        { destructive: true },
        { risk: "high" },
        { approval: { four_eyes: true } },
        { approval: { required: 2 } },
      ];
      for (const kind of kinds) {
        const action = await confirmedActionOn(service, receiver, kind);
        let answer: ApiAnswer | undefined;
        const run = async (): Promise<unknown> => (answer = await runOf(service, action, { confirmed: true }));
        expect([kind, await callsDuring(receiver, run)]).toEqual([kind, 0]);
        const { status, code } = answer?.body ?? {};
        expect([answer?.status, status, code]).toEqual([202, "pending_confirmation", "approval_required"]);
      }
    },
  );

  test("a workspace setting can disable confirmation by the call itself", async () => {
    const action = await confirmedActionOn(service, receiver);
    const set = async (inline: boolean): Promise<unknown> =>
      await service.api("PATCH", "/v1/workspaces/current", { settings: { inline_confirmation: inline } });
    await set(false);
    const answer = await runOf(service, action, { confirmed: true });
    await set(true);
    expect([answer.status, answer.body.code]).toEqual([202, "approval_required"]);
  });

  covers(
    ["assistant.actions.no-destructive", "proposal.preview.no-effect"],
    "an AI's confirmation is ignored: 202 with the reason, audited, and nothing runs",
    async () => {
      const action = await confirmedActionOn(service, receiver);
      const surfaces = await confirmedActionOn(service, receiver, { surface: ["api", "mcp", "assistant"] });
      const cases: [string, Record<string, unknown>, string][] = [
        [action, {}, aiKey],
        [surfaces, { surface: "mcp" }, service.key],
        [surfaces, { surface: "assistant" }, service.key],
      ];
      for (const [key, more, by] of cases) {
        let answer: ApiAnswer | undefined;
        const run = async (): Promise<unknown> =>
          (answer = await runOf(service, key, { ...more, confirmed: true }, { key: by }));
        expect(await callsDuring(receiver, run)).toBe(0);
        expect(answer?.status).toBe(202);
        expect(answer?.body).toMatchObject({
          status: "pending_confirmation",
          confirmation: { accepted: false, reason: "actor_is_ai" },
        });
        expect(await auditAbout(service, "proposal_id", answer?.body.proposal.id)).toEqual([
          "proposal proposed",
          "proposal refused actor_is_ai",
        ]);
      }
    },
  );

  test("an action without confirmation runs for an AI, but the assistant only proposes", async () => {
    const action = await actionOn(service, receiver, { surface: ["api", "assistant"] });
    expect((await runOf(service, action, {}, { key: aiKey })).body.status).toBe("executed");
    const proposed = await runOf(service, action, { surface: "assistant" });
    expect([proposed.status, proposed.body.status]).toEqual([202, "pending_confirmation"]);
  });

  covers(
    "target.action.redirect",
    "a failing backend is 502 or 504 with a failed run, event and audit entry",
    async () => {
      const cases: [string, Record<string, unknown>, () => void][] = [
        ["502 action_endpoint_failed", {}, () => receiver.status(500)],
        ["502 action_endpoint_redirect", {}, () => receiver.status(302, { Location: receiver.url })],
        ["504 action_endpoint_timeout", { timeout_ms: 200 }, () => receiver.answer(() => undefined)],
        ["504 action_endpoint_timeout", { timeout_ms: 300 }, endless],
      ];
      for (const [wanted, more, prepare] of cases) {
        const action = await actionOn(service, receiver, more);
        prepare();
        let answer: ApiAnswer | undefined;
        expect(await callsDuring(receiver, async () => (answer = await runOf(service, action)))).toBe(1);
        const { execution, code } = answer?.body ?? {};
        expect([wanted, `${answer?.status} ${code}`, execution.status]).toEqual([wanted, wanted, "failed"]);
        expect(await auditAbout(service, "run_id", execution.id)).toEqual([`run failed ${code}`]);
        expect(await eventsAbout(service, execution.id)).toEqual(["action.failed"]);
        const { body: run } = await service.api("GET", `/v1/runs/${execution.id}`);
        expect([run.status, run.error.code]).toEqual(["failed", code]);
      }
    },
  );
});

/** Answers with a body that never ends. */
function endless(): void {
  receiver.answer((response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  });
}

covers(
  ["action.event.executed", "action.run.lifecycle"],
  "a scoped call passes its checks, runs, is audited and sends a webhook",
  async () => {
    const hook = await startReceiver();
    const { secret } = await service.endpoint(hook.url, { events: ["action.executed"] });
    const action = await actionOn(service, receiver, { scope: "orders:write" });
    const key = await mintKey(service, { role: "developer" });
    await setKey(service, key, { scopes: ["orders:write"] });
    const { body: run } = await runOf(service, action, {}, { key: key.key });
    const [delivered] = await hook.count(1);
    const { event, data } = JSON.parse(delivered?.body ?? "{}");
    expect([event, data]).toEqual([
      "action.executed",
      expect.objectContaining({ action, run_id: run.id, audit_id: run.audit_id, reversible: false, approver: null }),
    ]);
    expect(JSON.stringify(data)).not.toContain("ord_1");
    expect(delivered?.headers["x-service-signature"]).toBe(
      createHmac("sha256", secret)
        .update(delivered?.body ?? "")
        .digest("hex"),
    );
    expect(receiver.received.at(-1)?.at).toBeLessThanOrEqual(delivered?.at ?? 0);
    await hook.close();
  },
);
