import type { Connectors } from "../registry/connectors.ts";
import { isRecord, ServiceError } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Calling } from "./invoke-hook.ts";
import type { t } from "../../lib/lib.ts";
import type * as shapes from "./connector-runs.schemas.ts";

export type TrialEnd = t.Static<typeof shapes.TestView>;

export interface TrialDeps {
  readonly inventory: Pick<Connectors["inventory"], "forTrial">;
  readonly calling: Pick<Calling, "callPinned">;
}

const DEADLINE_MS = 10_000;
const MAX_MESSAGE = 1000;

/**
 * Runs the method that `settings.json` names in `test`. It throws, or returns `{ok, message}`. Returning nothing also
 * means success.
 */
export function createTrial({ inventory, calling }: TrialDeps): (scope: Scope, key: string) => Promise<TrialEnd> {
  return async (scope, key) => {
    const pinned = await inventory.forTrial(scope, key);
    const method = pinned.version.settings.test;
    if (method === undefined)
      throw new ServiceError("conflict", {
        detail: `The connector ${key} has no test for its settings.`,
        extra: { reason: "test_missing" },
      });
    const end = await calling.callPinned(pinned, {
      scope,
      key,
      hook: "test",
      name: method,
      args: [],
      deadlineMs: DEADLINE_MS,
      event: null,
      cause: null,
      chain: [],
      tenant: null,
    });
    if (!end.ok) return trialEnd(false, end.message);
    if (!isRecord(end.value)) return trialEnd(true, "");
    const { ok = true, message = "" } = end.value;
    return trialEnd(ok === true, typeof message === "string" ? message : JSON.stringify(message));
  };
}

function trialEnd(ok: boolean, message: string): TrialEnd {
  const plain = message.slice(0, MAX_MESSAGE).toWellFormed();
  return { object: "connector_test", ok, message: plain === "" ? (ok ? "It works." : "It failed.") : plain };
}
