import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import type { RelyingParty } from "./relying-party.ts";
import type {
  Assertion,
  CreationOptions,
  NewCredential,
  RequestOptions,
  UserVerification,
} from "./passkeys.schemas.ts";
import type { PasskeyRow } from "./passkeys.store.ts";
import { parseJson } from "../../lib/lib.ts";

/** The time that a person has for a ceremony, in milliseconds. */
export const CEREMONY_MS = 5 * 60_000;
/** EdDSA, ES256 and RS256, the algorithms of all authenticators in use. */
const ALGORITHMS = [-8, -7, -257];
/** Longer ids are not from an authenticator: the standard allows at most this. */
const MAX_ID_BYTES = 1023;

/** Loads the library with the first ceremony: it takes 13 MiB, and most people have no passkey. */
async function loadLibrary() {
  const [library, helpers] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  return { ...library, helpers };
}

type Helpers = Awaited<ReturnType<typeof loadLibrary>>["helpers"];

export interface CreationAsk {
  readonly party: RelyingParty;
  readonly challenge: string;
  readonly person: { readonly id: string; readonly email: string; readonly name: string };
  readonly existing: readonly PasskeyRow[];
}

export function creationOptions({ party, challenge, person, existing }: CreationAsk): CreationOptions {
  return {
    rp: { id: party.id, name: "Junction" },
    user: { id: Buffer.from(person.id).toString("base64url"), name: person.email, displayName: person.name },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CEREMONY_MS,
    excludeCredentials: existing.map(descriptorOf),
    // The password comes first, so the key need not know for whom it is, which would use up its few places.
    authenticatorSelection: { residentKey: "discouraged", requireResidentKey: false, userVerification: "preferred" },
    attestation: "none",
  };
}

export interface RequestAsk {
  readonly party: RelyingParty;
  readonly challenge: string;
  readonly passkeys: readonly PasskeyRow[];
  readonly userVerification: UserVerification;
}

export function requestOptions({ party, challenge, passkeys, userVerification }: RequestAsk): RequestOptions {
  return {
    challenge,
    timeout: CEREMONY_MS,
    rpId: party.id,
    allowCredentials: passkeys.map(descriptorOf),
    userVerification,
  };
}

function descriptorOf({ credential_id: id, transports }: PasskeyRow): RequestOptions["allowCredentials"][number] {
  return { type: "public-key", id: id.toString("base64url"), transports };
}

/** Returns the challenge that a browser's response answers; undefined if the response is malformed. */
export function challengeOf({ response }: Assertion | NewCredential): string | undefined {
  try {
    const read: unknown = parseJson(Buffer.from(response.clientDataJSON, "base64url").toString("utf8"));
    const challenge = typeof read === "object" && read !== null && "challenge" in read ? read.challenge : undefined;
    return typeof challenge === "string" ? challenge : undefined;
  } catch {
    return undefined;
  }
}

export interface CreatedKey {
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  readonly sign_count: number;
  readonly transports: string[];
}

/** Returns the key that an authenticator created for this challenge and this site; undefined for anything else. */
export async function verifyCreation(
  { id, origin }: RelyingParty,
  challenge: string,
  given: NewCredential,
): Promise<CreatedKey | undefined> {
  const { verifyRegistrationResponse, helpers } = await loadLibrary();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: withoutAttestation(helpers, given),
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { credential } = registrationInfo;
    const credentialId = Buffer.from(credential.id, "base64url");
    if (credentialId.length > MAX_ID_BYTES || credential.id !== given.id) return undefined;
    return {
      credential_id: credentialId,
      public_key: Buffer.from(credential.publicKey),
      sign_count: credential.counter,
      transports: [...(given.response.transports ?? [])],
    };
  } catch {
    return undefined;
  }
}

/**
 * Drops the statement about the authenticator's maker, which was not asked for. To check one, the library would fetch
 * addresses that certificates in it name, and a caller could write those.
 */
function withoutAttestation(
  { decodeAttestationObject, isoCBOR }: Helpers,
  given: NewCredential,
): RegistrationResponseJSON {
  const object = decodeAttestationObject(Buffer.from(given.response.attestationObject, "base64url"));
  const plain = isoCBOR.encode(
    new Map<string, string | Map<string, string> | Uint8Array>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", object.get("authData")],
    ]),
  );
  const { id, rawId, type, response } = given;
  const { clientDataJSON } = response;
  const attestationObject = Buffer.from(plain).toString("base64url");
  return { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} };
}

export interface AssertionCheck {
  readonly party: RelyingParty;
  readonly challenge: string;
  readonly passkey: PasskeyRow;
  readonly given: Assertion;
  readonly userVerification: UserVerification;
}

/** Returns the use count of a key that signed this challenge for this site; undefined if it did not. */
export async function verifyAssertion(check: AssertionCheck): Promise<number | undefined> {
  const { party, challenge, passkey, given, userVerification } = check;
  const { id, rawId, type, response } = given;
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // The count is compared in the statement that stores it, so that two nodes cannot both accept one.
      credential: { id, publicKey: Uint8Array.from(passkey.public_key), counter: 0 },
      requireUserVerification: userVerification === "required",
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}
