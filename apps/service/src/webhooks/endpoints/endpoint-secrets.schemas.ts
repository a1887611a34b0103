import { t } from "../../lib/lib.ts";
import { headersSchema } from "../requests/headers.schemas.ts";

const PlainHeaders = headersSchema({ Authorization: "Bearer 9f2c" }, "The headers with their values.");
export const Secret = t.StringExample(
  "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
  "`whsec_` and 32 bytes in base64. Shown when the secret is created, and to owners on request.",
);
export const SecretView = t.Object(
  { secret: Secret, previous_secret: t.Optional(Secret), previous_expires_at: t.Optional(t.Timestamp) },
  { title: "SigningSecret" },
);
export const RevealedHeaders = t.Object({ headers: PlainHeaders }, { title: "RevealedHeaders" });
/** The webhooks of a rule or a workflow, with the values of their headers. */
export const RevealedWebhooks = t.Object(
  {
    webhooks: t.Array(
      t.Object(
        {
          path: t.StringExample("/then/0", "The position of the webhook, as an RFC 6901 pointer."),
          url: t.StringExample("https://hooks.example.com/junction"),
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
export const RegenerateBody = t.Nullable(
  t.Object(
    {
      overlap_seconds: t.Optional(
        t.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "Overlap of both secrets, in seconds.",
        }),
      ),
    },
    { ...t.strict, title: "SecretRegeneration" },
  ),
);
