import { createHmac } from "node:crypto";
import { ServiceError, timingSafeEqualText, unixSeconds } from "../../lib/lib.ts";
import type { Hidden, Instant } from "../../lib/lib.ts";

/** The two headers of a request from Slack; undefined if absent or repeated. */
export interface SlackProof {
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
}

const TOLERANCE_SECONDS = 300;
const SECONDS = /^\d{10}$/;

/**
 * Throws 401 unless Slack signed exactly these bytes in the last five minutes: `v0=` and the hex HMAC-SHA256 of
 * `v0:<timestamp>:<body>`, keyed with the app's signing secret.
 */
export function assertFromSlack(
  secret: Hidden,
  { signature, timestamp, body, now }: SlackProof & { readonly body: Buffer; readonly now: Instant },
): void {
  const mac = createHmac("sha256", secret.reveal());
  const expected = `v0=${mac
    .update(`v0:${timestamp ?? ""}:`)
    .update(body)
    .digest("hex")}`;
  if (!timingSafeEqualText(expected, signature ?? ""))
    throw new ServiceError("signature_invalid", {
      detail: "X-Slack-Signature must sign the body with the signing secret of the Slack app.",
    });
  const isRecent = SECONDS.test(timestamp ?? "") && Math.abs(unixSeconds(now) - Number(timestamp)) <= TOLERANCE_SECONDS;
  if (!isRecent)
    throw new ServiceError("timestamp_out_of_range", {
      detail: `X-Slack-Request-Timestamp must be within ${TOLERANCE_SECONDS} seconds of the server's time.`,
    });
}
