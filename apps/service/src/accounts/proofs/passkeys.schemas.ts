import {
  ListOf,
  Nullable,
  OneOf,
  PageQuery,
  readable,
  secret,
  strict,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import type { Static } from "../../lib/lib.ts";

const ID = "pGk4ZvTq5wW0l1v7Xn3bYw";
const USER_VERIFICATIONS = ["required", "preferred"] as const;
export type UserVerification = (typeof USER_VERIFICATIONS)[number];

/** Base64url without padding, as browsers send it. */
const Bytes = (example: string, maxLength: number) =>
  StringExample(example, { minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$" });
const CredentialId = Bytes(ID, 1400);
const ClientData = Bytes("eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0", 4000);
const Transports = Type.Array(StringExample("usb", { maxLength: 40, pattern: "^[a-z-]+$" }), { maxItems: 10 });
const Extensions = Type.Optional(
  Type.Unsafe<object>({
    type: "object",
    additionalProperties: true,
    maxProperties: 20,
    description: "Ignored.",
    examples: [{}],
  }),
);
const Attachment = Type.Optional(
  Nullable(StringExample("platform", { maxLength: 40, pattern: "^[a-z-]*$", description: "Ignored." })),
);
const KeyType = OneOf(["public-key"]);

export const AssertionShape = Type.Object(
  {
    id: CredentialId,
    rawId: CredentialId,
    type: KeyType,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        authenticatorData: Bytes("SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ", 4000),
        signature: Bytes("MEUCIQDq", 4000),
        userHandle: Type.Optional(Nullable(StringExample("MDE5", { maxLength: 200 }))),
      },
      { ...strict, title: "PasskeyAssertionResponse" },
    ),
    clientExtensionResults: Extensions,
    authenticatorAttachment: Attachment,
  },
  {
    ...strict,
    title: "PasskeyAssertion",
    description: "The JSON of the credential that `navigator.credentials.get` returned.",
  },
);
export type Assertion = Static<typeof AssertionShape>;

const NewCredentialShape = Type.Object(
  {
    id: CredentialId,
    rawId: CredentialId,
    type: KeyType,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        attestationObject: Bytes("o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ", 20_000),
        transports: Type.Optional(Transports),
        authenticatorData: Type.Optional(StringExample("SZYN5YgO", { maxLength: 20_000, description: "Ignored." })),
        publicKey: Type.Optional(Nullable(StringExample("MFkwEwYH", { maxLength: 20_000, description: "Ignored." }))),
        publicKeyAlgorithm: Type.Optional(Type.Integer({ examples: [-7], description: "Ignored." })),
      },
      { ...strict, title: "PasskeyCreationResponse" },
    ),
    clientExtensionResults: Extensions,
    authenticatorAttachment: Attachment,
  },
  {
    ...strict,
    title: "PasskeyCredential",
    description: "The JSON of the credential that `navigator.credentials.create` returned.",
  },
);
export type NewCredential = Static<typeof NewCredentialShape>;

const Descriptor = Type.Object(
  { type: KeyType, id: CredentialId, transports: Type.Array(StringExample("usb")) },
  { title: "PasskeyDescriptor" },
);
const Challenge = StringExample("Zm9ydHktdGhyZWUgcmFuZG9tIGNoYXJhY3RlcnM", {
  description: "Can be answered once, within 5 minutes, in the session that it was made for.",
});
const Timeout = Type.Integer({ examples: [300_000], description: "In milliseconds." });
const Verification = OneOf(USER_VERIFICATIONS, "Whether the key must check a PIN, fingerprint or face.");

export const CreationOptionsShape = Type.Object(
  {
    rp: Type.Object(
      { id: StringExample("junction.example.com"), name: StringExample("Junction") },
      { title: "PasskeySite" },
    ),
    user: Type.Object(
      {
        id: StringExample("MDE5M2I3YjA"),
        name: StringExample("ines.costa@example.com"),
        displayName: StringExample("Ines Costa"),
      },
      { title: "PasskeyUser" },
    ),
    challenge: Challenge,
    pubKeyCredParams: Type.Array(
      Type.Object({ type: KeyType, alg: Type.Integer({ examples: [-7] }) }, { title: "PasskeyAlgorithm" }),
    ),
    timeout: Timeout,
    excludeCredentials: Type.Array(Descriptor),
    authenticatorSelection: Type.Object(
      { residentKey: OneOf(["discouraged"]), requireResidentKey: Type.Boolean(), userVerification: Verification },
      { title: "PasskeySelection" },
    ),
    attestation: OneOf(["none"]),
  },
  { title: "PasskeyCreationOptions", description: "For `PublicKeyCredential.parseCreationOptionsFromJSON`." },
);
export type CreationOptions = Static<typeof CreationOptionsShape>;

export const RequestOptionsShape = Type.Object(
  {
    challenge: Challenge,
    timeout: Timeout,
    rpId: StringExample("junction.example.com"),
    allowCredentials: Type.Array(Descriptor),
    userVerification: Verification,
  },
  { title: "PasskeyRequestOptions", description: "For `PublicKeyCredential.parseRequestOptionsFromJSON`." },
);
export type RequestOptions = Static<typeof RequestOptionsShape>;

const Name = StringExample("Blue security key", {
  minLength: 1,
  maxLength: 60,
  pattern: "^[^\\u0000-\\u001f\\u007f]+$",
  description: "A name of your choice.",
  ...readable,
});

export const PasskeyParams = Type.Object({ id: WireId("pky") });
export const PasskeyShape = Type.Object(
  {
    id: WireId("pky"),
    object: OneOf(["passkey"]),
    name: Name,
    transports: Type.Array(StringExample("usb"), { description: "How browsers reach it, as they reported it." }),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
  },
  { title: "Passkey" },
);
export const PasskeyListQuery = Type.Object(PageQuery, strict);
export const PasskeyList = ListOf(PasskeyShape);
/** A proof that the person, and not only the open browser, makes the change. */
export const OwnProofBody = Type.Object(
  {
    password: Type.Optional(StringExample("correct horse battery staple", { minLength: 1, maxLength: 200, ...secret })),
    code: Type.Optional(
      StringExample("492039", {
        minLength: 6,
        maxLength: 40,
        description:
          "Instead of a step-up: a recovery code, or six digits from the authenticator app of a person without a passkey.",
        ...secret,
      }),
    ),
  },
  {
    ...strict,
    title: "OwnProof",
    description:
      "A person with a second factor sends a code, or begins and proves a step-up for the operation first. Others send the password, which is not needed in the first 10 minutes of a session that OpenID Connect opened.",
  },
);
export const NewPasskeyBody = Type.Object(
  { name: Name, credential: NewCredentialShape },
  { ...strict, title: "NewPasskey" },
);
export const PasskeyNameBody = Type.Object({ name: Name }, { ...strict, title: "PasskeyName" });
export const RegisteredShape = Type.Object(
  {
    object: OneOf(["passkey_registration"]),
    passkey: PasskeyShape,
    recovery_codes: Type.Array(StringExample("k7mq-2vxa"), {
      description:
        "Each code works once in place of a passkey. Shown only once, with the first second factor; otherwise empty.",
    }),
  },
  { title: "PasskeyRegistration" },
);
