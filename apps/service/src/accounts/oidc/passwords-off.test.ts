import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { forgetTries, invite, joined, outcome, OWNER, PASSWORD, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { oidcEnvironment, openBrowser, startIssuer } from "../../testing/oidc-issuer.ts";
import type { TestIssuer } from "../../testing/oidc-issuer.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

const OFF = { settings: { password_sign_in: false } };
let issuer: TestIssuer;
let service: TestService;

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startService({ env: oidcEnvironment(issuer.url) });
});
beforeEach(async () => await forgetTries(service));
afterAll(async () => {
  await service.close();
  await issuer.close();
});

const change = async (body: object, key = service.key): Promise<ApiAnswer> =>
  await service.api("PATCH", "/v1/workspaces/current", body, { key });

test("passwords stay on without an issuer, and until an owner has used it", async () => {
  const plain = await startService({ on: service });
  try {
    const refused = await plain.api("PATCH", "/v1/workspaces/current", OFF);
    expect([refused.status, refused.body["errors"]]).toEqual([
      422,
      [expect.objectContaining({ pointer: "/settings/password_sign_in" })],
    ]);
  } finally {
    await plain.close();
  }
  const refused = await change(OFF);
  expect(refused.body).toMatchObject({
    detail: "Passwords cannot be turned off while no owner has signed in with OpenID Connect.",
    errors: [{ message: "cannot be false while no owner has signed in with OpenID Connect" }],
  });
  expect((await signIn(service, OWNER)).answer.status).toBe(200);
});

test("without passwords, only OpenID Connect opens sessions, and the operator can allow them again", async () => {
  const member = await joined(service, "developer");
  const invited = await invite(service, "late@example.com", "viewer");
  const second = await service.api("POST", "/v1/workspaces", { name: "Second" });
  const elsewhere = await joined(service, "viewer", second.body["api_key"]);
  const both = await invite(service, elsewhere.email, "viewer");
  const joining = { token: both, name: "Both", password: PASSWORD };
  expect((await service.api("POST", "/v1/members/accept", joining, { key: null })).status).toBe(201);

  const owner = await signIn(service, OWNER);
  issuer.conduct.idToken = { sub: "owner", email: OWNER.email, email_verified: true };
  const browser = openBrowser();
  browser.cookies.set("junction_session", owner.cookie.slice("junction_session=".length));
  expect(await browser.signIn(service.baseUrl)).toBe("/");
  const { body: here } = await service.api("GET", "/v1/workspaces/current");
  // If the sessions cannot be ended, passwords stay on.
  const never = "alter table session add constraint never_ended check (ended_at is null) not valid";
  await service.database.query(never);
  expect((await change(OFF)).status).toBe(500);
  await service.database.query("alter table session drop constraint never_ended");
  expect((await service.api("GET", "/v1/workspaces/current")).body["settings"].password_sign_in).toBe(true);
  expect((await member.call("GET", "/v1/events")).status).toBe(200);
  expect((await change(OFF)).body).toMatchObject({ settings: { password_sign_in: false } });
  // Other changes of the settings are not about passwords.
  expect((await change({ settings: { ...OFF.settings, time_zone: "UTC" } })).status).toBe(200);

  const of = async (person: Pick<TestPerson, "email" | "password">, workspace?: string): Promise<string> => {
    const proof = { email: person.email, password: person.password, ...(workspace && { workspace_id: workspace }) };
    return outcome(await service.api("POST", "/v1/auth/sign-in", proof, { key: null }));
  };
  expect(outcome(await member.call("GET", "/v1/events"))).toBe("401 session_invalid");
  expect([await of(member), await of(OWNER, here["id"])]).toEqual([
    "403 password_sign_in_off",
    "403 password_sign_in_off",
  ]);
  const acceptance = { token: invited, name: "Late", password: PASSWORD };
  expect(outcome(await service.api("POST", "/v1/members/accept", acceptance, { key: null }))).toBe("409 conflict");
  // A password still opens the other workspace, and no way leads from there.
  const guest = await signIn(service, { email: elsewhere.email, password: PASSWORD });
  expect(guest.answer.body["member"].scope_key).toBe(second.body["workspace_id"]);
  const crossed = await guest.call("GET", "/v1/events", undefined, { "X-Service-Workspace": here["id"] });
  expect(outcome(crossed)).toBe("403 workspace_mismatch");
  const cookie = `junction_session=${browser.cookies.get("junction_session") ?? ""}`;
  const own = await service.api("GET", "/v1/events", undefined, { key: null, headers: { Cookie: cookie } });
  expect(own.status).toBe(200);

  const allowed = await service.service.people.current.allowPasswords(here["id"]);
  expect(allowed.settings.password_sign_in).toBe(true);
  expect(await of(member)).toBe("200");
  await expect(service.service.people.current.allowPasswords("ws_none")).rejects.toThrow();
});
