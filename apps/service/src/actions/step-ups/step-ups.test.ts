import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { confirmedActionOn, proposalOf } from "../../testing/actions.ts";
import { stepUpWith, withPasskey } from "../../testing/authenticator.ts";
import type { Authenticator, Pretence } from "../../testing/authenticator.ts";
import { mintKey } from "../../testing/keys.ts";
import { forgetTries, joined, outcome, totpCode } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { interactionBody, linkAccount, postAsSlack } from "../../testing/slack-app.ts";
import { startSlack } from "../../testing/slack.ts";
import type { SlackStandIn } from "../../testing/slack.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { standingArgs } from "../../testing/standing-approval-calls.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

const HIGH = { risk: "high" };
const APP = { team_id: "T0SHOP", signing_secret: "f".repeat(32), bot_token: "xoxb-1-token-of-the-shop" };
let shiftMs = 0;
const clock: Clock = { now: () => instant(Date.now() + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;
let node: TestService;
let receiver: Receiver;
let slack: SlackStandIn;
let owner: TestPerson;
let admin: TestPerson;
let key: Authenticator;
let ownerKey: Authenticator;
let agent: { readonly id: string; readonly key: string };

beforeAll(async () => {
  slack = await startSlack({ teamId: APP.team_id, token: APP.bot_token, channels: ["C0REFUNDS"] });
  const env = { ...UNLIMITED, JUNCTION_SLACK_API_URL: slack.url };
  [service, receiver] = await Promise.all([startService({ deps: { clock }, env }), startReceiver()]);
  receiver.status(200);
  const own = { ...UNLIMITED, JUNCTION_BASE_URL: service.baseUrl };
  node = await startService({ deps: { clock }, on: service, env: own });
  owner = await joined(service, "owner");
  admin = await joined(service, "admin");
  ({ key } = await withPasskey(service.baseUrl, admin));
  ({ key: ownerKey } = await withPasskey(service.baseUrl, owner));
  agent = await mintKey(service, { actor_type: "ai", role: "ai" });
});
beforeEach(async () => {
  await forgetTries(service);
  await requireStepUp(true);
});
afterAll(async () => {
  await node.close();
  await service.close();
  await receiver.close();
  await slack.close();
});

async function requireStepUp(isRequired: boolean): Promise<void> {
  const settings = { require_step_up: isRequired };
  if (!isRequired) await stepUpWith(owner, ownerKey, { operation: "workspaces.update", body: { settings } });
  expect((await owner.call("PATCH", "/v1/workspaces/current", { settings })).status).toBe(200);
}

async function waiting(more: Record<string, unknown> = HIGH): Promise<Parsed> {
  return await proposalOf(service, await confirmedActionOn(service, receiver, more), {}, { key: agent.key });
}

async function approve(who: TestPerson, { id, params_hash: hash }: Parsed): Promise<ApiAnswer> {
  return await who.call("POST", `/v1/proposals/${String(id)}/approve`, { params_hash: hash });
}

async function begin(who: TestPerson, ...proposals: Parsed[]): Promise<ApiAnswer> {
  const named = proposals.map(({ id, params_hash: hash }) => ({ id, params_hash: hash }));
  return await who.call("POST", "/v1/step-ups", { proposals: named });
}

async function prove(who: TestPerson, { id }: Parsed, proof: object): Promise<ApiAnswer> {
  return await who.call("POST", `/v1/step-ups/${String(id)}/prove`, proof);
}

/** Begins a step-up for proposals and proves it with the admin's passkey, which may lie. */
async function stepUp(proposals: Parsed[], pretence?: Pretence): Promise<ApiAnswer> {
  const begun = await begin(admin, ...proposals);
  return await prove(admin, begun.body, { assertion: key.get(begun.body.passkey_request, pretence) });
}

test("without the setting, an action of high risk is approved as any other", async () => {
  await requireStepUp(false);
  expect((await approve(admin, await waiting())).status).toBe(200);
});

test("with the setting, an approval of high risk needs a passkey first", async () => {
  const proposal = await waiting();
  const refused = await approve(admin, proposal);
  expect([outcome(refused), refused.body.detail]).toEqual([
    "403 step_up_required",
    expect.stringContaining(proposal.approve_url),
  ]);
  const begun = await begin(admin, proposal);
  expect(begun.body).toMatchObject({ object: "step_up", method: "webauthn", proved: false });
  expect(begun.body.passkey_request.userVerification).toBe("required");
  const proved = await prove(admin, begun.body, { assertion: key.get(begun.body.passkey_request) });
  expect([proved.status, proved.body.proved]).toEqual([200, true]);
  const approved = await approve(admin, proposal);
  expect([approved.status, approved.body.approvals[0].step_up]).toEqual([200, "webauthn"]);
  const rows = await service.database.query<{ action: string }>("select action from audit_row where action = $1", [
    "step_ups.prove",
  ]);
  expect(rows.length).toBeGreaterThan(0);
});

test("a risk below high, a rejection and an approval step need no step-up", async () => {
  expect((await approve(admin, await waiting({ risk: "medium" }))).status).toBe(200);
  const { id } = await waiting();
  expect((await admin.call("POST", `/v1/proposals/${String(id)}/reject`, {})).status).toBe(200);
});

test("one proof counts once for each proposal that it names, and for no other", async () => {
  const [first, second, other] = [
    await waiting({ ...HIGH, approval: { required: 2 } }),
    await waiting(),
    await waiting(),
  ];
  expect((await stepUp([first, second])).status).toBe(200);
  expect(outcome(await approve(admin, other))).toBe("403 step_up_required");
  expect((await approve(admin, first)).body.state).toBe("proposed");
  expect((await approve(admin, second)).status).toBe(200);
  expect(outcome(await approve(admin, first))).toBe("403 step_up_required");
});

test("an answer for another site or step-up, or without user verification, proves nothing", async () => {
  const proposal = await waiting();
  const lies: Pretence[] = [
    { origin: "https://example.org" },
    { rpId: "example.org" },
    { verified: false },
    { count: 1 },
  ];
  for (const lie of lies) expect(outcome(await stepUp([proposal], lie))).toBe("422 validation_failed");
  const [one, two] = [await begin(admin, proposal), await begin(admin, proposal)];
  const assertion = key.get(two.body.passkey_request);
  const refused = await prove(admin, one.body, { assertion });
  expect([outcome(refused), refused.body.errors[0].pointer]).toEqual(["422 validation_failed", "/assertion"]);
  expect((await prove(admin, two.body, { assertion })).status).toBe(200);
  expect(outcome(await prove(admin, two.body, { assertion }))).toBe("404 not_found");
  expect((await approve(admin, proposal)).status).toBe(200);
});

test("an answer for signing in, or a code despite a passkey, proves nothing", async () => {
  const proposal = await waiting();
  const { email, password } = admin;
  const asked = await service.api("POST", "/v1/auth/sign-in", { email, password }, { key: null });
  const begun = await begin(admin, proposal);
  const assertion = key.get(begun.body.passkey_request, { challenge: asked.body.passkey_request.challenge });
  expect(outcome(await prove(admin, begun.body, { assertion }))).toBe("422 validation_failed");
  expect(outcome(await prove(admin, begun.body, { code: "123456" }))).toBe("422 validation_failed");
});

test("a proof of another session or person does not count", async () => {
  const proposal = await waiting();
  const begun = await begin(admin, proposal);
  const assertion = key.get(begun.body.passkey_request);
  const { email, password } = admin;
  const asked = await service.api("POST", "/v1/auth/sign-in", { email, password }, { key: null });
  const again = await service.api(
    "POST",
    "/v1/auth/sign-in",
    { email, password, assertion: key.get(asked.body.passkey_request) },
    { key: null },
  );
  const cookie = again.headers.get("set-cookie")?.split(";")[0] ?? "";
  const call: TestPerson["call"] = async (method, path, body) =>
    await service.api(method, path, body, {
      key: null,
      headers: { Cookie: cookie, "X-CSRF-Token": again.body.csrf_token },
    });
  const elsewhere = { ...admin, call };
  expect(outcome(await prove(elsewhere, begun.body, { assertion }))).toBe("404 not_found");
  expect(outcome(await prove(owner, begun.body, { assertion }))).toBe("404 not_found");
  // The use count has grown since, so that this answer is too old. A new one proves it in its own session only.
  const renewed = key.get(begun.body.passkey_request);
  expect((await prove(admin, begun.body, { assertion: renewed })).status).toBe(200);
  expect(outcome(await approve(elsewhere, proposal))).toBe("403 step_up_required");
  expect((await approve(admin, proposal)).status).toBe(200);
});

test("an edited proposal needs a proof of its own", async () => {
  expect(outcome(await begin(admin, { id: "prop_unknown", params_hash: "0".repeat(64) }))).toBe("404 not_found");
  const proposal = await waiting();
  expect(outcome(await begin(admin, { ...proposal, params_hash: "0".repeat(64) }))).toBe("409 proposal_changed");
  expect((await stepUp([proposal])).status).toBe(200);
  const path = `/v1/proposals/${String(proposal.id)}`;
  const edited = await owner.call("PATCH", path, { parameters: { order: "ord_2" } });
  expect(outcome(await approve(admin, { ...proposal, id: edited.body.id }))).toBe("409 proposal_changed");
  expect(outcome(await approve(admin, edited.body))).toBe("403 step_up_required");
});

// Before the tests that move the clock, because Slack's clock is the real one.
test("a tap in Slack decides nothing of high risk, and leads to the console", async () => {
  const { request_url: url } = (await owner.call("PUT", "/v1/slack-app", APP)).body;
  const channel = { kind: "slack", name: "Refunds", slack_channel_id: "C0REFUNDS" };
  await owner.call("POST", "/v1/approval-channels", channel);
  await stepUpWith(admin, key, { operation: "slack_links.create" });
  await linkAccount(service, admin, { ...APP, userId: "U0ADMIN" });
  const proposal = await waiting();
  const buttons = (): Parsed[] =>
    slack.messages
      .filter(({ user }) => user === null)
      .flatMap((message) =>
        message.blocks.flatMap(({ elements = [] }) => elements.map((one: Parsed) => ({ message, one }))),
      )
      .filter(({ one }) => one.text?.text === "Approve");
  await expect.poll(buttons, { timeout: 20_000 }).not.toEqual([]);
  const [{ message, one }] = buttons();
  const user = { id: "U0ADMIN", username: "admin", team_id: APP.team_id };
  const body = interactionBody({
    type: "block_actions",
    team: { id: APP.team_id, domain: "shop" },
    user,
    container: { type: "message", message_ts: message.ts, channel_id: message.channel },
    channel: { id: message.channel, name: "refunds" },
    trigger_id: "1.1",
    actions: [{ type: "button", action_id: one.action_id, value: one.value, action_ts: "1.2" }],
  });
  await postAsSlack(url, body, { secret: APP.signing_secret });
  await expect
    .poll(() => JSON.stringify(slack.messages.filter((note) => note.user === "U0ADMIN")))
    .toContain(proposal.approve_url);
  expect((await service.api("GET", `/v1/proposals/${String(proposal.id)}`)).body.state).toBe("proposed");
});

test("a proof ends five minutes after its beginning", async () => {
  const proposal = await waiting();
  expect((await stepUp([proposal])).status).toBe(200);
  shiftMs += 5 * 60_000;
  expect(outcome(await approve(admin, proposal))).toBe("403 step_up_required");
});

test("two nodes that use one proof at once approve once", async () => {
  const proposal = await waiting({ ...HIGH, approval: { required: 2 } });
  expect((await stepUp([proposal])).status).toBe(200);
  const answers = await Promise.all(
    [service, node, service, node].map(
      async (on) =>
        await on.service.http.inject({
          method: "POST",
          url: `/v1/proposals/${String(proposal.id)}/approve`,
          headers: { cookie: admin.cookie, "x-csrf-token": admin.csrfToken },
          payload: { params_hash: proposal.params_hash },
        }),
    ),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
});

test("a removed key's proof and a removed member's proof no longer count", async () => {
  const person = await joined(service, "admin");
  const { key: own, registered } = await withPasskey(service.baseUrl, person);
  const proposal = await waiting();
  const proven = async (): Promise<void> => {
    const begun = await begin(person, proposal);
    const proof = { assertion: own.get(begun.body.passkey_request) };
    expect((await prove(person, begun.body, proof)).status).toBe(200);
  };
  await proven();
  const second = await withPasskey(service.baseUrl, person, { name: "Second", proof: own });
  const { id } = second.registered.passkey;
  await stepUpWith(person, own, { operation: "auth.passkeys.delete", id });
  expect((await person.call("DELETE", `/v1/auth/passkeys/${String(id)}`, {})).status).toBe(204);
  expect(outcome(await approve(person, proposal))).toBe("403 step_up_required");
  await proven();
  await owner.call("DELETE", `/v1/members/${person.memberId}`);
  expect(outcome(await approve(person, proposal))).toMatch(/^40[13] /);
  expect(registered.passkey.name).toBe("Blue key");
});

test("without a passkey, a code of the authenticator app is the proof, once", async () => {
  const person = await joined(service, "admin");
  const { secret } = (await person.call("POST", "/v1/auth/totp/enrol", { password: person.password })).body;
  const verified = await person.call("POST", "/v1/auth/totp/verify", { code: totpCode(secret, clock.now()) });
  shiftMs += 60_000;
  const proposal = await waiting();
  const begun = await begin(person, proposal);
  expect(begun.body).toMatchObject({ method: "totp", passkey_request: null });
  const [recovery] = verified.body.recovery_codes;
  for (const code of ["000000", recovery]) {
    const refused = await prove(person, begun.body, { code });
    expect([outcome(refused), refused.body.errors[0].pointer]).toEqual(["422 validation_failed", "/code"]);
  }
  const code = totpCode(secret, clock.now());
  expect((await prove(person, begun.body, { code })).status).toBe(200);
  expect((await approve(person, proposal)).body.approvals[0].step_up).toBe("totp");
  const next = await waiting();
  expect(outcome(await prove(person, (await begin(person, next)).body, { code }))).toBe("422 validation_failed");
});

test("a person without a second factor is shown where to add one", async () => {
  const person = await joined(service, "admin");
  const refused = await begin(person, await waiting());
  expect([outcome(refused), refused.body.detail]).toEqual([
    "403 step_up_required",
    expect.stringContaining("/account"),
  ]);
});

test("a person's key neither approves high risk nor turns the setting off", async () => {
  const proposal = await waiting();
  const refused = await service.api("POST", `/v1/proposals/${String(proposal.id)}/approve`, {
    params_hash: proposal.params_hash,
  });
  expect(outcome(refused)).toBe("403 step_up_required");
  const off = await service.api("PATCH", "/v1/workspaces/current", { settings: { require_step_up: false } });
  expect(outcome(off)).toBe("403 surface_not_allowed");
  expect(outcome(await service.api("POST", "/v1/step-ups", { proposals: [] }))).toBe("422 validation_failed");
  const body = { proposals: [{ id: proposal.id, params_hash: proposal.params_hash }] };
  expect(outcome(await service.api("POST", "/v1/step-ups", body))).toBe("403 surface_not_allowed");
});

test("a standing approval of high risk needs a proof for exactly its terms", async () => {
  const action = await confirmedActionOn(service, receiver, { ...HIGH, params: { amount: { type: "number" } } });
  const terms = standingArgs(action, agent.id);
  const [again, own] = [owner, ownerKey];
  const create = async (body: object): Promise<ApiAnswer> => await again.call("POST", "/v1/standing-approvals", body);
  expect(outcome(await create(terms))).toBe("403 step_up_required");
  const begun = await again.call("POST", "/v1/step-ups", { standing_approval: terms });
  const proof = { assertion: own.get(begun.body.passkey_request) };
  expect((await prove(again, begun.body, proof)).status).toBe(200);
  expect(outcome(await create({ ...terms, name: "Other terms" }))).toBe("403 step_up_required");
  expect((await create(terms)).status).toBe(201);
  expect(outcome(await create(terms))).toBe("403 step_up_required");
  expect(outcome(await again.call("POST", "/v1/step-ups", {}))).toBe("422 validation_failed");
});
