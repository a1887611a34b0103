import { headersWithout, toRfc3339, unixSeconds, validSecrets, VERSION, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Instant, SigningSecrets, Tag, Uuid } from "../../lib/lib.ts";
import { bodyWithSignature, hmacHex, signStandard } from "../../platform/outbound-http/outbound-http.ts";
import { signaturesOfKeys } from "../endpoints/signature-families.ts";
import type { OwnSigning, SignatureFamily } from "../endpoints/signature-families.ts";
import { workspaceWireId } from "../../accounts/accounts.ts";
import type { LanePlace } from "./queue.ts";
import type { Wire } from "../endpoints/wire.ts";

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
  /** The key of its lane and its number there; null without an order. */
  readonly lane?: LanePlace | null;
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

/** The secrets of an endpoint, and how it signs. */
interface EndpointSecrets extends SigningSecrets {
  readonly signing?: OwnSigning | null;
  /** The form of its requests. Default: `service`. */
  readonly wire?: Wire;
  /** The id that an AI client has for its subscription; null for other endpoints. */
  readonly subscriptionId?: string | null;
}

/**
 * Signs the request with both families of signature headers. The endpoint's own headers cannot replace them. A body that a
 * transformation made is signed as it is.
 */
export function signedRequest(
  message: Message,
  secrets: EndpointSecrets,
  at: Instant,
  transformedBody?: string,
): SignedRequest {
  if (secrets.wire === "svix") return svixRequest(message, secrets, at, transformedBody);
  if (secrets.wire === "mcp") return mcpRequest(message, secrets, at);
  const id: Id = wireId("dlv", message.tag, message.deliveryId);
  const timestamp = unixSeconds(at);
  const secret = secrets.secret.reveal();
  const { signing = null } = secrets;
  const isOwn = has(signing, "service");
  const body = transformedBody ?? signedBody(isOwn ? secret : null, message);
  const bytes = body.length > LARGE_UNITS ? Buffer.from(body) : body;
  const signatures = standardSignatures(secrets, { id, timestamp, body: bytes });
  return {
    timestamp,
    body,
    bytes,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `Junction/${VERSION}`,
      ...(isOwn ? { "X-Service-Signature": hmacHex(secret, bytes) } : {}),
      "X-Service-Timestamp": String(timestamp),
      "X-Service-Event": message.eventName,
      "X-Service-Delivery": id,
      "X-Service-Idempotency": nonceOf(message.tag, message.deliveryId),
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      ...(signatures.length === 0 ? {} : { "webhook-signature": signatures.join(" ") }),
      ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
      ...laneHeaders(message.lane),
    },
  };
}

interface Signed {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string | Buffer;
}

function standardSignatures(secrets: EndpointSecrets, { id, timestamp, body }: Signed): string[] {
  const { signing = null } = secrets;
  const valid = has(signing, "standard") ? validSecrets(secrets) : [];
  return [
    ...valid.map((one) => signStandard(one.reveal(), id, timestamp, body)),
    ...(signing === null ? [] : signaturesOfKeys(signing, { id, timestamp, body })),
  ];
}

function laneHeaders(lane: LanePlace | null | undefined): Record<string, string> {
  if (lane === null || lane === undefined) return {};
  const { key, sequence } = lane;
  return { "X-Service-Sequence": sequence, "X-Service-Ordering-Key": encodeURIComponent(key) };
}

function has(signing: OwnSigning | null, family: SignatureFamily): boolean {
  return signing === null || signing.families.has(family);
}

/** Returns the body. Without a secret, the value of its signature stays empty. */
function signedBody(secret: string | null, message: Message): string {
  const before = bodyBeforeSignature(message);
  return secret === null ? before : bodyWithSignature(secret, before);
}

/** Returns the id of an event as the Svix-compatible API and its receivers know it. */
export function messageWireId(tag: Tag, eventId: Uuid): string {
  return `msg_${wireId("evt", tag, eventId).slice("evt_".length)}`;
}

/** Returns the request with the data as its body, byte for byte (contract, section 18). */
function svixRequest(
  message: Message,
  secrets: EndpointSecrets,
  at: Instant,
  transformedBody: string | undefined,
): SignedRequest {
  const id = messageWireId(message.tag, message.eventId);
  const timestamp = unixSeconds(at);
  const body = transformedBody ?? message.data;
  const bytes = body.length > LARGE_UNITS ? Buffer.from(body) : body;
  const signature = standardSignatures(secrets, { id, timestamp, body: bytes }).join(" ");
  return {
    timestamp,
    body,
    bytes,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `Junction/${VERSION}`,
      ...headersNamed("svix", { id, timestamp, signature }),
      ...headersNamed("webhook", { id, timestamp, signature }),
      ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
    },
  };
}

/** The most bytes that the clients' receivers take. */
const MOST_MCP_BYTES = 262_144;
/** The tool with which a client reads an event that is too large to be sent. */
export const RECENT_EVENTS = "get_recent_events";

/** Returns the request for a subscription of an AI client, which knows an event by the id of the message (contract, section 17). */
function mcpRequest(message: Message, secrets: EndpointSecrets, at: Instant): SignedRequest {
  const id = wireId("evt", message.tag, message.eventId);
  const timestamp = unixSeconds(at);
  const body = mcpBody(id, message);
  const bytes = Buffer.from(body);
  const signature = standardSignatures(secrets, { id, timestamp, body: bytes }).join(" ");
  return {
    timestamp,
    body,
    bytes,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `Junction/${VERSION}`,
      ...headersNamed("webhook", { id, timestamp, signature }),
      "X-MCP-Subscription-Id": secrets.subscriptionId ?? "",
      ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
    },
  };
}

function mcpBody(eventId: string, { eventName, occurredAt, data }: Message): string {
  const head = JSON.stringify({ eventId, name: eventName, timestamp: toRfc3339(occurredAt) }).slice(0, -1);
  const body = `${head},"data":${data},"cursor":null}`;
  if (Buffer.byteLength(body) <= MOST_MCP_BYTES) return body;
  const stub = { truncated: true, event_id: eventId, read_tool: RECENT_EVENTS };
  return `${head},"data":${JSON.stringify(stub)},"cursor":null}`;
}

function headersNamed(
  prefix: string,
  { id, timestamp, signature }: { readonly id: string; readonly timestamp: number; readonly signature: string },
): Record<string, string> {
  return { [`${prefix}-id`]: id, [`${prefix}-timestamp`]: String(timestamp), [`${prefix}-signature`]: signature };
}

type Headers = Readonly<Record<string, string>>;

const CONTENT_TYPE = "Content-Type";

/**
 * Returns all headers of a request. Those of a transformation replace the endpoint's own, and those of the service replace both,
 * except the content type.
 */
export function headersOf(own: Headers, transformed: Headers | undefined, signed: Headers): Record<string, string> {
  if (transformed === undefined) return { ...own, ...signed };
  const [type] = Object.entries(transformed).filter(([name]) => isContentType(name));
  const added = Object.entries(transformed).filter(([name]) => !isContentType(name));
  const all = { ...headersWithout(own, transformed), ...Object.fromEntries(added), ...signed };
  return type === undefined ? all : { ...all, [CONTENT_TYPE]: type[1] };
}

function isContentType(name: string): boolean {
  return name.toLowerCase() === CONTENT_TYPE.toLowerCase();
}
