import type { AccessChecks } from "../../access/access.ts";
import type { History } from "../../audit/audit.ts";
import type { DescribedType } from "../../events/events.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { once } from "../../lib/lib.ts";
import { challengeOf } from "../oauth/oauth.ts";
import { createCallbacks } from "./callbacks/callbacks.ts";
import type { Callbacks, CallbacksDeps } from "./callbacks/callbacks.ts";
import { createEventFeed } from "./event-feed.ts";
import type { EventFeed, EventFeedDeps } from "./event-feed.ts";
import { createEventStreams } from "./event-streams.ts";
import type { EventStreams, EventStreamsDeps } from "./event-streams.ts";
import { createOriginCheck } from "./origin.ts";
import type { Protocol } from "./protocol.ts";
import { createTasks } from "./tasks.ts";
import type { Tasks, TasksDeps } from "./tasks.ts";
import { createEventSubscriptions } from "./subscriptions.ts";
import type { EventSubscriptions, EventSubscriptionsDeps } from "./subscriptions.ts";
import { createOperator } from "./operator/approved.ts";
import type { Operator, OperatorDeps } from "./operator/approved.ts";
import { createToolbox } from "./toolbox.ts";
import type { Toolbox, ToolboxDeps } from "./toolbox.ts";

/** Offers the contract registry as tools to clients of the Model Context Protocol (contract, section 7, "MCP"). */
export interface Mcp extends Protocol, Toolbox {
  readonly accessChecks: AccessChecks;
  /** Counts the messages that write no exchange. */
  readonly history: Pick<History, "note">;
  readonly tasks: Tasks;
  readonly events: McpEvents;
  readonly operator: Operator;
  /** Leads a client without a credential or scope to the authorization server. `more` are the scopes beyond those of the tools. */
  challenge(more: readonly string[]): string;
  /** Throws 403 `origin_not_allowed` for a web page of another origin. */
  assertOrigin(origin: string | undefined): void;
}

/** The events of the caller's workspace (contract, section 11, "Events"). */
export interface McpEvents {
  readonly feed: EventFeed;
  readonly streams: EventStreams;
  readonly subscriptions: EventSubscriptions;
  /** The subscriptions of the dialect of SEP-3415 (contract, section 17). */
  readonly callbacks: Callbacks;
  types(scope: Scope): Promise<readonly DescribedType[]>;
}

type EventDeps = EventFeedDeps & EventSubscriptionsDeps & CallbacksDeps & Omit<EventStreamsDeps, "feed">;

export interface McpDeps
  extends Omit<ToolboxDeps, "runs" | "proposals" | "events" | "endpoints">, Omit<EventDeps, "events" | "endpoints"> {
  readonly accessChecks: AccessChecks;
  readonly history: Pick<History, "note">;
  readonly keys: OperatorDeps["keys"];
  readonly unserved: OperatorDeps["unserved"];
  readonly runs: ToolboxDeps["runs"] & TasksDeps["runs"] & OperatorDeps["runs"];
  readonly proposals: ToolboxDeps["proposals"] & TasksDeps["proposals"];
  readonly events: EventDeps["events"] & ToolboxDeps["events"];
  readonly endpoints: EventDeps["endpoints"] & ToolboxDeps["endpoints"];
  readonly baseUrl: string;
  readonly version: string;
}

export function createMcp(deps: McpDeps): Mcp {
  const feed = createEventFeed(deps);
  // The library of the protocol takes 15 MiB, and most installations serve no MCP client.
  const protocol = once(async () => (await import("./protocol.ts")).createProtocol(deps));
  return {
    events: {
      feed,
      streams: createEventStreams({ ...deps, feed }),
      subscriptions: createEventSubscriptions(deps),
      callbacks: createCallbacks(deps),
      types: async (scope) => [...(await (await deps.types.described(scope)).read())],
    },
    operator: createOperator(deps),
    accessChecks: deps.accessChecks,
    history: deps.history,
    challenge: (more) => challengeOf(deps.baseUrl, more),
    assertOrigin: createOriginCheck(deps.baseUrl),
    open: async (incoming) => await (await protocol()).open(incoming),
    ...createToolbox(deps),
    ...createTasks(deps),
  };
}
