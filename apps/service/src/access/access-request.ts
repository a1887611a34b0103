import type { FastifyRequest } from "fastify";
import { assertPlain, isRecord, JsonError, scanJson, ServiceError } from "../lib/lib.ts";
import type { Environment, Id, ScannedJson } from "../lib/lib.ts";
import type { SessionHeaders } from "../accounts/accounts.ts";
import type { AskedContract } from "./contract-guard.ts";
import type { IdempotencyRef } from "./idempotency.ts";
import { withBody } from "./operations.ts";
import type { Operation } from "./operations.ts";
import type { AccessRequest } from "./types.ts";

/** A request of a route that writes its idempotency record with its effect. */
export interface OwnWriteRequest extends Pick<FastifyRequest, "access"> {
  readonly routeOptions: { readonly config: { readonly ownIdempotency: true } };
}

export function idempotencyRefOf({ access }: OwnWriteRequest): IdempotencyRef {
  if (access.ref === undefined) throw new Error("the access checks did not see a write");
  return access.ref;
}

/** The operation that a request asks for. */
export interface RequestedOperation {
  readonly operation: Operation;
  /** The action contract that the operation runs, or null. */
  readonly contract: AskedContract | null;
  /** Returns the argument values that may be ids of this service. */
  ids(): readonly unknown[];
}

/** Where a body comes from that names an operation. */
export interface MessageOrigin {
  /** The query of the address. */
  readonly query: unknown;
  /** That of the credential, which is checked before. */
  readonly environment: Environment | undefined;
}

/** A route that serves many operations, each named by the body. */
export interface MultiOperationRoute {
  /** The operation that needs no key. It returns more to a caller with a valid key. */
  readonly open?: Operation;
  /** Returns true if the body names an operation that needs no key. */
  keyless(body: Buffer, scan: () => ScannedJson | undefined): boolean;
  /** `scanned` is undefined if the body is not JSON, which is refused after the access checks. */
  asked(scanned: ScannedJson | undefined, from: MessageOrigin): RequestedOperation;
}

/**
 * Returns a function that finds the requested operation, for which it may scan the body. Returns undefined if no key is
 * needed.
 */
export function askedBy(
  request: FastifyRequest,
  body: Buffer,
  scanned: () => ScannedJson | Error | undefined,
): (() => RequestedOperation) | undefined {
  const { checked, switchboard } = request.routeOptions.config;
  const read = (): ScannedJson | undefined => {
    const scan = scanned();
    return scan instanceof Error ? undefined : scan;
  };
  if (checked !== undefined) {
    const ids = (): unknown[] => namedValues(request, read()?.value);
    return () => ({
      operation: withBody(checked, read()?.value),
      contract: contractOf(checked, read()?.value),
      ids,
    });
  }
  if (switchboard === undefined || switchboard.keyless(body, read)) return undefined;
  let asked: RequestedOperation | undefined;
  return () =>
    (asked ??= switchboard.asked(read(), { query: request.query, environment: request.access.key?.environment }));
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
    takesTokens: request.routeOptions.config.takesTokens === true,
    ip: request.ip,
    requestId: request.id as Id,
    ids: () => [...read.asks().ids(), headerOf(request, "x-service-workspace")].filter((id) => typeof id === "string"),
  };
}

/** Returns the parts of a request that identify a console session. */
export function sessionOf(request: FastifyRequest): SessionHeaders {
  return {
    method: request.method,
    cookie: request.routeOptions.config.keysOnly === true ? undefined : request.headers.cookie,
    csrfToken: headerOf(request, "x-csrf-token"),
    workspace: headerOf(request, "x-service-workspace"),
    environment: headerOf(request, "x-service-environment"),
  };
}

/** Returns the contract that the body names, or null if the operation runs no contract. */
export function contractOf({ runsContract }: Operation, body: unknown): AskedContract | null {
  return runsContract && isRecord(body) && typeof body["action"] === "string" ? { key: body["action"] } : null;
}

/** Returns the values that may be ids: those of the path, the query and the body's top-level `…_id` members. */
function namedValues(request: FastifyRequest, body: unknown): unknown[] {
  const values = [request.params, request.query].flatMap((part) => (isRecord(part) ? Object.values(part) : []));
  if (!isRecord(body)) return values;
  return [...values, ...Object.entries(body).flatMap(([name, value]) => (name.endsWith("_id") ? [value] : []))];
}

export function acceptBody(request: FastifyRequest, body: Buffer, scan: ScannedJson | Error | undefined): void {
  if (body.length === 0) {
    // An empty body with a media type arrives as an empty buffer, which validation would take for an object.
    request.body = undefined;
    return;
  }
  assertPlain(headerOf(request, "content-encoding"));
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

/** Returns the headers of a route with `rawBody` as they were sent. */
export function sentHeaders({ raw }: FastifyRequest): FastifyRequest["headers"] {
  return raw.headers;
}

/** Returns a header's value. The values of a repeated header are joined, so that they match no format. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
