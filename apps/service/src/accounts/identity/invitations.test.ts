import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { absentId, countRows, tagOfId } from "../../testing/keys.ts";
import { forgetTries, invite, joined, outcome, PASSWORD, personOf, signIn, tokenOf } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

const DAY_MS = 86_400_000;
const startMs = Date.now();
let shiftMs = 0;
const clock: Clock = { now: () => instant(startMs + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;
let owner: TestPerson;

beforeAll(async () => {
  service = await startService({ deps: { clock }, env: { JUNCTION_RATE_LIMITS: '{"management.write":5000}' } });
});
beforeEach(async () => {
  shiftMs = 0;
  owner = await signIn(service);
  await forgetTries(service);
});
afterAll(async () => await service.close());

async function accept(token: string, more: Record<string, unknown> = {}): Promise<ApiAnswer> {
  return await service.api(
    "POST",
    "/v1/members/accept",
    { token, name: "Grace", password: PASSWORD, ...more },
    { key: null },
  );
}

test("an invitation is a link, shown once, good for seven days", async () => {
  const made = await owner.call("POST", "/v1/members/invitations", { email: "Grace@Example.com", role: "developer" });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    id: expect.stringMatching(/^inv_/),
    object: "invitation",
    email: "Grace@Example.com",
    role: "developer",
    invited_by: owner.memberId,
    invite_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/invite\?token=[\w-]{43}$/),
    environment: "live",
    scope_kind: "workspace",
  });
  expect(Date.parse(made.body["expires_at"])).toBe(startMs + 7 * DAY_MS);
  const token = tokenOf(made.body["invite_url"]);
  const listed = await owner.call("GET", "/v1/members/invitations");
  expect(listed.body["data"]).toMatchObject([{ id: made.body["id"], email: "Grace@Example.com" }]);
  expect(listed.text).not.toContain(token);
  const offer = await service.api("POST", "/v1/members/invitations/look-up", { token }, { key: null });
  expect([offer.status, offer.body]).toEqual([
    200,
    {
      object: "invitation_offer",
      workspace_name: "Test",
      email: "Grace@Example.com",
      role: "developer",
      expires_at: made.body["expires_at"],
    },
  ]);
  const accepted = await accept(token);
  expect(accepted.status).toBe(201);
  expect(accepted.body["member"]).toMatchObject({ name: "Grace", email: "Grace@Example.com", role: "developer" });
  const grace = personOf(service, { email: "", password: "" }, accepted);
  expect((await grace.call("POST", "/v1/events/fire", { event: "order.created", data: {} })).status).toBe(202);
  expect((await owner.call("GET", "/v1/members/invitations")).body["data"]).toEqual([]);
  expect(outcome(await accept(token))).toBe("401 invitation_invalid");
});

test("one of ten concurrent acceptances of an invitation becomes the member", async () => {
  const token = await invite(service, "once@example.com", "viewer");
  const before = [await countRows(service, "member"), await countRows(service, "person")];
  const answers = await Promise.all(Array.from({ length: 10 }, async () => await accept(token)));
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 401)]);
  const after = [await countRows(service, "member"), await countRows(service, "person")];
  expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1]);
});

test("a used, revoked, replaced, expired or unknown invitation is refused", async () => {
  const [revoked, replaced, late] = [
    await owner.call("POST", "/v1/members/invitations", { email: "revoked@example.com", role: "viewer" }),
    await invite(service, "replaced@example.com", "viewer"),
    await invite(service, "late@example.com", "viewer"),
  ];
  const newer = await invite(service, "REPLACED@example.com", "operator");
  const path = `/v1/members/invitations/${String(revoked.body["id"])}`;
  expect((await owner.call("DELETE", path)).status).toBe(204);
  expect(outcome(await owner.call("DELETE", path))).toBe("404 not_found");
  for (const token of [tokenOf(revoked.body["invite_url"]), replaced, "invented"]) {
    expect(outcome(await accept(token))).toBe("401 invitation_invalid");
    const offer = await service.api("POST", "/v1/members/invitations/look-up", { token }, { key: null });
    expect(outcome(offer)).toBe("401 invitation_invalid");
  }
  expect((await accept(newer)).body["member"].role).toBe("operator");
  shiftMs = 7 * DAY_MS;
  expect(outcome(await accept(late))).toBe("401 invitation_invalid");
});

test("members cannot invite above their own role, and only owners invite owners", async () => {
  const admin = await joined(service, "admin");
  const roleFor = async (by: TestPerson, role: string): Promise<string> =>
    outcome(await by.call("POST", "/v1/members/invitations", { email: `${role}@above.example`, role }));
  expect(await roleFor(admin, "owner")).toBe("403 role_not_allowed");
  expect(await roleFor(admin, "admin")).toBe("201");
  expect(await roleFor(owner, "owner")).toBe("201");
  expect(await roleFor(owner, "ai")).toBe("422 validation_failed");
  const open = (await owner.call("GET", "/v1/members/invitations?limit=100")).body["data"];
  const toOwner = open.find((one: { role: string }) => one.role === "owner");
  const path = `/v1/members/invitations/${String(toOwner.id)}`;
  expect(outcome(await admin.call("DELETE", path))).toBe("403 role_not_allowed");
});

test("a member's invitations end with the right to invite", async () => {
  const admin = await joined(service, "admin");
  const offered = async (email: string, role: string): Promise<string> => {
    const made = await admin.call("POST", "/v1/members/invitations", { email, role });
    return tokenOf(made.body["invite_url"]);
  };
  const [peer, viewer] = [await offered("peer@example.com", "admin"), await offered("low@example.com", "viewer")];
  expect((await owner.call("DELETE", `/v1/members/${admin.memberId}`)).status).toBe(204);
  for (const token of [peer, viewer]) expect(outcome(await accept(token))).toBe("401 invitation_invalid");
});

test("16: the operator returns an account of another's address, as the refusal says", async () => {
  const email = "victim@corp.example";
  const stranger = await owner.call("POST", "/v1/workspaces", { name: "Stranger" });
  const taken = await accept(await invite(service, email, "viewer", String(stranger.body["api_key"])));
  expect(taken.status).toBe(201);
  const token = await invite(service, email, "developer");
  const mine = { password: "what the victim chose" };
  const refused = await accept(token, mine);
  expect(outcome(refused)).toBe("401 sign_in_failed");
  expect(refused.body["detail"]).toContain(`member reset-link --email ${email} --clear-totp`);
  const link = await service.service.people.resetLink(email, true);
  const reset = await service.api("POST", "/v1/auth/reset", { token: tokenOf(link.reset_url), ...mine }, { key: null });
  expect(reset.status).toBe(204);
  const theirs = { headers: { Cookie: personOf(service, { email, ...mine }, taken).cookie }, key: null };
  expect((await service.api("GET", "/v1/auth/session", undefined, theirs)).status).toBe(401);
  expect((await accept(token, mine)).status).toBe(201);
});

test("an existing account accepts an invitation only with its own password", async () => {
  const person = await joined(service, "viewer");
  const second = await owner.call("POST", "/v1/workspaces", { name: "Second" });
  const token = await invite(service, person.email, "developer", String(second.body["api_key"]));
  const guess = await accept(token, { password: "what the inviter chose" });
  expect(outcome(guess)).toBe("401 sign_in_failed");
  expect(guess.headers.get("set-cookie")).toBeNull();
  const { email, password } = person;
  expect((await signIn(service, { email, password })).answer.status).toBe(200);
  const accepted = await accept(token, { password, name: "Somebody else" });
  expect([accepted.status, accepted.body["member"].name]).toEqual([201, person.answer.body["member"].name]);
  expect(accepted.body["workspaces"].map((one: { name: string; role: string }) => [one.name, one.role])).toEqual(
    expect.arrayContaining([
      ["Test", "viewer"],
      ["Second", "developer"],
    ]),
  );
});

test("two workspaces that invite one new person, accepted at once, make one account", async () => {
  const second = await owner.call("POST", "/v1/workspaces", { name: "Both at once" });
  const tokens = [
    await invite(service, "twice@example.com", "viewer"),
    await invite(service, "twice@example.com", "viewer", String(second.body["api_key"])),
  ];
  const answers = await Promise.all(tokens.map(async (token) => await accept(token)));
  for (const answer of answers) expect(["201", "409 conflict"]).toContain(outcome(answer));
  // The second one uses the account that exists by now.
  for (const [at, answer] of answers.entries())
    if (answer.status === 409) expect((await accept(tokens[at] ?? "")).status).toBe(201);
  const rows = await service.database.query<{ n: number }>(
    "select count(*)::int as n from person p join member m on m.person_id = p.id where p.email = 'twice@example.com' group by p.id",
  );
  expect(rows).toEqual([{ n: 2 }]);
});

test("guessing that account's password by the link runs into the limit of sign-in", async () => {
  const person = await joined(service, "viewer");
  const second = await owner.call("POST", "/v1/workspaces", { name: "Guessers" });
  const token = await invite(service, person.email, "developer", String(second.body["api_key"]));
  const outcomes: string[] = [];
  for (let tries = 0; tries < 11; tries += 1)
    outcomes.push(outcome(await accept(token, { password: `guess number ${tries}` })));
  expect(outcomes.at(-1)).toBe("429 too_many_auth_failures");
});

test("a member is not invited again", async () => {
  const again = await owner.call("POST", "/v1/members/invitations", { email: "OWNER@example.com", role: "viewer" });
  expect(outcome(again)).toBe("409 conflict");
});

test("an invalid password, name or field is refused and the link stays valid", async () => {
  const token = await invite(service, "weak-password@example.com", "viewer");
  const cases: [Record<string, unknown>, string][] = [
    [{ password: "short" }, "/password"],
    [{ password: "x".repeat(257) }, "/password"],
    [{ password: "Weak-Password@example.com" }, "/password"],
    [{ name: "a\nb" }, "/name"],
    [{ name: "a\u0000b" }, "/name"],
    [{ role: "owner" }, "/role"],
  ];
  for (const [change, pointer] of cases) {
    const answer = await accept(token, change);
    expect([pointer, outcome(answer), answer.body["errors"][0].pointer]).toEqual([
      pointer,
      "422 validation_failed",
      pointer,
    ]);
  }
  expect((await accept(token, { password: "ä".repeat(256) })).status).toBe(201);
});

test("an invitation of no e-mail, or to no role, is refused", async () => {
  for (const body of [
    { email: "nobody", role: "viewer" },
    { email: "a@b.c" },
    { role: "viewer" },
    { email: "a@b\u0000.c", role: "viewer" },
  ]) {
    const answer = await owner.call("POST", "/v1/members/invitations", body);
    expect([JSON.stringify(body), outcome(answer)]).toEqual([JSON.stringify(body), "422 validation_failed"]);
  }
});

test("an invitation that is not there is 404; from the sandbox none is revoked", async () => {
  const id = absentId({ tag: tagOfId(owner.memberId) }, "inv");
  expect(outcome(await owner.call("DELETE", `/v1/members/invitations/${id}`))).toBe("404 not_found");
  const sandbox = { "X-Service-Environment": "sandbox" };
  expect(outcome(await owner.call("DELETE", `/v1/members/invitations/${id}`, undefined, sandbox))).toBe(
    "403 environment_mismatch",
  );
});

test("an expired invitation is not listed and cannot be revoked", async () => {
  const made = await owner.call("POST", "/v1/members/invitations", { email: "expired@example.com", role: "viewer" });
  const id = String(made.body["id"]);
  shiftMs = 7 * DAY_MS;
  const listed = await service.api("GET", "/v1/members/invitations");
  expect(listed.body["data"].map((one: { id: string }) => one.id)).not.toContain(id);
  expect(outcome(await service.api("DELETE", `/v1/members/invitations/${id}`))).toBe("404 not_found");
});

test("the database holds no invitation's token", async () => {
  const token = await invite(service, "secret@example.com", "viewer");
  const rows = await service.database.query<{ row: string }>("select row_to_json(i)::text as row from invitation i");
  expect(rows.map(({ row }) => row).join("\n")).not.toContain(token);
});
