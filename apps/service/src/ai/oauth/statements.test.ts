import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { makeContract } from "../../testing/mcp-contracts.ts";
import { CAPABLE, send } from "../../testing/mcp.ts";
import { connected } from "../../testing/oauth.ts";
import { signIn } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

/** The statements that a call costs: its access checks, by an API key and by the access token of an app, and the state of a task. */

const CALLS = 5;
let service: TestService;

beforeAll(async () => {
  // Without workers, nearly all statements are those of the calls.
  service = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
});
afterAll(async () => await service.close());

/** Returns the statements that each of several calls sends, without those that the service sends now and then. */
async function statementsOf(call: () => Promise<void>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, "query");
  let common: string[] | undefined;
  try {
    for (let nth = 0; nth < CALLS; nth += 1) {
      query.mockClear();
      await call();
      const left = query.mock.calls.map(([asked]: readonly unknown[]) => textOf(asked));
      common = (common ?? [...left]).filter(
        (text) => left.includes(text) && left.splice(left.indexOf(text), 1).length > 0,
      );
    }
  } finally {
    query.mockRestore();
  }
  return common ?? [];
}

function textOf(asked: unknown): string {
  return typeof asked === "string" ? asked : String(Object(asked)["text"]);
}

test.each<[string, string, Record<string, unknown>]>([
  ["a list of the tools", "tools/list", {}],
  ["a tool's call", "tools/call", { arguments: { note: "x" } }],
])("%s by an access token needs no statement more than by an API key", async (_what, method, params) => {
  const { key: action } = await makeContract(service, { requires_confirmation: true });
  const name = method === "tools/call" ? { name: String(action).replaceAll(".", "_") } : {};
  const own = await mintKey(service, { actor_type: "ai", role: "ai" });
  const { access } = await connected(service, await signIn(service));
  const callBy = (key: string) => async () => {
    expect((await send(service, method, { ...params, ...name }, { key })).status).toBe(200);
  };
  const ofKey = await statementsOf(callBy(own.key));
  const ofToken = await statementsOf(callBy(access));
  expect(ofKey.filter((text) => text.includes(BY_KEY))).toHaveLength(1);
  expect(ofToken.filter((text) => text.includes(BY_TOKEN))).toHaveLength(1);
  expect(othersOf(ofToken)).toEqual(othersOf(ofKey));
});

test("the state of a task is read with one statement", async () => {
  const { key: name } = await makeContract(service, { requires_confirmation: true });
  const { key } = await mintKey(service, { actor_type: "ai", role: "ai" });
  const called = await send(service, "tools/call", { name, arguments: { note: "x" }, _meta: CAPABLE }, { key });
  const { taskId } = called.body["result"];
  const statements = await statementsOf(async () => {
    const answer = await send(service, "tasks/get", { taskId, _meta: CAPABLE }, { key });
    expect(answer.body["result"]).toMatchObject({ taskId, status: "working" });
  });
  const reads = othersOf(statements).filter((text) => text.includes(" from "));
  expect(reads).toEqual([expect.stringContaining("with recursive followed")]);
});

const BY_KEY = "k.key_hash = any";
const BY_TOKEN = "t.token_hash = any";

/** Statements that a node sends for several calls together, or at intervals. */
const SHARED = /rate_take\(|insert into \w*(?:request_log|key_use|usage)/;

/** Returns the statements of a call itself, without the one that finds the credential. */
function othersOf(statements: readonly string[]): string[] {
  const own = statements.filter((text) => !SHARED.test(text) && !text.includes(BY_KEY) && !text.includes(BY_TOKEN));
  return own.toSorted();
}
