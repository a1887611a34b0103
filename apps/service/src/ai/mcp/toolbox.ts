import { askerOf, PROPOSAL_STATUS } from "../../actions/actions.ts";
import type { ActionCaller, Proposals, Registry, RequestContext, RunInput, Runs } from "../../actions/actions.ts";
import type { AccessChecks } from "../../access/access.ts";
import { decodeCursor, pageOf, ServiceError } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import type { Caller } from "../../accounts/accounts.ts";
import { RECENT_EVENTS } from "../../webhooks/webhooks.ts";
import { recentEvents } from "./callbacks/recent-events.ts";
import type { RecentEventsDeps } from "./callbacks/recent-events.ts";
import { onlyArgument } from "./only-argument.ts";
import type { RestResponse } from "./result.ts";
import { isOwnTool, OWN_TOOL_NAMES, OWN_TOOL_VIEWS, OWN_TOOLS, toolIn, toolOf } from "./tools.ts";
import type { OwnToolName } from "./tools.ts";

/** One call of a tool. */
export interface Use {
  readonly caller: Caller;
  /** The name of a tool, or the key of a contract. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The message, for the digits of the arguments. */
  readonly scanned: ScannedJson | null;
  /** The program that the client says it is. */
  readonly client: string | null;
  readonly ip: string;
  /** Identifies the request for idempotency. Null for a tool that only reads. */
  readonly request: RequestContext | null;
}

export interface ToolPage {
  readonly tools: readonly object[];
  readonly nextCursor: string | undefined;
}

export type Toolbox = ReturnType<typeof createToolbox>;

export interface ToolboxDeps extends RecentEventsDeps {
  readonly accessChecks: Pick<AccessChecks, "mayCall">;
  readonly registry: Pick<Registry, "permitted">;
  readonly runs: Pick<Runs, "run" | "get" | "keyOfTool">;
  readonly proposals: Pick<Proposals, "get">;
}

const PAGE_SIZE = 100;

export function createToolbox({ accessChecks, registry, runs, proposals, ...recent }: ToolboxDeps) {
  const mayAsk = ({ key }: Caller, name: OwnToolName): boolean => accessChecks.mayCall(key, OWN_TOOLS[name].operation);
  return {
    /** Returns the tools that the caller may call, in a stable order, in the form of the request's version. Throws 400 `cursor_invalid`. */
    async list(caller: Caller, cursor: string | undefined, era: Parameters<typeof toolIn>[0]): Promise<ToolPage> {
      const binding = [caller.scope.workspaceId, "tools"];
      const before = decodeCursor(cursor, binding);
      const found = await registry.permitted(caller, "mcp", { before, limit: PAGE_SIZE + 1 });
      const page = pageOf(found, PAGE_SIZE, binding, toolOf);
      const own = before === undefined ? OWN_TOOL_NAMES.filter((name) => mayAsk(caller, name)) : [];
      return {
        tools: [...own.map((name) => OWN_TOOL_VIEWS[name]), ...page.data].map((tool) => toolIn(era, tool)),
        nextCursor: page.next_cursor ?? undefined,
      };
    },
    /** Throws the same refusals as /v1, with pointers relative to the arguments. */
    async call(use: Use): Promise<RestResponse & { readonly replayed: boolean }> {
      if (!isOwnTool(use.name)) {
        const action = await runs.keyOfTool(use.caller.scope, use.name);
        return await fromArguments(async () => await runs.run(...askedBy(use, action)));
      }
      if (use.name === RECENT_EVENTS) return { status: 200, body: await recentEvents(recent, use), replayed: false };
      const id = onlyArgument(use.arguments, OWN_TOOLS[use.name].argument);
      const read = use.name === PROPOSAL_STATUS ? proposals.get : runs.get;
      return { status: 200, body: await read(use.caller.scope, id), replayed: false };
    },
  };
}

/** Marks the call as one of an AI through its surface: nothing that a client sends confirms an action, regardless of the key. */
function askedBy(
  { caller, arguments: parameters, client, ip, request }: Use,
  action: string,
): [ActionCaller, RunInput, RequestContext] {
  if (request === null) throw new Error("a call of an action has no idempotency reference");
  const asker = { ...askerOf(caller, { ip, display: null }), surface: "mcp", client } as const;
  return [asker, { action, parameters, confirmed: false, surface: null, prompt: null }, request];
}

/** Shortens pointers: under /v1 a contract's parameters are below `/parameters`, and here they are the arguments themselves. */
async function fromArguments<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.details.errors === undefined) throw error;
    const errors = error.details.errors.map((one) => ({ ...one, pointer: one.pointer.replace(/^\/parameters/, "") }));
    throw new ServiceError(error.code, { ...error.details, errors });
  }
}
