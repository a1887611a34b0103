import { afterAll, beforeAll, expect, test } from "vitest";
import { registerContract } from "../../testing/contracts.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const PATH = "/v1/secrets";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

test("a secret is created and replaced, and no response contains its value", async () => {
  const made = await service.api("PUT", `${PATH}/first`, { value: "the value of the secret" });
  expect([made.status, made.body]).toEqual([
    201,
    expect.objectContaining({ object: "secret", name: "first", used_by: [], environment: "live" }),
  ]);
  const again = await service.api("PUT", `${PATH}/first`, { value: "another value" });
  expect([again.status, again.body.created_at]).toEqual([200, made.body.created_at]);
  const listed = await service.api("GET", PATH);
  expect(listed.body["data"]).toEqual([again.body]);
  for (const { text } of [made, again, listed]) expect(text).not.toContain("value");
  expect((await service.api("GET", `${PATH}/first`)).status).toBe(405);
});

test("a secret is deleted once no contract names it", async () => {
  await service.api("PUT", `${PATH}/used`, { value: "x" });
  const auth = { type: "bearer", secret_ref: "used" };
  const [one, two] = [await registerContract(service, { auth }), await registerContract(service, { auth })];
  const listed = (await service.api("GET", PATH)).body.data.find((each: Parsed) => each.name === "used");
  expect(listed.used_by).toEqual([one.key, two.key].toSorted());
  const refused = await service.api("DELETE", `${PATH}/used`);
  expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
  expect(refused.body.detail).toContain(one.key);
  await service.api("PATCH", `/v1/action-contracts/${one.key}`, { auth: { type: "none" } });
  await service.api("DELETE", `/v1/action-contracts/${two.key}`);
  expect((await service.api("DELETE", `${PATH}/used`)).status).toBe(204);
  expect((await service.api("DELETE", `${PATH}/used`)).status).toBe(404);
});

test("each environment and each workspace has secrets of its own", async () => {
  await service.api("PUT", `${PATH}/shared_name`, { value: "live" });
  const sandbox = { key: service.sandboxKey };
  const other = { key: (await otherWorkspace(service)).key };
  for (const elsewhere of [sandbox, other]) {
    expect((await service.api("GET", PATH, undefined, elsewhere)).body.data).toEqual([]);
    expect((await service.api("DELETE", `${PATH}/shared_name`, undefined, elsewhere)).status).toBe(404);
    expect((await service.api("PUT", `${PATH}/shared_name`, { value: "theirs" }, elsewhere)).status).toBe(201);
    expect((await service.api("DELETE", `${PATH}/shared_name`, undefined, elsewhere)).status).toBe(204);
  }
  expect((await service.api("DELETE", `${PATH}/shared_name`)).status).toBe(204);
});

test("invalid names and values are refused", async () => {
  const put = async (name: string, value: unknown): Promise<unknown[]> => {
    const { status, body } = await service.api("PUT", `${PATH}/${encodeURIComponent(name)}`, { value });
    return [status, ...body.errors.map((one: Parsed) => one.pointer)];
  };
  for (const name of ["1st", "a b", "a/b", "x".repeat(101), "é"]) expect(await put(name, "x")).toEqual([422, "/name"]);
  for (const value of ["", "two\nlines", "nul\u0000", "bell\u0007", 5, null, "x".repeat(8193), "\ud800"])
    expect(await put("good", value)).toEqual([422, "/value"]);
});

test("twenty concurrent writes leave one secret that can be decrypted", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => await service.api("PUT", `${PATH}/twenty`, { value: `value ${at}` })),
  );
  expect(answers.every((one) => one.status < 300)).toBe(true);
  const listed = (await service.api("GET", PATH)).body.data.filter((one: Parsed) => one.name === "twenty");
  expect(listed).toHaveLength(1);
});

test("operators, viewers and AI keys can neither list nor set nor delete secrets", async () => {
  for (const spec of [{ role: "operator" }, { role: "viewer" }, { role: "ai", actor_type: "ai" }]) {
    const { key } = await mintKey(service, spec);
    expect((await service.api("GET", PATH, undefined, { key })).body["code"]).toBe("role_not_allowed");
    expect((await service.api("PUT", `${PATH}/x`, { value: "x" }, { key })).body["code"]).toBe("role_not_allowed");
    expect((await service.api("DELETE", `${PATH}/x`, undefined, { key })).body["code"]).toBe("role_not_allowed");
  }
});

test("secrets are listed page by page, newest first", async () => {
  const on = await startService();
  for (const name of ["a", "b", "c"]) await on.api("PUT", `${PATH}/${name}`, { value: name });
  const first = (await on.api("GET", `${PATH}?limit=2`)).body;
  const second = (await on.api("GET", `${PATH}?limit=2&cursor=${first["next_cursor"]}`)).body;
  expect([...first["data"], ...second["data"]].map((one: Parsed) => one.name)).toEqual(["c", "b", "a"]);
  expect((await on.api("GET", `${PATH}?cursor=x`)).body["code"]).toBe("cursor_invalid");
  await on.close();
});
