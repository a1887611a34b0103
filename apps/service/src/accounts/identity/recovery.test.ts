import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newAuthenticator, stepUpWith, withPasskey } from "../../testing/authenticator.ts";
import { mintKey } from "../../testing/keys.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { joined, OWNER, outcome, signIn, tokenOf, totpCode } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { codeForm, interactionBody, linkAccount, postAsSlack } from "../../testing/slack-app.ts";
import { startSlack } from "../../testing/slack.ts";
import type { SlackStandIn } from "../../testing/slack.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

const APP = { team_id: "T0SHOP", signing_secret: "f".repeat(32), bot_token: "xoxb-1-token-of-the-shop" };
const NEW = "an even longer password";
let server: MailServer;
let service: TestService;
let slack: SlackStandIn;
let owner: TestPerson;

beforeAll(async () => {
  [server, slack] = await Promise.all([
    startMailServer("junction@example.com", "secret"),
    startSlack({ teamId: APP.team_id, token: APP.bot_token, channels: [] }),
  ]);
  const env = { ...UNLIMITED, JUNCTION_SMTP_URL: server.url, JUNCTION_SLACK_API_URL: slack.url };
  service = await startService({ env });
  owner = await signIn(service);
  await owner.call("PUT", "/v1/slack-app", APP);
});
beforeEach(async () => void (await service.database.query("delete from rate_window where bucket = 0")));
afterAll(async () => {
  await service.close();
  await slack.close();
  await server.close();
});

const subjectsTo = (email: string): string[] =>
  server.mails
    .filter(({ to }) => to.includes(email))
    .map(({ data }) => /^Subject: (.*)$/m.exec(data)?.[1]?.trim() ?? "");
const textsTo = (email: string): string =>
  server.mails
    .filter(({ to }) => to.includes(email))
    .map(({ data }) => data.replaceAll("=\r\n", ""))
    .join("\n");

async function resetLink(person: TestPerson, more: object = {}): Promise<string> {
  const made = await owner.call("POST", `/v1/members/${person.memberId}/reset-link`, more);
  return tokenOf(made.body["reset_url"]);
}

async function reset(token: string, more: object = {}): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/auth/reset", { token, password: NEW, ...more }, { key: null });
}

async function ownKey(person: TestPerson, name: string): Promise<string> {
  const made = await person.call("POST", "/v1/keys", { name, actor_type: "user", permission_mode: "all" });
  expect(made.status).toBe(201);
  return made.body["key"];
}

const works = async (key: string): Promise<number> =>
  (await service.api("GET", "/v1/events", undefined, { key })).status;

test("a password reset ends the Slack links, keys and invitations of a lost session", async () => {
  const person = await joined(service, "admin");
  const key = await ownKey(person, "Script of the thief");
  const other = await mintKey(service, { role: "viewer" });
  const id = await linkAccount(service, person, { ...APP, userId: "U0THIEF" });
  const { code } = (await person.call("POST", "/v1/slack-links", { password: person.password })).body;
  const invited = await person.call("POST", "/v1/members/invitations", { email: "x@evil.example", role: "admin" });
  const token = await resetLink(person, { clear_totp: true });
  const review = await service.api("POST", "/v1/auth/reset/review", { token }, { key: null });
  expect(review.body).toMatchObject({
    object: "reset_review",
    email: person.email,
    clears_second_factors: true,
    minted: [{ kind: "key", name: "Script of the thief" }],
  });
  expect((await reset(token)).status).toBe(204);
  expect([await works(key), await works(other.key)]).toEqual([401, 200]);
  const { data } = (await owner.call("GET", "/v1/slack-links?limit=100")).body;
  expect(data.map((one: { id: string }) => one.id)).not.toContain(id);
  const { request_url: url } = (await owner.call("GET", "/v1/slack-app")).body;
  const form = interactionBody(codeForm({ userId: "U0LATE", team_id: APP.team_id }, code));
  const late = await postAsSlack(url, form, { secret: APP.signing_secret });
  expect(late.body.response_action).toBe("errors");
  const offer = { token: tokenOf(invited.body["invite_url"]) };
  const looked = await service.api("POST", "/v1/members/invitations/lookup", offer, { key: null });
  expect(looked.status).not.toBe(200);
  await expect.poll(() => textsTo(person.email), { timeout: 20_000 }).toContain("Script of the thief");
  const again = await signIn(service, { email: person.email, password: NEW });
  await linkAccount(service, again, { ...APP, userId: "U0THIEF" });
});

test("a reset keeps apps and personal keys only if the person asks for it", async () => {
  const person = await joined(service, "admin");
  const key = await ownKey(person, "Kept");
  const id = await linkAccount(service, person, { ...APP, userId: "U0KEPT" });
  expect((await reset(await resetLink(person), { keep_keys: true })).status).toBe(204);
  expect(await works(key)).toBe(200);
  const { data } = (await owner.call("GET", "/v1/slack-links?limit=100")).body;
  expect(data.map((one: { id: string }) => one.id)).not.toContain(id);
});

test("portal sessions of a lost session end, and its shared keys are named", async () => {
  const person = await joined(service, "admin");
  const portal = async (): Promise<string> => {
    const made = await person.call("POST", "/v1/portal-sessions", { tenant: "acme", capabilities: ["endpoints"] });
    return /#token=(\w+)$/.exec(String(made.body["url"]))?.[1] ?? "";
  };
  const exchange = async (token: string): Promise<ApiAnswer> =>
    await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });
  const [opened, waiting] = [(await exchange(await portal())).body["credential"], await portal()];
  const shared = await person.call("POST", "/v1/keys", { name: "Shop <b>", permission_mode: "all" });
  const ends = async (key: string): Promise<string> =>
    outcome(await service.api("GET", "/v1/webhook-endpoints", undefined, { key }));
  expect(await ends(opened)).toBe("200");
  expect((await reset(await resetLink(person), { keep_keys: true })).status).toBe(204);
  expect([await ends(opened), outcome(await exchange(waiting))]).toEqual([
    "401 key_revoked",
    "401 portal_token_invalid",
  ]);
  // Programs depend on it, so that people decide.
  expect(await works(shared.body["key"])).toBe(200);
  await expect.poll(() => textsTo(person.email), { timeout: 20_000 }).toContain("Revoke or roll each key");
});

test("a request that was admitted before a recovery makes nothing after it", async () => {
  const person = await joined(service, "admin");
  const { people, workspaces } = service.service;
  const { cookie, csrfToken } = person;
  const admitted = await people.sessions.admit({
    method: "POST",
    cookie,
    csrfToken,
    workspace: undefined,
    environment: undefined,
  });
  if (admitted === undefined) throw new Error("no session");
  expect((await reset(await resetLink(person))).status).toBe(204);
  const late = { code: "session_invalid" };
  const spec = { name: "Late", permission_mode: "all", actor_type: "user" } as const;
  await expect(workspaces.keys.create(admitted, spec)).rejects.toMatchObject(late);
  const invitee = { email: "late@evil.example", role: "admin" } as const;
  await expect(people.invitations.create(admitted, invitee)).rejects.toMatchObject(late);
});

test("a change of the password ends the Slack links and keeps the personal keys", async () => {
  const person = await joined(service, "admin");
  const key = await ownKey(person, "Own");
  await linkAccount(service, person, { ...APP, userId: "U0CHANGE" });
  const change = { current: person.password, new: NEW };
  expect((await person.call("POST", "/v1/auth/password", change)).status).toBe(204);
  expect((await person.call("GET", "/v1/slack-links")).text).not.toContain("U0CHANGE");
  expect(await works(key)).toBe(200);
});

test("a session alone links no Slack account, nor a password next to a factor", async () => {
  const person = await joined(service, "admin");
  const link = async (body: object): Promise<string> => outcome(await person.call("POST", "/v1/slack-links", body));
  expect(await link({})).toBe("422 validation_failed");
  expect(await link({ password: "not the password" })).toBe("422 validation_failed");
  const { key } = await withPasskey(service.baseUrl, person);
  expect(await link({ password: person.password })).toBe("403 step_up_required");
  await stepUpWith(person, key, { operation: "slack_links.create" });
  expect(await link({})).toMatch(/^201/);
  expect(await link({})).toBe("403 step_up_required");
});

test("next to a passkey, no password and no code changes a factor", async () => {
  const person = await joined(service, "admin");
  const { secret } = (await person.call("POST", "/v1/auth/totp/enrol", { password: person.password })).body;
  const verified = await person.call("POST", "/v1/auth/totp/verify", { code: totpCode(secret) });
  const { password } = person;
  // The code of an app alone is the factor that is there.
  expect(outcome(await person.call("POST", "/v1/auth/passkeys/begin", { password }))).toBe("403 step_up_required");
  const code = totpCode(secret, Date.now(), 1);
  const begun = await person.call("POST", "/v1/auth/passkeys/begin", { code });
  const key = newAuthenticator(service.baseUrl);
  const added = await person.call("POST", "/v1/auth/passkeys", {
    name: "Blue key",
    credential: key.create(begun.body),
  });
  const { id } = added.body["passkey"];
  for (const proof of [{ password }, { code: totpCode(secret) }, { password, code: totpCode(secret) }]) {
    expect(outcome(await person.call("POST", "/v1/auth/passkeys/begin", proof))).toBe("403 step_up_required");
    expect(outcome(await person.call("DELETE", `/v1/auth/passkeys/${String(id)}`, proof))).toBe("403 step_up_required");
  }
  const change = { current: password, new: NEW };
  expect(outcome(await person.call("POST", "/v1/auth/password", change))).toBe("403 step_up_required");
  await stepUpWith(person, key, { operation: "auth.password" });
  expect((await person.call("POST", "/v1/auth/password", change)).status).toBe(204);
  const [recovery] = verified.body["recovery_codes"];
  expect((await person.call("DELETE", `/v1/auth/passkeys/${String(id)}`, { code: recovery })).status).toBe(204);
});

test("each change of a factor, Slack account or password sends an e-mail", async () => {
  const person = await joined(service, "admin");
  const { key, registered } = await withPasskey(service.baseUrl, person);
  await stepUpWith(person, key, { operation: "auth.totp.enrol" });
  const { secret } = (await person.call("POST", "/v1/auth/totp/enrol", {})).body;
  await person.call("POST", "/v1/auth/totp/verify", { code: totpCode(secret) });
  await person.call("POST", "/v1/auth/totp/disable", { code: totpCode(secret, Date.now(), 1) });
  await stepUpWith(person, key, { operation: "slack_links.create" });
  await linkAccount(service, person, { ...APP, userId: "U0MAIL" });
  const { id } = registered.passkey;
  await stepUpWith(person, key, { operation: "auth.passkeys.delete", id });
  await person.call("DELETE", `/v1/auth/passkeys/${String(id)}`, {});
  expect((await reset(await resetLink(person, { clear_totp: true }))).status).toBe(204);
  await expect
    .poll(
      () =>
        subjectsTo(person.email)
          .filter((one) => !one.startsWith("Invitation"))
          .toSorted(),
      { timeout: 60_000 },
    )
    .toEqual(
      [
        "A passkey was added to your account",
        "An authenticator app was added to your account",
        "The authenticator app of your account was turned off",
        "A Slack account was linked to your account",
        "A passkey was removed from your account",
        "Your password was changed",
        "The second factors of your account were removed",
      ].toSorted(),
    );
});

test("all owners get an e-mail when a protection of their workspace is turned off", async () => {
  const other = await joined(service, "owner");
  expect((await owner.call("PATCH", "/v1/workspaces/current", { settings: { solo_approval: true } })).status).toBe(200);
  for (const email of [OWNER.email, other.email])
    await expect
      .poll(() => subjectsTo(email), { timeout: 20_000 })
      .toContain("A protection of your workspace was turned off");
});
