import { hash } from "node:crypto";

/** Models take `^[a-zA-Z0-9_-]{1,64}$` as the name of a function, and clients put a prefix such as `mcp__junction__` before it. */
export const MAX_TOOL_NAME = 48;
const KEPT = 30;

/** Tools of the service's own. */
export const PROPOSAL_STATUS = "junction_proposal_status";
export const RUN_STATUS = "junction_run_status";

/** Returns the name of a contract's tool: its key with an underscore for each dot. A long one ends in a hash of the key. */
export function toolName(key: string): string {
  const name = key.replaceAll(".", "_");
  if (name.length <= MAX_TOOL_NAME) return name;
  return `${name.slice(0, KEPT)}_0${hash("sha256", key).slice(0, 16)}`;
}

/** Whether any tool could be called so. What a client made up is not asked for: a NUL would fail the statement. */
export function isToolName(name: string): boolean {
  return /^[a-z0-9_]{1,64}$/.test(name);
}

/** Whether the service itself has a tool of this name. */
export function isOwnTool(name: string): boolean {
  return name === PROPOSAL_STATUS || name === RUN_STATUS;
}
