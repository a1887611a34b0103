import { t } from "../../lib/lib.ts";
import { ExplainBody } from "./filters.schemas.ts";
import { TRANSFORM_METHODS } from "../transforms/transform.ts";

const METHOD = { type: "string", enum: TRANSFORM_METHODS, default: "POST", description: "The method of the request." };

/** A transformation in requests and responses. `transform.ts` checks what a schema cannot. */
const Transform = {
  type: "object",
  title: "Transform",
  description:
    "What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay.",
  required: ["kind"],
  additionalProperties: false,
  properties: {
    kind: {
      type: "string",
      enum: ["template", "script"],
      description: "A template has a `body`, and may have a `method` and `headers`. A script has a `source`.",
    },
    method: METHOD,
    headers: {
      type: "object",
      additionalProperties: { type: "string", maxLength: 2048 },
      description:
        "Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON.",
    },
    body: {
      description:
        "The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string.",
    },
    source: {
      type: "string",
      minLength: 1,
      maxLength: 65_536,
      description:
        "JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt.",
      examples: [
        "export function transform({ event, data }) {\n  return { body: { text: `${event}: ${data.total}` } };\n}",
      ],
    },
    cases: {
      type: "array",
      maxItems: 20,
      description:
        "Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z.",
      items: {
        type: "object",
        title: "TransformCase",
        required: ["event", "data", "expect"],
        additionalProperties: false,
        properties: {
          event: { type: "string", minLength: 1, maxLength: 128, description: "The name of the event." },
          data: { type: "object", description: "The data of the event.", examples: [{ total: 12.5 }] },
          expect: {
            description:
              "The body that the transformation has to make of the event. Null: it has to return null. Numbers are compared exactly; the order of members does not count.",
          },
        },
      },
    },
  },
  examples: [{ kind: "template", body: { text: "${$.event}: ${$.data.total}", total: "${$.data.total}" } }],
} as const;

export const TransformView = t.Nullable(t.Unsafe<object>(Transform));
export const TransformVersion = t.Nullable(
  t.Integer({
    minimum: 1,
    examples: [3],
    description: "The version of the transformation. It increases with each change. Null: there was never one.",
  }),
);

const PresetView = t.Object(
  {
    object: t.OneOf(["transform_preset"]),
    key: t.StringExample("slack"),
    title: t.StringExample("Slack"),
    description: t.StringExample("A message for a Slack incoming webhook."),
    transform: t.Unsafe<object>(Transform),
  },
  { title: "TransformPreset" },
);
export const PresetListView = t.ListOf(PresetView);
export const PresetListQuery = t.Object(t.PageQuery, t.strict);

export const TransformTestBody = t.Object(
  {
    ...ExplainBody.properties,
    transform: t.Optional(t.Unsafe<object>(Transform)),
  },
  {
    ...t.strict,
    title: "TransformTest",
    description:
      "An event with its data, or the `event_id` of a past event. Without `transform`, the transformation of the endpoint is tested.",
  },
);

const TransformedRequest = t.Object(
  {
    method: t.OneOf(TRANSFORM_METHODS),
    headers: t.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "The headers that the transformation adds.",
      examples: [{ "X-Order": "ord_1" }],
    }),
    body: t.StringExample('{"text":"invoice.paid"}', "The exact bytes, as text."),
  },
  { title: "TransformedRequest" },
);
export const TransformTestView = t.Object(
  {
    before: t.StringExample('{"event":"invoice.paid","data":{}}', "What the transformation reads, as JSON text."),
    after: t.Nullable(TransformedRequest),
    filtered: t.Boolean({ description: "Whether the transformation returned null, so that nothing would be sent." }),
    error: t.Nullable(t.StringExample("The body would be larger than 262144 bytes.", "Why the transformation failed.")),
    log: t.Array(t.StringExample("There is no value at $.data.total."), {
      description: "What it reported, such as paths without a value.",
    }),
  },
  { title: "TransformTestResult" },
);

export const VersionListQuery = t.Object(t.PageQuery, t.strict);
export const VersionListView = t.ListOf(
  t.Object(
    {
      object: t.OneOf(["transform_version"]),
      version: t.Integer({ minimum: 1, examples: [3] }),
      transform: TransformView,
      author: t.Nullable(
        t.Object(
          {
            kind: t.OneOf(["key", "member"]),
            id: t.Nullable(t.WireId("key")),
            name: t.Nullable(
              t.StringExample(
                "Portal of acme",
                "The name that the author had then. Null for versions of earlier releases.",
              ),
            ),
          },
          {
            title: "TransformAuthor",
            description:
              "The key or member that made the version. A key of a tenant sees no other authors than its own tenant's keys and portal sessions, without their ids.",
          },
        ),
      ),
      created_at: t.Timestamp,
    },
    { title: "TransformVersion" },
  ),
);
