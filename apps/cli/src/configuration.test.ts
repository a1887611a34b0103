import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../service/src/testing/keys.ts";
import { joined } from "../../service/src/testing/people.ts";
import { startService } from "../../service/src/testing/service.ts";
import type { Parsed, TestService } from "../../service/src/testing/test-service.ts";
import { EXIT } from "./exit.ts";
import { cli, home } from "./testing/cli.ts";
import type { Ran } from "./testing/cli.ts";

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await home();
});
afterAll(async () => {
  await service.close();
});

async function junction(args: readonly string[], { key = service.key, input = "" } = {}): Promise<Ran> {
  const env = { JUNCTION_API_KEY: key, JUNCTION_BASE_URL: service.baseUrl };
  return await cli(args, { env, input, cwd: folder });
}

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const configuration = {
  version: 1,
  endpoints: [{ name: "ci", url: "http://127.0.0.1:9/hook", events: ["order.*"] }],
};

test("a pipeline plans, applies and finds nothing left to do", async () => {
  const path = await file("junction.json", configuration);
  const planned = await junction(["plan", path]);
  expect(planned.status).toBe(EXIT.changes);
  expect(JSON.parse(planned.stdout)).toMatchObject({ create: [{ kind: "endpoint", name: "ci" }], update: [] });
  expect((await junction(["apply", path])).status).toBe(EXIT.usage);
  expect(await junction(["apply", path, "--yes"])).toMatchObject({ status: EXIT.done });
  expect(await junction(["plan", path])).toMatchObject({ status: EXIT.done });
  const exported = await junction(["export"]);
  expect(exported).toMatchObject({ status: EXIT.done });
  expect(JSON.parse(exported.stdout)).toMatchObject(configuration);
  expect(await junction(["plan", "-", "--prune"], { input: exported.stdout })).toMatchObject({ status: EXIT.done });
  const emptied = await file("empty.json", { version: 1, endpoints: [] });
  expect((await junction(["plan", emptied])).status).toBe(EXIT.done);
  expect((await junction(["plan", emptied, "--prune"])).status).toBe(EXIT.changes);
});

test("a key that only reads finds a change by hand", async () => {
  const { key } = await mintKey(service, { permission_mode: "read_only" });
  const path = await file("kept.json", (await junction(["export"])).stdout);
  expect((await junction(["drift", path, "--prune"], { key })).status).toBe(EXIT.done);
  expect((await junction(["plan", path], { key })).status).toBe(EXIT.denied);
  const hand = { name: "by hand", url: "http://127.0.0.1:9/hand", events: ["a.b"] };
  await service.api("POST", "/v1/webhook-endpoints", hand);
  expect((await junction(["drift", path], { key })).status).toBe(EXIT.done);
  const found = await junction(["drift", path, "--prune"], { key });
  expect(found.status).toBe(EXIT.changes);
  expect(JSON.parse(found.stdout)).toMatchObject({ delete: [{ kind: "endpoint", name: "by hand" }] });
  expect((await junction(["drift", await file("bad.json", { version: 2 })], { key })).status).toBe(EXIT.data);
});

test("each refusal has its exit code, and names every place", async () => {
  const wrong = await junction(["plan", await file("wrong.json", { version: 2, colour: [] })]);
  expect(wrong.status).toBe(EXIT.data);
  for (const place of ["/configuration/version", "/configuration/colour"]) expect(wrong.stderr).toContain(place);
  expect((await junction(["plan", await file("text.json", "version: 1")])).status).toBe(EXIT.data);
  expect((await junction(["plan", join(folder, "absent.json")])).status).toBe(EXIT.data);
  const { key } = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["rules.*"] });
  const rules = [{ name: "Half", on: ["a.b"], then: [{ type: "add_tag", tag: "x" }] }];
  const half = await junction(["plan", await file("half.json", { version: 1, rules })], { key });
  expect(half.status).toBe(EXIT.denied);
  expect(half.stderr).toContain("/configuration/rules/0");
});

test("an apply that another person must approve can wait for the decision", async () => {
  const settings = { require_approval_for_configuration: true };
  await service.api("PATCH", "/v1/workspaces/current", { settings });
  const admin = await joined(service, "admin");
  const decide = async (decision: string, { id, params_hash: hash }: Parsed): Promise<unknown> =>
    await admin.call("POST", `/v1/proposals/${id}/${decision}`, decision === "approve" ? { params_hash: hash } : {});
  const path = await file("approved.json", { version: 1, inboxes: [{ name: "approved" }] });
  const asked = await junction(["apply", path, "--yes"]);
  expect(asked.status).toBe(EXIT.approval);
  const proposal: Parsed = JSON.parse(asked.stdout);
  expect([proposal.object, proposal.state]).toEqual(["proposal", "proposed"]);
  expect(asked.stderr).toContain(proposal.approve_url);

  await decide("reject", proposal);
  const rejected = junction(["apply", path, "--yes", "--wait"]);
  await decide("reject", await waitingProposal());
  expect(await rejected).toMatchObject({ status: EXIT.refused, stderr: expect.stringContaining("was rejected") });
  const approved = junction(["apply", path, "--yes", "--wait"]);
  await decide("approve", await waitingProposal());
  expect(await approved).toMatchObject({ status: EXIT.done });
  expect(await junction(["plan", path])).toMatchObject({ status: EXIT.done });
});

/** Returns the newest proposal as soon as there is one that waits. */
async function waitingProposal(): Promise<Parsed> {
  return (await service.until("/v1/proposals?state=proposed&limit=1", ({ data }) => data.length > 0)).data[0];
}
