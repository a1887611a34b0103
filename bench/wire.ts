import { createHmac, randomUUID } from "node:crypto";
import {
  anyPerson,
  PERSON_MARK,
  personDigits,
  SAMPLES,
  STAMP_DIGITS,
  STAMP_MARK,
  stampOf,
  TENANT_MARK,
} from "./workload.ts";
import type { Workload } from "./workload.ts";

/** Returns the monotonic clock that all processes of this machine share, in microseconds. */
export function machineMicros(): number {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e6 + Math.floor(nanos / 1000);
}

export interface FireTarget {
  readonly port: number;
  readonly key: string;
  readonly workload: Workload;
}

/** Makes `POST /v1/events/fire` requests as bytes, each with its own idempotency key, as every SDK sends one. */
export function createFireMaker(target: FireTarget): (sentMicros: number) => Buffer {
  const run = randomUUID();
  const { names, hotShare, tenants = 0 } = target.workload;
  const templates = SAMPLES.map((data, at) => fireTemplate(target, run, names[at % names.length] ?? "", data));
  let made = 0;
  return (sentMicros) => {
    const template = templates[made % templates.length];
    if (template === undefined) throw new Error("there is no event to fire");
    made += 1;
    const request = Buffer.from(template.bytes);
    request.write(stampOf(made), template.keyAt, "latin1");
    request.write(stampOf(sentMicros), template.stampAt, "latin1");
    const person = personDigits(anyPerson(hotShare));
    for (const at of template.personAt) request.write(person, at, "latin1");
    if (template.tenantAt >= 0) request.write(tenantDigits(tenants), template.tenantAt, "latin1");
    return request;
  };
}

/** A ready request, and where its changing parts are. */
interface FireTemplate {
  readonly bytes: Buffer;
  readonly keyAt: number;
  readonly stampAt: number;
  readonly personAt: readonly number[];
  /** Negative for an event without a tenant. */
  readonly tenantAt: number;
}

function tenantDigits(tenants: number): string {
  return String(Math.floor(Math.random() * tenants)).padStart(TENANT_MARK.length, "0");
}

function fireTemplate({ port, key, workload }: FireTarget, run: string, event: string, data: string): FireTemplate {
  const tenant = workload.tenants === undefined ? "" : `"tenant":"t${TENANT_MARK}",`;
  const body = `{"event":"${event}",${tenant}"data":${data}}`;
  const head = [
    "POST /v1/events/fire HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Idempotency-Key: ${run}-${"0".repeat(STAMP_DIGITS)}`,
  ];
  const bytes = Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
  return {
    bytes,
    keyAt: bytes.indexOf(run) + run.length + 1,
    stampAt: bytes.indexOf(STAMP_MARK) + STAMP_MARK.length,
    personAt: placesOf(bytes, PERSON_MARK),
    tenantAt: bytes.indexOf(TENANT_MARK),
  };
}

function placesOf(bytes: Buffer, mark: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) places.push(at);
  return places;
}

/** The data of an order, about one customer. */
function orderText(stamp: string): string {
  return (SAMPLES[0] ?? "")
    .replace(`${STAMP_MARK}${"0".repeat(STAMP_DIGITS)}`, `${STAMP_MARK}${stamp}`)
    .replaceAll(PERSON_MARK, personDigits(1));
}

export interface ActionTarget {
  readonly port: number;
  readonly key: string;
  /** The contract's key. */
  readonly action: string;
}

/** Makes `POST /v1/actions/run` requests as bytes, each confirmed and with its own idempotency key. */
export function createActionMaker(target: ActionTarget): (sentMicros: number) => Buffer {
  const digits = "0".repeat(STAMP_DIGITS);
  const body = `{"action":"${target.action}","parameters":{"order":"ord_10293","amount":12900,"reason":"ordered twice"},"confirmed":true}`;
  const run = randomUUID();
  const head = [
    "POST /v1/actions/run HTTP/1.1",
    `Host: 127.0.0.1:${target.port}`,
    `Authorization: Bearer ${target.key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Idempotency-Key: ${run}-${digits}`,
  ];
  const template = Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
  const keyAt = template.indexOf(run) + run.length + 1;
  let made = 0;
  return () => {
    const request = Buffer.from(template);
    made += 1;
    request.write(stampOf(made), keyAt, "latin1");
    return request;
  };
}

export interface MessageTarget {
  readonly port: number;
  /** An API key, or the access token of a connected app. */
  readonly credential: string;
}

const PROTOCOL = "2026-07-28";

/** Returns a message of the Model Context Protocol as bytes, which lists the tools. */
export function messageOf({ port, credential }: MessageTarget): Buffer {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } });
  const head = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${credential}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `MCP-Protocol-Version: ${PROTOCOL}`,
    "Mcp-Method: tools/list",
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

export interface InboundTarget {
  readonly port: number;
  /** Path and query of the source's URL. */
  readonly target: string;
  readonly secret: string;
  /** The events of a request, as a list; without it, a request is one event. */
  readonly listed?: number;
}

/** Number of people in the inbound events. */
const INBOUND_PEOPLE = 1000;

/** Returns signed requests to a source as bytes. Each event is about one of a thousand people. */
export function createInboundMaker(target: InboundTarget): (sentMicros: number) => Buffer {
  const digits = "0".repeat(STAMP_DIGITS);
  const one = Buffer.from(
    `{"id":"evt_${digits}-${randomUUID()}","type":"order.paid","email":"person-${digits}@example.com","name":"Ada Lovelace","amount":129.00,"summary":"Paid order A-10293","order":${orderText(digits)}}`,
  );
  const body =
    target.listed === undefined ? one : Buffer.from(`[${Array.from({ length: target.listed }, () => one).join(",")}]`);
  const head = [
    `POST ${target.target} HTTP/1.1`,
    `Host: 127.0.0.1:${target.port}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `X-Service-Inbound-Signature: ${"0".repeat(64)}`,
  ];
  const template = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
  const bodyAt = template.length - body.length;
  const macAt = template.indexOf("Signature: ") + "Signature: ".length;
  const firstAt = template.indexOf("evt_", bodyAt);
  const [idAt, personAt] = ["evt_".length, template.indexOf("person-", firstAt) - firstAt + "person-".length];
  const stampAt = template.indexOf(STAMP_MARK, firstAt) - firstAt + STAMP_MARK.length;
  let made = 0;
  return (sentMicros) => {
    const request = Buffer.from(template);
    for (let at = firstAt; at < template.length; at += one.length + 1) {
      made += 1;
      request.write(stampOf(made), at + idAt, "latin1");
      request.write(stampOf(made % INBOUND_PEOPLE), at + personAt, "latin1");
      request.write(stampOf(sentMicros), at + stampAt, "latin1");
    }
    const mac = createHmac("sha256", target.secret).update(request.subarray(bodyAt)).digest("hex");
    request.write(mac, macAt, "latin1");
    return request;
  };
}

export interface SignedPost {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A delivery as the service sends it (contract, section 5, "The request"): the same members, headers and three HMACs. */
export function signedPost(secret: string, event: string, sentMicros: number): SignedPost {
  const stamp = stampOf(sentMicros);
  const id = `dlv_0000000000${stamp}00000000`;
  const nonce = `idk_${id.slice(4)}`;
  const head = {
    event,
    delivery_id: id,
    idempotency_key: nonce,
    id: `evt_${id.slice(4)}`,
    type: event,
    timestamp: new Date().toISOString(),
    scope_kind: "workspace",
    scope_key: `ws_${id.slice(4)}`,
    environment: "live",
  };
  const bare = `${JSON.stringify(head).slice(0, -1)},"data":${orderText(stamp)},"signature":"`;
  const body = `${bare}sha256=${hmac(secret, `${bare}"}`, "hex")}"}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const standardKey = Buffer.from(secret.slice("whsec_".length), "base64");
  return {
    body,
    headers: {
      "User-Agent": "Junction/0.0.0",
      "Content-Type": "application/json",
      "X-Service-Signature": hmac(secret, body, "hex"),
      "X-Service-Timestamp": timestamp,
      "X-Service-Event": event,
      "X-Service-Delivery": id,
      "X-Service-Idempotency": nonce,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${hmac(standardKey, `${id}.${timestamp}.${body}`, "base64")}`,
    },
  };
}

function hmac(key: string | Buffer, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text).digest(encoding);
}
