import { strict, Nullable, StringExample, Timestamp, Type } from "../../lib/lib.ts";
import { headersSchema } from "../requests/headers.schemas.ts";

const PlainHeaders = headersSchema({ Authorization: "Bearer 9f2c" }, "The headers with their values.");
export const Secret = StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
  description: "`whsec_` and 32 bytes in base64. Shown when the secret is created, and to owners on request.",
});
export const SecretView = Type.Object(
  { secret: Secret, previous_secret: Type.Optional(Secret), previous_expires_at: Type.Optional(Timestamp) },
  { title: "SigningSecret" },
);
export const RevealedHeaders = Type.Object({ headers: PlainHeaders }, { title: "RevealedHeaders" });
/** The webhooks of a rule or a workflow, with the values of their headers. */
export const RevealedWebhooks = Type.Object(
  {
    webhooks: Type.Array(
      Type.Object(
        {
          path: StringExample("/then/0", { description: "The position of the webhook, as an RFC 6901 pointer." }),
          url: StringExample("https://hooks.example.com/junction"),
          headers: PlainHeaders,
        },
        { title: "RevealedWebhook" },
      ),
      { description: "The webhooks that have custom headers." },
    ),
  },
  { title: "RevealedWebhooks" },
);
/** The body of a secret regeneration. The whole body may be omitted. */
export const RegenerateBody = Nullable(
  Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "Overlap of both secrets, in seconds.",
        }),
      ),
    },
    { ...strict, title: "SecretRegeneration" },
  ),
);
