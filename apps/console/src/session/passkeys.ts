import type { wire } from "../api/api.ts";

/** Returns false in browsers without passkeys, and on pages that are not secure. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;
}

/** Creates a key in the browser. Throws an error whose message is for the person. */
export async function createPasskey(options: wire.PasskeyCreationOptions): Promise<wire.PasskeyCredential> {
  const made = await withMessage(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as unknown as PublicKeyCredentialCreationOptionsJSON,
    );
    return await navigator.credentials.create({ publicKey });
  });
  const { id, rawId, response } = (made as PublicKeyCredential).toJSON() as RegistrationResponseJSON;
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, rawId, type: "public-key", response: { clientDataJSON, attestationObject, transports } };
}

/** Asks for one of the person's keys. Throws an error whose message is for the person. */
export async function askPasskey(options: wire.StepUpPasskeyRequest): Promise<wire.PasskeyAssertion> {
  const given = await withMessage(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return await navigator.credentials.get({ publicKey });
  });
  const { id, rawId, response } = (given as PublicKeyCredential).toJSON() as AuthenticationResponseJSON;
  const { clientDataJSON, authenticatorData, signature } = response;
  return { id, rawId, type: "public-key", response: { clientDataJSON, authenticatorData, signature } };
}

const MESSAGES: Readonly<Record<string, string>> = {
  NotAllowedError: "The browser was not given a key in time, or the request was cancelled. Try again.",
  InvalidStateError: "This key is registered already.",
  SecurityError: `Browsers allow no passkeys at ${globalThis.location?.origin ?? "this address"}. Open the console at its domain name, or at localhost on your own machine.`,
};

async function withMessage(ask: () => Promise<Credential | null>): Promise<Credential> {
  if (!hasPasskeys()) throw new Error("This browser has no passkeys, or the page is not secure (https).");
  try {
    const credential = await ask();
    if (credential !== null) return credential;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    throw new Error(MESSAGES[name] ?? "The browser could not use a key. Try again.", { cause: error });
  }
  throw new Error("The browser returned no key. Try again.");
}
