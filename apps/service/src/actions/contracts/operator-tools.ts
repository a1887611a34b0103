type Arguments = Readonly<Record<string, unknown>>;

/** A read that shows an object that a write would change. */
export interface ExampleRead {
  readonly tool: string;
  readonly arguments: Arguments;
  /** Returns false for objects of a list that the write would not change. */
  readonly fits?: (object: Arguments) => boolean;
}

/** One action of a tool: an operation of /v1. */
export interface OperatorAction {
  /** The name of the operation. */
  readonly operation: string;
  /** The effect cannot be taken back by another action of these tools. */
  readonly destructive?: true;
  /** A repeat changes nothing. */
  readonly idempotent?: true;
  /** Members that are left out of the response, because they are credentials. */
  readonly without?: readonly string[];
  /** The operation has a dry run, which counts what it would change. */
  readonly counts?: true;
  /** Returns the reads that show an example of what would change, by the arguments of the write. The first one that finds an object counts. */
  readonly examples?: (write: Arguments) => readonly ExampleRead[];
  /** Set if its response has a credential. In live, it is left out, and a person reads it in the console. */
  readonly credential?: true;
  /** Set if its response is only a credential: in live, the tool does not have the action. */
  readonly sandboxOnly?: true;
}

export interface OperatorTool {
  readonly title: string;
  readonly description: string;
  /** Its actions need `ops:write`, and wait for a person in live. What hands out a credential is a write. */
  readonly write: boolean;
  readonly actions: Readonly<Record<string, OperatorAction>>;
}

/** The name of the tool that searches the documentation, which is not an operation of /v1. */
export const DOCS_SEARCH = "docs_search";

/** Returns the reads of the object with the same `id`. */
const same =
  (tool: string, action: string) =>
  ({ id }: Arguments): readonly ExampleRead[] => [{ tool, arguments: { action, id } }];

/** Returns the reads of deliveries of an endpoint that a replay sends again: failed ones, and then those that wait for a retry. */
function failedDeliveries({ id, since, until, include_pending: isMore }: Arguments): readonly ExampleRead[] {
  const range = { action: "list", endpoint_id: id, created_after: since, created_before: until };
  const failed = { tool: "deliveries_read", arguments: { ...range, state: "failed", limit: 1 } };
  if (isMore !== true) return [failed];
  return [
    failed,
    { tool: "deliveries_read", arguments: { ...range, state: "pending", limit: 50 }, fits: waitsForRetry },
  ];
}

function waitsForRetry({ attempt_count: attempts, next_attempt_at: next }: Arguments): boolean {
  return attempts !== 0 && next !== null;
}

/** Senders need only the address of a source. */
const WITHOUT_ADDRESS = ["url"];

/**
 * The operator tools (contract, section 17). The access checks, the list of tools and its annotations all follow from this
 * table. Clients grant by the name of a tool and cannot match arguments, so that no tool has reads and writes.
 */
export const OPERATOR_TOOLS: Readonly<Record<string, OperatorTool>> = {
  deliveries_read: {
    title: "Read deliveries",
    description:
      "Webhook deliveries. list: newest first, with filters. get: one, with its request. attempts: each attempt of one, with the receiver's response.",
    write: false,
    actions: {
      list: { operation: "deliveries.list" },
      get: { operation: "deliveries.get" },
      attempts: { operation: "deliveries.attempts" },
    },
  },
  deliveries_write: {
    title: "Change deliveries",
    description:
      "replay: sends one delivery again. cancel: stops one that waits. replay_failed: sends the failed deliveries of an endpoint again; `id` is that of the endpoint.",
    write: true,
    actions: {
      replay: { operation: "deliveries.replay", examples: same("deliveries_read", "get") },
      cancel: {
        operation: "deliveries.cancel",
        destructive: true,
        idempotent: true,
        examples: same("deliveries_read", "get"),
      },
      replay_failed: { operation: "webhook_endpoints.replay_failed", counts: true, examples: failedDeliveries },
    },
  },
  endpoints_read: {
    title: "Read endpoints",
    description:
      "Webhook endpoints. list, get. stats: the last 24 hours of one. explain: why one does or does not get an event.",
    write: false,
    actions: {
      list: { operation: "webhook_endpoints.list" },
      get: { operation: "webhook_endpoints.get" },
      stats: { operation: "webhook_endpoints.stats" },
      explain: { operation: "webhook_endpoints.explain" },
    },
  },
  endpoints_write: {
    title: "Change endpoints",
    description:
      "create, update, toggle (pauses or resumes one), delete, rotate_secret, reveal_secret. In the sandbox, create, rotate_secret and reveal_secret return the signing secret. In live, no result has it, because results are stored: create and rotate_secret return the page of the console on which a person reads it, and reveal_secret is refused.",
    write: true,
    actions: {
      create: { operation: "webhook_endpoints.create", credential: true },
      update: { operation: "webhook_endpoints.update", idempotent: true, examples: same("endpoints_read", "get") },
      toggle: { operation: "webhook_endpoints.toggle", examples: same("endpoints_read", "get") },
      delete: {
        operation: "webhook_endpoints.delete",
        destructive: true,
        idempotent: true,
        examples: same("endpoints_read", "get"),
      },
      rotate_secret: {
        operation: "webhook_endpoints.secret.regenerate",
        destructive: true,
        credential: true,
        examples: same("endpoints_read", "get"),
      },
      reveal_secret: {
        operation: "webhook_endpoints.secret",
        idempotent: true,
        credential: true,
        sandboxOnly: true,
      },
    },
  },
  events_read: {
    title: "Read events",
    description:
      "Events. list: newest first, with filters. get: one, with its stages and deliveries. types: the event types. type: one, by its name.",
    write: false,
    actions: {
      list: { operation: "events.list" },
      get: { operation: "events.get" },
      types: { operation: "event_types.list" },
      type: { operation: "event_types.get" },
    },
  },
  events_write: {
    title: "Fire and cancel events",
    description:
      "fire: publishes an event. refire: sends an event to an endpoint again. cancel: takes a scheduled event back.",
    write: true,
    actions: {
      fire: { operation: "events.fire" },
      refire: { operation: "events.refire", examples: same("events_read", "get") },
      cancel: { operation: "events.cancel", destructive: true, idempotent: true, examples: same("events_read", "get") },
    },
  },
  sources_read: {
    title: "Read sources",
    description:
      "Sources of incoming webhooks. list, get. receipts: what arrived. receipt: one, with its payload. preview: what a source makes of a payload; nothing is stored.",
    write: false,
    actions: {
      list: { operation: "inbound_endpoints.list", without: WITHOUT_ADDRESS },
      get: { operation: "inbound_endpoints.get", without: WITHOUT_ADDRESS },
      receipts: { operation: "inbound_receipts.list" },
      receipt: { operation: "inbound_receipts.get" },
      preview: { operation: "inbound_endpoints.preview" },
    },
  },
  sources_write: {
    title: "Change sources",
    description:
      "create, update, toggle (pauses or resumes one), reprocess: reads a receipt again. In the sandbox, create returns the secret address of the source, and its signing secret. In live, no result has them, because results are stored: create returns the page of the console on which a person reads the address and makes another secret.",
    write: true,
    actions: {
      create: { operation: "inbound_endpoints.create", credential: true },
      update: { operation: "inbound_endpoints.update", idempotent: true, examples: same("sources_read", "get") },
      toggle: { operation: "inbound_endpoints.toggle", examples: same("sources_read", "get") },
      reprocess: { operation: "inbound_receipts.reprocess", examples: same("sources_read", "receipt") },
    },
  },
  issues_read: {
    title: "Read issues",
    description: "Groups of failures with one cause. list, get: one, with samples.",
    write: false,
    actions: { list: { operation: "issues.list" }, get: { operation: "issues.get" } },
  },
  issues_write: {
    title: "Change issues",
    description: "update: the state or the owner of one. replay: does again what failed in one.",
    write: true,
    actions: {
      update: { operation: "issues.update", idempotent: true, examples: same("issues_read", "get") },
      replay: { operation: "issues.replay", counts: true, examples: same("issues_read", "get") },
    },
  },
};
