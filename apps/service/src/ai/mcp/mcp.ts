import type { Gate } from "../../access/access.ts";
import { challengeOf } from "../oauth/oauth.ts";
import { createOriginCheck } from "./origin.ts";
import { createProtocol } from "./protocol.ts";
import type { Protocol } from "./protocol.ts";
import { createTasks } from "./tasks.ts";
import type { Tasks, TasksDeps } from "./tasks.ts";
import { createToolbox } from "./toolbox.ts";
import type { Toolbox, ToolboxDeps } from "./toolbox.ts";

/** Offers the contract registry as tools to clients of the Model Context Protocol (contract, section 7, "MCP"). */
export interface Mcp extends Protocol, Toolbox {
  readonly gate: Gate;
  readonly tasks: Tasks;
  /** Leads a client without a credential to the authorization server. */
  readonly challenge: string;
  /** Throws 403 `origin_not_allowed` for a web page of another origin. */
  assertOrigin(origin: string | undefined): void;
}

export interface McpDeps extends Omit<ToolboxDeps, "runs"> {
  readonly gate: Gate;
  readonly runs: ToolboxDeps["runs"] & TasksDeps["runs"];
  readonly baseUrl: string;
  readonly version: string;
}

export function createMcp(deps: McpDeps): Mcp {
  return {
    gate: deps.gate,
    challenge: challengeOf(deps.baseUrl),
    assertOrigin: createOriginCheck(deps.baseUrl),
    ...createProtocol(deps),
    ...createToolbox(deps),
    ...createTasks(deps),
  };
}
