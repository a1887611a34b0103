import { isRecord, parseJson, randomText, ServiceError, unixSeconds } from "../../../lib/lib.ts";
import type { Clock, Hidden } from "../../../lib/lib.ts";
import { standardHeaders } from "../../../platform/outbound-http/outbound-http.ts";
import type { Exchange, Net } from "../../../platform/outbound-http/outbound-http.ts";
import { unverified } from "./refusals.ts";
import type { CallbackFault } from "./refusals.ts";

/** The address that a client wants events at, and the secret that it gave for them. */
export interface Callback {
  readonly url: string;
  readonly secret: Hidden;
  readonly subscriptionId: string;
}

const CHALLENGE_CHARS = 43;
const MOST_BYTES = 8192;
const TIMEOUT_MS = 10_000;

/**
 * Asks the receiver to repeat a challenge, so that a client cannot send events to a receiver that does not want them. Throws 422
 * `url_blocked`, and the refusal of the protocol.
 */
export async function verifyCallback(
  { net, clock }: { readonly net: Pick<Net, "vet" | "post">; readonly clock: Clock },
  { url, secret, subscriptionId }: Callback,
): Promise<void> {
  await net.vet(url);
  const challenge = randomText(CHALLENGE_CHARS);
  const body = JSON.stringify({ type: "verification", challenge });
  const id = `msg_verification_${randomText(CHALLENGE_CHARS)}`;
  const signed = standardHeaders([secret.reveal()], { id, timestamp: unixSeconds(clock.now()), body });
  const exchange = await net.post({
    url,
    headers: { "Content-Type": "application/json", ...signed, "X-MCP-Subscription-Id": subscriptionId },
    body,
    totalTimeoutMs: TIMEOUT_MS,
    maxBodyBytes: MOST_BYTES,
    once: true,
  });
  if (exchange.errorClass === "target_refused") throw new ServiceError("url_blocked");
  const fault = echoFault(exchange, challenge);
  if (fault !== undefined) throw unverified(fault);
}

function echoFault({ errorClass, status, body, truncated }: Exchange, challenge: string): CallbackFault | undefined {
  if (errorClass === "timeout") return "timeout";
  if (errorClass === "tls") return "tls_error";
  if (status === null) return "connection_refused";
  if (status >= 500) return "http_5xx";
  if (status >= 400) return "http_4xx";
  return errorClass === null && !truncated && echoOf(body) === challenge ? undefined : "challenge_failed";
}

function echoOf(body: Buffer): unknown {
  try {
    const answer: unknown = parseJson(body.toString());
    return isRecord(answer) ? answer["challenge"] : undefined;
  } catch {
    return undefined;
  }
}
