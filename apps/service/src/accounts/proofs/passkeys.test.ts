import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { newAuthenticator, stepUpWith, withPasskey } from "../../testing/authenticator.ts";
import type { Authenticator, Pretence } from "../../testing/authenticator.ts";
import { forgetTries, joined, outcome, signIn, tokenOf, totpCode } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

const BEGIN = { operation: "auth.passkeys.begin" };
const startMs = Date.now();
let shiftMs = 0;
const clock: Clock = { now: () => instant(startMs + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;
let node: TestService;

beforeAll(async () => {
  service = await startService({ deps: { clock } });
  node = await startService({ deps: { clock }, on: service, env: { JUNCTION_BASE_URL: service.baseUrl } });
});
beforeEach(async () => await forgetTries(service));
afterAll(async () => {
  await node.close();
  await service.close();
});

async function keyed(): Promise<{ person: TestPerson; key: Authenticator; registered: Parsed }> {
  const person = await joined(service, "developer");
  return { person, ...(await withPasskey(service.baseUrl, person)) };
}

async function tryIn(person: TestPerson, more: object = {}): Promise<ApiAnswer> {
  const { email, password } = person;
  return await service.api("POST", "/v1/auth/sign-in", { email, password, ...more }, { key: null });
}

/** Signs in with a key, which may lie. */
async function signInWith(person: TestPerson, key: Authenticator, pretence?: Pretence): Promise<ApiAnswer> {
  const { passkey_request: request } = (await tryIn(person)).body;
  return await tryIn(person, { assertion: key.get(request, pretence) });
}

/** Begins a passkey and sends what a key created, which may lie. */
async function create(person: TestPerson, pretence?: Pretence, proof?: Authenticator): Promise<ApiAnswer> {
  if (proof !== undefined) await stepUpWith(person, proof, BEGIN);
  const begun = await person.call("POST", "/v1/auth/passkeys/begin", { password: person.password });
  const credential = newAuthenticator(service.baseUrl).create(begun.body, pretence);
  return await person.call("POST", "/v1/auth/passkeys", { name: "Lying key", credential });
}

/** Returns the audited actions of a person. */
async function actionsAudited({ memberId }: TestPerson): Promise<string[]> {
  const { data } = (await service.api("GET", "/v1/audit?limit=100")).body;
  return data.filter((row: Parsed) => row.actor.id === memberId).map((row: Parsed) => row.action);
}

test("a passkey is a second factor that sign-in names and accepts", async () => {
  const { person, key, registered } = await keyed();
  expect(registered.passkey).toMatchObject({ object: "passkey", name: "Blue key", transports: ["usb"] });
  expect(new Set(registered.recovery_codes).size).toBe(10);
  const asked = await tryIn(person);
  expect([outcome(asked), asked.body.second_factors]).toEqual(["401 totp_required", ["webauthn", "recovery_code"]]);
  expect(asked.body.passkey_request).toMatchObject({ rpId: "localhost", userVerification: "preferred" });
  const answer = await tryIn(person, { assertion: key.get(asked.body.passkey_request, { verified: false }) });
  expect([answer.status, answer.body.member.passkey_active, answer.body.member.totp_active]).toEqual([
    200,
    true,
    false,
  ]);
  await expect.poll(async () => await actionsAudited(person)).toContain("auth.sign_in");
});

test("one answer signs in once, even on two nodes at once", async () => {
  const { person, key } = await keyed();
  const assertion = key.get((await tryIn(person)).body.passkey_request);
  const { email, password } = person;
  const payload = { email, password, assertion };
  // Both nodes have one base URL, so that a request of `api` would reach only the first.
  const answers = await Promise.all(
    [service, node, service, node].map(
      async (on) => await on.service.http.inject({ method: "POST", url: "/v1/auth/sign-in", payload }),
    ),
  );
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 401, 401, 401]);
  expect(outcome(await tryIn(person, { assertion }))).toBe("401 sign_in_failed");
});

test("an answer for another site, origin, challenge or purpose does not sign in", async () => {
  const { person, key } = await keyed();
  const lies: Pretence[] = [
    { origin: "https://junction.example.org" },
    { rpId: "example.org" },
    { challenge: Buffer.alloc(32, 7).toString("base64url") },
  ];
  for (const lie of lies) expect(outcome(await signInWith(person, key, lie))).toBe("401 sign_in_failed");
  await stepUpWith(person, key, BEGIN);
  const begun = await person.call("POST", "/v1/auth/passkeys/begin", {});
  const { passkey_request: request } = (await tryIn(person)).body;
  const forRegistration = key.get(request, { challenge: begun.body.challenge });
  expect(outcome(await tryIn(person, { assertion: forRegistration }))).toBe("401 sign_in_failed");
  await forgetTries(service);
  expect((await signInWith(person, key)).status).toBe(200);
});

test("another person's key and another person's challenge do not sign in", async () => {
  const [ada, ben] = [await keyed(), await keyed()];
  expect(outcome(await signInWith(ada.person, ben.key))).toBe("401 sign_in_failed");
  const { passkey_request: ofBen } = (await tryIn(ben.person)).body;
  const assertion = ada.key.get(ofBen);
  expect(outcome(await tryIn(ada.person, { assertion }))).toBe("401 sign_in_failed");
});

test("a challenge ends after five minutes", async () => {
  const { person, key } = await keyed();
  const { passkey_request: request } = (await tryIn(person)).body;
  shiftMs += 5 * 60_000;
  expect(outcome(await tryIn(person, { assertion: key.get(request) }))).toBe("401 sign_in_failed");
});

test("a use count that does not grow is refused and recorded", async () => {
  const { person, key } = await keyed();
  expect((await signInWith(person, key, { count: 50 })).status).toBe(200);
  for (const count of [50, 49, 0]) expect(outcome(await signInWith(person, key, { count }))).toBe("401 sign_in_failed");
  await expect.poll(async () => await actionsAudited(person)).toContain("auth.passkey_copied");
  expect((await signInWith(person, key, { count: 51 })).status).toBe(200);
});

test("a key that does not count its uses keeps working", async () => {
  const person = await joined(service, "viewer");
  const key = newAuthenticator(service.baseUrl);
  const begun = await person.call("POST", "/v1/auth/passkeys/begin", { password: person.password });
  const credential = key.create(begun.body, { count: 0 });
  expect((await person.call("POST", "/v1/auth/passkeys", { name: "Phone", credential })).status).toBe(201);
  for (let use = 0; use < 2; use += 1) expect((await signInWith(person, key, { count: 0 })).status).toBe(200);
});

test("a key is registered only for its session's open challenge, at this site", async () => {
  const { person, key } = await keyed();
  const lies: Pretence[] = [
    { origin: "https://junction.example.org" },
    { rpId: "example.org" },
    { challenge: Buffer.alloc(32, 7).toString("base64url") },
  ];
  for (const lie of lies) {
    const refused = await create(person, lie, key);
    expect([outcome(refused), refused.body.errors[0].pointer]).toEqual(["422 validation_failed", "/credential"]);
  }
  await stepUpWith(person, key, BEGIN);
  const begun = await person.call("POST", "/v1/auth/passkeys/begin", {});
  const credential = newAuthenticator(service.baseUrl).create(begun.body);
  const elsewhere = await joined(service, "viewer");
  expect(outcome(await elsewhere.call("POST", "/v1/auth/passkeys", { name: "Theirs", credential }))).toBe(
    "422 validation_failed",
  );
  const body = { name: "Mine", credential };
  expect((await person.call("POST", "/v1/auth/passkeys", body)).status).toBe(201);
  expect(outcome(await person.call("POST", "/v1/auth/passkeys", body))).toBe("422 validation_failed");
});

test("a statement about a key's maker is dropped, and its addresses stay unread", async () => {
  const person = await joined(service, "viewer");
  const receiver = await startReceiver();
  const statement = new Map<string, unknown>([
    ["alg", -7],
    ["sig", Uint8Array.from([1, 2, 3])],
    ["x5c", [Uint8Array.from(Buffer.from(receiver.url))]],
  ]);
  expect((await create(person, { attestation: { fmt: "packed", statement } })).status).toBe(201);
  expect(receiver.received).toEqual([]);
  await receiver.close();
});

test("a key is listed, renamed and removed, and does not work from then on", async () => {
  const { person, key, registered } = await keyed();
  const path = `/v1/auth/passkeys/${String(registered.passkey.id)}`;
  expect((await person.call("PATCH", path, { name: "Old key" })).body.name).toBe("Old key");
  const { passkey_request: request } = (await tryIn(person)).body;
  const other = await withPasskey(service.baseUrl, person, { name: "Second", proof: key });
  expect(other.registered.recovery_codes).toEqual([]);
  const { data } = (await person.call("GET", "/v1/auth/passkeys")).body;
  expect(data.map(({ name }: Parsed) => name)).toEqual(["Second", "Old key"]);
  const stranger = await joined(service, "owner");
  expect(outcome(await stranger.call("PATCH", path, { name: "Mine" }))).toBe("404 not_found");
  expect(outcome(await stranger.call("DELETE", path, { password: stranger.password }))).toBe("404 not_found");
  for (const proof of [{}, { password: person.password }])
    expect(outcome(await person.call("DELETE", path, proof))).toBe("403 step_up_required");
  expect(outcome(await person.call("DELETE", path, { code: "aaaa-aaaa" }))).toBe("422 validation_failed");
  await stepUpWith(person, key, { operation: "auth.passkeys.delete", id: registered.passkey.id });
  expect((await person.call("DELETE", path, {})).status).toBe(204);
  expect(outcome(await tryIn(person, { assertion: key.get(request) }))).toBe("401 sign_in_failed");
  expect((await signInWith(person, other.key)).status).toBe(200);
});

test("recovery codes end with the last second factor, and not before", async () => {
  const { person, key, registered } = await keyed();
  const [first, second] = registered.recovery_codes;
  expect((await tryIn(person, { totp_code: first })).status).toBe(200);
  await stepUpWith(person, key, { operation: "auth.totp.enrol" });
  const { secret } = (await person.call("POST", "/v1/auth/totp/enrol", {})).body;
  const verified = await person.call("POST", "/v1/auth/totp/verify", { code: totpCode(secret, clock.now()) });
  const [renewed, last] = verified.body.recovery_codes;
  expect(outcome(await tryIn(person, { totp_code: second }))).toBe("401 sign_in_failed");
  expect((await tryIn(person)).body.second_factors).toEqual(["webauthn", "totp", "recovery_code"]);
  expect((await person.call("POST", "/v1/auth/totp/disable", { code: renewed })).status).toBe(204);
  expect((await tryIn(person)).body.second_factors).toEqual(["webauthn", "recovery_code"]);
  const path = `/v1/auth/passkeys/${String(registered.passkey.id)}`;
  expect((await person.call("DELETE", path, { code: last })).status).toBe(204);
  expect((await tryIn(person)).status).toBe(200);
  const left = await service.database.query(
    "select from recovery_code c join person p on p.id = c.person_id where p.email = $1",
    [person.email],
  );
  expect(left).toEqual([]);
});

test("a reset link that removes the second factor removes passkeys too", async () => {
  const { person, key } = await keyed();
  const owner = await signIn(service);
  const link = await owner.call("POST", `/v1/members/${person.memberId}/reset-link`, { clear_totp: true });
  const password = "another long password";
  const token = tokenOf(link.body.reset_url);
  const { passkey_request: request } = (await tryIn(person)).body;
  expect((await service.api("POST", "/v1/auth/reset", { token, password }, { key: null })).status).toBe(204);
  expect((await tryIn({ ...person, password })).status).toBe(200);
  expect(outcome(await tryIn(person, { assertion: key.get(request) }))).toBe("401 sign_in_failed");
});

test("a person with a passkey accepts the invitation of another workspace with it", async () => {
  const { person, key } = await keyed();
  const owner = await signIn(service);
  const made = await owner.call("POST", "/v1/workspaces", { name: "Second" });
  const invited = await service.api(
    "POST",
    "/v1/members/invitations",
    { email: person.email, role: "viewer" },
    { key: made.body.api_key },
  );
  const body = { token: tokenOf(invited.body.invite_url), name: "Ada", password: person.password };
  const asked = await service.api("POST", "/v1/members/accept", body, { key: null });
  expect(outcome(asked)).toBe("401 totp_required");
  const assertion = key.get(asked.body.passkey_request);
  expect((await service.api("POST", "/v1/members/accept", { ...body, assertion }, { key: null })).status).toBe(201);
});

test("an API key reaches no passkey", async () => {
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["POST", "/begin", { password: "x" }],
  ] as const) {
    const answer = await service.api(method, `/v1/auth/passkeys${path}`, body);
    expect(outcome(answer)).toBe("403 surface_not_allowed");
  }
});

test("wrong answers are limited as wrong codes are", async () => {
  const { person, key } = await keyed();
  for (let tries = 0; tries < 10; tries += 1)
    expect(outcome(await signInWith(person, key, { rpId: "example.org" }))).toBe("401 sign_in_failed");
  expect(outcome(await tryIn(person))).toBe("429 too_many_auth_failures");
});
