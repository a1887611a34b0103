import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { forgetTries, joined, outcome, signIn, totpCode } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { newTotpSecret, otpauthUrl, totpStep } from "./totp.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

// The clock is stopped, so that no step ends in the middle of a test.
const startMs = Date.now();
let shiftMs = 0;
const clock: Clock = { now: () => instant(startMs + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;

beforeAll(async () => {
  service = await startService({ deps: { clock } });
});
beforeEach(async () => await forgetTries(service));
afterAll(async () => await service.close());

/** "12345678901234567890" in base32. */
const RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** Returns the code of an app, some steps away from now. */
function codeOf(secret: string, stepsAway = 0): string {
  return totpCode(secret, clock.now(), stepsAway);
}

async function enrolled(): Promise<{ person: TestPerson; secret: string; recovery: string[] }> {
  const person = await joined(service, "developer");
  const enrolment = await person.call("POST", "/v1/auth/totp/enrol", { password: person.password });
  expect(enrolment.status).toBe(201);
  const secret = String(enrolment.body["secret"]);
  const verified = await person.call("POST", "/v1/auth/totp/verify", { code: codeOf(secret) });
  expect(verified.status).toBe(200);
  return { person, secret, recovery: verified.body["recovery_codes"] };
}

async function tryCode(person: TestPerson, code?: string): Promise<ApiAnswer> {
  const { email, password } = person;
  const body = { email, password, ...(code === undefined ? {} : { totp_code: code }) };
  return await service.api("POST", "/v1/auth/sign-in", body, { key: null });
}

test("codes are those of RFC 6238's and RFC 4226's test vectors", () => {
  // RFC 6238 prints eight digits; the last six are the code of six.
  const vectors: [number, string][] = [
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ];
  for (const [seconds, code] of vectors)
    expect(totpStep(RFC_SECRET, code.slice(2), instant(seconds * 1000))).toBe(Math.floor(seconds / 30));
  const counters = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"];
  for (const [counter, code] of counters.entries())
    expect(totpStep(RFC_SECRET, code, instant(counter * 30_000))).toBe(counter);
});

test("a code holds for its step and one step around it", () => {
  const at = (step: number): number | undefined => totpStep(RFC_SECRET, "520489", instant(step * 30_000 + 29_999));
  expect([7, 8, 9, 10, 11].map(at)).toEqual([undefined, 9, 9, 9, undefined]);
});

test("a code is exactly six ASCII digits", () => {
  for (const code of ["", "52048", "5204890", "\uFF15\uFF12\uFF10\uFF14\uFF18\uFF19", "52048\u0669", "520489\n"])
    expect(totpStep(RFC_SECRET, code, instant(9 * 30_000))).toBeUndefined();
});

test("the secret is 20 random bytes, and the URL carries it as apps read it", () => {
  const secrets = Array.from({ length: 20 }, newTotpSecret);
  expect(new Set(secrets).size).toBe(20);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const url = new URL(otpauthUrl("ABC", "a+b@example.com"));
  expect(url.href).toContain("otpauth://totp/Junction:a%2Bb%40example.com?");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    secret: "ABC",
    issuer: "Junction",
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});

test("a second factor takes effect after verification, and signing in then requires a code", async () => {
  const person = await joined(service, "developer");
  const enrolment = await person.call("POST", "/v1/auth/totp/enrol", { password: person.password });
  const secret = String(enrolment.body["secret"]);
  expect((await tryCode(person)).status).toBe(200);
  const wrong = await person.call("POST", "/v1/auth/totp/verify", { code: codeOf(secret, 5) });
  expect([outcome(wrong), wrong.body["errors"][0].pointer]).toEqual(["422 validation_failed", "/code"]);
  const verified = await person.call("POST", "/v1/auth/totp/verify", { code: codeOf(secret) });
  expect(verified.status).toBe(200);
  expect(new Set(verified.body["recovery_codes"]).size).toBe(10);
  for (const code of verified.body["recovery_codes"]) expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  expect(outcome(await tryCode(person))).toBe("401 totp_required");
  expect(outcome(await tryCode(person, "000000"))).toBe("401 sign_in_failed");
  expect((await tryCode(person, codeOf(secret, 1))).status).toBe(200);
  expect((await person.call("GET", "/v1/auth/session")).body["member"].totp_active).toBe(true);
  const again = await person.call("POST", "/v1/auth/totp/enrol", { password: person.password });
  expect(outcome(again)).toBe("409 conflict");
});

test("a sign-in without the password does not reveal that a code is required", async () => {
  const { person } = await enrolled();
  const wrong = await service.api(
    "POST",
    "/v1/auth/sign-in",
    { email: person.email, password: "not the password" },
    { key: null },
  );
  expect(outcome(wrong)).toBe("401 sign_in_failed");
});

test("a code works once, even concurrently, and the enrollment's code not again", async () => {
  const { person, secret } = await enrolled();
  expect(outcome(await tryCode(person, codeOf(secret)))).toBe("401 sign_in_failed");
  shiftMs += 60_000;
  const code = codeOf(secret);
  const answers = await Promise.all(Array.from({ length: 8 }, async () => await tryCode(person, code)));
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
  // A step before the last used one is no longer accepted.
  expect(outcome(await tryCode(person, codeOf(secret, -1)))).toBe("401 sign_in_failed");
});

test("a recovery code signs in once, however it is typed", async () => {
  const { person, recovery } = await enrolled();
  const typed = ` ${String(recovery[0]).toUpperCase().replaceAll("-", " ")} `;
  const answers = await Promise.all(Array.from({ length: 3 }, async () => await tryCode(person, typed)));
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 401, 401]);
  expect((await tryCode(person, recovery[1])).status).toBe(200);
});

test("disabling requires a code; afterwards the password suffices and old codes are invalid", async () => {
  const { person, secret, recovery } = await enrolled();
  const wrong = await person.call("POST", "/v1/auth/totp/disable", { code: "000000" });
  expect([outcome(wrong), wrong.body["errors"][0].pointer]).toEqual(["422 validation_failed", "/code"]);
  expect((await person.call("POST", "/v1/auth/totp/disable", { code: codeOf(secret, 1) })).status).toBe(204);
  expect((await tryCode(person)).status).toBe(200);
  expect(outcome(await person.call("POST", "/v1/auth/totp/disable", { code: String(recovery[0]) }))).toBe(
    "409 conflict",
  );
  expect(outcome(await person.call("POST", "/v1/auth/totp/verify", { code: "123456" }))).toBe("409 conflict");
});

test("enrolling requires the password: an open browser is not enough", async () => {
  const person = await joined(service, "viewer");
  const refused = await person.call("POST", "/v1/auth/totp/enrol", { password: "not the password" });
  expect([outcome(refused), refused.body["errors"][0].pointer]).toEqual(["422 validation_failed", "/password"]);
});

test("a key cannot access a second factor", async () => {
  for (const [path, body] of [
    ["enrol", { password: "x" }],
    ["verify", { code: "123456" }],
    ["disable", { code: "123456" }],
  ] as const) {
    const answer = await service.api("POST", `/v1/auth/totp/${path}`, body);
    expect([path, outcome(answer)]).toEqual([path, "403 surface_not_allowed"]);
  }
});

test("the database holds neither the secret nor the recovery codes", async () => {
  const { secret, recovery } = await enrolled();
  const rows = await service.database.query<{ row: string }>(
    "select row_to_json(p)::text as row from person p union all select row_to_json(c)::text from recovery_code c",
  );
  const all = rows.map(({ row }) => row).join("\n");
  for (const code of [secret, ...recovery, ...recovery.map((one) => one.replaceAll("-", ""))])
    expect(all).not.toContain(code);
});

test("guessed second-factor codes are refused with 429 and Retry-After after ten failures", async () => {
  const { person } = await enrolled();
  const answers: ApiAnswer[] = [];
  for (let tries = 0; tries < 12; tries += 1) answers.push(await tryCode(person, "000000"));
  expect(answers.map(outcome)).toEqual([
    ...Array.from({ length: 10 }, () => "401 sign_in_failed"),
    ...Array.from({ length: 2 }, () => "429 too_many_auth_failures"),
  ]);
  expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect((await signIn(service)).answer.status).toBe(200);
});
