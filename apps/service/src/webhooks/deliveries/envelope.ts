import { toRfc3339, unixSeconds, validSecrets, VERSION, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Instant, SigningSecrets, Tag, Uuid } from "../../lib/lib.ts";
import { bodyWithSignature, hmacHex, signStandard } from "../../platform/outbound-http/outbound-http.ts";
import { workspaceWireId } from "../../accounts/accounts.ts";

/** The content of a webhook about one event. */
export interface Message {
  readonly tag: Tag;
  readonly environment: Environment;
  readonly workspaceId: Uuid;
  readonly deliveryId: Uuid;
  readonly eventId: Uuid;
  readonly eventName: string;
  readonly occurredAt: Instant;
  /** The source text of `data`, as the caller sent it. */
  readonly data: string;
  /** Sent unchanged, if present. */
  readonly traceparent?: string | undefined;
}

export interface SignedRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly timestamp: number;
}

/**
 * Returns the nonce of a delivery, which is the same on every attempt. It is derived from the delivery's id, so that it
 * needs no column.
 */
export function nonceOf(tag: Tag, deliveryId: Uuid): string {
  return `idk_${wireId("dlv", tag, deliveryId).slice("dlv_".length)}`;
}

/**
 * Returns the body without the value of its signature, the same bytes on every attempt (contract, section 5, "The
 * request").
 */
export function bodyBeforeSignature(message: Message): string {
  const delivery = wireId("dlv", message.tag, message.deliveryId);
  const head = {
    event: message.eventName,
    delivery_id: delivery,
    idempotency_key: nonceOf(message.tag, message.deliveryId),
    id: wireId("evt", message.tag, message.eventId),
    type: message.eventName,
    timestamp: toRfc3339(message.occurredAt),
    scope_kind: "workspace",
    scope_key: workspaceWireId(message.tag, message.workspaceId),
    environment: message.environment,
  };
  // The text of `data` is inserted unchanged: parsing and printing it would change numbers, order and spacing.
  return `${JSON.stringify(head).slice(0, -1)},"data":${message.data},"signature":""}`;
}

/** Signs the request with both families of signature headers. The endpoint's own headers cannot replace them. */
export function signedRequest(message: Message, secrets: SigningSecrets, at: Instant): SignedRequest {
  const id: Id = wireId("dlv", message.tag, message.deliveryId);
  const timestamp = unixSeconds(at);
  const secret = secrets.secret.reveal();
  const body = bodyWithSignature(secret, bodyBeforeSignature(message));
  const signatures = validSecrets(secrets).map((one) => signStandard(one.reveal(), id, timestamp, body));
  return {
    timestamp,
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `Junction/${VERSION}`,
      "X-Service-Signature": hmacHex(secret, body),
      "X-Service-Timestamp": String(timestamp),
      "X-Service-Event": message.eventName,
      "X-Service-Delivery": id,
      "X-Service-Idempotency": nonceOf(message.tag, message.deliveryId),
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatures.join(" "),
      ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
    },
  };
}
