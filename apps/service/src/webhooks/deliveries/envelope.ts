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
  /** The body as it is sent: bytes if it is large, so that it is encoded once for its signatures and the connection. */
  readonly bytes: string | Buffer;
  readonly timestamp: number;
}

/** The length from which a body is encoded first. Node signs and sends short texts faster as they are. */
const LARGE_UNITS = 8192;

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

/**
 * Signs the request with both families of signature headers. The endpoint's own headers cannot replace them. A body that a
 * transformation made is signed as it is.
 */
export function signedRequest(
  message: Message,
  secrets: SigningSecrets,
  at: Instant,
  transformedBody?: string,
): SignedRequest {
  const id: Id = wireId("dlv", message.tag, message.deliveryId);
  const timestamp = unixSeconds(at);
  const secret = secrets.secret.reveal();
  const body = transformedBody ?? bodyWithSignature(secret, bodyBeforeSignature(message));
  const bytes = body.length > LARGE_UNITS ? Buffer.from(body) : body;
  const signatures = validSecrets(secrets).map((one) => signStandard(one.reveal(), id, timestamp, bytes));
  return {
    timestamp,
    body,
    bytes,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `Junction/${VERSION}`,
      "X-Service-Signature": hmacHex(secret, bytes),
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

type Headers = Readonly<Record<string, string>>;

const CONTENT_TYPE = "Content-Type";

/**
 * Returns all headers of a request. Those of a transformation replace the endpoint's own, and those of the service replace both,
 * except the content type.
 */
export function headersOf(own: Headers, transformed: Headers | undefined, signed: Headers): Record<string, string> {
  if (transformed === undefined) return { ...own, ...signed };
  const names = new Set(Object.keys(transformed).map((name) => name.toLowerCase()));
  const kept = Object.entries(own).filter(([name]) => !names.has(name.toLowerCase()));
  const [type] = Object.entries(transformed).filter(([name]) => isContentType(name));
  const added = Object.entries(transformed).filter(([name]) => !isContentType(name));
  const all = { ...Object.fromEntries([...kept, ...added]), ...signed };
  return type === undefined ? all : { ...all, [CONTENT_TYPE]: type[1] };
}

function isContentType(name: string): boolean {
  return name.toLowerCase() === CONTENT_TYPE.toLowerCase();
}
