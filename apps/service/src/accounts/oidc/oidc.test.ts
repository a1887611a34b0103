import { SignJWT, UnsecuredJWT, generateKeyPair } from "jose";
import type { JWTPayload } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { forgetTries, invite, joined, OWNER, PASSWORD, signIn, tokenOf, withTotp } from "../../testing/people.ts";
import { oidcEnvironment, openBrowser, startIssuer } from "../../testing/oidc-issuer.ts";
import type { TestBrowser, TestIssuer } from "../../testing/oidc-issuer.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const startMs = Date.now();
let shiftMs = 0;
const clock: Clock = { now: () => instant(startMs + shiftMs), monotonicMs: () => performance.now() };
let issuer: TestIssuer;
const CONFIRM = "/sign-in?failed=confirm_link";
let service: TestService;
let people = 0;

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startService({ env: oidcEnvironment(issuer.url), deps: { clock } });
});
beforeEach(async () => {
  shiftMs = 0;
  Object.assign(issuer.conduct, { idToken: {}, userinfo: {}, metadata: {}, sign: null, isDown: false });
  await forgetTries(service);
});
afterAll(async () => {
  await service.close();
  await issuer.close();
});

/** Makes the issuer say that another person signs in, and returns the claims. */
function arrives(more: Record<string, unknown> = {}): { sub: string; email: string } {
  people += 1;
  const claims = { sub: `sub-${people}`, email: `person-${people}@example.com`, email_verified: true, ...more };
  issuer.conduct.idToken = { name: `Person ${people}`, ...claims };
  return claims;
}

/** Returns what the service says about the session of a browser. */
async function sessionOf(browser: TestBrowser, on = service): Promise<{ status: number; body: Parsed }> {
  const cookie = `junction_session=${browser.cookies.get("junction_session") ?? ""}`;
  return await on.api("GET", "/v1/auth/session", undefined, { key: null, headers: { Cookie: cookie } });
}

const count = async (table: string): Promise<number> =>
  Number((await service.database.query(`select count(*) from ${table}`))[0]?.["count"]);

test("an invited person joins by the verified address alone, once, and signs in again", async () => {
  const { email } = arrives();
  await invite(service, email.toUpperCase(), "developer");
  const browser = openBrowser();
  expect(await browser.signIn(service.baseUrl, "?next=%2Fdeliveries%3Fstate%3Dfailed")).toBe(
    "/deliveries?state=failed",
  );
  const { body } = await sessionOf(browser);
  expect(body).toMatchObject({ member: { email, name: `Person ${people}`, role: "developer" } });
  expect(browser.cookies.has("junction_oidc")).toBe(false);

  expect(await browser.signIn(service.baseUrl)).toBe("/");
  expect((await sessionOf(browser)).body["member"].id).toBe(body["member"].id);
  const { body: audit } = await service.api("GET", "/v1/audit?limit=5");
  const rows = audit["data"].map(({ action, params_redacted: given }: Parsed) => [action, given?.method]);
  expect(rows).toEqual(
    expect.arrayContaining([
      ["auth.sign_in", "oidc"],
      ["members.accept", undefined],
    ]),
  );
});

test("a person without invitation and group gets no account, and nothing is stored", async () => {
  arrives();
  const before = [await count("person"), await count("person_identity"), await count("session")];
  const browser = openBrowser();
  expect(await browser.signIn(service.baseUrl, "?next=/events")).toBe("/sign-in?failed=no_account&next=%2Fevents");
  expect([await count("person"), await count("person_identity"), await count("session")]).toEqual(before);
  expect(browser.cookies.has("junction_session")).toBe(false);
});

test("a link to an invitation joins its workspace, for its own address only", async () => {
  const { email } = arrives();
  const token = await invite(service, email, "viewer");
  const other = arrives();
  const stranger = openBrowser();
  const invalid = "/sign-in?failed=invitation_invalid";
  expect(await stranger.follow(await stranger.joinAtIssuer(service.baseUrl, token))).toBe(invalid);
  expect(await count(`person where email = '${other.email}'`)).toBe(0);

  issuer.conduct.idToken = { sub: "invited", email, email_verified: true };
  const browser = openBrowser();
  expect(await browser.follow(await browser.joinAtIssuer(service.baseUrl, token))).toBe("/");
  expect((await sessionOf(browser)).body["member"]).toMatchObject({ email, name: email, role: "viewer" });
  expect(await browser.follow(await browser.joinAtIssuer(service.baseUrl, token))).toBe(invalid);
});

test("a link of another site cannot make a member join a further workspace", async () => {
  const { email } = arrives();
  await invite(service, email, "viewer");
  const browser = openBrowser();
  expect(await browser.signIn(service.baseUrl)).toBe("/");
  const { body } = await service.api("POST", "/v1/workspaces", { name: "A stranger's" });
  const token = await invite(service, email, "owner", body["api_key"]);
  expect(await browser.signIn(service.baseUrl, `?invitation=${token}`)).toBe("/");
  expect((await sessionOf(browser)).body["workspaces"]).toHaveLength(1);
  const form = {
    method: "POST",
    body: JSON.stringify({ invitation: token }),
    headers: { "Content-Type": "text/plain" },
  };
  expect((await fetch(`${service.baseUrl}/v1/auth/oidc/start`, form)).status).toBe(415);
  expect(await browser.follow(await browser.joinAtIssuer(service.baseUrl, token))).toBe("/");
  expect((await sessionOf(browser)).body).toMatchObject({ member: { role: "owner" }, workspaces: [{}, {}] });
});

test("the first sign-in ends the password, factor and sessions that a stranger may have", async () => {
  const { person } = await withTotp(service);
  const link = await service.api("POST", `/v1/members/${person.memberId}/reset-link`);
  const { sub } = arrives({ email: person.email });
  const browser = openBrowser();
  expect(await browser.signIn(service.baseUrl)).toBe(CONFIRM);
  expect((await person.call("GET", "/v1/events")).status).toBe(200);
  expect(await browser.confirmLink(service.baseUrl)).toBe("/");
  expect(await browser.confirmLink(service.baseUrl)).toBe("conflict");
  expect((await sessionOf(browser)).body["member"]).toMatchObject({ id: person.memberId, totp_active: false });
  expect((await person.call("GET", "/v1/events")).body).toMatchObject({ code: "session_invalid" });
  const proof = { email: person.email, password: PASSWORD };
  expect((await service.api("POST", "/v1/auth/sign-in", proof, { key: null })).body).toMatchObject({
    code: "sign_in_failed",
  });
  const reset = { token: tokenOf(link.body["reset_url"]), password: PASSWORD };
  expect((await service.api("POST", "/v1/auth/reset", reset, { key: null })).status).toBe(401);

  arrives({ email: person.email });
  expect(await openBrowser().signIn(service.baseUrl)).toBe("/sign-in?failed=other_account");
  // The operator can give the account to the new owner of the address.
  expect(await service.service.people.unlink(person.email)).toMatchObject({ removed: 1 });
  expect((await sessionOf(browser)).status).toBe(401);
  const again = openBrowser();
  expect(await again.signIn(service.baseUrl)).toBe(CONFIRM);
  expect(await again.confirmLink(service.baseUrl)).toBe("/");
  issuer.conduct.idToken["sub"] = sub;
  expect(await openBrowser().signIn(service.baseUrl)).toBe("/sign-in?failed=other_account");
});

test("a browser that is signed in with the password keeps it", async () => {
  const person = await joined(service, "operator");
  arrives({ email: person.email });
  const browser = openBrowser();
  browser.cookies.set("junction_session", person.cookie.slice("junction_session=".length));
  expect(await browser.signIn(service.baseUrl)).toBe("/");
  // The new session takes the place of the earlier one.
  expect((await person.call("GET", "/v1/events")).body).toMatchObject({ code: "session_invalid" });
  expect((await signIn(service, { email: person.email, password: PASSWORD })).memberId).toBe(person.memberId);
});

test("a link of another site takes no password and no factor", async () => {
  const { person } = await withTotp(service);
  arrives({ email: person.email });
  const browser = openBrowser();
  // The link of another site sends no strict cookie; the page of this site does.
  expect(await browser.signIn(service.baseUrl)).toBe(CONFIRM);
  expect((await person.call("GET", "/v1/auth/session")).body["member"]).toMatchObject({ totp_active: true });
  const stranger = openBrowser();
  expect(await stranger.confirmLink(service.baseUrl)).toBe("conflict");
  browser.cookies.set("junction_session", person.cookie.slice("junction_session=".length));
  expect(await browser.confirmLink(service.baseUrl)).toBe("/");
  expect((await sessionOf(browser)).body["member"]).toMatchObject({ id: person.memberId, totp_active: true });
  const proof = { email: person.email, password: PASSWORD };
  expect((await service.api("POST", "/v1/auth/sign-in", proof, { key: null })).body["code"]).toBe("totp_required");
});

test("an address counts only if its own source says that it is verified", async () => {
  const { email } = arrives();
  await invite(service, email, "viewer");
  const unverified: Record<string, unknown>[] = [
    { email_verified: false },
    { email_verified: "true" },
    { email_verified: undefined },
    { email: undefined },
    { email: "\u212Aate@example.com" },
    { email: `${email} ` },
  ];
  for (const claims of unverified) {
    issuer.conduct.idToken = { sub: "unverified", email, email_verified: true, ...claims };
    expect([claims, await openBrowser().signIn(service.baseUrl)]).toEqual([claims, "/sign-in?failed=email_unverified"]);
  }
  issuer.conduct.idToken = { sub: "unverified", email: "another@example.com" };
  issuer.conduct.userinfo = { email, email_verified: true };
  const browser = openBrowser();
  expect(await browser.signIn(service.baseUrl)).toBe("/");
  expect((await sessionOf(browser)).body["member"]).toMatchObject({ email });
});

const forger = await generateKeyPair("RS256");
const sharedSecret = new TextEncoder().encode("a-client-secret");
const forgeries: [string, Record<string, unknown>, ((claims: JWTPayload) => Promise<string>) | null][] = [
  ["another issuer", { iss: "http://127.0.0.1:1" }, null],
  ["another audience", { aud: "another-client" }, null],
  ["several audiences and another party", { aud: ["junction", "other"], azp: "other" }, null],
  ["another nonce", { nonce: "another" }, null],
  ["no nonce", { nonce: undefined }, null],
  ["a time that is over", { exp: 1 }, null],
  ["no subject", { sub: undefined }, null],
  ["a subject of 300 letters", { sub: "x".repeat(300) }, null],
  ["no signature", {}, async (claims) => await Promise.resolve(new UnsecuredJWT(claims).encode())],
  [
    "the client's secret as key",
    {},
    async (claims) => await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(sharedSecret),
  ],
  [
    "another key",
    {},
    async (claims) => await new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(forger.privateKey),
  ],
];

test.each(forgeries)("an ID token with %s is refused", async (_what, claims, sign) => {
  const { email } = arrives();
  await invite(service, email, "owner");
  Object.assign(issuer.conduct.idToken, claims);
  issuer.conduct.sign = sign;
  const browser = openBrowser();
  expect(await browser.signIn(service.baseUrl)).toBe("/sign-in?failed=not_verified");
  expect(browser.cookies.has("junction_session")).toBe(false);
});

test("a response is for the browser that asked, once, and for ten minutes", async () => {
  const { email } = arrives();
  await invite(service, email, "viewer");
  const expired = "/sign-in?failed=expired";
  const [attacker, victim] = [openBrowser(), openBrowser()];
  const stolen = await attacker.toIssuer(service.baseUrl);
  expect(await victim.follow(stolen)).toBe(expired);
  await victim.toIssuer(service.baseUrl);
  expect(await victim.follow(stolen)).toBe(expired);
  expect(victim.cookies.has("junction_session")).toBe(false);

  const pending = attacker.cookies.get("junction_oidc") ?? "";
  expect(await attacker.follow(stolen)).toBe("/");
  attacker.cookies.set("junction_oidc", pending);
  expect(await attacker.follow(stolen)).toBe(expired);
  attacker.cookies.set("junction_oidc", `${pending.slice(0, -2)}AA`);
  expect(await attacker.follow(stolen)).toBe(expired);

  const late = openBrowser();
  const back = await late.toIssuer(service.baseUrl);
  shiftMs = 601_000;
  expect(await late.follow(back)).toBe(expired);
  shiftMs = 0;
  const denied = `${service.baseUrl}/v1/auth/oidc/callback?error=access_denied&iss=${encodeURIComponent(issuer.url)}&state=`;
  const state = new URL(back).searchParams.get("state") ?? "";
  expect(await late.follow(denied + state)).toBe("/sign-in?failed=denied");
  expect(await openBrowser().follow(`${service.baseUrl}/v1/auth/oidc/callback`)).toBe(expired);
});

test("PKCE refuses another sign-in's code, and iss another issuer's response", async () => {
  const { email } = arrives();
  await invite(service, email, "viewer");
  const [one, two] = [openBrowser(), openBrowser()];
  const [first, second] = [new URL(await one.toIssuer(service.baseUrl)), new URL(await two.toIssuer(service.baseUrl))];
  second.searchParams.set("code", first.searchParams.get("code") ?? "");
  expect((await two.get(second.href)).headers.get("location")).toContain("failed=not_verified");
  first.searchParams.set("iss", "https://other.example.com");
  expect((await one.get(first.href)).headers.get("location")).toContain("failed=not_verified");
});

test("a link leads only to pages of this installation", async () => {
  const { email } = arrives();
  await invite(service, email, "viewer");
  const outside = [
    "https://example.com/",
    "//example.com",
    "/\\example.com",
    "javascript:alert(1)",
    "/v1/auth/oidc/start",
  ];
  for (const next of outside) {
    const browser = openBrowser();
    const back = await browser.toIssuer(service.baseUrl, `?next=${encodeURIComponent(next)}`);
    const location = (await browser.get(back)).headers.get("location");
    expect([next, location]).toEqual([next, `${service.baseUrl}/`]);
  }
});

test("the issuer's new key is used as soon as a token names it", async () => {
  const { email } = arrives();
  await invite(service, email, "viewer");
  expect(await openBrowser().signIn(service.baseUrl)).toBe("/");
  await issuer.rotate();
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await openBrowser().signIn(service.baseUrl)).toBe("/");
});

test("while the issuer is down, the sign-in page says so, and passwords work", async () => {
  const apart = await startService({ on: service, env: oidcEnvironment(issuer.url), deps: { clock } });
  try {
    issuer.conduct.isDown = true;
    const started = await openBrowser().get(`${apart.baseUrl}/v1/auth/oidc/start?next=/events`);
    expect(started.headers.get("location")).toBe(`${apart.baseUrl}/sign-in?failed=issuer_unreachable&next=%2Fevents`);
    expect((await signIn(apart, OWNER)).answer.status).toBe(200);
    issuer.conduct.isDown = false;
    arrives();
    const browser = openBrowser();
    const back = await browser.toIssuer(apart.baseUrl);
    issuer.conduct.isDown = true;
    expect((await browser.get(back)).headers.get("location")).toBe(
      `${apart.baseUrl}/sign-in?failed=issuer_unreachable`,
    );
    const { text } = await apart.api("GET", "/metrics", undefined, { key: null });
    expect(text).toContain('junction_sign_ins_total{method="oidc",outcome="issuer_unreachable"} 2');
    expect(text).toContain('junction_sign_ins_total{method="password",outcome="ok"} 1');
  } finally {
    await apart.close();
  }
});

test("the issuer may be private, but addresses in its metadata are checked", async () => {
  const env = { ...oidcEnvironment(issuer.url), JUNCTION_ALLOW_TARGETS: "" };
  issuer.conduct.metadata = { token_endpoint: issuer.url.replace("127.0.0.1", "127.0.0.2") + "/token" };
  const apart = await startService({ on: service, env, deps: { clock } });
  try {
    arrives();
    expect(await openBrowser().signIn(apart.baseUrl)).toBe("/sign-in?failed=issuer_unreachable");
    expect(issuer.asked).not.toHaveLength(0);
  } finally {
    await apart.close();
  }
});

test("a base URL with a path is the start of every address", async () => {
  const { email } = arrives();
  await invite(service, email, "viewer");
  const base = "http://127.0.0.1:9/junction";
  const apart = await startService({ on: service, env: { ...oidcEnvironment(issuer.url), JUNCTION_BASE_URL: base } });
  const { port } = apart.service.http.server.address() as { port: number };
  const direct = `http://127.0.0.1:${port}`;
  try {
    const methods = await (await fetch(`${direct}/v1/auth/methods`)).json();
    expect(methods["oidc"]).toEqual({ issuer: new URL(issuer.url).host, start_url: `${base}/v1/auth/oidc/start` });
    const browser = openBrowser();
    const back = await browser.toIssuer(direct, "?next=/events");
    expect(back).toMatch(/^http:\/\/127\.0\.0\.1:9\/junction\/v1\/auth\/oidc\/callback\?/);
    const ended = await browser.get(back.replace(base, direct));
    expect(ended.headers.get("location")).toBe(`${base}/events`);
  } finally {
    await apart.close();
  }
});

test("without an issuer, there is no start, and the methods say so", async () => {
  const plain = await startService({ on: service });
  try {
    expect((await plain.api("GET", "/v1/auth/methods", undefined, { key: null })).body).toEqual({
      object: "sign_in_methods",
      oidc: null,
    });
    for (const path of ["start", "callback"])
      expect((await fetch(`${plain.baseUrl}/v1/auth/oidc/${path}`)).status).toBe(404);
  } finally {
    await plain.close();
  }
});
