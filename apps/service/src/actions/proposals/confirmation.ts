import type { Contract } from "../contracts/contract.ts";
import type { Surface } from "../callers/surface.ts";
import { isAiSurface } from "../callers/actor.ts";
import type { RunInput } from "../requests/action-request.ts";

/** The result of the confirmation check of a call (contract, section 7, the table of `POST /v1/actions/run`). */
export type Verdict =
  /** The action runs, because it requires no confirmation. */
  | { readonly kind: "run" }
  /** The call is its own approval. */
  | { readonly kind: "inline" }
  | {
      readonly kind: "propose";
      /** The call was confirmed, but a separate approval is required. */
      readonly approvalRequired: boolean;
      /** The call was confirmed by an AI, whose confirmation does not count. */
      readonly refusedConfirmation: boolean;
    };

type ConfirmationRules = Pick<Contract, "requires_confirmation" | "destructive" | "risk" | "approval">;

/** `surface` is the narrowest that the call claims. `inlineAllowed`: the workspace allows a call to confirm itself. */
export function evaluateConfirmation(
  contract: ConfirmationRules,
  { confirmed, surface }: Pick<RunInput, "confirmed"> & { readonly surface: Surface },
  { isAi, inlineAllowed }: { readonly isAi: boolean; readonly inlineAllowed: boolean },
): Verdict {
  const byAi = isAi || isAiSurface(surface);
  // The assistant can only propose.
  if (!contract.requires_confirmation && surface !== "assistant") return { kind: "run" };
  if (!confirmed) return { kind: "propose", approvalRequired: false, refusedConfirmation: false };
  if (byAi) return { kind: "propose", approvalRequired: false, refusedConfirmation: true };
  if (needsOthers(contract) || !inlineAllowed)
    return { kind: "propose", approvalRequired: true, refusedConfirmation: false };
  return { kind: "inline" };
}

/** Returns true if a person must approve the action in a separate step. */
function needsOthers({ destructive, risk, approval }: ConfirmationRules): boolean {
  return destructive || risk === "high" || approval.four_eyes || approval.required > 1;
}
