import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { registerContract } from "../../testing/contracts.ts";
import { mintKey } from "../../testing/keys.ts";
import { callTool } from "../../testing/mcp.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

/**
 * A name that a restricted key's list blocks is refused in the same way whether or not an action with it exists
 * (contract, section 3).
 */

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

async function blocking(...patterns: string[]): Promise<{ id: string; key: string }> {
  return await mintKey(service, { permission_mode: "restricted", blocked_actions: patterns });
}

/** Returns what a caller sees of a refusal, without the ids and the requested name. */
async function answers(key: string, action: string): Promise<string[]> {
  const sent: [string, object][] = [
    ["/v1/actions/run", { action, parameters: {} }],
    ["/v1/actions/run", { action, dry_run: true }],
    ["/v1/actions/run", { action, parameters: { no: "such" }, nonsense: true }],
    ["/api/v1.php", { action }],
    ["/api/v1.php", { action: "actions.run", parameters: { action } }],
  ];
  const told: string[] = [];
  for (const [path, body] of sent) {
    const { request_id: _id, ...problem } = (await service.api("POST", path, body, { key })).body;
    told.push(JSON.stringify(problem).replaceAll(action, "NAME"));
  }
  const tool = await callTool(service, action, {}, { key });
  told.push(
    JSON.stringify([tool.isError, tool.structuredContent?.code ?? tool.content[0].text.includes("action_blocked")]),
  );
  return told;
}

covers(
  "key.mode.restricted",
  "a blocked action gets the same 403 on every path, whether or not it exists",
  async () => {
    const surface = ["api", "mcp"];
    await registerContract(service, { key: "hidden.there", surface });
    await registerContract(service, { key: "hidden.deep.there", surface });
    for (const patterns of [["hidden.*"], ["hidden.there", "hidden.absent", "hidden.deep.*"]]) {
      const { key } = await blocking(...patterns);
      for (const [there, absent] of [
        ["hidden.there", "hidden.absent"],
        ["hidden.deep.there", "hidden.deep.absent"],
      ] as const) {
        const [real, imagined] = [await answers(key, there), await answers(key, absent)];
        expect(real.every((one) => one.includes("action_blocked"))).toBe(true);
        // The detail contains the matched pattern, which the caller's key already lists.
        expect(imagined).toEqual(real);
      }
    }
  },
);

test("an action that is not blocked is still unknown, with suggestions of similar names", async () => {
  await registerContract(service, { key: "shown.there" });
  const { key } = await blocking("hidden.*");
  const { status, body } = await service.api("POST", "/v1/actions/run", { action: "shown.their" }, { key });
  expect([status, body.code, body.did_you_mean]).toEqual([404, "action_unknown", ["shown.there"]]);
});

test("the trial of a key refuses a blocked name as a call does", async () => {
  const { id } = await blocking("hidden.*");
  const { body } = await service.api("POST", `/v1/keys/${id}/test`, { operation: "hidden.absent" });
  expect([body.allowed, body.step, body.code]).toEqual([false, "permission", "action_blocked"]);
});

test("a call of a blocked name does not count towards the rate limit", async () => {
  const { key } = await blocking("hidden.*");
  const call = async (): Promise<Headers> =>
    (await service.api("POST", "/v1/actions/run", { action: "hidden.absent" }, { key })).headers;
  const left = (await call()).get("x-service-ratelimit-remaining");
  expect((await call()).get("x-service-ratelimit-remaining")).toBe(left);
});
