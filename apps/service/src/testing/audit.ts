import type { Exchange } from "../audit/audit.ts";
import { bucketOf, environmentOf } from "../kernel/kernel.ts";
import type { Tag, Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import type { TestService } from "./service.ts";

/** The live scope of the test's first workspace. */
export async function readScope(service: TestService): Promise<Scope> {
  const [row] = await service.database.query<{ id: Uuid; tag: Tag }>(
    "select id, tag from workspace order by id limit 1",
  );
  if (row === undefined) throw new Error("there is no workspace");
  return { workspaceId: row.id, tag: row.tag, bucket: bucketOf(row.tag), environment: environmentOf(row.tag) };
}

/** One exchange with a model, as the assistant tells it. */
export const EXCHANGE: Exchange = {
  trigger: "event",
  actor: { type: "ai", id: null, display: "Assistant", keyId: null, ip: null },
  provider: "scripted",
  model: "script",
  prompt: "A ticket came in",
  response: "I propose a refund",
  toolCalls: [{ id: "call_1", name: "billing.refund", arguments: { order: "10482", password: "hunter2" } }],
  status: "ok",
  inputTokens: 12,
  outputTokens: 5,
  durationMs: 81.4,
};
