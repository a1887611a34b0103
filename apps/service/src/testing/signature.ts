import { createHmac } from "node:crypto";

/** Returns the MAC of the specification, written independently of the code under test: lower-case hex HMAC-SHA256, keyed with the secret's text. */
export function macHex(secret: string, body: string): string {
  return createHmac("sha256", Buffer.from(secret, "utf8")).update(Buffer.from(body, "utf8")).digest("hex");
}

/** Returns the Standard Webhooks signature: base64 HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes after `whsec_`. */
export function macStandard(secret: string, signed: { id: unknown; timestamp: unknown; body: string }): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const text = `${String(signed.id)}.${String(signed.timestamp)}.${signed.body}`;
  return `v1,${createHmac("sha256", key).update(text, "utf8").digest("base64")}`;
}

const SIGNATURE_END = /"signature":"([^"]*)"\}$/;

/** Returns the body before its own signature was inserted, and that signature. */
export function unsigned(body: string): { before: string; signature: string } {
  const signature = SIGNATURE_END.exec(body)?.[1] ?? "";
  return { before: body.replace(SIGNATURE_END, '"signature":""}'), signature };
}
