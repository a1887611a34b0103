import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { isIP } from "node:net";
import { after, systemClock, toRfc3339 } from "../lib/lib.ts";

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export interface CertificateAuthority {
  /** PEM. */
  readonly cert: string;
  issue(names: readonly string[], validDays?: { readonly from: number; readonly to: number }): Certificate;
}

/** Creates a certificate authority, without openssl on the machine. */
export function createAuthority(): CertificateAuthority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = { name: "Junction test authority", key: keys.privateKey };
  const own = { subject: issuer.name, key: keys.publicKey, days: { from: -1, to: 2 } };
  return {
    cert: makeCertificate({ ...own, extensions: [CA_EXTENSION] }, issuer),
    issue(names, days = { from: -1, to: 2 }) {
      const leaf = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const extensions = [alternativeNames(names)];
      return {
        cert: makeCertificate({ subject: names[0] ?? "", key: leaf.publicKey, days, extensions }, issuer),
        key: leaf.privateKey.export({ type: "pkcs8", format: "pem" }),
      };
    },
  };
}

interface Request {
  readonly subject: string;
  readonly key: KeyObject;
  readonly days: { readonly from: number; readonly to: number };
  readonly extensions: readonly Buffer[];
}

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OID = 0x06;
const TRUE = Buffer.from([0x01, 0x01, 0xff]);
const ECDSA_SHA256 = der(SEQUENCE, der(OID, Buffer.from("2a8648ce3d040302", "hex")));
const CA_EXTENSION = der(
  SEQUENCE,
  der(OID, Buffer.from("551d13", "hex")),
  TRUE,
  der(OCTET_STRING, der(SEQUENCE, TRUE)),
);

function makeCertificate(request: Request, issuer: { readonly name: string; readonly key: KeyObject }): string {
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    distinguishedName(issuer.name),
    der(SEQUENCE, utcTime(request.days.from), utcTime(request.days.to)),
    distinguishedName(request.subject),
    request.key.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, ...request.extensions)),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign("sha256", toBeSigned, issuer.key));
  const whole = der(SEQUENCE, toBeSigned, ECDSA_SHA256, signature).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${whole.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(commonName: string): Buffer {
  const attribute = der(SEQUENCE, der(OID, Buffer.from("550403", "hex")), der(0x0c, Buffer.from(commonName)));
  return der(SEQUENCE, der(0x31, attribute));
}

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIP(name) === 4 ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name)),
  );
  return der(SEQUENCE, der(OID, Buffer.from("551d11", "hex")), der(OCTET_STRING, der(SEQUENCE, ...entries)));
}

function utcTime(daysFromNow: number): Buffer {
  const digits = toRfc3339(after(systemClock.now(), daysFromNow * 86_400_000)).replace(/\D/g, "");
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
