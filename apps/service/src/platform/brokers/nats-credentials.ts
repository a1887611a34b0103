import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { Hidden } from "../../lib/lib.ts";
import { BrokerError } from "./broker.ts";

/** Members of NATS' CONNECT that say who connects. */
export type SignIn = Readonly<Record<string, string>>;

const JWT = /-----BEGIN NATS USER JWT-----\s+(\S+)\s+-+END NATS USER JWT-+/;
const SEED_IN_FILE = /-----BEGIN USER NKEY SEED-----\s+(\S+)\s+-+END USER NKEY SEED-+/;
const SEED = /^SU[A-Z2-7]{56}$/;

/**
 * Returns how a credential signs in. With a user name, it is the password. Without one, it is the text of a `.creds` file, the seed of an nkey
 * or a token. `nonce` is what the server wants to have signed; null if it wants nothing. Throws `BrokerError`.
 */
export function signInOf(username: string | undefined, credential: Hidden | null, nonce: string | null): SignIn {
  if (credential === null) return username === undefined ? {} : { user: username, pass: "" };
  const secret = credential.reveal();
  if (username !== undefined) return { user: username, pass: secret };
  const text = secret.trim();
  const [, jwt] = JWT.exec(text) ?? [];
  const [, seedInFile] = SEED_IN_FILE.exec(text) ?? [];
  if (jwt !== undefined && seedInFile !== undefined) return { jwt, sig: signed(keyOf(seedInFile), nonce) };
  if (text.startsWith("-----BEGIN"))
    throw new BrokerError(
      "sign_in",
      "The secret is no complete .creds file: it must have the JWT of a user and the seed of its nkey.",
    );
  if (!SEED.test(text)) return { auth_token: secret };
  const key = keyOf(text);
  return { nkey: publicNkey(key), sig: signed(key, nonce) };
}

function signed(key: KeyObject, nonce: string | null): string {
  if (nonce === null)
    throw new BrokerError(
      "sign_in",
      "The server asks for no signature, so it knows no nkeys. Use a user name or a token.",
    );
  return sign(null, Buffer.from(nonce), key).toString("base64url");
}

/** The start of an Ed25519 private key in PKCS #8, before its 32 bytes. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const SEED_PREFIX = 0x90;
const USER_PREFIX = 0xa0;
const KEY_BYTES = 32;
const PREFIX_BYTES = 2;
const CHECKSUM_BYTES = 2;

function keyOf(seed: string): KeyObject {
  const bytes = fromBase32(seed);
  const content = bytes.subarray(0, -CHECKSUM_BYTES);
  const isUserSeed =
    bytes.length === PREFIX_BYTES + KEY_BYTES + CHECKSUM_BYTES &&
    bytes[0] === (SEED_PREFIX | (USER_PREFIX >> 5)) &&
    bytes.readUInt16LE(content.length) === crc16(content);
  if (!isUserSeed)
    throw new BrokerError("sign_in", "The seed in the secret is no seed of a user's nkey. Copy it again.");
  const key = Buffer.concat([PKCS8, content.subarray(PREFIX_BYTES)]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

function publicNkey(key: KeyObject): string {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  const content = Buffer.concat([Buffer.from([USER_PREFIX]), Buffer.from(x, "base64url")]);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt16LE(crc16(content));
  return toBase32(Buffer.concat([content, checksum]));
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function fromBase32(text: string): Buffer {
  const bits = text
    .split("")
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/[01]{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)));
}

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((octet) => octet.toString(2).padStart(8, "0")).join("");
  return (bits.match(/[01]{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/** The CRC-16 of XMODEM, with which nkeys end. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc;
}
