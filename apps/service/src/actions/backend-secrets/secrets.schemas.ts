import { t } from "../../lib/lib.ts";
import { MOST_HOSTS } from "./secret-hosts.ts";

export const SecretBody = t.Object(
  {
    value: t.StringExample("sk_live_example", {
      minLength: 1,
      maxLength: 8192,
      description: "The value, on one line. Never shown again.",
      ...t.secret,
    }),
    hosts: t.Optional(
      t.Nullable(
        t.Array(t.String({ maxLength: 253 }), {
          minItems: 1,
          maxItems: MOST_HOSTS,
          description:
            "The hosts that the secret may be sent to, such as `api.example.com`, or `*.example.com` for all hosts below it. Null: none are named.",
          examples: [["api.example.com"]],
        }),
      ),
    ),
  },
  { ...t.strict, title: "SecretValue" },
);
/**
 * Without `hosts`, the secret keeps those that it has. They are only set with the value, so that sending it elsewhere
 * needs the value.
 */
export type SecretInput = t.Static<typeof SecretBody>;

export const SecretView = t.Object(
  {
    object: t.OneOf(["secret"]),
    name: t.StringExample("billing_token"),
    used_by: t.Array(t.StringExample("billing.refund"), { description: "The contracts that use the secret." }),
    hosts: t.Nullable(
      t.Array(t.StringExample("api.example.com"), {
        description: "The hosts that the secret may be sent to. Null: none are named.",
      }),
    ),
    ...t.ownershipFields,
    updated_at: t.Timestamp,
  },
  { title: "Secret" },
);

export const SecretListView = t.ListOf(SecretView);
export const SecretListQuery = t.Object(t.PageQuery, t.strict);
