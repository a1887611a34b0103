import type { ContractGuard } from "../../access/access.ts";
import { askerOf } from "../callers/actor.ts";
import { blockFor, refusalFor } from "../contracts/authorization.ts";
import { keyOfTool } from "../contracts/lookup.ts";
import { assertMayCall } from "./run.ts";
import type { RunDeps } from "./run.ts";

/** Creates the access check of calls that name a contract. */
export function createContractGuard(deps: RunDeps): ContractGuard {
  return {
    async refuse(caller, { key, surface }) {
      const { ip, requestId } = caller;
      const asker = askerOf(caller, { ip, display: null });
      const from = surface === undefined ? asker : { ...asker, surface };
      const action = surface === "mcp" ? await keyOfTool(deps.db, caller.scope, key) : key;
      await assertMayCall(deps, from, { action, requestId });
    },
    async refusal(caller, action) {
      const { contract } = await deps.lookup.ask({ scope: caller.scope, key: action, keyId: null, memberId: null });
      if (contract === undefined) return blockFor(action, caller.key) ?? undefined;
      return refusalFor(contract, caller.key, caller.key.session === undefined ? "api" : "console");
    },
  };
}
