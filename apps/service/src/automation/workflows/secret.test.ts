import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { absentId, mintKey, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Received, Receiver } from "../../testing/receiver.ts";
import { freshEvent } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { macHex, macStandard } from "../../testing/signature.ts";
import { SHORT_LADDER } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
  receiver = await startReceiver();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

interface Sending {
  readonly path: string;
  readonly on: string;
  readonly secret: string;
}

async function rule(key = service.key): Promise<Sending> {
  const on = freshEvent();
  const then = [{ type: "post_webhook", url: `${receiver.url}/${on}` }];
  const { body } = await service.api("POST", "/v1/rules", { name: "Sending", on: [on], then }, { key });
  return { path: `/v1/rules/${body.id}`, on, secret: body.signing_secret };
}

async function workflow(key = service.key): Promise<Sending> {
  const on = freshEvent();
  const given = {
    name: "Sending",
    trigger: { event: on },
    steps: [{ id: "hook", type: "webhook", url: `${receiver.url}/${on}` }],
  };
  const { body } = await service.api("POST", "/v1/workflows", given, { key });
  return { path: `/v1/workflows/${body.id}`, on, secret: body.signing_secret };
}

async function sentBy({ on }: Sending, wanted: number): Promise<Received> {
  await service.fire(on, {});
  const of = (): readonly Received[] => receiver.received.filter((one) => one.path.endsWith(on));
  await expect.poll(() => of().length).toBe(wanted);
  const last = of().at(-1);
  if (last === undefined) throw new Error("nothing was received");
  return last;
}

const standard = (secret: string, { headers, body }: Received): string =>
  macStandard(secret, { id: headers["webhook-id"], timestamp: headers["webhook-timestamp"], body });

describe.each([
  ["a rule", rule, "rule"],
  ["a workflow", workflow, "wf"],
] as const)("the signing secret of %s", (_what, make, prefix) => {
  test("is shown to an owner and can be regenerated with an overlap: 200", async () => {
    const sending = await make();
    expect((await service.api("GET", `${sending.path}/secret`)).body).toEqual({ secret: sending.secret });
    const first = await sentBy(sending, 1);
    expect(first.headers["x-service-signature"]).toBe(macHex(sending.secret, first.body));
    const answer = await service.api("POST", `${sending.path}/secret/regenerate`, { overlap_seconds: 3600 });
    expect([answer.status, sending.path.endsWith(answer.body.id)]).toEqual([200, true]);
    const secret: string = answer.body.signing_secret;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(sending.secret);
    expect((await service.api("GET", `${sending.path}/secret`)).body).toEqual({
      secret,
      previous_secret: sending.secret,
      previous_expires_at: expect.any(String),
    });
    // The same endpoint sends with the new secret.
    const second = await sentBy(sending, 2);
    expect(second.headers["x-service-signature"]).toBe(macHex(secret, second.body));
    expect(second.headers["webhook-signature"]).toBe(`${standard(secret, second)} ${standard(sending.secret, second)}`);
    const third = (await service.api("POST", `${sending.path}/secret/regenerate`)).body.signing_secret;
    expect((await service.api("GET", `${sending.path}/secret`)).body).toEqual({ secret: third });
    const last = await sentBy(sending, 3);
    expect(last.headers["webhook-signature"]).toBe(standard(third, last));
    expect((await service.api("GET", sending.path)).text).not.toContain("whsec_");
  });

  test("is the same in both environments, and a new one signs at once", async () => {
    const sending = await make(service.sandboxKey);
    const answer = await service.api("POST", `${sending.path}/secret/regenerate`, {}, { key: service.sandboxKey });
    const before = receiver.received.length;
    await service.api("POST", "/v1/events/fire", { event: sending.on, data: {} }, { key: service.sandboxKey });
    await expect.poll(() => receiver.received.length).toBe(before + 1);
    const sent = receiver.received.at(-1);
    expect(sent?.headers["x-service-signature"]).toBe(macHex(answer.body.signing_secret, sent?.body ?? ""));
  });

  test("is hidden from other roles, workspaces and environments: 403, 404", async () => {
    const sending = await make();
    const developer = await mintKey(service, { role: "developer" });
    const shown = await service.api("GET", `${sending.path}/secret`, undefined, { key: developer.key });
    expect([shown.status, shown.body.code]).toEqual([403, "role_not_allowed"]);
    const viewer = await mintKey(service, { role: "viewer" });
    const made = await service.api("POST", `${sending.path}/secret/regenerate`, {}, { key: viewer.key });
    expect(made.status).toBe(403);
    const other = await otherWorkspace(service);
    const tag = tagOfId(sending.path.split("/").at(-1) ?? "");
    for (const [method, way] of [
      ["GET", "secret"],
      ["POST", "secret/regenerate"],
    ] as const) {
      const foreign = await service.api(method, `${sending.path}/${way}`, undefined, { key: other.key });
      expect([foreign.status, foreign.body.code]).toEqual([403, "workspace_mismatch"]);
      // A sandbox key can neither read nor change the secret of a live rule or workflow.
      const tried = await service.api(method, `${sending.path}/${way}`, undefined, { key: service.sandboxKey });
      expect(tried.status).toBe(403);
      const nothing = await service.api(method, sending.path.replace(/[^/]+$/, absentId({ tag }, prefix)) + `/${way}`);
      expect(nothing.status).toBe(404);
    }
    expect((await service.api("GET", `${sending.path}/secret`)).body).toEqual({ secret: sending.secret });
  });

  test("is a single one after concurrent regenerations", async () => {
    const sending = await make();
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => await service.api("POST", `${sending.path}/secret/regenerate`)),
    );
    const { secret } = (await service.api("GET", `${sending.path}/secret`)).body;
    expect(answers.map((answer) => answer.body.signing_secret)).toContain(secret);
    const sent = await sentBy(sending, 1);
    expect(sent.headers["x-service-signature"]).toBe(macHex(secret, sent.body));
  });
});

test("an old rule without a secret is 404, and gets one when it sends", async () => {
  const forget = async ({ path }: Sending): Promise<void> => {
    await service.database.query("delete from channel where id = $1", [uuidOf(path.split("/").at(-1) ?? "")]);
  };
  const sending = await rule();
  await forget(sending);
  const early = await service.api("GET", `${sending.path}/secret`);
  expect([early.status, early.body.code]).toEqual([404, "not_found"]);
  const sent = await sentBy(sending, 1);
  const { secret } = (await service.api("GET", `${sending.path}/secret`)).body;
  expect(sent.headers["x-service-signature"]).toBe(macHex(secret, sent.body));
  const second = await rule();
  await forget(second);
  const made = (await service.api("POST", `${second.path}/secret/regenerate`)).body.signing_secret;
  expect((await service.api("GET", `${second.path}/secret`)).body).toEqual({ secret: made });
});
