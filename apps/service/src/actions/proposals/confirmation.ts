import type { Contract, Surface } from "../contracts/contract.ts";
import { isAiSurface } from "../actor.ts";

/** What becomes of a call (contract, section 7, the table of `POST /v1/actions/run`). */
export type Verdict =
  /** It runs: nobody has to confirm it. */
  | { readonly kind: "run" }
  /** The call is its own approval. */
  | { readonly kind: "inline" }
  | {
      readonly kind: "propose";
      /** It was confirmed, and that is not enough. */
      readonly approvalRequired: boolean;
      /** It was confirmed by whom nobody listens to. */
      readonly refusedConfirmation: boolean;
    };

export interface Confirming {
  /** The JSON literal true stood in the body, and nowhere else. */
  readonly confirmed: boolean;
  readonly isAi: boolean;
  /** The narrowest surface that the call claims for itself. */
  readonly surface: Surface;
  /** The workspace lets a call confirm itself. */
  readonly inlineAllowed: boolean;
}

type ConfirmationRules = Pick<Contract, "requiresConfirmation" | "destructive" | "risk" | "approval">;

export function evaluateConfirmation(
  contract: ConfirmationRules,
  { confirmed, isAi, surface, inlineAllowed }: Confirming,
): Verdict {
  const byAi = isAi || isAiSurface(surface);
  // The assistant only ever proposes.
  if (!contract.requiresConfirmation && surface !== "assistant") return { kind: "run" };
  if (!confirmed) return { kind: "propose", approvalRequired: false, refusedConfirmation: false };
  if (byAi) return { kind: "propose", approvalRequired: false, refusedConfirmation: true };
  if (needsOthers(contract) || !inlineAllowed)
    return { kind: "propose", approvalRequired: true, refusedConfirmation: false };
  return { kind: "inline" };
}

/** Whether a person has to approve it in a step of its own. */
function needsOthers({ destructive, risk, approval }: ConfirmationRules): boolean {
  return destructive || risk === "high" || approval.fourEyes || approval.required > 1;
}
