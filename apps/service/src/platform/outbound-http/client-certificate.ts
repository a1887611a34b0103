import { createPrivateKey, X509Certificate } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { fromDate, resultOf, sha256, timeText, toRfc3339 } from "../../lib/lib.ts";
import type { Hidden, Instant } from "../../lib/lib.ts";

/** The certificate that a request presents to the receiver, and its key as PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: Hidden;
}

/** A certificate with its key, in the form that a connection presents. */
export interface ClientIdentity {
  /** Differs for each certificate and key, so that no connection is used for another one. */
  readonly id: string;
  readonly cert: string;
  readonly key: string;
}

export type CertificateFault = {
  readonly of: "certificate" | "key";
  readonly code: string;
  /** For people, without the key. */
  readonly fault: string;
};

/** Returns the end of a certificate's validity, or why it cannot be presented with this key now. */
export function readCertificate(
  certificate: string,
  key: Hidden,
  now: Instant,
): { readonly expiresAt: Instant } | CertificateFault {
  const read = resultOf(() => new X509Certificate(certificate));
  if (read instanceof Error)
    return {
      of: "certificate",
      code: "certificate",
      fault: "must be a certificate as PEM (-----BEGIN CERTIFICATE-----)",
    };
  const expiresAt = fromDate(read.validToDate);
  if (expiresAt <= now)
    return { of: "certificate", code: "expired", fault: `must still be valid: it expired on ${toRfc3339(expiresAt)}` };
  if (fromDate(read.validFromDate) > now)
    return {
      of: "certificate",
      code: "not_yet_valid",
      fault: `must be valid already: it is valid from ${timeText(read.validFromDate)}`,
    };
  const pem = keyOf(key);
  if (pem === undefined)
    return {
      of: "key",
      code: "key",
      fault: "must name a secret that contains a private key as PEM, without a passphrase",
    };
  if (read.checkPrivateKey(pem)) return { expiresAt };
  return {
    of: "key",
    code: "key_mismatch",
    fault: "must name the secret with the key of this certificate, not another key",
  };
}

export function identityOf({ certificate, key }: ClientCertificate): ClientIdentity {
  const pem = pemOf(key);
  return { id: sha256(`${certificate}\n${pem}`).toString("base64"), cert: certificate, key: pem };
}

function keyOf(key: Hidden): KeyObject | undefined {
  const read = resultOf(() => createPrivateKey(pemOf(key)));
  return read instanceof Error ? undefined : read;
}

/** Returns the PEM text of a key. On one line, its line breaks are written `\n`, as in environment variables. */
function pemOf(key: Hidden): string {
  return key.reveal().replaceAll(String.raw`\n`, "\n");
}
