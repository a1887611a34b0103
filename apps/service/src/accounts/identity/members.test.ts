import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { absentId, countRows, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import { forgetTries, invite, joined, outcome, OWNER, PASSWORD, signIn, tokenOf } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;
let owner: TestPerson;

beforeAll(async () => {
  const env = { JUNCTION_RATE_LIMITS: '{"management.write":5000}' };
  service = await startService({ env });
  twin = await startService({ on: service, env });
  owner = await signIn(service);
});
beforeEach(async () => await forgetTries(service));
afterAll(async () => {
  await twin.close();
  await service.close();
});

const event = { event: "order.created", data: {} };

async function setRole(by: TestPerson, id: string, role: string): Promise<string> {
  return outcome(await by.call("PATCH", `/v1/members/${id}`, { role }));
}

async function ownKey(person: TestPerson): Promise<string> {
  const spec = { name: "mine", permission_mode: "all", actor_type: "user" };
  const made = await person.call("POST", "/v1/keys", spec);
  expect(made.status).toBe(201);
  return String(made.body["key"]);
}

test("members are listed page by page, to every person and to no AI", async () => {
  await joined(service, "viewer");
  const viewer = await joined(service, "viewer");
  const first = await viewer.call("GET", "/v1/members?limit=2");
  expect([first.status, first.body["data"].length, first.body["has_more"]]).toEqual([200, 2, true]);
  const rest = await viewer.call("GET", `/v1/members?limit=100&cursor=${String(first.body["next_cursor"])}`);
  const all = [...first.body["data"], ...rest.body["data"]];
  expect(new Set(all.map((member: { id: string }) => member.id)).size).toBe(await countRows(service, "member"));
  expect(all.at(-1)).toMatchObject({ object: "member", email: OWNER.email, role: "owner", scope_kind: "workspace" });
  expect(JSON.stringify(all)).not.toContain("argon2");
  const ai = await service.api("POST", "/v1/keys", { name: "ai", permission_mode: "all", role: "ai" });
  const answer = await service.api("GET", "/v1/members", undefined, { key: ai.body["key"] });
  expect(outcome(answer)).toBe("403 role_not_allowed");
  expect(outcome(await viewer.call("GET", "/v1/members?cursor=nonsense"))).toBe("400 cursor_invalid");
});

covers("gate.check.scope-role", "a demotion applies to the next request of session and key on any node", async () => {
  const person = await joined(service, "admin");
  const key = await ownKey(person);
  const fire = async (on: TestService): Promise<string[]> => [
    outcome(await on.api("POST", "/v1/events/fire", event, { key })),
    outcome(
      await on.api("POST", "/v1/events/fire", event, {
        key: null,
        headers: { Cookie: person.cookie, "X-CSRF-Token": person.csrfToken },
      }),
    ),
  ];
  expect(await fire(twin)).toEqual(["202", "202"]);
  expect(await setRole(owner, person.memberId, "viewer")).toBe("200");
  expect(await fire(twin)).toEqual(["403 role_not_allowed", "403 role_not_allowed"]);
  expect(await setRole(owner, person.memberId, "developer")).toBe("200");
  expect(await fire(twin)).toEqual(["202", "202"]);
});

test("a removed member's sessions and keys end with the next request on any node", async () => {
  const person = await joined(service, "developer");
  const admin = await joined(service, "admin");
  const key = await ownKey(await promoted(person, "admin"));
  expect((await admin.call("DELETE", `/v1/members/${person.memberId}`)).status).toBe(204);
  const byKey = await twin.api("GET", "/v1/events", undefined, { key });
  const byCookie = await twin.api("GET", "/v1/events", undefined, { key: null, headers: { Cookie: person.cookie } });
  expect([outcome(byKey), outcome(byCookie)]).toEqual(["401 key_revoked", "401 session_invalid"]);
  const { email, password } = person;
  const signedIn = await service.api("POST", "/v1/auth/sign-in", { email, password }, { key: null });
  expect(outcome(signedIn)).toBe("401 sign_in_failed");
  expect(outcome(await admin.call("DELETE", `/v1/members/${person.memberId}`))).toBe("404 not_found");
  expect((await owner.call("GET", "/v1/members?limit=100")).text).not.toContain(person.memberId);
});

/** Gives the person another role. */
async function promoted(person: TestPerson, role: string): Promise<TestPerson> {
  expect(await setRole(owner, person.memberId, role)).toBe("200");
  return person;
}

test("a key of a removed member is refused even if its row is unchanged", async () => {
  const person = await joined(service, "admin");
  const key = await ownKey(person);
  await service.database.query("update member set removed_at = now() where id = $1", [uuidOf(person.memberId)]);
  expect(outcome(await service.api("GET", "/v1/events", undefined, { key }))).toBe("401 key_revoked");
  expect(outcome(await person.call("GET", "/v1/events"))).toBe("403 workspace_mismatch");
});

test("the same person can be invited again and is another member then", async () => {
  const person = await joined(service, "developer");
  await owner.call("DELETE", `/v1/members/${person.memberId}`);
  const token = await invite(service, person.email, "viewer");
  const accepted = { token, name: "x", password: person.password };
  const back = await service.api("POST", "/v1/members/accept", accepted, { key: null });
  expect([back.status, back.body["member"].role]).toEqual([201, "viewer"]);
  expect(back.body["member"].id).not.toBe(person.memberId);
});

test("members cannot assign or change a role above their own", async () => {
  const admin = await joined(service, "admin");
  const viewer = await joined(service, "viewer");
  const above = "403 role_not_allowed";
  expect(await setRole(admin, viewer.memberId, "owner")).toBe(above);
  expect(await setRole(admin, owner.memberId, "viewer")).toBe(above);
  expect(await setRole(admin, admin.memberId, "owner")).toBe(above);
  expect(outcome(await admin.call("DELETE", `/v1/members/${owner.memberId}`))).toBe(above);
  expect(await setRole(admin, viewer.memberId, "admin")).toBe("200");
  expect(await setRole(owner, viewer.memberId, "owner")).toBe("200");
  expect(await setRole(owner, viewer.memberId, "viewer")).toBe("200");
  for (const role of ["developer", "operator", "viewer"]) {
    const person = await joined(service, role);
    const answers = [
      await setRole(person, person.memberId, role),
      outcome(await person.call("DELETE", `/v1/members/${viewer.memberId}`)),
      outcome(await person.call("POST", "/v1/members/invitations", { email: "x@example.com", role: "viewer" })),
      outcome(await person.call("GET", "/v1/members/invitations")),
    ];
    expect([role, ...answers]).toEqual([role, above, above, above, above]);
  }
});

test("operator permissions are given by owners alone", async () => {
  const admin = await joined(service, "admin");
  const viewer = await joined(service, "viewer");
  const path = `/v1/members/${viewer.memberId}`;
  const given = await owner.call("PATCH", path, { permissions: ["refunds.approve"] });
  expect([given.status, given.body["permissions"], given.body["role"]]).toEqual([200, ["refunds.approve"], "viewer"]);
  expect(outcome(await admin.call("PATCH", path, { permissions: [] }))).toBe("403 role_not_allowed");
  const wrong = await owner.call("PATCH", path, { permissions: ["Refunds!"] });
  expect([outcome(wrong), wrong.body["errors"][0].pointer]).toEqual(["422 validation_failed", "/permissions/0"]);
});

test("the last owner is neither demoted nor removed", async () => {
  expect(await setRole(owner, owner.memberId, "admin")).toBe("409 last_owner");
  expect(outcome(await owner.call("DELETE", `/v1/members/${owner.memberId}`))).toBe("409 last_owner");
  expect(await setRole(owner, owner.memberId, "owner")).toBe("200");
});

test("one of two owners who concurrently demote or remove each other stays", async () => {
  for (const way of ["demote", "remove", "both themselves"]) {
    const second = await promoted(await joined(service, "admin"), "owner");
    const act = async (by: TestPerson, on: TestPerson): Promise<string> =>
      way === "remove"
        ? outcome(await by.call("DELETE", `/v1/members/${on.memberId}`))
        : await setRole(by, on.memberId, "viewer");
    const outcomes = await Promise.all(
      way === "both themselves" ? [act(owner, owner), act(second, second)] : [act(owner, second), act(second, owner)],
    );
    const owners = await service.database.query<{ id: string }>(
      "select id from member where role = 'owner' and removed_at is null",
    );
    expect([way, owners.length]).toEqual([way, 1]);
    expect(outcomes.filter((one) => one.startsWith("2"))).toHaveLength(1);
    // The workspace gets its owner back for the next round.
    await service.database.query("update member set removed_at = null, role = 'owner' where id = $1", [
      uuidOf(owner.memberId),
    ]);
    await service.database.query("delete from session");
    await service.database.query("update member set role = 'viewer' where id = $1", [uuidOf(second.memberId)]);
    await service.database.query("update api_key set revoked_at = null where name = 'Owner''s key'");
    owner = await signIn(service);
  }
});

test("a member that is not there, or another workspace's, is refused", async () => {
  const other = await otherWorkspace(service);
  const ids: [string, string][] = [
    [absentId({ tag: tagOfId(owner.memberId) }, "mem"), "404 not_found"],
    ["nonsense", "404 not_found"],
    [other.id("mem"), "403 workspace_mismatch"],
  ];
  for (const [id, expected] of ids) {
    expect(await setRole(owner, id, "viewer")).toBe(expected);
    expect(outcome(await owner.call("DELETE", `/v1/members/${id}`))).toBe(expected);
    expect(outcome(await owner.call("POST", `/v1/members/${id}/reset-link`))).toBe(expected);
  }
});

test("a change that says nothing, or nothing known, is refused", async () => {
  for (const body of [{}, { role: "ai" }, { role: "root" }, { name: "x" }, { role: null }]) {
    const answer = await owner.call("PATCH", `/v1/members/${owner.memberId}`, body);
    expect([JSON.stringify(body), outcome(answer)]).toEqual([JSON.stringify(body), "422 validation_failed"]);
  }
});

test("a restricted key cannot invite or promote members, even with the role owner", async () => {
  const person = await joined(service, "viewer");
  const spec = {
    name: "r",
    permission_mode: "restricted",
    blocked_actions: ["keys.*"],
    actor_type: "user",
  };
  const made = await service.api("POST", "/v1/keys", spec);
  const key = String(made.body["key"]);
  const calls: [string, string, object][] = [
    ["POST", "/v1/members/invitations", { email: "me@example.com", role: "viewer" }],
    ["PATCH", `/v1/members/${person.memberId}`, { role: "admin" }],
    ["POST", `/v1/members/${person.memberId}/reset-link`, {}],
  ];
  for (const [method, path, body] of calls)
    expect([path, outcome(await service.api(method, path, body, { key }))]).toEqual([path, "403 action_blocked"]);
});

test("an owner's reset link works once and ends the member's sessions", async () => {
  const person = await joined(service, "developer");
  const made = await owner.call("POST", `/v1/members/${person.memberId}/reset-link`);
  expect(made.status).toBe(201);
  const older = tokenOf(made.body["reset_url"]);
  const token = tokenOf((await owner.call("POST", `/v1/members/${person.memberId}/reset-link`, {})).body["reset_url"]);
  const reset = async (body: Record<string, unknown>): Promise<string> =>
    outcome(await service.api("POST", "/v1/auth/reset", body, { key: null }));
  const fresh = "an even longer password";
  expect(await reset({ token: older, password: fresh })).toBe("401 reset_link_invalid");
  expect(await reset({ token, password: "short" })).toBe("422 validation_failed");
  expect(await reset({ token, password: person.email.toUpperCase() })).toBe("422 validation_failed");
  const outcomes = await Promise.all(Array.from({ length: 4 }, async () => await reset({ token, password: fresh })));
  expect(outcomes.toSorted()).toEqual(["204", ...Array.from({ length: 3 }, () => "401 reset_link_invalid")]);
  expect(outcome(await person.call("GET", "/v1/events"))).toBe("401 session_invalid");
  await expect(signIn(service, { email: person.email, password: PASSWORD })).rejects.toThrow("sign_in_failed");
  expect((await signIn(service, { email: person.email, password: fresh })).answer.status).toBe(200);
});

test("the contract's example links have the form of real links", async () => {
  const person = await joined(service, "viewer");
  const reset = await owner.call("POST", `/v1/members/${person.memberId}/reset-link`);
  const invited = await owner.call("POST", "/v1/members/invitations", { email: "form@example.com", role: "viewer" });
  const { schemas } = (await service.api("GET", "/openapi.json", undefined, { key: null })).body["components"];
  const formOf = (link: string): string => link.replace(/^https?:\/\/[^/]+/, "").replace(/=[\w-]+$/, "=");
  expect([
    formOf(schemas.ResetLink.properties.reset_url.example),
    formOf(schemas.NewInvitation.properties.invite_url.example),
  ]).toEqual([formOf(reset.body["reset_url"]), formOf(invited.body["invite_url"])]);
});

test("only owners create reset links, for people whose workspaces they all own", async () => {
  const admin = await joined(service, "admin");
  const person = await joined(service, "developer");
  const path = `/v1/members/${person.memberId}/reset-link`;
  expect(outcome(await admin.call("POST", path, {}))).toBe("403 role_not_allowed");
  // The person owns another workspace, which the link would open too.
  await promoted(person, "owner");
  const founded = await person.call("POST", "/v1/workspaces", { name: "Theirs" });
  expect(founded.status).toBe(201);
  expect(outcome(await owner.call("POST", path, {}))).toBe("409 conflict");
  expect((await person.call("POST", path, {})).status).toBe(201);
  await promoted(person, "viewer");
});

test("a password change requires the old password and ends the other sessions", async () => {
  const person = await joined(service, "viewer");
  const { email, password } = person;
  const other = await signIn(service, { email, password });
  const change = async (body: Record<string, unknown>): Promise<[string, unknown]> => {
    const answer = await person.call("POST", "/v1/auth/password", body);
    return [outcome(answer), answer.body["errors"]?.[0].pointer];
  };
  const next = "the next long password";
  expect(await change({ current: "not the password", new: next })).toEqual(["422 validation_failed", "/current"]);
  expect(await change({ current: password, new: "short" })).toEqual(["422 validation_failed", "/new"]);
  expect(await change({ current: password, new: email })).toEqual(["422 validation_failed", "/new"]);
  expect(await change({ current: password, new: next })).toEqual(["204", undefined]);
  expect((await person.call("GET", "/v1/events")).status).toBe(200);
  expect(outcome(await other.call("GET", "/v1/events"))).toBe("401 session_invalid");
  expect((await signIn(service, { email, password: next })).answer.status).toBe(200);
  expect(outcome(await service.api("POST", "/v1/auth/password", { current: password, new: next }))).toBe(
    "403 surface_not_allowed",
  );
});
