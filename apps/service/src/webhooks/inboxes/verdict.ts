import { timingSafeEqualText } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import { hmacHex, signStandard } from "../../platform/outbound-http/outbound-http.ts";

export type SignatureVerdict = "valid" | "invalid" | "unsigned";

/** The headers of a request with lower-case names. */
export type WireHeaders = Readonly<Record<string, string>>;

/**
 * Verifies a delivery like a careful receiver: every signature in it must be valid under one of the secrets. Times are
 * not checked (contract, section 5, "The request").
 */
export function checkSignature(headers: WireHeaders, body: Uint8Array, secrets: readonly Hidden[]): SignatureVerdict {
  const own = headers["x-service-signature"];
  const standard = headers["webhook-signature"];
  if (own === undefined && standard === undefined) return "unsigned";
  const proven = secrets.filter(
    (secret) =>
      (own === undefined || isOwn(own, body, secret)) &&
      (standard === undefined || isStandard(standard, { headers, body, secret })),
  );
  return proven.length > 0 ? "valid" : "invalid";
}

function isOwn(signature: string, body: Uint8Array, secret: Hidden): boolean {
  return timingSafeEqualText(signature, hmacHex(secret.reveal(), body));
}

function isStandard(
  signatures: string,
  delivery: { readonly headers: WireHeaders; readonly body: Uint8Array; readonly secret: Hidden },
): boolean {
  const id = delivery.headers["webhook-id"];
  const timestamp = delivery.headers["webhook-timestamp"];
  if (id === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return false;
  const expected = signStandard(delivery.secret.reveal(), id, Number(timestamp), delivery.body);
  return signatures.split(" ").some((signature) => timingSafeEqualText(signature, expected));
}
