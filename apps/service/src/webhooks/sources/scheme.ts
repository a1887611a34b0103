import { t } from "../../lib/lib.ts";

/** How a sender proves that a request is its own (contract, section 12). */
export type Scheme = HmacScheme | KeyScheme | BasicScheme | TokenScheme | JwtScheme | SnsScheme;

/** Where a signature and its time stand, and what is signed. */
interface SignedParts {
  /** The header of the signature. Either this or `signature_path` is set. */
  readonly header?: string;
  /** The path of the signature in the body. */
  readonly signature_path?: string;
  /** `plain`: the value is the signature. `list`: several signatures. `pairs`: members such as `t=1,v1=ab`. */
  readonly format?: "plain" | "list" | "pairs";
  /** The text between the members of a list or of pairs. Default `,`. */
  readonly separator?: string;
  readonly signature_member?: string;
  readonly timestamp_member?: string;
  /** The text before each signature, such as `sha256=`. */
  readonly prefix?: string;
  /** The signed bytes, with placeholders. Default `{body}`. */
  readonly signed?: string;
  readonly timestamp_header?: string;
  readonly timestamp_path?: string;
  readonly timestamp_unit?: "seconds" | "milliseconds" | "rfc3339";
  /** The maximum difference between the sender's clock and ours, in both directions. */
  readonly tolerance_seconds?: number;
  /** The header of `{id}`. */
  readonly id_header?: string;
  /** The signed bytes: the body as it is sent, or before it gets its `Content-Encoding`. Default `sent`. */
  readonly over?: "sent" | "plain";
}

export interface HmacScheme extends SignedParts {
  readonly kind: "hmac";
  readonly algorithm: "sha1" | "sha256" | "sha384" | "sha512";
  readonly encoding: "hex" | "base64" | "base64url";
  /** How the text of the secret becomes the key. Default `text`. */
  readonly secret_encoding?: "text" | "base64" | "hex";
  /** A text before the secret that is not a part of the key, such as `whsec_`. */
  readonly secret_prefix?: string;
  /** A query parameter with the hash of the body, which the signed URL contains. Required unless a form is signed. */
  readonly body_hash?: {
    readonly query: string;
    readonly algorithm: "sha256" | "sha512";
    readonly encoding: "hex" | "base64" | "base64url";
  };
}

/** A signature with a private key. The secret of the source is the sender's public key. */
export interface KeyScheme extends SignedParts {
  readonly kind: "ed25519" | "ecdsa_p256";
  readonly encoding: "hex" | "base64";
  /** The form of the public key. `hex` and `base64` are 32 bytes for Ed25519, and a DER key for P-256. */
  readonly secret_encoding: "hex" | "base64" | "pem";
  /** The form of an ECDSA signature. Default `der`. */
  readonly signature_form?: "der" | "p1363";
}

/** HTTP Basic. The secret of the source is `user:password`. */
export interface BasicScheme {
  readonly kind: "basic";
}

/** The request contains the secret itself: in a header, a query parameter or the body. */
export interface TokenScheme {
  readonly kind: "token";
  readonly header?: string;
  readonly prefix?: string;
  readonly query?: string;
  readonly path?: string;
}

export interface JwtScheme {
  readonly kind: "jwt";
  readonly header: string;
  readonly prefix?: string;
  readonly algorithms: readonly JwtAlgorithm[];
  /** `secret`: the secret of the source is the key. Either this or `jwks_url` is set. */
  readonly key?: "secret";
  readonly jwks_url?: string;
  readonly issuer?: string;
  /** `url`: the URL of the source. */
  readonly audience?: string;
  /** A claim that contains the hash of the body. */
  readonly body_hash?: {
    readonly claim: string;
    readonly algorithm: "sha256" | "sha512";
    readonly encoding: "hex" | "base64" | "base64url";
  };
}

/** Amazon SNS. The secret of the source is the ARN of what sends. */
export interface SnsScheme {
  readonly kind: "sns";
}

export const JWT_ALGORITHMS = [
  "HS256",
  "HS384",
  "HS512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "ES256",
  "ES384",
  "EdDSA",
] as const;
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

/** The members that a caller may send. `schemeFaults` checks which of them belong together. */
const text = (description: string, example: string, maxLength = 200) =>
  t.Optional(t.StringExample(example, { minLength: 1, maxLength, description }));

export const SchemeShape = t.Unsafe<Scheme>(
  t.Object(
    {
      kind: t.OneOf(
        ["hmac", "ed25519", "ecdsa_p256", "basic", "token", "jwt", "sns"],
        "How the sender proves that a request is its own.",
      ),
      algorithm: t.Optional(t.OneOf(["sha1", "sha256", "sha384", "sha512"], "The hash of an HMAC.")),
      encoding: t.Optional(t.OneOf(["hex", "base64", "base64url"], "The encoding of the signature.")),
      header: text("The header that contains the signature, the token or the JWT.", "X-Signature"),
      signature_path: text("The path of the signature in the body, in place of a header.", "$.signature", 512),
      format: t.Optional(
        t.OneOf(
          ["plain", "list", "pairs"],
          "`plain`: the header is the signature. `list`: several signatures. `pairs`: members such as `t=1,v1=ab`.",
        ),
      ),
      separator: text("The text between the members of a list or of pairs. Default: a comma.", ",", 4),
      signature_member: text("The member of the signature in pairs.", "v1", 40),
      timestamp_member: text("The member of the timestamp in pairs.", "t", 40),
      prefix: text("The text before the signature, the token or the JWT.", "sha256=", 40),
      signed: text(
        "What is signed: a text with {body}, {timestamp}, {id}, {url}, {method}, {form}, {header:Name}, {query:name} and {body:$.path}. Default: {body}.",
        "{timestamp}.{body}",
        2000,
      ),
      timestamp_header: text("The header of the timestamp.", "X-Timestamp"),
      timestamp_path: text("The path of the timestamp in the body.", "$.timestamp", 512),
      timestamp_unit: t.Optional(t.OneOf(["seconds", "milliseconds", "rfc3339"], "Default: `seconds`.")),
      tolerance_seconds: t.Optional(
        t.Integer({
          minimum: 1,
          maximum: 86_400,
          description: "The maximum difference between the sender's clock and ours. Default: 300.",
        }),
      ),
      id_header: text("The header of {id}.", "X-Id"),
      over: t.Optional(
        t.OneOf(
          ["sent", "plain"],
          "What is signed of a compressed body: `sent`, the compressed bytes, or `plain`, the bytes before they were compressed. Default: `sent`.",
        ),
      ),
      secret_encoding: t.Optional(t.OneOf(["text", "base64", "hex", "pem"], "How the secret becomes the key.")),
      secret_prefix: text("A text before the secret that is not a part of the key.", "whsec_", 40),
      signature_form: t.Optional(t.OneOf(["der", "p1363"], "The form of an ECDSA signature. Default: `der`.")),
      query: text("The query parameter that contains the token.", "token", 100),
      path: text("The path of the token in the body.", "$.token", 512),
      algorithms: t.Optional(t.Array(t.OneOf(JWT_ALGORITHMS), { minItems: 1, maxItems: JWT_ALGORITHMS.length })),
      key: t.Optional(t.OneOf(["secret"], "The secret of the source is the key of the JWT.")),
      jwks_url: text(
        "The address of the sender's public keys.",
        "https://sender.example.com/.well-known/jwks.json",
        2048,
      ),
      issuer: text("The issuer that the JWT must have.", "https://sender.example.com"),
      audience: text("The audience that the JWT must have; `url` for the URL of the source.", "url", 2048),
      body_hash: t.Optional(
        t.Object(
          {
            claim: text("The claim of the JWT that contains the hash of the body.", "payload_hash", 100),
            query: text("The query parameter that contains the hash of the body.", "bodySHA256", 100),
            algorithm: t.OneOf(["sha256", "sha512"]),
            encoding: t.OneOf(["hex", "base64", "base64url"]),
          },
          t.strict,
        ),
      ),
    },
    {
      ...t.strict,
      title: "SignatureScheme",
      examples: [{ kind: "hmac", algorithm: "sha256", encoding: "hex", header: "X-Signature" }],
    },
  ),
);

/** Returns the header that contains the proof; null if it is in the query or in the body. */
export function headerOf(scheme: Scheme): string | null {
  if (scheme.kind === "basic") return "Authorization";
  return scheme.kind === "sns" ? null : (scheme.header ?? null);
}
