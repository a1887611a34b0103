import { afterAll, beforeAll, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { countRows, otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { hashPassword } from "../proofs/password.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let shiftMs = 0;
const clock: Clock = { now: () => instant(Date.now() + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;

beforeAll(async () => {
  service = await startService({ deps: { clock } });
  await unclaim();
});
afterAll(async () => await service.close());

const owner = { email: "ada@example.com", name: "Ada", password: "a long enough password" };

/** Restores the state of the workspace after a first start without bootstrap. */
async function unclaim(): Promise<void> {
  await service.database.query("update api_key set member_id = null");
  await service.database.query("delete from member");
  await service.database.query("delete from person");
}

async function link(): Promise<string> {
  const token = await service.service.workspaces.newSetupToken();
  if (token === undefined) throw new Error("no workspace is waiting for its owner");
  return token;
}

async function claim(body: Record<string, unknown>): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/auth/setup", body, { key: null });
}

test("the setup link claims the workspace once and returns the owner's key", async () => {
  const [token, second] = [await link(), await link()];
  const claimed = await claim({ token, ...owner });
  expect([claimed.status, Object.keys(claimed.body).toSorted()]).toEqual([201, ["api_key", "workspace_id"]]);
  expect(claimed.body["workspace_id"]).toMatch(/^ws_/);
  const key = String(claimed.body["api_key"]);
  expect((await service.api("GET", "/v1/keys", undefined, { key })).status).toBe(200);
  for (const used of [token, second]) {
    const again = await claim({ token: used, ...owner, email: "eve@example.com" });
    expect([again.status, again.body["code"]]).toEqual([401, "setup_link_invalid"]);
  }
  expect(await countRows(service, "member")).toBe(1);
  expect(await service.service.workspaces.newSetupToken()).toBeUndefined();
  await unclaim();
});

/** Creates another workspace with an owner, who can sign in with this password. */
async function strangersWorkspace(email: string, password: string): Promise<void> {
  const other = await otherWorkspace(service);
  await service.database.query(
    `with made as (insert into person (id, email, name, password_hash) values (gen_random_uuid(), $1, 'Eve', $2) returning id)
     insert into member (id, workspace_id, person_id, role) select gen_random_uuid(), w.id, made.id, 'owner' from workspace w, made where w.tag = $3`,
    [email, await hashPassword(password), other.tag],
  );
}

test("the first workspace can be claimed while another one has an owner", async () => {
  const early = await link();
  await strangersWorkspace("eve@example.com", "a password of another workspace");
  for (const token of [early, await link()]) {
    expect((await claim({ token, ...owner })).status).toBe(201);
    await service.database.query("update api_key set member_id = null");
    await service.database.query(
      "delete from member where workspace_id = (select id from workspace where is_operators)",
    );
  }
  await unclaim();
});

test("no setup link is created for another workspace without an owner", async () => {
  await claim({ token: await link(), ...owner });
  await otherWorkspace(service);
  expect(await service.service.workspaces.newSetupToken()).toBeUndefined();
  await unclaim();
});

test("an owner who was removed does not keep the workspace claimed", async () => {
  await claim({ token: await link(), ...owner });
  await service.database.query("update member set removed_at = now()");
  await service.database.query("update person set email = 'left@example.com'");
  expect((await claim({ token: await link(), ...owner })).status).toBe(201);
  await unclaim();
});

test("a person with an account claims the workspace only with its password", async () => {
  await strangersWorkspace(owner.email, owner.password);
  const token = await link();
  const wrong = await claim({ token, ...owner, password: "not the password" });
  expect([wrong.status, wrong.body["code"]]).toEqual([401, "sign_in_failed"]);
  expect((await claim({ token, ...owner })).status).toBe(201);
  await unclaim();
});

test("one of ten concurrent claims becomes the owner", async () => {
  const token = await link();
  const answers = await Promise.all(Array.from({ length: 10 }, async () => await claim({ token, ...owner })));
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 401)]);
  expect(await countRows(service, "member")).toBe(1);
  await unclaim();
});

test("a setup link is valid for 30 minutes", async () => {
  const token = await link();
  shiftMs = 30 * 60_000 + 1;
  const late = await claim({ token, ...owner });
  expect([late.status, late.body["code"]]).toEqual([401, "setup_link_invalid"]);
  shiftMs = 29 * 60_000;
  expect((await claim({ token, ...owner })).status).toBe(201);
  shiftMs = 0;
  await unclaim();
});

test("an unknown link is refused", async () => {
  const answer = await claim({ token: "made-up", ...owner });
  expect([answer.status, answer.body["code"]]).toEqual([401, "setup_link_invalid"]);
});

test("an invalid password, address or field is refused and the link stays valid", async () => {
  const token = await link();
  const cases: [Record<string, unknown>, string][] = [
    [{ password: "short" }, "/password"],
    [{ email: "nobody" }, "/email"],
    [{ name: "" }, "/name"],
    [{ role: "owner" }, "/role"],
    [{ password: 123_456_789_012 }, "/password"],
  ];
  for (const [change, pointer] of cases) {
    const answer = await claim({ token, ...owner, ...change });
    expect([pointer, answer.status, answer.body["errors"][0].pointer]).toEqual([pointer, 422, pointer]);
    expect(answer.text).not.toContain(owner.password);
  }
  expect((await claim({ token, ...owner })).status).toBe(201);
  await unclaim();
});

test("the database holds neither the link's token nor the password", async () => {
  const token = await link();
  await claim({ token, ...owner });
  const rows = await service.database.query<{ row: string }>(
    "select row_to_json(setup_link)::text as row from setup_link union all select row_to_json(person)::text from person",
  );
  const all = rows.map(({ row }) => row).join("\n");
  expect(all).toContain("$argon2id$");
  expect(all).not.toContain(token);
  expect(all).not.toContain(owner.password);
  await unclaim();
});

test("a password's hash is argon2id with a salt of its own", async () => {
  const hashes = await Promise.all([hashPassword("pässword 😀"), hashPassword("pässword 😀")]);
  for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$=]{22}\$[^$=]{43}$/);
  expect(new Set(hashes).size).toBe(2);
});
