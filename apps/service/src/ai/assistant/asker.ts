import type { ActionCaller } from "../../actions/actions.ts";
import type { AuditActor } from "../../audit/audit.ts";
import type { Scope } from "../../accounts/accounts.ts";

/** The assistant's name in the AI history. */
export const AI: AuditActor = { type: "ai", id: null, display: "Assistant", keyId: null, ip: null };

/** The built-in assistant as a caller: it may request the actions that contracts open to the role `ai` and the surface `assistant`. It only creates proposals. */
export function assistantAsker(scope: Scope, { chain, tenant }: Pick<ActionCaller, "chain" | "tenant">): ActionCaller {
  return {
    scope,
    actor: { type: "ai", id: null, display: AI.display, key_id: null, ip: null },
    rights: { permissionMode: "all", blockedActions: [], role: "ai", scopes: null, permissions: [] },
    surface: "assistant",
    isAi: true,
    author: null,
    keyId: null,
    memberId: null,
    people: [],
    chain,
    tenant,
  };
}
