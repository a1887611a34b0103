type Args = Record<string, unknown>;

const PEM = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9
q9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==
-----END PUBLIC KEY-----`;
const SECRET = "example-only-secret-0001";
const SIGNED = { kind: "hmac", algorithm: "sha256", encoding: "hex" };

const schemes: readonly { readonly scheme: Args; readonly secret: string }[] = [
  {
    secret: SECRET,
    scheme: {
      ...SIGNED,
      header: "X-Signature",
      format: "pairs",
      separator: ",",
      signature_member: "v1",
      timestamp_member: "t",
      signed: "{timestamp}.{id}.{body}",
      timestamp_unit: "seconds",
      tolerance_seconds: 300,
      id_header: "X-Id",
      over: "sent",
      secret_encoding: "text",
    },
  },
  {
    secret: `whsec_${Buffer.from(SECRET).toString("base64")}`,
    scheme: {
      ...SIGNED,
      header: "X-Signature",
      format: "plain",
      prefix: "sha256=",
      signed: "{timestamp}.{body}",
      timestamp_header: "X-Timestamp",
      secret_encoding: "base64",
      secret_prefix: "whsec_",
    },
  },
  {
    secret: SECRET,
    scheme: {
      ...SIGNED,
      signature_path: "$.signature",
      timestamp_path: "$.timestamp",
      signed: "{timestamp}.{body:$.data}",
    },
  },
  {
    secret: PEM,
    scheme: {
      kind: "ecdsa_p256",
      encoding: "base64",
      header: "X-Signature",
      secret_encoding: "pem",
      signature_form: "p1363",
    },
  },
  { secret: SECRET, scheme: { kind: "token", query: "token" } },
  { secret: SECRET, scheme: { kind: "token", path: "$.token" } },
  {
    secret: SECRET,
    scheme: {
      kind: "jwt",
      header: "Authorization",
      prefix: "Bearer ",
      algorithms: ["HS256"],
      key: "secret",
      issuer: "https://sender.example.com",
      audience: "me",
      body_hash: { claim: "payload_hash", algorithm: "sha256", encoding: "hex" },
    },
  },
  {
    secret: SECRET,
    scheme: {
      kind: "jwt",
      header: "X-Jwt",
      algorithms: ["RS256"],
      jwks_url: "https://127.0.0.1:9/jwks.json",
      issuer: "https://sender.example.com",
    },
  },
  {
    secret: SECRET,
    scheme: {
      ...SIGNED,
      header: "X-Signature",
      signed: "{url}{form}",
      body_hash: { query: "bodySHA256", algorithm: "sha256", encoding: "hex" },
    },
  },
];

/** Sources that together have every member of a source. */
export const richSources: readonly Args[] = [
  {
    preset: "custom",
    name: "Payments",
    description: "Live account",
    active: false,
    respond: { status: 202, content_type: "application/json", body: '{"ok":true}' },
    charset: "windows-1252",
    handshakes: [
      {
        method: "OPTIONS",
        when: { query: ["challenge"], header: ["WebHook-Request-Origin"] },
        signed: false,
        hmac: { of: "{query:challenge}", algorithm: "sha256", encoding: "hex" },
        answer: {
          status: 200,
          content_type: "text/plain",
          body: "{hmac}",
          headers: { "WebHook-Allowed-Origin": "{header:WebHook-Request-Origin}" },
        },
      },
      {
        method: "POST",
        when: { body: { "$.type": "url_verification", "$.count": 1, "$.any": null } },
        signed: true,
        answer: { status: 200, content_type: "application/json", body: '{"challenge":"ok"}' },
      },
    ],
    tenant: "acme",
    contact: "if_present",
    event_type_header: "X-Type",
    idempotency_key_header: "X-Key",
    contact_email_path: ["$.email", "$.user.email"],
    event_type_path: "$.type",
    event_type_default: "thing.done",
    contact_name_path: "$.name",
    value_path: "$.value",
    value_unit: "minor",
    currency_path: "$.currency",
    summary_path: "$.summary",
    dedupe_by_body: true,
    dedupe_ignore: ["$.sent_at"],
    score: { default: 5, by_event_type: { "invoice.paid": 10 }, per_value: 0.5 },
    event_name: "payment.received",
  },
  { each: "$.items", idempotency_key_path: "$.id", summary_template: "Paid ${$.total}" },
  { idempotency_key_template: "${$.a}-${$.b}" },
  { sender: "github", secret: SECRET },
  { signature_scheme: "github", secret: SECRET },
  ...schemes,
];
