import type { Hidden } from "../../../lib/lib.ts";
import { BrokerError } from "../broker.ts";
import type { BrokerLink } from "./broker-link.ts";
import { askAuthenticate, askHandshake, askVersions } from "./requests.ts";
import { createSignIn, SignInError } from "./sasl.ts";
import type { Sasl, SignIn } from "./sasl.ts";

const UNSUPPORTED_VERSION = 35;
const UNSUPPORTED_MECHANISM = 33;
const NOT_A_SASL_PORT = 34;
/** The first message, the proof, and the check of the broker's own. */
const MOST_ROUNDS = 3;

export interface SignInOptions {
  readonly sasl: Sasl | null;
  readonly credential: Hidden | null;
}

/** Asks what the broker can do, and signs in. Returns for how long the sign-in holds, in milliseconds; 0 for no end. */
export async function signIn(
  link: BrokerLink,
  { sasl, credential }: SignInOptions,
  leftMs: () => number,
): Promise<number> {
  const versions = await link.ask(askVersions, "sign_in", leftMs());
  if (versions.code === UNSUPPORTED_VERSION || versions.missing.length > 0) {
    const missing = versions.missing.join(" and ") || "ApiVersions 0";
    throw refusal(link, `does not know ${missing} of Kafka's protocol. Kafka 2.1 or later is needed.`);
  }
  if (versions.code !== 0) throw refusal(link, `refused the first request with Kafka's error code ${versions.code}.`);
  if (sasl === null) return 0;
  if (credential === null) throw refusal(link, "needs a secret for `sasl`. Name one in `sasl.secret_ref`.");
  return await authenticate(link, createSignIn(sasl, credential.reveal()), leftMs);
}

async function authenticate(link: BrokerLink, exchange: SignIn, leftMs: () => number): Promise<number> {
  const offer = await link.ask(askHandshake(exchange.mechanism), "sign_in", leftMs());
  if (offer.code !== 0) throw refusal(link, whyNoHandshake(exchange.mechanism, offer));
  let said: Buffer = Buffer.alloc(0);
  let lifetimeMs = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const next = await exchange.next(said).catch((error: unknown) => {
      if (error instanceof SignInError) throw refusal(link, `cannot be signed in to: ${error.message}.`);
      throw error;
    });
    if (next === null) break;
    const answer = await link.ask(askAuthenticate(next), "sign_in", leftMs());
    if (answer.code !== 0) throw refusal(link, whyNotSignedIn(exchange.mechanism, answer.code));
    said = answer.bytes;
    lifetimeMs = answer.lifetimeMs;
  }
  return lifetimeMs;
}

function refusal({ at, address }: BrokerLink, predicate: string): BrokerError {
  return new BrokerError("sign_in", `The broker at ${at} ${predicate}`, address);
}

function whyNoHandshake(
  mechanism: string,
  { code, mechanisms }: { readonly code: number; readonly mechanisms: readonly string[] },
): string {
  if (code === NOT_A_SASL_PORT) {
    return "has no sign-in on this port. Use the port of a SASL listener, or set `sasl` to null.";
  }
  if (code !== UNSUPPORTED_MECHANISM) return `refused the sign-in with Kafka's error code ${code}.`;
  const known = mechanisms.filter((name) => /^[A-Z0-9-]{1,40}$/.test(name)).slice(0, 10);
  return `does not offer ${mechanism}, but ${known.join(", ") || "nothing"}. Change \`sasl.mechanism\`.`;
}

function whyNotSignedIn(mechanism: string, code: number): string {
  return `refused the user name or the password (${mechanism}, Kafka's error code ${code}). Correct \`sasl.username\` or the secret.`;
}
