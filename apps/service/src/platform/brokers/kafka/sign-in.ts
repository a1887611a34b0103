import type { Hidden } from "../../../lib/lib.ts";
import { BrokerError } from "../broker.ts";
import type { BrokerLink } from "./broker-link.ts";
import { askAuthenticate, askHandshake, askVersions } from "./requests.ts";
import { createSignIn, SignInError } from "./sasl.ts";
import type { Sasl } from "./sasl.ts";

const UNSUPPORTED_VERSION = 35;
const UNSUPPORTED_MECHANISM = 33;
const NOT_A_SASL_PORT = 34;
/** The first message, the proof, and the check of the broker's own. */
const MOST_ROUNDS = 3;

/** Asks what the broker can do, and signs in. Returns for how long the sign-in holds, in milliseconds; 0 for no end. */
export async function signIn(
  link: BrokerLink,
  sasl: Sasl | null,
  credential: Hidden | null,
  leftMs: () => number,
): Promise<number> {
  const refuse = (text: string): BrokerError => new BrokerError("sign_in", text, link.address);
  const versions = await link.ask(askVersions, "sign_in", leftMs());
  if (versions.code === UNSUPPORTED_VERSION || versions.missing.length > 0) {
    throw refuse(`The broker at ${link.at} does not know ${versions.missing.join(" and ") || "ApiVersions 0"} of Kafka's protocol. Kafka 2.1 or later is needed.`);
  }
  if (versions.code !== 0) throw refuse(`The broker at ${link.at} refused the first request with Kafka's error code ${versions.code}.`);
  if (sasl === null) return 0;
  if (credential === null) throw refuse("The destination has `sasl` without a secret. Name one in `sasl.secret_ref`.");
  const exchange = createSignIn(sasl, credential.reveal());
  const offer = await link.ask(askHandshake(exchange.mechanism), "sign_in", leftMs());
  if (offer.code !== 0) throw refuse(whyNoHandshake(link.at, exchange.mechanism, offer));
  let said: Buffer = Buffer.alloc(0);
  let lifetimeMs = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const next = await exchange.next(said).catch((error: unknown) => {
      if (error instanceof SignInError) throw refuse(`The broker at ${link.at} cannot be signed in to: ${error.message}.`);
      throw error;
    });
    if (next === null) return lifetimeMs;
    const answer = await link.ask(askAuthenticate(next), "sign_in", leftMs());
    if (answer.code !== 0) throw refuse(whyNotSignedIn(link.at, exchange.mechanism, answer.code));
    said = answer.bytes;
    lifetimeMs = answer.lifetimeMs;
  }
  return lifetimeMs;
}

function whyNoHandshake(
  at: string,
  mechanism: string,
  { code, mechanisms }: { readonly code: number; readonly mechanisms: readonly string[] },
): string {
  if (code === NOT_A_SASL_PORT) return `${at} is a port without sign-in. Use the port of a SASL listener, or set \`sasl\` to null.`;
  if (code !== UNSUPPORTED_MECHANISM) return `The broker at ${at} refused the sign-in with Kafka's error code ${code}.`;
  const known = mechanisms.filter((name) => /^[A-Z0-9-]{1,40}$/.test(name)).slice(0, 10);
  return `The broker at ${at} does not offer ${mechanism}, but ${known.join(", ") || "nothing"}. Change \`sasl.mechanism\`.`;
}

function whyNotSignedIn(at: string, mechanism: string, code: number): string {
  return `The broker at ${at} refused the user name or the password (${mechanism}, Kafka's error code ${code}). Correct \`sasl.username\` or the secret.`;
}
