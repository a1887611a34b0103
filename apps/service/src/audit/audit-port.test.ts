import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { allRows, verify } from "../testing/audit.ts";
import { mintKey } from "../testing/keys.ts";
import { invite, joined, OWNER, PASSWORD, signIn, tokenOf, totpCode, withTotp } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { JUNCTION_RATE_LIMITS: '{"management.write":10000,"management.read":10000}' } });
});
afterAll(async () => await service.close());

/** Returns the rows that a piece of work writes. */
async function told(work: () => Promise<unknown>, key = service.key): Promise<Parsed[]> {
  const before = (await allRows(service, "", key)).length;
  await work();
  return (await allRows(service, "", key)).slice(before);
}

const actions = (rows: readonly Parsed[]): string[] => rows.map((row) => `${row.kind} ${row.action} ${row.status}`);

test("an audit entry names person, key, address, request and result", async () => {
  let requestId: string | null = "";
  const [row] = await told(async () => {
    const body = { name: "told", permission_mode: "read_only", signing_secret: true };
    requestId = (await service.api("POST", "/v1/keys", body)).headers.get("x-service-request-id");
  });
  expect(row).toMatchObject({
    kind: "key",
    action: "keys.create",
    status: "ok",
    actor: {
      type: "user",
      id: expect.stringMatching(/^mem_/),
      display: "Owner",
      key_id: expect.stringMatching(/^key_/),
      ip: "127.0.0.1",
    },
    params_redacted: { name: "told", permission_mode: "read_only", signing_secret: true },
    result_redacted: { id: expect.stringMatching(/^key_/) },
    request_id: requestId,
  });
});

test("changes of keys are recorded", async () => {
  const key = await mintKey(service);
  const rows = await told(async () => {
    await service.api("PATCH", `/v1/keys/${key.id}`, { permission_mode: "read_only" });
    const rolled = await service.api("POST", `/v1/keys/${key.id}/roll`, {});
    await service.api("POST", `/v1/keys/${rolled.body.id}/revoke`);
  });
  expect(actions(rows)).toEqual(["key keys.update ok", "key keys.roll ok", "key keys.revoke ok"]);
  expect(rows[0].params_redacted).toEqual({ id: key.id, permission_mode: "read_only" });
});

test("changes of members are recorded, with their roles", async () => {
  const rows = await told(async () => {
    const token = await invite(service, "told@example.com", "viewer");
    const accepted = { token, name: "Told", password: PASSWORD };
    const { body } = await service.api("POST", "/v1/members/accept", accepted, { key: null });
    await service.api("PATCH", `/v1/members/${body.member.id}`, { role: "operator" });
    await service.api("POST", `/v1/members/${body.member.id}/reset-link`, {});
    await service.api("DELETE", `/v1/members/${body.member.id}`);
    const made = await service.api("POST", "/v1/members/invitations", { email: "gone@example.com", role: "admin" });
    await service.api("DELETE", `/v1/members/invitations/${made.body.id}`);
  });
  expect(actions(rows)).toEqual([
    "member members.invitations.create ok",
    "member members.accept ok",
    "member members.update ok",
    "member members.reset_link ok",
    "member members.remove ok",
    "member members.invitations.create ok",
    "member members.invitations.revoke ok",
  ]);
  expect(rows[0].params_redacted).toEqual({ email: "told@example.com", role: "viewer" });
  expect(rows[1]).toMatchObject({
    actor: { type: "user", display: "Told", ip: "127.0.0.1" },
    params_redacted: { email: "told@example.com", role: "viewer" },
    request_id: expect.stringMatching(/^req_/),
  });
  expect(rows[2].params_redacted).toEqual({ id: expect.stringMatching(/^mem_/), role: "operator" });
});

describe("sign-ins", () => {
  test("successful and refused sign-ins are recorded, with the address", async () => {
    const good = await told(async () => await signIn(service));
    expect(good).toMatchObject([{ kind: "sign_in", action: "auth.sign_in", status: "ok", error_code: null }]);
    expect(good[0].actor).toMatchObject({ type: "user", display: "Owner", ip: "127.0.0.1", key_id: null });
    const before = (await allRows(service, "&kind=sign_in")).length;
    const wrong = { email: OWNER.email, password: "not the password" };
    expect((await service.api("POST", "/v1/auth/sign-in", wrong, { key: null })).status).toBe(401);
    await expect.poll(async () => (await allRows(service, "&kind=sign_in")).length).toBe(before + 1);
    const refused = (await allRows(service, "&kind=sign_in&status=refused")).at(-1);
    expect(refused).toMatchObject({ status: "refused", error_code: "sign_in_failed", params_redacted: {} });
    expect(JSON.stringify(refused)).not.toContain("not the password");
  });

  test("a sign-in with an unknown e-mail address is recorded nowhere", async () => {
    const rows = await told(async () => {
      const proof = { email: "nobody@example.com", password: "x".repeat(12) };
      await service.api("POST", "/v1/auth/sign-in", proof, { key: null });
      await signIn(service);
    });
    expect(actions(rows)).toEqual(["sign_in auth.sign_in ok"]);
  });

  test("sign-ins are recorded in every workspace of the person", async () => {
    const made = await service.api("POST", "/v1/workspaces", { name: "Second" });
    const key = made.body.api_key as string;
    const rows = await told(async () => await signIn(service), key);
    expect(actions(rows)).toEqual(["sign_in auth.sign_in ok"]);
    expect((await allRows(service, "", key))[0]).toMatchObject({
      seq: 1,
      action: "workspaces.create",
      actor: { display: "Owner" },
      params_redacted: { name: "Second" },
    });
    expect((await verify(service, "", key)).ok).toBe(true);
  });

  test("a wrong proof in a request is recorded although the request is rolled back", async () => {
    const person = await joined(service, "viewer");
    const before = (await allRows(service, "&action=auth.proof")).length;
    const wrong = await person.call("POST", "/v1/auth/totp/enrol", { password: "not the password" });
    expect(wrong.status).toBe(422);
    await expect.poll(async () => (await allRows(service, "&action=auth.proof")).length).toBe(before + 1);
  });
});

test("changes to a person's own account are recorded, without passwords and codes", async () => {
  const person = await joined(service, "developer");
  const [code, next] = ["", "a second long password"];
  const rows = await told(async () => {
    const enrolled = await person.call("POST", "/v1/auth/totp/enrol", { password: PASSWORD });
    const verified = await person.call("POST", "/v1/auth/totp/verify", { code: totpCode(enrolled.body.secret) });
    await person.call("POST", "/v1/auth/totp/disable", { code: verified.body.recovery_codes[0] ?? code });
    await person.call("POST", "/v1/auth/password", { current: PASSWORD, new: next });
    await signIn(service, { email: person.email, password: next });
    const { data } = (await person.call("GET", "/v1/auth/sessions")).body;
    await person.call("DELETE", `/v1/auth/sessions/${data.find((one: Parsed) => !one.current).id}`);
    await person.call("POST", "/v1/auth/sign-out");
  });
  expect(actions(rows)).toEqual([
    "account auth.totp.enrol ok",
    "account auth.totp.verify ok",
    "account auth.totp.disable ok",
    "account auth.password ok",
    "sign_in auth.sign_in ok",
    "session auth.sessions.end ok",
    "session auth.sign_out ok",
  ]);
  for (const row of rows.slice(0, 4)) expect([row.params_redacted, row.result_redacted]).toEqual([null, null]);
});

test("a password reset is recorded", async () => {
  const person = await joined(service, "viewer");
  const link = await service.api("POST", `/v1/members/${person.memberId}/reset-link`, {});
  const rows = await told(async () => {
    const body = { token: tokenOf(link.body.reset_url), password: "a third long password" };
    await service.api("POST", "/v1/auth/reset", body, { key: null });
  });
  expect(rows).toMatchObject([{ kind: "account", action: "auth.reset", actor: { id: person.memberId } }]);
});

test("shown and regenerated secrets of endpoints and sources are recorded", async () => {
  const { id } = await service.endpoint("http://127.0.0.1:9/", { events: ["test.nothing"] });
  const source = (await service.api("POST", "/v1/inbound-endpoints", { name: "S" })).body.id as string;
  const rows = await told(async () => {
    await service.api("GET", `/v1/webhook-endpoints/${id}/secret`);
    await service.api("POST", `/v1/webhook-endpoints/${id}/secret/regenerate`, {});
    await service.api("POST", `/v1/inbound-endpoints/${source}/secret/regenerate`, { secret: "a dictated secret" });
    await service.api("POST", `/v1/inbound-endpoints/${source}/token/regenerate`);
    await service.api("POST", `/v1/webhook-endpoints/${id}/toggle`);
    await service.api("DELETE", `/v1/webhook-endpoints/${id}`);
  });
  expect(actions(rows)).toEqual([
    "endpoint webhook_endpoints.secret ok",
    "endpoint webhook_endpoints.secret.regenerate ok",
    "source inbound_endpoints.secret.regenerate ok",
    "source inbound_endpoints.token.regenerate ok",
    "endpoint webhook_endpoints.toggle ok",
    "endpoint webhook_endpoints.delete ok",
  ]);
  expect(rows[2].params_redacted).toEqual({ id: source, secret: "[redacted]" });
});

test("exporting, merging and erasing a person are recorded without personal data", async () => {
  const make = async (email: string): Promise<string> => (await service.api("POST", "/v1/contacts", { email })).body.id;
  const [one, two] = [await make("one@example.com"), await make("two@example.com")];
  const rows = await told(async () => {
    await service.api("GET", `/v1/contacts/${one}/export`);
    await service.api("POST", `/v1/contacts/${one}/merge`, { into: two });
    await service.api("DELETE", `/v1/contacts/${two}`);
  });
  expect(actions(rows)).toEqual([
    "contact contacts.export ok",
    "contact contacts.merge ok",
    "contact contacts.delete ok",
  ]);
  expect(rows.map((row) => row.params_redacted)).toEqual([{ id: one }, { id: one, into: two }, { id: two }]);
  expect(JSON.stringify(rows)).not.toContain("two@example.com");
});

test("changed settings and the deletion of a workspace are recorded", async () => {
  const rows = await told(async () => {
    await service.api("PATCH", "/v1/workspaces/current", { settings: { time_zone: "Europe/Berlin" } });
    await service.api("DELETE", "/v1/workspaces/current", { name: "Test" });
    await service.api("POST", "/v1/workspaces/current/restore");
  });
  expect(actions(rows)).toEqual([
    "workspace workspaces.update ok",
    "workspace workspaces.delete ok",
    "workspace workspaces.restore ok",
  ]);
});

test("the first row is the creation of the workspace by the operator", async () => {
  expect((await allRows(service))[0]).toMatchObject({
    seq: 1,
    action: "workspaces.create",
    actor: { type: "system", id: null, display: "operator", key_id: null, ip: null },
  });
});

test("only a successful call is recorded, once and under its own operation name", async () => {
  const { id } = await mintKey(service);
  const rows = await told(async () => {
    await service.api("POST", "/v1/keys", { name: "", permission_mode: "all" });
    await service.api("POST", `/v1/keys/${id.slice(0, -4)}0000/revoke`);
    const again = { headers: { "Idempotency-Key": "audit-once" } };
    for (let times = 0; times < 3; times += 1) await service.api("POST", `/v1/keys/${id}/revoke`, undefined, again);
    await service.api("POST", "/api/v1.php", { action: "keys.create", name: "general", permission_mode: "all" });
  });
  expect(actions(rows)).toEqual(["key keys.revoke ok", "key keys.create ok"]);
  expect(rows[1]).toMatchObject({
    params_redacted: { name: "general", permission_mode: "all" },
    result_redacted: { id: expect.stringMatching(/^key_/) },
  });
});

covers(
  "sandbox.data.apart",
  "a sandbox key's operations are in the sandbox chain, but account changes are live",
  async () => {
    await service.database.query("update api_key set role = 'owner' where name = 'Sandbox key'");
    const asSandbox = { key: service.sandboxKey };
    const person = await signIn(service);
    const live = await told(async () => {
      await service.api("POST", "/v1/keys", { name: "of the sandbox", permission_mode: "all" }, asSandbox);
      // A refused operation is not recorded. A person's change to their own account is recorded in live, in both
      // environments.
      await service.api("POST", "/v1/members/invitations", { email: "box@example.com", role: "viewer" }, asSandbox);
      const inSandbox = { "X-Service-Environment": "sandbox" };
      expect((await person.call("POST", "/v1/auth/totp/enrol", { password: OWNER.password }, inSandbox)).status).toBe(
        201,
      );
    });
    expect(actions(live)).toEqual(["account auth.totp.enrol ok"]);
    const { data } = (await service.api("GET", "/v1/audit", undefined, asSandbox)).body;
    expect(data.map((row: Parsed) => [row.action, row.environment])).toEqual([["keys.create", "sandbox"]]);
    const id = live[0].id as string;
    const crossed = await service.api("GET", `/v1/audit/${id}`, undefined, asSandbox);
    expect([crossed.status, crossed.body.code]).toEqual([403, "environment_mismatch"]);
  },
);

test("a sign-in with a second factor is recorded once the factor is given", async () => {
  const { person, recovery } = await withTotp(service);
  const proof = { email: person.email, password: person.password };
  const rows = await told(async () => {
    await service.api("POST", "/v1/auth/sign-in", proof, { key: null });
    await signIn(service, { ...proof, totp_code: recovery[0] ?? "" });
  });
  expect(actions(rows)).toEqual(["sign_in auth.sign_in ok"]);
});
