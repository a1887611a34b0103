import { afterAll, beforeAll, expect, test } from "vitest";
import { invite } from "../../testing/people.ts";
import { oidcEnvironment, openBrowser, startIssuer } from "../../testing/oidc-issuer.ts";
import type { TestBrowser, TestIssuer } from "../../testing/oidc-issuer.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };
let issuer: TestIssuer;
let service: TestService;
let tokens = 0;

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startService({ env: oidcEnvironment(issuer.url) });
});
afterAll(async () => {
  await service.close();
  await issuer.close();
});

async function enter(sub: string, sid?: string): Promise<TestBrowser> {
  const email = `${sub}@example.com`;
  issuer.conduct.idToken = { sub, email, email_verified: true, ...(sid === undefined ? {} : { sid }) };
  const browser = openBrowser();
  expect(await browser.signIn(service.baseUrl)).toBe("/");
  return browser;
}

async function statusOf(browser: TestBrowser): Promise<number> {
  const headers = { Cookie: `junction_session=${browser.cookies.get("junction_session") ?? ""}` };
  return (await service.api("GET", "/v1/auth/session", undefined, { key: null, headers })).status;
}

function claims(more: Record<string, unknown>): Record<string, unknown> {
  tokens += 1;
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer.url, aud: "junction", iat: now, exp: now + 120, jti: `jti-${tokens}`, events: EVENTS, ...more };
}

async function send(token: string): Promise<Response> {
  return await fetch(`${service.baseUrl}/v1/auth/oidc/logout`, {
    method: "POST",
    body: new URLSearchParams({ logout_token: token }),
  });
}

test("a logout token ends the session of its sid, or all of its subject", async () => {
  await invite(service, "ada@example.com", "viewer");
  await invite(service, "ben@example.com", "viewer");
  const [one, two, three, ben] = [
    await enter("ada", "s1"),
    await enter("ada", "s2"),
    await enter("ada"),
    await enter("ben", "s4"),
  ];
  const answer = await send(await issuer.token(claims({ sid: "s1" }), { typ: "logout+jwt" }));
  expect([answer.status, answer.headers.get("cache-control"), await answer.text()]).toEqual([200, "no-store", ""]);
  expect([await statusOf(one), await statusOf(two), await statusOf(three)]).toEqual([401, 200, 200]);
  expect((await send(await issuer.token(claims({ sub: "ben", sid: "s2" })))).status).toBe(200);
  expect([await statusOf(two), await statusOf(ben)]).toEqual([200, 200]);
  expect((await send(await issuer.token(claims({ sub: "ada" })))).status).toBe(200);
  expect([await statusOf(two), await statusOf(three), await statusOf(ben)]).toEqual([401, 401, 200]);
  const { body } = await service.api("GET", "/v1/audit?limit=20");
  expect(body["data"].map(({ action }: Parsed) => action)).toContain("auth.oidc_logout");
});

test("a logout token that fails a check ends nothing", async () => {
  await invite(service, "eve@example.com", "viewer");
  const browser = await enter("eve", "s9");
  const now = Math.floor(Date.now() / 1000);
  const wrong: Record<string, unknown>[] = [
    { iss: "https://other.example.com" },
    { aud: "another" },
    { nonce: "n" },
    { events: {} },
    { events: undefined },
    { events: { "http://schemas.openid.net/event/backchannel-logout": "x" } },
    { jti: undefined },
    { iat: undefined },
    { iat: now - 3600, exp: now + 60 },
    { exp: now - 60 },
    { sub: undefined, sid: undefined },
  ];
  for (const change of wrong) {
    const token = await issuer.token(claims({ sub: "eve", sid: "s9", ...change }));
    expect([change, (await send(token)).status]).toEqual([change, 400]);
  }
  const forged = `${(await issuer.token(claims({ sub: "eve" }))).split(".").slice(0, 2).join(".")}.AAAA`;
  for (const token of ["", "x.y.z", forged]) expect((await send(token)).status).toBe(400);
  expect((await fetch(`${service.baseUrl}/v1/auth/oidc/logout`, { method: "POST" })).status).toBe(400);
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "Content-Encoding": "gzip" };
  const coded = await fetch(`${service.baseUrl}/v1/auth/oidc/logout`, {
    method: "POST",
    headers,
    body: "logout_token=a.b.c",
  });
  expect([coded.status, await coded.json()]).toEqual([
    415,
    expect.objectContaining({ code: "unsupported_media_type" }),
  ]);
  expect(await statusOf(browser)).toBe(200);

  const token = await issuer.token(claims({ sid: "s9" }));
  expect([(await send(token)).status, (await send(token)).status]).toEqual([200, 400]);
  expect(await statusOf(browser)).toBe(401);
});
