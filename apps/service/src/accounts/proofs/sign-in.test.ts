import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSealer, systemClock } from "../../lib/lib.ts";
import { createDb } from "../../platform/db/db.ts";
import { forgetTries, joined, outcome, OWNER, signIn } from "../../testing/people.ts";
import { countRows, otherWorkspace } from "../../testing/keys.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { withAttemptLimits } from "./sign-in.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;

beforeAll(async () => {
  service = await startService({ env: { JUNCTION_TRUST_PROXIES: "127.0.0.1" } });
  twin = await startService({ on: service, env: { JUNCTION_BASE_URL: "https://junction.example.com" } });
});
beforeEach(async () => await forgetTries(service));
afterAll(async () => {
  await twin.close();
  await service.close();
});

async function attempt(body: Record<string, unknown>): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/auth/sign-in", body, { key: null });
}

/** Signs in from another address. Returns the status and the code. */
async function attemptFrom(address: string, body: Record<string, unknown>): Promise<string> {
  const answer = await sendRaw(service.baseUrl, {
    method: "POST",
    path: "/v1/auth/sign-in",
    headers: { "X-Forwarded-For": address, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.status === 200 ? "200" : `${answer.status} ${String(answer.body["code"])}`;
}

test("e-mail and password open a session with member, workspaces and CSRF token", async () => {
  const { answer } = await signIn(service, { ...OWNER, email: "OWNER@Example.com" });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    object: "sign_in",
    csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    member: {
      id: expect.stringMatching(/^mem_/),
      object: "member",
      name: "Owner",
      email: OWNER.email,
      role: "owner",
      permissions: [],
      totp_active: false,
      passkey_active: false,
      scope_kind: "workspace",
      scope_key: expect.stringMatching(/^ws_/),
      environment: "live",
      created_at: expect.stringMatching(/Z$/),
    },
    workspaces: [{ workspace_id: expect.stringMatching(/^ws_/), name: "Test", role: "owner" }],
  });
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

test("the cookie is HttpOnly, SameSite=Strict, for the whole site and two weeks", async () => {
  const { answer } = await signIn(service);
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^junction_session=[0-9A-Za-z]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/);
});

test("over https the cookie is Secure and host-bound; the plain name is ignored", async () => {
  const { http } = twin.service;
  const answer = await http.inject({ method: "POST", url: "/v1/auth/sign-in", payload: OWNER });
  const cookie = String(answer.headers["set-cookie"]);
  expect(cookie).toMatch(
    /^__Host-junction_session=[0-9A-Za-z]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  const [pair = ""] = cookie.split(";");
  const statusWith = async (header: string): Promise<number> =>
    (await http.inject({ method: "GET", url: "/v1/auth/session", headers: { cookie: header } })).statusCode;
  expect(await statusWith(pair)).toBe(200);
  expect(await statusWith(`theme=dark; ${pair}; lang=en`)).toBe(200);
  expect(await statusWith(pair.replace("__Host-", ""))).toBe(401);
});

test("an unknown e-mail and a wrong password get the same answer", async () => {
  const answers = await Promise.all([
    attempt({ ...OWNER, password: "correct horse battery!" }),
    attempt({ email: "nobody@example.com", password: OWNER.password }),
  ]);
  const problems = answers.map(({ body }) => ({ ...body, request_id: "" }));
  expect(answers.map(outcome)).toEqual(["401 sign_in_failed", "401 sign_in_failed"]);
  expect(problems[0]).toEqual(problems[1]);
  for (const answer of answers) {
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.text).not.toContain(OWNER.password);
  }
});

test("a password is verified with its hash's cost; without a hash it never matches", async () => {
  const hash = await hashPassword("pässword 😀");
  expect(await verifyPassword(hash, "pässword 😀")).toBe(true);
  expect(await verifyPassword(hash, "pässword")).toBe(false);
  expect(await verifyPassword(undefined, "")).toBe(false);
  // The hash is from the tests of the reference implementation.
  const foreign = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  expect(await verifyPassword(foreign, "password")).toBe(true);
  expect(await verifyPassword(foreign, "Password")).toBe(false);
  await expect(verifyPassword("$2b$12$abc", "x")).rejects.toThrow("unknown form");
});

test("signing in to a workspace that one does not belong to is refused", async () => {
  const other = await otherWorkspace(service);
  expect(outcome(await attempt({ ...OWNER, workspace_id: other.id("ws") }))).toBe("403 workspace_mismatch");
});

test("an invalid sign-in body is refused before anything is checked", async () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ email: OWNER.email }, "/password"],
    [{ ...OWNER, email: "nobody" }, "/email"],
    [{ ...OWNER, password: "x".repeat(257) }, "/password"],
    [{ ...OWNER, remember: true }, "/remember"],
    [{ ...OWNER, workspace_id: "elsewhere" }, "/workspace_id"],
    [{ ...OWNER, totp_code: 123_456 }, "/totp_code"],
  ];
  for (const [body, pointer] of cases) {
    const answer = await attempt(body);
    expect([pointer, outcome(answer), answer.body["errors"][0].pointer]).toEqual([
      pointer,
      "422 validation_failed",
      pointer,
    ]);
  }
});

test("ten failures in a minute block an account for that address until Retry-After", async () => {
  const person = await joined(service, "viewer");
  const bad = { email: person.email, password: "not the password" };
  const answers: ApiAnswer[] = [];
  for (let tries = 0; tries < 11; tries += 1) answers.push(await attempt(bad));
  answers.push(await attempt({ email: person.email, password: person.password }));
  expect(answers.map(outcome)).toEqual([
    ...Array.from({ length: 10 }, () => "401 sign_in_failed"),
    "429 too_many_auth_failures",
    "429 too_many_auth_failures",
  ]);
  const wait = Number(answers.at(-1)?.headers.get("retry-after"));
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(wait).toBeLessThanOrEqual(61);
  expect(outcome(await attempt(OWNER))).toBe("200");
});

test("12: an account has one budget of guesses, however its address is spelt", async () => {
  await service.database.query("update person set email = 'ivi@example.com' where email = $1", [
    (await joined(service, "viewer")).email,
  ]);
  const spellings = ["ivi@example.com", "İvi@example.com", "ivİ@example.com", "IVI@EXAMPLE.COM"];
  const outcomes: string[] = [];
  for (let at = 0; at < 14; at += 1)
    outcomes.push(outcome(await attempt({ email: spellings[at % 4], password: "not the password" })));
  expect(outcomes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => "401 sign_in_failed"));
  expect(outcomes.slice(10)).toEqual(Array.from({ length: 4 }, () => "429 too_many_auth_failures"));
});

test("an unknown e-mail has the same limit", async () => {
  const outcomes = [];
  for (let tries = 0; tries < 11; tries += 1)
    outcomes.push(outcome(await attempt({ email: "ghost@example.com", password: "x" })));
  expect(outcomes.at(-1)).toBe("429 too_many_auth_failures");
});

test("an address that tries many accounts is stopped at 30 a minute", async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 35 }, async (_, at) => await attempt({ email: `a${at}@example.com`, password: "x" })),
  );
  const statuses = outcomes.map((answer) => answer.status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
});

test("guesses from many addresses stop at 20 a minute, but known addresses still work", async () => {
  const person = await joined(service, "viewer");
  const proof = { email: person.email, password: person.password };
  expect(await attemptFrom("198.51.100.7", proof)).toBe("200");
  const guesses: string[] = [];
  for (let at = 0; at < 22; at += 1)
    guesses.push(await attemptFrom(`203.0.113.${at}`, { ...proof, password: "not the password" }));
  expect(guesses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => "401 sign_in_failed"));
  expect(guesses.slice(20)).toEqual(Array.from({ length: 2 }, () => "429 too_many_auth_failures"));
  expect(await attemptFrom("203.0.113.99", proof)).toBe("429 too_many_auth_failures");
  expect(await attemptFrom("198.51.100.7", proof)).toBe("200");
});

test("attempts on a blocked account do not block other accounts at its address", async () => {
  const person = await joined(service, "viewer");
  const address = "198.51.100.20";
  for (let tries = 0; tries < 10; tries += 1)
    await attemptFrom(address, { email: person.email, password: "not the password" });
  for (let tries = 0; tries < 25; tries += 1)
    expect(await attemptFrom(address, { email: person.email, password: person.password })).toBe(
      "429 too_many_auth_failures",
    );
  expect(await attemptFrom(address, OWNER)).toBe("200");
});

test("a check that throws does not count towards the limit", async () => {
  const log = { warn: () => undefined };
  const db = createDb({ url: service.database.url, poolSize: 1, log });
  const deps = {
    db,
    clock: systemClock,
    sealer: createSealer(randomBytes(32)),
    refusals: { note: () => undefined },
    baseUrl: service.baseUrl,
  };
  const suspect = {
    email: "broken@example.com",
    person: undefined,
    origin: { ip: "198.51.100.21" },
    action: "auth.sign_in",
  };
  for (let tries = 0; tries < 12; tries += 1) {
    const attempted = withAttemptLimits(deps, suspect, async () => await Promise.reject(new Error("no database")));
    await expect(attempted).rejects.toThrow("no database");
  }
  await db.close();
});

test("successful sign-ins do not count towards the limit", async () => {
  const before = await countRows(service, "session");
  for (let times = 0; times < 12; times += 1) expect(outcome(await attempt(OWNER))).toBe("200");
  expect((await countRows(service, "session")) - before).toBe(12);
});

test("the addresses of one IPv6 network have one limit together", async () => {
  const answers: string[] = [];
  for (let at = 1; at <= 34; at += 1)
    answers.push(
      await attemptFrom(`2001:db8:1:2::${at.toString(16)}`, { email: `v6-${at}@example.com`, password: "x" }),
    );
  expect(answers.filter((one) => one === "401 sign_in_failed")).toHaveLength(30);
  expect(answers.slice(30).every((one) => one === "429 too_many_auth_failures")).toBe(true);
  expect(await attemptFrom("2001:db8:1:3::1", { email: "v6@example.com", password: "x" })).toBe("401 sign_in_failed");
});

test("an address in the network of an earlier sign-in counts as known", async () => {
  const person = await joined(service, "viewer");
  const proof = { email: person.email, password: person.password };
  expect(await attemptFrom("2001:db8:7:1::aa", proof)).toBe("200");
  for (let at = 0; at < 22; at += 1) await attemptFrom(`203.0.113.${at}`, { ...proof, password: "not the password" });
  expect(await attemptFrom("2001:db8:8:1::bb", proof)).toBe("429 too_many_auth_failures");
  expect(await attemptFrom("2001:db8:7:1::bb", proof)).toBe("200");
});

test.each([
  ["one network", (at: number) => `2001:db8:2:2::${at.toString(16)}`],
  ["many networks", (at: number) => `10.20.${Math.floor(at / 250)}.${(at % 250) + 1}`],
])("a person at a known network signs in soon during a flood from %s", async (_what, address) => {
  const person = await joined(service, "viewer");
  const proof = { email: person.email, password: person.password };
  expect(await attemptFrom("192.0.2.77", proof)).toBe("200");
  const flood = Array.from(
    { length: 300 },
    async (_, at) => await attemptFrom(address(at), { email: `flood-${at}@example.com`, password: "x" }),
  );
  const startedAt = performance.now();
  expect(await attemptFrom("192.0.2.77", proof)).toBe("200");
  const tookMs = performance.now() - startedAt;
  const outcomes = await Promise.all(flood);
  expect(tookMs).toBeLessThan(5000);
  expect(outcomes.filter((one) => /^(429|503) /.test(one)).length).toBeGreaterThan(150);
});
