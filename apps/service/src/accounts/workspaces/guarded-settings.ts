import { ServiceError } from "../../lib/lib.ts";
import type { Caller } from "../callers/caller.routes.ts";
import type { StepUps } from "../proofs/step-ups.ts";
import type { WorkspaceSettings } from "./workspace-defaults.ts";

/**
 * The demand on a change that weakens a guard. `keepers`: what any other change needs. `owner`: an owner, and a step-up if
 * the workspace asks for them. `step_up`: an owner and a step-up in any case.
 */
export type Need = "keepers" | "owner" | "step_up";

interface Guard<Value> {
  readonly needs: Need;
  weakens(before: Value, after: Value): boolean;
}

/** Each setting has a line, so that a new one must be decided on. Null: the setting guards nothing. */
export const SETTING_GUARDS: { readonly [Name in keyof WorkspaceSettings]: Guard<WorkspaceSettings[Name]> | null } = {
  // The audit log has its own time.
  retention_days: null,
  inline_confirmation: { needs: "owner", weakens: (before, after) => !before && after },
  solo_approval: { needs: "owner", weakens: (before, after) => !before && after },
  require_step_up: { needs: "step_up", weakens: (before, after) => before && !after },
  require_approval_for_configuration: { needs: "owner", weakens: (before, after) => before && !after },
  password_sign_in: { needs: "owner", weakens: (before, after) => !before && after },
  // The operator chooses the provider that it sends data to.
  assistant: null,
  // A standing approval keeps the zone that it was written with.
  time_zone: null,
  portal_origins: { needs: "keepers", weakens: (before, after) => after.some((one) => !before.includes(one)) },
  portal_name: null,
  portal_logo: null,
};

interface SettingsRequest {
  readonly caller: Caller;
  readonly before: WorkspaceSettings;
  readonly settings: Partial<WorkspaceSettings>;
  /** The whole change, which a step-up is for. */
  readonly body: object;
}

/**
 * Throws 403 unless the caller may weaken the guards that a change weakens. Returns their names, without those that any
 * keeper may change.
 */
export async function assertMayWeaken(
  stepUps: Pick<StepUps, "demand">,
  { caller, before, settings, body }: SettingsRequest,
): Promise<readonly string[]> {
  const weakened = weakenedBy(before, settings);
  if (weakened.length === 0) return [];
  const names = weakened.map(([name]) => name);
  const needsStepUp = before.require_step_up || weakened.some(([, needs]) => needs === "step_up");
  if (needsStepUp && caller.key.session === undefined) {
    throw new ServiceError("surface_not_allowed", {
      detail: `Change ${names.join(", ")} in a console session. No API key can.`,
    });
  }
  if (caller.key.role !== "owner") {
    throw new ServiceError("role_not_allowed", {
      detail: `Only an owner can turn off a protection: ${names.join(", ")}. Ask an owner to make this change.`,
    });
  }
  if (needsStepUp) await stepUps.demand(caller, { operation: "workspaces.update", body });
  return names;
}

/** Returns the guards that a change weakens, without those that any keeper may change. */
export function weakenedBy(
  before: WorkspaceSettings,
  settings: Partial<WorkspaceSettings>,
): (readonly [name: string, needs: Need])[] {
  const names = Object.keys(SETTING_GUARDS) as (keyof WorkspaceSettings)[];
  return names.flatMap((name) => {
    const needs = needOf(name, before, settings);
    return needs === undefined || needs === "keepers" ? [] : [[name, needs] as const];
  });
}

/** Returns what a change of one setting needs; undefined if it weakens nothing. */
export function needOf(
  name: keyof WorkspaceSettings,
  before: WorkspaceSettings,
  settings: Partial<WorkspaceSettings>,
): Need | undefined {
  const guard: Guard<never> | null = SETTING_GUARDS[name];
  const value = settings[name];
  if (guard === null || value === undefined) return undefined;
  return guard.weakens(before[name] as never, value as never) ? guard.needs : undefined;
}
