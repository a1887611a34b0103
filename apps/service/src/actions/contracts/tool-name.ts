import { hash } from "node:crypto";
import { RECENT_EVENTS } from "../../webhooks/webhooks.ts";

/**
 * AI models accept `^[a-zA-Z0-9_-]{1,64}$` as the name of a function, and clients add a prefix such as
 * `mcp__junction__`.
 */
export const MAX_TOOL_NAME = 48;
const KEPT = 30;

/** The names of the service's own tools. */
export const PROPOSAL_STATUS = "junction_proposal_status";
export const RUN_STATUS = "junction_run_status";
const OWN_TOOLS: ReadonlySet<string> = new Set([PROPOSAL_STATUS, RUN_STATUS, RECENT_EVENTS]);

/**
 * Returns the name of a contract's tool: its key with an underscore for each dot. A long name ends in a hash of the
 * key.
 */
export function toolName(key: string): string {
  const name = key.replaceAll(".", "_");
  if (name.length <= MAX_TOOL_NAME) return name;
  return `${name.slice(0, KEPT)}_0${hash("sha256", key).slice(0, 16)}`;
}

/** Returns true if a tool can have this name. Other names are not looked up, because a NUL would fail the statement. */
export function isToolName(name: string): boolean {
  return /^[a-z0-9_]{1,64}$/.test(name);
}

/** Returns true if the service itself has a tool of this name. */
export function isOwnTool(name: string): boolean {
  return OWN_TOOLS.has(name);
}
