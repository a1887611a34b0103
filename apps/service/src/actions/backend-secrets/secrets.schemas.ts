import {
  strict,
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  secret,
  Timestamp,
  Type,
} from "../../lib/lib.ts";
import type { Static } from "../../lib/lib.ts";
import { MOST_HOSTS } from "./secret-hosts.ts";

export const SecretBody = Type.Object(
  {
    value: StringExample("sk_live_example", {
      minLength: 1,
      maxLength: 8192,
      description: "The value, on one line. Never shown again.",
      ...secret,
    }),
    hosts: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: 253 }), {
          minItems: 1,
          maxItems: MOST_HOSTS,
          description:
            "The hosts that the secret may be sent to, such as `api.example.com`, or `*.example.com` for all hosts below it. Null: none are named.",
          examples: [["api.example.com"]],
        }),
      ),
    ),
  },
  { ...strict, title: "SecretValue" },
);
/**
 * Without `hosts`, the secret keeps those that it has. They are only set with the value, so that sending it elsewhere
 * needs the value.
 */
export type SecretInput = Static<typeof SecretBody>;

export const SecretView = Type.Object(
  {
    object: OneOf(["secret"]),
    name: StringExample("billing_token"),
    used_by: Type.Array(StringExample("billing.refund"), { description: "The contracts that use the secret." }),
    hosts: Nullable(
      Type.Array(StringExample("api.example.com"), {
        description: "The hosts that the secret may be sent to. Null: none are named.",
      }),
    ),
    ...ownershipFields,
    updated_at: Timestamp,
  },
  { title: "Secret" },
);

export const SecretListView = ListOf(SecretView);
export const SecretListQuery = Type.Object(PageQuery, strict);
