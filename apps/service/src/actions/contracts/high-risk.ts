import type { Tx } from "../../platform/db/db.ts";
import { settingsOf } from "../../accounts/accounts.ts";
import type { Scope, StepUpMethod } from "../../accounts/accounts.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Risk } from "./contracts.schemas.ts";
import { settingsAtDecision } from "./settings.store.ts";

interface Decided {
  readonly scope: Scope;
  /** The risk of the action. Undefined for what runs no action. */
  readonly risk: Risk | undefined;
  /** The proof that was used up for this decision. */
  readonly stepUp: StepUpMethod | undefined;
  /** The page of the console on which a person decides. */
  readonly where: string;
}

/**
 * Throws 403 `step_up_required` if the workspace asks for a repeated proof of identity and there is none. The setting is
 * that of the deciding transaction.
 */
export async function assertSteppedUp(tx: Tx, { scope, risk, stepUp, where }: Decided): Promise<void> {
  if (risk !== "high" || stepUp !== undefined) return;
  const settings = await settingsAtDecision(tx, scope.workspaceId);
  if (!settingsOf(settings).require_step_up) return;
  throw new ServiceError("step_up_required", {
    detail: `This action has a high risk. Decide in the console, which asks for your passkey or a code: ${where}. A key, a rule and Slack cannot.`,
  });
}
