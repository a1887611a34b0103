import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

export interface Sasl {
  readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
  readonly username: string;
}

/** The messages with which a client signs in: each call of `next` takes what the broker said, the first one nothing. Null when nothing is left to say. */
export interface SignIn {
  readonly mechanism: string;
  /** Rejects with `SignInError`. */
  next(answer: Buffer): Promise<Buffer | null>;
}

/** Why a sign-in cannot continue, to complete the sentence "... could not be signed in to: ". */
export class SignInError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SignInError";
  }
}

/** Kafka itself allows 4096 to 16 384. More is work that a broker orders and we do. */
const LEAST_ITERATIONS = 4096;
const MOST_ITERATIONS = 65_536;
const derive = promisify(pbkdf2);

export function createSignIn({ mechanism, username }: Sasl, password: string): SignIn {
  if (mechanism === "plain") return plain(username, password);
  return scram(mechanism === "scram-sha-256" ? "sha256" : "sha512", username, password);
}

function plain(username: string, password: string): SignIn {
  const said = [Buffer.from(`\0${username}\0${password}`)];
  return { mechanism: "PLAIN", next: async () => await Promise.resolve(said.shift() ?? null) };
}

/** SCRAM (RFC 5802) without channel binding. The broker proves that it knows the password too. */
function scram(hash: "sha256" | "sha512", username: string, password: string): SignIn {
  const nonce = randomBytes(24).toString("base64");
  const bare = `n=${username.replaceAll("=", "=3D").replaceAll(",", "=2C")},r=${nonce}`;
  let isAsked = false;
  let proof: Buffer | undefined;

  async function prove(challenge: string): Promise<Buffer> {
    const { salt, iterations, both } = readChallenge(challenge, nonce);
    const salted = await derive(password, salt, iterations, hash === "sha256" ? 32 : 64, hash);
    const mac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text).digest();
    const last = `c=biws,r=${both}`;
    const exchange = `${bare},${challenge},${last}`;
    const clientKey = mac(salted, "Client Key");
    const signature = mac(createHash(hash).update(clientKey).digest(), exchange);
    proof = mac(mac(salted, "Server Key"), exchange);
    const shown = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
    return Buffer.from(`${last},p=${shown.toString("base64")}`);
  }

  return {
    mechanism: hash === "sha256" ? "SCRAM-SHA-256" : "SCRAM-SHA-512",
    async next(answer) {
      if (!isAsked) {
        isAsked = true;
        return Buffer.from(`n,,${bare}`);
      }
      const text = answer.toString();
      if (proof === undefined) return await prove(text);
      const shown = Buffer.from(/^v=([^,]+)/.exec(text)?.[1] ?? "", "base64");
      if (shown.length !== proof.length || !timingSafeEqual(shown, proof)) {
        throw new SignInError("it does not know the password itself, so it may be another machine");
      }
      return null;
    },
  };
}

function readChallenge(challenge: string, nonce: string) {
  const [, both = "", salt = "", count = ""] = /^r=([^,]+),s=([^,]+),i=(\d{1,9})(?:,|$)/.exec(challenge) ?? [];
  const iterations = Number(count);
  if (!both.startsWith(nonce) || both === nonce || salt === "")
    throw new SignInError("its challenge is not that of SCRAM");
  if (iterations < LEAST_ITERATIONS || iterations > MOST_ITERATIONS) {
    throw new SignInError(
      `it asks for ${iterations} iterations, and ${LEAST_ITERATIONS} to ${MOST_ITERATIONS} are allowed`,
    );
  }
  return { salt: Buffer.from(salt, "base64"), iterations, both };
}
