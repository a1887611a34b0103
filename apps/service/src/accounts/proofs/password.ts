import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ServiceError } from "../../lib/lib.ts";
import { createHashQueue } from "./hash-queue.ts";
import type { HashPlace } from "./hash-queue.ts";

export { placeOf } from "./hash-queue.ts";

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 256;

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** The hash that is checked for an unknown e-mail address, so that it takes as long as a wrong password. */
const NOBODY = phc(COST, Buffer.alloc(16), Buffer.alloc(TAG_BYTES));

const argon2Async = promisify(argon2);
/** Runs work that derives a password, with what must be read for it, in the turns of all such work of this process. */
export const { add: inTurn, isBusy } = createHashQueue();
/** The operator's own setup of the installation. */
const OPERATORS: HashPlace = { purpose: "change", network: "operator", account: "operator" };

/** Returns the PHC string of a password, with its salt and cost. Hashes outside the event loop. */
export async function hashPassword(password: string, place = OPERATORS): Promise<string> {
  const nonce = randomBytes(16);
  const derivation = { message: Buffer.from(password), nonce, tagLength: TAG_BYTES, ...COST };
  const tag = await inTurn(place, async () => await argon2Async("argon2id", derivation));
  return phc(COST, nonce, tag);
}

/** Returns a hash that no password matches, for a person who has none. */
export function hashOfNone(): string {
  return phc(COST, randomBytes(16), randomBytes(TAG_BYTES));
}

/** Returns true if the password matches the hash, in the caller's turn. Without a hash, it takes as long and returns false. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const match = FORM.exec(hash ?? NOBODY);
  if (match === null) throw new Error("a stored password hash has an unknown form");
  const [, memory, passes, parallelism, nonce = "", tag = ""] = match;
  const expected = Buffer.from(tag, "base64");
  const derivation = {
    message: Buffer.from(password),
    nonce: Buffer.from(nonce, "base64"),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  };
  return timingSafeEqual(await argon2Async("argon2id", derivation), expected) && hash !== undefined;
}

/** Refuses the e-mail address as a password, which the schema cannot check. */
export function assertPasswordAllowed(password: string, email: string, pointer = "/password"): void {
  if (password.toLowerCase() !== email.toLowerCase()) return;
  throw new ServiceError("validation_failed", {
    errors: [{ pointer, code: "password", message: "must not be the e-mail address" }],
  });
}

function phc(cost: Cost, nonce: Uint8Array, tag: Uint8Array): string {
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("base64")
    .replace(/(?<!=)=+$/, "");
}
