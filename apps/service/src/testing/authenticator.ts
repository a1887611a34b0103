import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { TestPerson } from "./people.ts";
import type { ApiAnswer, Parsed } from "./test-service.ts";

/** False statements of an authenticator or a browser. */
export interface Pretence {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  /** False if the key did not check a PIN, fingerprint or face. */
  readonly verified?: boolean;
  readonly count?: number;
  /** The format of a statement about the maker, with what it contains. */
  readonly attestation?: { readonly fmt: string; readonly statement: ReadonlyMap<string, unknown> };
}

/** An authenticator with one key, and the browser before it. */
export interface Authenticator {
  /** Returns the JSON of `navigator.credentials.create`. */
  create(options: Parsed, pretence?: Pretence): Parsed;
  /** Returns the JSON of `navigator.credentials.get`. */
  get(options: Parsed, pretence?: Pretence): Parsed;
}

const PRESENT = 1;
const VERIFIED = 4;
const WITH_KEY = 64;

/** Starts an authenticator that counts its uses, for the site of a service. */
export function newAuthenticator(baseUrl: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  const port = new URL(baseUrl).port;
  let uses = 0;

  function clientData(type: string, { challenge }: Parsed, pretence: Pretence): Buffer {
    const origin = pretence.origin ?? `http://localhost:${port}`;
    return Buffer.from(
      JSON.stringify({ type, challenge: pretence.challenge ?? challenge, origin, crossOrigin: false }),
    );
  }

  function authenticatorData(rpId: string, { verified = true, count }: Pretence, key?: Buffer): Buffer {
    uses += 1;
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(count ?? uses);
    const flags = PRESENT | (verified ? VERIFIED : 0) | (key === undefined ? 0 : WITH_KEY);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counted, key ?? Buffer.alloc(0)]);
  }

  const named = { id: text(id), rawId: text(id), type: "public-key", clientExtensionResults: {} };
  return {
    create(options, pretence = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const cose = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Uint8Array.from(Buffer.from(x, "base64url"))],
        [-3, Uint8Array.from(Buffer.from(y, "base64url"))],
      ]);
      const key = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(cose)]);
      const data = authenticatorData(pretence.rpId ?? options.rp.id, pretence, key);
      const { fmt, statement } = pretence.attestation ?? { fmt: "none", statement: new Map() };
      const object = isoCBOR.encode(
        new Map<string, Parsed>([
          ["fmt", fmt],
          ["attStmt", statement],
          ["authData", Uint8Array.from(data)],
        ]),
      );
      const clientDataJSON = text(clientData("webauthn.create", options, pretence));
      return { ...named, response: { clientDataJSON, attestationObject: text(object), transports: ["usb"] } };
    },
    get(options, pretence = {}) {
      const client = clientData("webauthn.get", options, pretence);
      const data = authenticatorData(pretence.rpId ?? options.rpId, pretence);
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey);
      return {
        ...named,
        response: { clientDataJSON: text(client), authenticatorData: text(data), signature: text(signature) },
      };
    },
  };
}

/** Registers a new authenticator of a person, who proves it with the key `proof` if they have one. Returns it with the answer to the registration. */
export async function withPasskey(
  baseUrl: string,
  { password, call }: Pick<TestPerson, "password" | "call">,
  { name = "Blue key", proof }: { readonly name?: string; readonly proof?: Authenticator } = {},
): Promise<{ readonly key: Authenticator; readonly registered: Parsed }> {
  const key = newAuthenticator(baseUrl);
  if (proof !== undefined) await stepUpWith({ call }, proof, { operation: "auth.passkeys.begin" });
  const begun = await call("POST", "/v1/auth/passkeys/begin", { password });
  if (begun.status !== 201) throw new Error(`no passkey begun: ${begun.text}`);
  const made = await call("POST", "/v1/auth/passkeys", { name, credential: key.create(begun.body) });
  if (made.status !== 201) throw new Error(`no passkey: ${made.text}`);
  return { key, registered: made.body };
}

/** Begins a step-up for a change of a guard, and proves it with the person's key. */
export async function stepUpWith(
  { call }: Pick<TestPerson, "call">,
  key: Authenticator,
  change: object,
  pretence: Pretence = {},
): Promise<ApiAnswer> {
  const begun = await call("POST", "/v1/step-ups", { change });
  if (begun.status !== 201) throw new Error(`no step-up begun: ${begun.text}`);
  const assertion = key.get(begun.body["passkey_request"], pretence);
  return await call("POST", `/v1/step-ups/${String(begun.body["id"])}/prove`, { assertion });
}

function sha256(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
