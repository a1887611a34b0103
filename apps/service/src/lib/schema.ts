import { Type } from "typebox";
import type { Static, TSchema, TStringOptions } from "typebox";
import { errorCodes } from "./error-catalogue.ts";

export { Type };
export type { Static, TSchema };

/** OpenAPI 3.0.3 has no null type: a value or null is written `nullable`. */
export function Nullable<Schema extends TSchema>(
  schema: Schema,
): ReturnType<typeof Type.Unsafe<Static<Schema> | null>> {
  // A list of values must name null too: `nullable` alone does not add it.
  const values = "enum" in schema && Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {};
  return Type.Unsafe<Static<Schema> | null>({ ...schema, ...values, nullable: true });
}

export function OneOf<const Values extends readonly string[]>(
  values: Values,
  description?: string,
): ReturnType<typeof Type.Unsafe<Values[number]>> {
  return Type.Unsafe<Values[number]>({
    type: "string",
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });
}

/** Of one live workspace, as in the examples of the event catalogue. */
const EXAMPLE_ID = "7k2m9qaw01m7w4q17jeay9df1b7sqp908g";

/** An object that takes no unknown members. */
export const closed = { additionalProperties: false } as const;

export const Timestamp = Type.String({ format: "date-time", description: "RFC 3339, UTC, milliseconds." });
export const WireId = (prefix: string): ReturnType<typeof Type.String> =>
  Type.String({ description: `An id that begins with \`${prefix}_\`.`, examples: [`${prefix}_${EXAMPLE_ID}`] });
/** A filter of a list. */
export const Moment = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ format: "date-time", description: `${description} RFC 3339, with a zone.` });
/** Text of which one value is shown in the reference. */
export const Sample = (example: string, options: TStringOptions = {}): ReturnType<typeof Type.String> =>
  Type.String({ ...options, examples: [example] });

/**
 * Marks what a caller sends as a secret, in the published contract too: canaries are planted in every such field
 * (gate/planted-secrets.test.ts). On an object with members of any name: some of them are secrets.
 */
export const secret = { "x-secret": true } as const;

/** Who owns a resource, and in which environment. */
export const Owned = {
  scope_kind: OneOf(["workspace"]),
  scope_key: WireId("ws"),
  environment: OneOf(["live", "sandbox"]),
  created_at: Timestamp,
};

/** A page. It is named after its item, where that has a name (`title`) in the published contract. */
export function ListOf<Item extends TSchema>(item: Item) {
  const name = (item as { readonly title?: string }).title;
  return Type.Object(
    {
      object: OneOf(["list"]),
      data: Type.Array(item),
      has_more: Type.Boolean({ description: "Whether there is a further page." }),
      next_cursor: Nullable(Sample("AZ1f0m2Kc3uQb1zX5tq8vJrC4kPn7w", { description: "`cursor` of the next page." })),
    },
    name === undefined ? {} : { title: `${name}List` },
  );
}

/** The query of every list. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many objects a page holds." }),
  ),
  cursor: Type.Optional(
    Sample("AZ1f0m2Kc3uQb1zX5tq8vJrC4kPn7w", { maxLength: 200, description: "`next_cursor` of the page before." }),
  ),
};

/** The latest result of the self-test of the process that answers. */
export const SelfTest = Type.Object(
  {
    status: OneOf(["passed", "failed"]),
    finished_at: Timestamp,
    duration_ms: Type.Number({ minimum: 0, examples: [42] }),
    failed_step: Nullable(OneOf(["accepted", "stored", "dispatched", "delivered", "verified"])),
    reason: Nullable(Sample("attempt_failed", { description: "Why the step failed, as a code. Null when passed." })),
    detail: Nullable(
      Sample("The attempt failed: connect.", { description: "Why the step failed, as a sentence. Null when passed." }),
    ),
  },
  {
    title: "SelfTest",
    description:
      "An event that the process sent to its own inbox: accepted, stored, dispatched to a delivery, delivered over HTTP and verified.",
  },
);
export type SelfTestView = Static<typeof SelfTest>;

/** Of a short list that is answered whole unless a page is asked for. */
export const WholeQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: "How many objects a page holds; without it, all of them." }),
  ),
  cursor: PageQuery.cursor,
};

export const Problem = Type.Object(
  {
    type: Sample("https://junction.example.com/docs/errors/rate_limited", {
      description: "`{base_url}/docs/errors/<code>`: a page about the error.",
    }),
    title: Sample("The rate limit is used up.", { description: "What the code means; the same for each such error." }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: "The HTTP status.", examples: [429] }),
    code: OneOf(errorCodes, "What to branch on."),
    detail: Sample("The limit is 1000 calls per 60 seconds. Wait 12 s.", { description: "What to do about it." }),
    instance: Sample("/v1/events/fire", { description: "The path of the request." }),
    request_id: WireId("req"),
    retryable: Type.Boolean({ description: "Whether the same request can succeed later without a change." }),
    errors: Type.Array(
      Type.Object(
        {
          pointer: Sample("/event", { description: "RFC 6901 pointer into the body, or `/query/<name>`." }),
          code: Sample("required"),
          message: Sample("is required"),
        },
        { title: "Violation" },
      ),
      { description: "The values at fault, all at once; empty where none is." },
    ),
    ok: Type.Optional(Type.Boolean({ description: "Of `POST /api/v1.php` alone: false.", examples: [false] })),
    reason: Type.Optional(Sample("private", { description: "With `url_blocked`: why the URL is refused." })),
    execution: Type.Optional(
      Type.Object(
        {
          id: WireId("run"),
          status: OneOf(["failed", "undo_failed"]),
          error_code: Nullable(Sample("action_endpoint_failed")),
          outcome_unknown: Type.Boolean({ description: "The backend may have done it all the same." }),
          proposal_id: Nullable(WireId("prop")),
          audit_id: Nullable(WireId("aud")),
        },
        { title: "FailedExecution", description: "Where an action's backend failed: the run." },
      ),
    ),
    superseded_by: Type.Optional(
      Type.String({ description: "With `proposal_changed`: the proposal that stands in its place." }),
    ),
    known_versions: Type.Optional(
      Type.Array(Sample("2026-11-21"), { description: "With `version_unknown`: what `X-Service-Version` may be." }),
    ),
    self_test: Type.Optional(SelfTest),
    server_time: Type.Optional(
      Type.Integer({
        description: "With `timestamp_out_of_range`: the server's Unix seconds.",
        examples: [1_795_262_400],
      }),
    ),
  },
  { title: "Problem", additionalProperties: true, description: "RFC 9457 problem document." },
);
