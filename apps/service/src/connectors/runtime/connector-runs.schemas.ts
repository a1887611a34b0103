import { t } from "../../lib/lib.ts";
import type { Hook } from "../sandbox/hosts.ts";

/**
 * The results of a call. `threw`: the code threw an error. `deadline`, `memory`, `crashed`, `protocol`: the child
 * process was ended. `start`, `unavailable`: the call did not begin. `skipped`: the call would have formed a loop.
 * `refused`: the signature of a webhook was invalid.
 */
export const OUTCOMES = [
  "ok",
  "threw",
  "deadline",
  "memory",
  "crashed",
  "protocol",
  "start",
  "unavailable",
  "skipped",
  "refused",
] as const;

export const HOOKS = [
  "subscriber",
  "identity",
  "context",
  "webhook",
  "action",
  "test",
] as const satisfies readonly Hook[];

/** One service request of a call, without secrets, bodies or paths. */
export interface ServiceNote {
  readonly service: string;
  readonly duration_ms: number;
  /** Null if the request succeeded. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly [detail: string]: unknown;
}

export const KeyParams = t.Object({ key: t.StringExample("stripe", "The connector's key.") });
export const HookParams = t.Object({
  key: t.StringExample("stripe", "The connector's key."),
  token: t.StringExample("7k2m9qaw3f0c…", "The token of `webhook_url`."),
});
/** The body from the other service, in any form. */
export const HookBody = t.Unsafe<Record<string, unknown>>({
  description: "The body that the other service sent, byte for byte.",
  examples: [{ id: "evt_1", type: "charge.succeeded" }],
});
export const HookAnswer = t.Object(
  {
    id: t.WireId("cwh"),
    object: t.OneOf(["connector_webhook"]),
    status: t.OneOf(
      ["accepted", "duplicate"],
      "`duplicate`: the webhook was already stored, and has no second effect.",
    ),
  },
  { title: "ConnectorWebhook" },
);
export const TestView = t.Object(
  {
    object: t.OneOf(["connector_test"]),
    ok: t.Boolean({ description: "Whether the settings work." }),
    message: t.StringExample("Connected as Acme Ltd.", "The message of the connector."),
  },
  { title: "ConnectorTest" },
);

const RunLine = t.Object(
  {
    level: t.OneOf(["debug", "info", "warning", "error"]),
    message: t.StringExample("Wrote customer 4711."),
    fields: t.Optional(t.Unsafe<object>({ type: "object", additionalProperties: true })),
  },
  { title: "ConnectorLogLine" },
);
const RunService = t.Unsafe<ServiceNote>({
  type: "object",
  title: "ConnectorServiceCall",
  additionalProperties: true,
  required: ["service", "duration_ms", "error"],
  properties: {
    service: { type: "string", description: "The name of the service function, such as `http`, `fire` or `kv.set`." },
    duration_ms: { type: "integer" },
    error: {
      type: "object",
      nullable: true,
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" } },
    },
    host: { type: "string", description: "The host of an `http` request. Paths and bodies are not stored." },
    method: { type: "string" },
    status: { type: "integer", nullable: true },
  },
  example: { service: "http", method: "POST", host: "api.stripe.com", status: 200, duration_ms: 84, error: null },
});
const Run = t.Object(
  {
    id: t.WireId("crun"),
    object: t.OneOf(["connector_run"]),
    connector: t.StringExample("stripe"),
    version: t.StringExample("1.4.0"),
    hook: t.OneOf(HOOKS, "The part of the connector that was called."),
    name: t.StringExample("onOrder", "The handler, provider or action. Empty if the hook has no names."),
    event_id: t.Nullable(t.WireId("evt")),
    outcome: t.OneOf(
      OUTCOMES,
      "`threw`: the code threw an error. `deadline`, `memory`, `crashed`, `protocol`: the process was ended. `start`, `unavailable`: the run did not begin. `skipped`: the run would have caused a loop. `refused`: the webhook had no valid signature.",
    ),
    error: t.Nullable(
      t.StringExample("egress_undeclared: evil.example is not among the egress hosts of connector.json."),
    ),
    duration_ms: t.Integer({ examples: [91] }),
    services: t.Array(RunService, { description: "The first 100 requests of the connector to the service." }),
    log: t.Array(RunLine, { description: "The log of the connector, at most 32 KiB." }),
    started_at: t.Timestamp,
    ...t.ownershipFields,
  },
  { title: "ConnectorRun" },
);
export const RunListView = t.ListOf(Run);
export const RunListQuery = t.Object(
  {
    hook: t.Optional(t.OneOf(HOOKS, "The part of the connector that was called.")),
    outcome: t.Optional(t.OneOf(OUTCOMES, "The final status.")),
    event_id: t.Optional(t.WireId("evt")),
    ...t.PageQuery,
  },
  t.strict,
);
