import type { wire } from "../../api/api.ts";

/** One thing that a receiver checks: what is signed, with which key, what comes out and what was sent. */
export interface Check {
  readonly title: string;
  readonly how: string;
  /** The text that is signed. */
  readonly signed: string;
  readonly computed: string;
  readonly sent: string;
  readonly matches: boolean;
}

type Request = NonNullable<wire.DeliveryDetail["request"]>;

const encoder = new TextEncoder();

/** `crypto.subtle` exists only on https and on localhost. */
export const canCompute = globalThis.crypto?.subtle !== undefined;

/** Computes the three signatures of a delivery with a secret, as a receiver does (contract, section 5). */
export async function checksOf(request: Request, secret: string): Promise<readonly Check[]> {
  const { body } = request;
  const header = (name: string): string =>
    Object.entries(request.headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
  const bodySignature = /"signature":"([^"]*)"\}$/.exec(body)?.[1] ?? "";
  const unsigned = body.replace(/"signature":"[^"]*"\}$/, '"signature":""}');
  const standardText = `${header("webhook-id")}.${header("webhook-timestamp")}.${body}`;
  const [overBody, overUnsigned, standard] = await Promise.all([
    hmac(encoder.encode(secret), body),
    hmac(encoder.encode(secret), unsigned),
    hmac(standardKey(secret), standardText),
  ]);
  const ours = `v1,${base64(standard)}`;
  return [
    {
      title: "X-Service-Signature",
      how: "Hex HMAC-SHA256 of the raw body. The key is the secret's text as shown, including whsec_.",
      signed: body,
      computed: hex(overBody),
      sent: header("x-service-signature"),
      matches: hex(overBody) === header("x-service-signature"),
    },
    {
      title: "webhook-signature (Standard Webhooks)",
      how: "Base64 HMAC-SHA256 of id.timestamp.body, so that the timestamp can't be forged. The key is the part after whsec_, decoded from base64.",
      signed: standardText,
      computed: ours,
      sent: header("webhook-signature"),
      matches: header("webhook-signature").split(" ").includes(ours),
    },
    {
      title: "Signature in the body",
      how: "Hex HMAC-SHA256 of the body with this value left empty. The key is the secret's text.",
      signed: unsigned,
      computed: `sha256=${hex(overUnsigned)}`,
      sent: bodySignature,
      matches: `sha256=${hex(overUnsigned)}` === bodySignature,
    },
  ];
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  // A key of no bytes cannot be imported; it matches nothing either way.
  const bytes = key.length === 0 ? new Uint8Array(1) : key;
  const imported = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text)));
}

function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (char) => char.charCodeAt(0));
  } catch {
    return encoder.encode(secret);
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
