import {
  closed,
  ListOf,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { HOOKS, OUTCOMES } from "./run-log.ts";
import type { ServiceNote } from "./run-log.ts";

export const KeyParams = Type.Object({ key: Sample("stripe", { description: "The connector's key." }) });
export const HookParams = Type.Object({
  key: Sample("stripe", { description: "The connector's key." }),
  token: Sample("7k2m9qaw3f0c…", { description: "Of `webhook_url`." }),
});
/** What the other service sends, whatever it is. */
export const HookBody = Type.Unsafe<Record<string, unknown>>({
  description: "What the other service sent, byte for byte.",
  examples: [{ id: "evt_1", type: "charge.succeeded" }],
});
export const HookAnswer = Type.Object(
  {
    id: WireId("cwh"),
    object: OneOf(["connector_webhook"]),
    status: OneOf(["accepted", "duplicate"], "`duplicate` was kept before, and has no second effect."),
  },
  { title: "ConnectorWebhook" },
);
export const TestView = Type.Object(
  {
    object: OneOf(["connector_test"]),
    ok: Type.Boolean({ description: "Whether the settings work." }),
    message: Sample("Connected as Acme Ltd.", { description: "In the connector's words." }),
  },
  { title: "ConnectorTest" },
);

const RunLine = Type.Object(
  {
    level: OneOf(["debug", "info", "warning", "error"]),
    message: Sample("Wrote customer 4711."),
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
    service: { type: "string", description: "`http`, `fire`, `kv.set` and so on." },
    duration_ms: { type: "integer" },
    error: {
      type: "object",
      nullable: true,
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" } },
    },
    host: { type: "string", description: "Of `http`; neither path nor body are kept." },
    method: { type: "string" },
    status: { type: "integer", nullable: true },
  },
  example: { service: "http", method: "POST", host: "api.stripe.com", status: 200, duration_ms: 84, error: null },
});
const Run = Type.Object(
  {
    id: WireId("crun"),
    object: OneOf(["connector_run"]),
    connector: Sample("stripe"),
    version: Sample("1.4.0"),
    hook: OneOf(HOOKS, "What was called."),
    name: Sample("onOrder", { description: "The handler, provider or action; empty where the hook has no names." }),
    event_id: Nullable(WireId("evt")),
    outcome: OneOf(
      OUTCOMES,
      "`threw` by the code itself; `deadline`, `memory`, `crashed`, `protocol` with the end of its process; `start` and `unavailable` without having begun; `skipped`, since it would have gone on in a circle; `refused`, a webhook that nobody signed.",
    ),
    error: Nullable(Sample("egress_undeclared: evil.example is not among the egress hosts of connector.json.")),
    duration_ms: Type.Integer({ examples: [91] }),
    services: Type.Array(RunService, { description: "What it asked of the service, the first hundred." }),
    log: Type.Array(RunLine, { description: "What it logged, at most 32 KiB." }),
    started_at: Timestamp,
    ...Owned,
  },
  { title: "ConnectorRun" },
);
export const RunListView = ListOf(Run);
export const RunListQuery = Type.Object(
  {
    hook: Type.Optional(OneOf(HOOKS, "What was called.")),
    outcome: Type.Optional(OneOf(OUTCOMES, "How it ended.")),
    event_id: Type.Optional(WireId("evt")),
    ...PageQuery,
  },
  closed,
);
