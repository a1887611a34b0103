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

/** The tenant id and UUID of one live workspace, as in the examples of the event catalog. */
const EXAMPLE_ID = "7k2m9qaw01m7w4q17jeay9df1b7sqp908g";

/** Marks an object that accepts no unknown members. */
export const strict = { additionalProperties: false } as const;

export const Timestamp = Type.String({ format: "date-time", description: "RFC 3339, in UTC, with milliseconds." });
export const WireId = (prefix: string): ReturnType<typeof Type.String> =>
  Type.String({ description: `An id that begins with \`${prefix}_\`.`, examples: [`${prefix}_${EXAMPLE_ID}`] });
/** Returns the schema of a date filter of a list. */
export const DateTimeFilter = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ format: "date-time", description: `${description} RFC 3339, with a zone.` });
/** Returns the schema of a text whose example is shown in the reference, with a description or other options. */
export const StringExample = (example: string, more: TStringOptions | string = {}): ReturnType<typeof Type.String> =>
  Type.String({ ...(typeof more === "string" ? { description: more } : more), examples: [example] });

/** Visible ASCII, without `.` and `..`: clients resolve them as steps of a path, so that no URL could contain them. */
export const TENANT_PATTERN = "^(?:\\.{0,2}[!-\\-/-~][!-~]*|\\.{3}[!-~]*)$";
export const TENANT_ADVICE = 'must be visible ASCII characters without spaces, and not "." or ".."';

/** Returns the schema of a tenant: a customer of the workspace, by the workspace's own id. */
export const Tenant = (description: string): ReturnType<typeof Type.String> =>
  StringExample("acme", { minLength: 1, maxLength: 128, pattern: TENANT_PATTERN, description });

/** Marks a text that other people read as a name: it is refused if something in it is hidden, or if it is blank. */
export const readable = { "x-readable": true } as const;

/**
 * Marks a value that a caller sends as a secret, also in the published contract. Canaries are planted in every such
 * field (access/planted-secrets.test.ts). On an object with members of any name, it means that some of them are
 * secrets.
 */
export const secret = { "x-secret": true } as const;

/** The owner of a resource and its environment. */
export const ownershipFields = {
  scope_kind: OneOf(["workspace"]),
  scope_key: WireId("ws"),
  environment: OneOf(["live", "sandbox"]),
  created_at: Timestamp,
};

/**
 * Returns the schema of a page. It is named after its item, if the item has a name (`title`) in the published contract.
 */
export function ListOf<Item extends TSchema>(item: Item) {
  const name = (item as { readonly title?: string }).title;
  return Type.Object(
    {
      object: OneOf(["list"]),
      data: Type.Array(item),
      has_more: Type.Boolean({ description: "Whether there is another page." }),
      next_cursor: Nullable(StringExample("AZ1f0m2Kc3uQb1zX5tq8vJrC4kPn7w", "The `cursor` of the next page.")),
    },
    name === undefined ? {} : { title: `${name}List` },
  );
}

/** The query of every list. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "The maximum number of objects on a page." }),
  ),
  cursor: Type.Optional(
    StringExample("AZ1f0m2Kc3uQb1zX5tq8vJrC4kPn7w", {
      maxLength: 200,
      description: "The `next_cursor` of the previous page.",
    }),
  ),
};

/** The latest result of the self-test of the process that responds. */
export const SelfTest = Type.Object(
  {
    status: OneOf(["passed", "failed"]),
    finished_at: Timestamp,
    duration_ms: Type.Number({ minimum: 0, examples: [42] }),
    failed_step: Nullable(OneOf(["accepted", "stored", "dispatched", "delivered", "verified"])),
    reason: Nullable(StringExample("attempt_failed", "The error code of the failed step. Null when passed.")),
    detail: Nullable(
      StringExample("The attempt failed: connect.", "The error message of the failed step. Null when passed."),
    ),
  },
  {
    title: "SelfTest",
    description:
      "An event that the process sent to its own inbox: accepted, stored, dispatched to a delivery, delivered over HTTP and verified.",
  },
);
export type SelfTestView = Static<typeof SelfTest>;

/** The query of a short list that is returned whole unless a page is requested. */
export const WholeQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: "The maximum number of objects on a page. Default: all objects.",
    }),
  ),
  cursor: PageQuery.cursor,
};

export const Problem = Type.Object(
  {
    type: StringExample(
      "https://junction.example.com/docs/errors/rate_limited",
      "`{base_url}/docs/errors/<code>`: a page about the error.",
    ),
    title: StringExample(
      "The rate limit is exceeded.",
      "The meaning of the code. The same for each error with that code.",
    ),
    status: Type.Integer({ minimum: 400, maximum: 599, description: "The HTTP status.", examples: [429] }),
    code: OneOf(errorCodes, "The code to branch on."),
    detail: StringExample(
      "The limit is 1000 calls per 60 seconds. Wait 12 s.",
      "What happened, and what to do about it.",
    ),
    instance: StringExample("/v1/events/fire", "The path of the request."),
    request_id: WireId("req"),
    retryable: Type.Boolean({ description: "Whether the same request can succeed later without a change." }),
    errors: Type.Array(
      Type.Object(
        {
          pointer: StringExample("/event", "An RFC 6901 pointer into the body, or `/query/<name>`."),
          code: StringExample("required"),
          message: StringExample("is required"),
        },
        { title: "Violation" },
      ),
      { description: "All invalid values. Empty if there are none." },
    ),
    second_factors: Type.Optional(
      Type.Array(OneOf(["webauthn", "totp", "recovery_code"]), {
        description: "With `totp_required`: what the person can give as second factor.",
      }),
    ),
    passkey_request: Type.Optional(
      Nullable(
        Type.Unsafe<object>({
          type: "object",
          additionalProperties: true,
          description:
            "With `totp_required`: what `PublicKeyCredential.parseRequestOptionsFromJSON` reads to ask for a passkey. Null if the person has none that works here.",
          examples: [{ challenge: "Zm9ydHktdGhyZWUgcmFuZG9tIGNoYXJhY3RlcnM", rpId: "junction.example.com" }],
        }),
      ),
    ),
    ok: Type.Optional(Type.Boolean({ description: "Only for `POST /api/v1.php`: false.", examples: [false] })),
    reason: Type.Optional(StringExample("private", "With `url_blocked`: the reason why the URL is refused.")),
    execution: Type.Optional(
      Type.Object(
        {
          id: WireId("run"),
          status: OneOf(["failed", "undo_failed"]),
          error_code: Nullable(StringExample("action_endpoint_failed")),
          outcome_unknown: Type.Boolean({
            description: "Whether the backend may have performed the action despite the error.",
          }),
          proposal_id: Nullable(WireId("prop")),
          audit_id: Nullable(WireId("aud")),
        },
        { title: "FailedExecution", description: "The run, if the backend of an action failed." },
      ),
    ),
    superseded_by: Type.Optional(
      Type.String({ description: "With `proposal_changed`: the proposal that replaced it." }),
    ),
    known_versions: Type.Optional(
      Type.Array(StringExample("2026-11-21"), {
        description: "With `version_unknown`: the supported values of `X-Service-Version`.",
      }),
    ),
    self_test: Type.Optional(SelfTest),
    server_time: Type.Optional(
      Type.Integer({
        description: "With `timestamp_out_of_range`: the server's Unix time in seconds.",
        examples: [1_795_262_400],
      }),
    ),
  },
  { title: "Problem", additionalProperties: true, description: "An RFC 9457 problem document." },
);
