import type { wire } from "../../../api/api.ts";

export interface Right {
  readonly operation: string;
  readonly access: string;
  readonly isAllowed: boolean;
}

/** An exact name, `prefix.*`, or `*` (contract, section 2). */
export function isPattern(text: string): boolean {
  return text === "*" || /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*(?:\.\*)?$/.test(text);
}

/** Returns every operation of the role that a key can call, and whether the key's settings allow it. This predicts the result of the service's access checks. */
export function rightsOf(
  role: wire.Role | undefined,
  { permission_mode: mode, blocked_actions: blocked = [] }: Pick<wire.NewApiKey, "permission_mode" | "blocked_actions">,
): readonly Right[] {
  return operationsOf(role).map(({ name, access }) => ({
    operation: name,
    access,
    isAllowed:
      mode === "restricted" ? !blocked.some((pattern) => covers(pattern, name)) : mode === "all" || access === "read",
  }));
}

function operationsOf(role: wire.Role | undefined): wire.Role["operations"] {
  return (role?.operations ?? []).filter((one) => one.session_only !== true);
}

/** Blocking `actions.run` or `actions.*` blocks every contract, however it is reached. */
function covers(pattern: string, operation: string): boolean {
  if (pattern === "*" || pattern === operation) return true;
  return pattern.endsWith(".*") && operation.startsWith(pattern.slice(0, -1));
}

/** Returns the choices of the patterns field: each area, and each operation. */
export function patternsFor(
  role: wire.Role | undefined,
): readonly { readonly value: string; readonly label: string }[] {
  const names = operationsOf(role).map((one) => one.name);
  const areas = [...new Set(names.map((name) => `${name.split(".")[0] ?? name}.*`))];
  return [...areas, ...names].map((value) => ({ value, label: value }));
}
