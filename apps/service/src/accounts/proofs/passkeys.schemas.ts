import { t } from "../../lib/lib.ts";

const ID = "pGk4ZvTq5wW0l1v7Xn3bYw";
const USER_VERIFICATIONS = ["required", "preferred"] as const;
export type UserVerification = (typeof USER_VERIFICATIONS)[number];

/** Base64url without padding, as browsers send it. */
const Bytes = (example: string, maxLength: number) =>
  t.StringExample(example, { minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$" });
const CredentialId = Bytes(ID, 1400);
const ClientData = Bytes("eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0", 4000);
const Transports = t.Array(t.StringExample("usb", { maxLength: 40, pattern: "^[a-z-]+$" }), { maxItems: 10 });
const Extensions = t.Optional(
  t.Unsafe<object>({
    type: "object",
    additionalProperties: true,
    maxProperties: 20,
    description: "Ignored.",
    examples: [{}],
  }),
);
const Attachment = t.Optional(
  t.Nullable(t.StringExample("platform", { maxLength: 40, pattern: "^[a-z-]*$", description: "Ignored." })),
);
const KeyType = t.OneOf(["public-key"]);

export const AssertionShape = t.Object(
  {
    id: CredentialId,
    rawId: CredentialId,
    type: KeyType,
    response: t.Object(
      {
        clientDataJSON: ClientData,
        authenticatorData: Bytes("SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ", 4000),
        signature: Bytes("MEUCIQDq", 4000),
        userHandle: t.Optional(t.Nullable(t.StringExample("MDE5", { maxLength: 200 }))),
      },
      { ...t.strict, title: "PasskeyAssertionResponse" },
    ),
    clientExtensionResults: Extensions,
    authenticatorAttachment: Attachment,
  },
  {
    ...t.strict,
    title: "PasskeyAssertion",
    description: "The JSON of the credential that `navigator.credentials.get` returned.",
  },
);
export type Assertion = t.Static<typeof AssertionShape>;

const NewCredentialShape = t.Object(
  {
    id: CredentialId,
    rawId: CredentialId,
    type: KeyType,
    response: t.Object(
      {
        clientDataJSON: ClientData,
        attestationObject: Bytes("o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ", 20_000),
        transports: t.Optional(Transports),
        authenticatorData: t.Optional(t.StringExample("SZYN5YgO", { maxLength: 20_000, description: "Ignored." })),
        publicKey: t.Optional(t.Nullable(t.StringExample("MFkwEwYH", { maxLength: 20_000, description: "Ignored." }))),
        publicKeyAlgorithm: t.Optional(t.Integer({ examples: [-7], description: "Ignored." })),
      },
      { ...t.strict, title: "PasskeyCreationResponse" },
    ),
    clientExtensionResults: Extensions,
    authenticatorAttachment: Attachment,
  },
  {
    ...t.strict,
    title: "PasskeyCredential",
    description: "The JSON of the credential that `navigator.credentials.create` returned.",
  },
);
export type NewCredential = t.Static<typeof NewCredentialShape>;

const Descriptor = t.Object(
  { type: KeyType, id: CredentialId, transports: t.Array(t.StringExample("usb")) },
  { title: "PasskeyDescriptor" },
);
const Challenge = t.StringExample(
  "Zm9ydHktdGhyZWUgcmFuZG9tIGNoYXJhY3RlcnM",
  "Can be answered once, within 5 minutes, in the session that it was made for.",
);
const Timeout = t.Integer({ examples: [300_000], description: "In milliseconds." });
const Verification = t.OneOf(USER_VERIFICATIONS, "Whether the key must check a PIN, fingerprint or face.");

export const CreationOptionsShape = t.Object(
  {
    rp: t.Object(
      { id: t.StringExample("junction.example.com"), name: t.StringExample("Junction") },
      { title: "PasskeySite" },
    ),
    user: t.Object(
      {
        id: t.StringExample("MDE5M2I3YjA"),
        name: t.StringExample("ines.costa@example.com"),
        displayName: t.StringExample("Ines Costa"),
      },
      { title: "PasskeyUser" },
    ),
    challenge: Challenge,
    pubKeyCredParams: t.Array(
      t.Object({ type: KeyType, alg: t.Integer({ examples: [-7] }) }, { title: "PasskeyAlgorithm" }),
    ),
    timeout: Timeout,
    excludeCredentials: t.Array(Descriptor),
    authenticatorSelection: t.Object(
      { residentKey: t.OneOf(["discouraged"]), requireResidentKey: t.Boolean(), userVerification: Verification },
      { title: "PasskeySelection" },
    ),
    attestation: t.OneOf(["none"]),
  },
  { title: "PasskeyCreationOptions", description: "For `PublicKeyCredential.parseCreationOptionsFromJSON`." },
);
export type CreationOptions = t.Static<typeof CreationOptionsShape>;

export const RequestOptionsShape = t.Object(
  {
    challenge: Challenge,
    timeout: Timeout,
    rpId: t.StringExample("junction.example.com"),
    allowCredentials: t.Array(Descriptor),
    userVerification: Verification,
  },
  { title: "PasskeyRequestOptions", description: "For `PublicKeyCredential.parseRequestOptionsFromJSON`." },
);
export type RequestOptions = t.Static<typeof RequestOptionsShape>;

const Name = t.StringExample("Blue security key", {
  minLength: 1,
  maxLength: 60,
  pattern: "^[^\\u0000-\\u001f\\u007f]+$",
  description: "A name of your choice.",
  ...t.readable,
});

export const PasskeyParams = t.Object({ id: t.WireId("pky") });
export const PasskeyShape = t.Object(
  {
    id: t.WireId("pky"),
    object: t.OneOf(["passkey"]),
    name: Name,
    transports: t.Array(t.StringExample("usb"), { description: "How browsers reach it, as they reported it." }),
    created_at: t.Timestamp,
    last_used_at: t.Nullable(t.Timestamp),
  },
  { title: "Passkey" },
);
export const PasskeyListQuery = t.Object(t.PageQuery, t.strict);
export const PasskeyList = t.ListOf(PasskeyShape);
/** A proof that the person, and not only the open browser, makes the change. */
export const OwnProofBody = t.Object(
  {
    password: t.Optional(
      t.StringExample("correct horse battery staple", { minLength: 1, maxLength: 200, ...t.secret }),
    ),
    code: t.Optional(
      t.StringExample("492039", {
        minLength: 6,
        maxLength: 40,
        description:
          "Instead of a step-up: a recovery code, or six digits from the authenticator app of a person without a passkey.",
        ...t.secret,
      }),
    ),
  },
  {
    ...t.strict,
    title: "OwnProof",
    description:
      "A person with a second factor sends a code, or begins and proves a step-up for the operation first. Others send the password, which is not needed in the first 10 minutes of a session that OpenID Connect opened.",
  },
);
export const NewPasskeyBody = t.Object(
  { name: Name, credential: NewCredentialShape },
  { ...t.strict, title: "NewPasskey" },
);
export const PasskeyNameBody = t.Object({ name: Name }, { ...t.strict, title: "PasskeyName" });
export const RegisteredShape = t.Object(
  {
    object: t.OneOf(["passkey_registration"]),
    passkey: PasskeyShape,
    recovery_codes: t.Array(t.StringExample("k7mq-2vxa"), {
      description:
        "Each code works once in place of a passkey. Shown only once, with the first second factor; otherwise empty.",
    }),
  },
  { title: "PasskeyRegistration" },
);
