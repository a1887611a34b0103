import {
  strict,
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { HOOKS, OUTCOMES } from "./run-log.ts";
import type { ServiceNote } from "./run-log.ts";

export const KeyParams = Type.Object({ key: StringExample("stripe", { description: "The connector's key." }) });
export const HookParams = Type.Object({
  key: StringExample("stripe", { description: "The connector's key." }),
  token: StringExample("7k2m9qaw3f0c…", { description: "The token of `webhook_url`." }),
});
/** The body from the other service, in any form. */
export const HookBody = Type.Unsafe<Record<string, unknown>>({
  description: "The body that the other service sent, byte for byte.",
  examples: [{ id: "evt_1", type: "charge.succeeded" }],
});
export const HookAnswer = Type.Object(
  {
    id: WireId("cwh"),
    object: OneOf(["connector_webhook"]),
    status: OneOf(["accepted", "duplicate"], "`duplicate`: the webhook was already stored, and has no second effect."),
  },
  { title: "ConnectorWebhook" },
);
export const TestView = Type.Object(
  {
    object: OneOf(["connector_test"]),
    ok: Type.Boolean({ description: "Whether the settings work." }),
    message: StringExample("Connected as Acme Ltd.", { description: "The message of the connector." }),
  },
  { title: "ConnectorTest" },
);

const RunLine = Type.Object(
  {
    level: OneOf(["debug", "info", "warning", "error"]),
    message: StringExample("Wrote customer 4711."),
    fields: Type.Optional(Type.Unsafe<object>({ type: "object", additionalProperties: true })),
  },
  { title: "ConnectorLogLine" },
);
const RunService = Type.Unsafe<ServiceNote>({
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
const Run = Type.Object(
  {
    id: WireId("crun"),
    object: OneOf(["connector_run"]),
    connector: StringExample("stripe"),
    version: StringExample("1.4.0"),
    hook: OneOf(HOOKS, "The part of the connector that was called."),
    name: StringExample("onOrder", {
      description: "The handler, provider or action. Empty if the hook has no names.",
    }),
    event_id: Nullable(WireId("evt")),
    outcome: OneOf(
      OUTCOMES,
      "`threw`: the code threw an error. `deadline`, `memory`, `crashed`, `protocol`: the process was ended. `start`, `unavailable`: the run did not begin. `skipped`: the run would have caused a loop. `refused`: the webhook had no valid signature.",
    ),
    error: Nullable(StringExample("egress_undeclared: evil.example is not among the egress hosts of connector.json.")),
    duration_ms: Type.Integer({ examples: [91] }),
    services: Type.Array(RunService, { description: "The first 100 requests of the connector to the service." }),
    log: Type.Array(RunLine, { description: "The log of the connector, at most 32 KiB." }),
    started_at: Timestamp,
    ...ownershipFields,
  },
  { title: "ConnectorRun" },
);
export const RunListView = ListOf(Run);
export const RunListQuery = Type.Object(
  {
    hook: Type.Optional(OneOf(HOOKS, "The part of the connector that was called.")),
    outcome: Type.Optional(OneOf(OUTCOMES, "The final status.")),
    event_id: Type.Optional(WireId("evt")),
    ...PageQuery,
  },
  strict,
);
