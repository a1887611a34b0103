import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { forgetTries, joined, OWNER, outcome, signIn } from "../../testing/people.ts";
import { oidcEnvironment, openBrowser, startIssuer } from "../../testing/oidc-issuer.ts";
import type { TestBrowser, TestIssuer } from "../../testing/oidc-issuer.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const GROUPS = { leads: "owner", ops: "admin", dev: "developer", all: "viewer" };
let issuer: TestIssuer;
let service: TestService;
let people = 0;

beforeAll(async () => {
  issuer = await startIssuer();
  const env = { ...oidcEnvironment(issuer.url), JUNCTION_OIDC_GROUPS: JSON.stringify(GROUPS) };
  service = await startService({ env });
});
beforeEach(async () => {
  Object.assign(issuer.conduct, { idToken: {}, userinfo: {}, metadata: {}, sign: null, isDown: false });
  await forgetTries(service);
});
afterAll(async () => {
  await service.close();
  await issuer.close();
});

/** Makes the issuer say that a person with these groups signs in. */
function arrives(groups: unknown, more: Record<string, unknown> = {}): { sub: string; email: string } {
  people += 1;
  const claims = { sub: `sub-${people}`, email: `person-${people}@example.com`, ...more };
  issuer.conduct.idToken = { ...claims, email_verified: true, groups };
  return claims;
}

async function call(browser: TestBrowser, path: string): Promise<{ status: number; body: Parsed }> {
  const cookie = `junction_session=${browser.cookies.get("junction_session") ?? ""}`;
  return await service.api("GET", path, undefined, { key: null, headers: { Cookie: cookie } });
}

const memberOf = async (browser: TestBrowser): Promise<Parsed> =>
  (await call(browser, "/v1/auth/session")).body["member"];

test("a person joins the first workspace with the highest role of the groups", async () => {
  arrives(["none", "all", "dev"]);
  const browser = openBrowser();
  expect(await browser.signIn(service.baseUrl)).toBe("/");
  expect(await memberOf(browser)).toMatchObject({ role: "developer" });
  const { body } = await service.api("GET", "/v1/audit?limit=20");
  const row = body["data"].find(({ action }: Parsed) => action === "members.accept");
  expect(row).toMatchObject({ params_redacted: { role: "developer", by: "groups" } });
});

test("a lower role takes effect in every open session, and revokes invitations", async () => {
  arrives(["ops"]);
  const [before, after] = [openBrowser(), openBrowser()];
  expect(await before.signIn(service.baseUrl)).toBe("/");
  expect((await call(before, "/v1/keys")).status).toBe(200);
  const { csrf_token: csrf } = (await call(before, "/v1/auth/session")).body;
  const headers = {
    Cookie: `junction_session=${before.cookies.get("junction_session") ?? ""}`,
    "X-CSRF-Token": csrf,
  };
  const invitee = { email: "friend@example.com", role: "admin" };
  expect((await service.api("POST", "/v1/members/invitations", invitee, { key: null, headers })).status).toBe(201);
  issuer.conduct.idToken["groups"] = ["all"];
  expect(await after.signIn(service.baseUrl)).toBe("/");
  expect((await call(before, "/v1/keys")).body).toMatchObject({ code: "role_not_allowed" });
  const { body } = await service.api("GET", "/v1/members/invitations");
  expect(body["data"].map(({ email }: Parsed) => email)).not.toContain("friend@example.com");
});

test("losing all groups ends the membership and its keys, until a group returns", async () => {
  arrives(["ops"]);
  const browser = openBrowser();
  await browser.signIn(service.baseUrl);
  const { csrf_token: csrf } = (await call(browser, "/v1/auth/session")).body;
  const headers = {
    Cookie: `junction_session=${browser.cookies.get("junction_session") ?? ""}`,
    "X-CSRF-Token": csrf,
  };
  const made = await service.api(
    "POST",
    "/v1/keys",
    { name: "own", permission_mode: "all", actor_type: "user" },
    { key: null, headers },
  );
  expect((await service.api("GET", "/v1/me", undefined, { key: made.body["key"] })).status).toBe(200);
  issuer.conduct.idToken["groups"] = [];
  expect(await openBrowser().signIn(service.baseUrl)).toBe("/sign-in?failed=no_account");
  expect((await call(browser, "/v1/events")).status).toBe(401);
  expect(outcome(await service.api("GET", "/v1/me", undefined, { key: made.body["key"] }))).toBe("401 key_revoked");
  issuer.conduct.idToken["groups"] = ["dev"];
  expect(await browser.signIn(service.baseUrl)).toBe("/");
  expect(await memberOf(browser)).toMatchObject({ role: "developer" });
});

test("a missing claim changes nothing, and the sign-in page says so", async () => {
  arrives(["dev"]);
  const browser = openBrowser();
  await browser.signIn(service.baseUrl);
  for (const groups of [undefined, null, { dev: true }]) {
    issuer.conduct.idToken["groups"] = groups;
    expect(await openBrowser().signIn(service.baseUrl)).toBe("/sign-in?failed=groups_missing");
  }
  expect(await memberOf(browser)).toMatchObject({ role: "developer" });
  issuer.conduct.userinfo = { groups: ["all"] };
  expect(await openBrowser().signIn(service.baseUrl)).toBe("/");
  expect(await memberOf(browser)).toMatchObject({ role: "viewer" });
});

test("groups are read from the claim that the operator names", async () => {
  const claim = "https://example.com/groups";
  const roles = { JUNCTION_OIDC_GROUPS: JSON.stringify(GROUPS), JUNCTION_OIDC_GROUPS_CLAIM: claim };
  const named = await startService({ on: service, env: { ...oidcEnvironment(issuer.url), ...roles } });
  try {
    arrives(["leads"]);
    expect(await openBrowser().signIn(named.baseUrl)).toBe("/sign-in?failed=groups_missing");
    issuer.conduct.userinfo = { [claim]: ["dev"] };
    const browser = openBrowser();
    expect(await browser.signIn(named.baseUrl)).toBe("/");
    expect(await memberOf(browser)).toMatchObject({ role: "developer" });
    issuer.conduct.idToken[claim] = "ops";
    expect(await browser.signIn(named.baseUrl)).toBe("/");
    expect(await memberOf(browser)).toMatchObject({ role: "admin" });
  } finally {
    await named.close();
  }
});

test("a person whom a member removed comes back by an invitation only", async () => {
  arrives(["dev"]);
  const browser = openBrowser();
  await browser.signIn(service.baseUrl);
  const { id } = await memberOf(browser);
  expect((await service.api("DELETE", `/v1/members/${String(id)}`)).status).toBe(204);
  expect(await browser.signIn(service.baseUrl)).toBe("/sign-in?failed=no_account");
});

test("a person without a group stays in a workspace that an invitation gave", async () => {
  const person = await joined(service, "operator");
  arrives([], { email: person.email });
  const browser = openBrowser();
  await browser.signIn(service.baseUrl);
  expect(await browser.confirmLink(service.baseUrl)).toBe("/");
  expect(await memberOf(browser)).toMatchObject({ id: person.memberId, role: "operator" });
});

test("groups never take the last owner", async () => {
  const owner = await signIn(service, OWNER);
  const { email } = arrives(["dev"], { email: OWNER.email });
  const browser = openBrowser();
  await browser.signIn(service.baseUrl);
  expect(await browser.confirmLink(service.baseUrl)).toBe("/");
  expect(await memberOf(browser)).toMatchObject({ id: owner.memberId, email, role: "owner" });
  const kept = { ...issuer.conduct.idToken };
  arrives(["leads"]);
  expect(await openBrowser().signIn(service.baseUrl)).toBe("/");
  issuer.conduct.idToken = kept;
  expect(await browser.signIn(service.baseUrl)).toBe("/");
  expect(await memberOf(browser)).toMatchObject({ role: "developer" });
});

test("two first sign-ins of one person at a time make one account", async () => {
  const { email } = arrives(["dev"]);
  const ends = await Promise.all(Array.from({ length: 6 }, async () => await openBrowser().signIn(service.baseUrl)));
  expect(ends).toContain("/");
  for (const end of ends) expect(["/", "/sign-in?failed=expired"]).toContain(end);
  const rows = await service.database.query(
    "select count(*) from member m join person p on p.id = m.person_id where p.email = $1",
    [email],
  );
  expect(rows).toEqual([{ count: "1" }]);
});
