import { OWN_SCHEME } from "./verifier.ts";
import type { HmacScheme } from "./scheme.ts";

export const SIGNATURE_SCHEMES = ["service", "standard_webhooks", "stripe", "github", "calendly", "slack"] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

const hmac = { kind: "hmac", algorithm: "sha256", encoding: "hex" } as const;

/** The schemes that a source can name (contract, section 6), as their senders document them: docs/decisions/0040-inbound-webhooks.md. */
export const namedSchemes: Readonly<Record<SignatureScheme, HmacScheme>> = {
  service: OWN_SCHEME,
  standard_webhooks: {
    ...hmac,
    encoding: "base64",
    header: "webhook-signature",
    format: "list",
    separator: " ",
    prefix: "v1,",
    signed: "{id}.{timestamp}.{body}",
    id_header: "webhook-id",
    timestamp_header: "webhook-timestamp",
    tolerance_seconds: 300,
    secret_encoding: "base64",
    secret_prefix: "whsec_",
  },
  stripe: { ...hmac, header: "stripe-signature", ...timeAndMacs(300) },
  github: { ...hmac, header: "x-hub-signature-256", prefix: "sha256=" },
  calendly: { ...hmac, header: "calendly-webhook-signature", ...timeAndMacs(180) },
  slack: {
    ...hmac,
    header: "x-slack-signature",
    prefix: "v0=",
    signed: "v0:{timestamp}:{body}",
    timestamp_header: "x-slack-request-timestamp",
    tolerance_seconds: 300,
  },
};

/** Describes `t=<seconds>,v1=<hex>`, with several `v1` while a secret is rotated. Other members belong to older schemes. */
function timeAndMacs(toleranceSeconds: number) {
  return {
    format: "pairs",
    signature_member: "v1",
    timestamp_member: "t",
    signed: "{timestamp}.{body}",
    tolerance_seconds: toleranceSeconds,
  } as const;
}
