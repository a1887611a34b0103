import type { FastifyRequest } from "fastify";
import { isRecord, JsonError, scanJson, ServiceError } from "../lib/lib.ts";
import type { Id, ScannedJson } from "../lib/lib.ts";
import type { SessionHeaders } from "../accounts/accounts.ts";
import type { AskedContract } from "./contract-guard.ts";
import { withBody } from "./operations.ts";
import type { Operation } from "./operations.ts";
import type { AccessRequest } from "./types.ts";

/** What a request asks for. */
export interface RequestedOperation {
  readonly operation: Operation;
  /** The contract that it runs; null where it runs none. */
  readonly contract: AskedContract | null;
  /** What may be an id of ours among the arguments. */
  ids(): readonly unknown[];
}

/** A route that stands for many operations, each named by the body. Only called with what the gate may know by then. */
export interface MultiOperationRoute {
  /** What needs no key; to who shows a good one it says more. */
  readonly open?: Operation;
  /** Whether the body names what needs no key. */
  keyless(body: Buffer, scan: () => ScannedJson | undefined): boolean;
  /** `scanned` is undefined when the body is not JSON; it is refused for that after the gate. */
  asked(scanned: ScannedJson | undefined): RequestedOperation;
}

/** How to learn what the request asks for, which for some needs its body; undefined when no key is needed. */
export function askedBy(
  request: FastifyRequest,
  body: Buffer,
  scanned: () => ScannedJson | Error | undefined,
): (() => RequestedOperation) | undefined {
  const { gated, switchboard } = request.routeOptions.config;
  const read = (): ScannedJson | undefined => {
    const scan = scanned();
    return scan instanceof Error ? undefined : scan;
  };
  if (gated !== undefined) {
    const ids = (): unknown[] => namedValues(request, read()?.value);
    return () => ({
      operation: withBody(gated, read()?.value),
      contract: contractOf(gated, read()?.value),
      ids,
    });
  }
  if (switchboard === undefined || switchboard.keyless(body, read)) return undefined;
  let asked: RequestedOperation | undefined;
  return () => (asked ??= switchboard.asked(read()));
}

export interface ReadRequest {
  readonly body: Buffer;
  readonly bodyHash: string;
  readonly bareKey: string;
  asks(): RequestedOperation;
}

export function accessRequestOf(request: FastifyRequest, read: ReadRequest): AccessRequest {
  return {
    operation: () => read.asks().operation,
    contract: () => read.asks().contract,
    method: request.method,
    target: request.raw.url ?? request.url,
    idempotencyKey: read.bareKey,
    body: read.body,
    bodyHash: read.bodyHash,
    authorization: request.headers.authorization,
    keyId: headerOf(request, "x-service-key"),
    signature: headerOf(request, "x-service-signature"),
    timestamp: headerOf(request, "x-service-timestamp"),
    session: sessionOf(request),
    ip: request.ip,
    requestId: request.id as Id,
    ids: () => [...read.asks().ids(), headerOf(request, "x-service-workspace")].filter((id) => typeof id === "string"),
  };
}

/** What a request shows of a console session. */
export function sessionOf(request: FastifyRequest): SessionHeaders {
  return {
    method: request.method,
    cookie: request.routeOptions.config.keysOnly === true ? undefined : request.headers.cookie,
    csrfToken: headerOf(request, "x-csrf-token"),
    workspace: headerOf(request, "x-service-workspace"),
    environment: headerOf(request, "x-service-environment"),
  };
}

/** The contract that a body names, where the operation runs one. */
export function contractOf({ runsContract }: Operation, body: unknown): AskedContract | null {
  return runsContract && isRecord(body) && typeof body["action"] === "string" ? { key: body["action"] } : null;
}

/** What may be ids: in the path, in the query, and in the body's own `…_id` members. */
function namedValues(request: FastifyRequest, body: unknown): unknown[] {
  const values = [request.params, request.query].flatMap((part) => (isRecord(part) ? Object.values(part) : []));
  if (!isRecord(body)) return values;
  return [...values, ...Object.entries(body).flatMap(([name, value]) => (name.endsWith("_id") ? [value] : []))];
}

export function acceptBody(request: FastifyRequest, body: Buffer, scan: ScannedJson | Error | undefined): void {
  if (body.length === 0) {
    // Announced by its media type and empty, it arrives as no bytes at all, which validation would take for an object.
    request.body = undefined;
    return;
  }
  const type = headerOf(request, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new ServiceError("unsupported_media_type", { detail: "Send Content-Type: application/json." });
  if (scan instanceof JsonError) throw new ServiceError("malformed_json", { detail: scan.message });
  if (scan === undefined || scan instanceof Error) throw scan ?? new Error("a body was not scanned");
  request.scanned = scan;
  request.body = scan.value;
}

export function tryScan(body: Buffer): ScannedJson | Error {
  try {
    return scanJson(body);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** One header's value; a header sent twice arrives joined and matches no form. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
