import { ListOf, Nullable, OneOf, PageQuery, strict, StringExample, Type } from "../../lib/lib.ts";
import { TRANSFORM_METHODS } from "./transform.ts";

const METHOD = { type: "string", enum: TRANSFORM_METHODS, default: "POST", description: "The method of the request." };

/** A transformation in requests and responses. `transform.ts` checks what a schema cannot. */
const Transform = {
  type: "object",
  title: "Transform",
  required: ["kind"],
  additionalProperties: false,
  properties: {
    kind: { type: "string", enum: ["template"] },
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
  },
  examples: [{ kind: "template", body: { text: "${$.event}: ${$.data.total}", total: "${$.data.total}" } }],
} as const;

export const TransformView = Nullable(
  Type.Unsafe<object>({
    ...Transform,
    description:
      "What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. Null: the usual body.",
  }),
);
export const TransformVersion = Nullable(
  Type.Integer({
    minimum: 1,
    examples: [3],
    description: "The version of the transformation. It increases with each change. Null: there was never one.",
  }),
);

const PresetView = Type.Object(
  {
    object: OneOf(["transform_preset"]),
    key: StringExample("slack"),
    title: StringExample("Slack"),
    description: StringExample("A message for a Slack incoming webhook."),
    transform: Type.Unsafe<object>(Transform),
  },
  { title: "TransformPreset" },
);
export const PresetListView = ListOf(PresetView);
export const PresetListQuery = Type.Object(PageQuery, strict);
