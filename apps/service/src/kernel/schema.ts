import { Type } from "typebox";
import type { Static, TSchema } from "typebox";
import { errorCodes } from "./error-catalogue.ts";

export { Type };
export type { Static, TSchema };

/** OpenAPI 3.0.3 has no null type: a value or null is written `nullable`. */
export function Nullable<Schema extends TSchema>(
  schema: Schema,
): ReturnType<typeof Type.Unsafe<Static<Schema> | null>> {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, nullable: true });
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

/** An object that takes no unknown members. */
export const closed = { additionalProperties: false } as const;

export const Timestamp = Type.String({ format: "date-time", description: "RFC 3339, UTC, milliseconds." });
export const WireId = (prefix: string): ReturnType<typeof Type.String> =>
  Type.String({ description: `An id that begins with \`${prefix}_\`.` });

/** Who owns a resource, and in which environment. */
export const Owned = {
  scope_kind: OneOf(["workspace"]),
  scope_key: WireId("ws"),
  environment: OneOf(["live", "sandbox"]),
  created_at: Timestamp,
};

export function ListOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    object: OneOf(["list"]),
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_cursor: Nullable(Type.String()),
  });
}

/** The query of every list. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: "`next_cursor` of the page before." })),
};

export const Problem = Type.Object(
  {
    type: Type.String({ description: "{base_url}/docs/errors/<code>" }),
    title: Type.String(),
    status: Type.Integer(),
    code: OneOf(errorCodes),
    detail: Type.String({ description: "What to do about it." }),
    instance: Type.String(),
    request_id: Type.String(),
    retryable: Type.Boolean(),
    errors: Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), message: Type.String() }), {
      description: "The values at fault, by RFC 6901 pointer into the body, or `/query/<name>`; empty where none is.",
    }),
  },
  { $id: "Problem", additionalProperties: true, description: "RFC 9457 problem document." },
);
