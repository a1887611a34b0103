import { errorCatalogue } from "./error-catalogue.ts";
import type { ErrorCode, ErrorKind } from "./error-catalogue.ts";

/** One violation, at an RFC 6901 pointer into the body (or `query/<name>`). */
export interface Violation {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export interface RefusalDetails {
  /** Tells the caller what to do about the refusal. Never contains a secret or an internal address. */
  readonly detail?: string;
  /** Logged only; never sent. */
  readonly internal?: string;
  readonly errors?: readonly Violation[];
  /** Further top-level members of the problem document, such as `reason` or `server_time`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal with a row in the catalog. Thrown where it is detected, and turned into problem+json in the HTTP layer. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: RefusalDetails;

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    super(details.internal === undefined ? code : `${code}: ${details.internal}`);
    this.name = "ServiceError";
    this.code = code;
    this.details = details;
  }

  get kind(): ErrorKind {
    return errorCatalogue[this.code];
  }
}

/** Returns what a look-up returned. Throws 404 if it found nothing. */
export function orNotFound<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/**
 * Database and network faults that pass: the same operation can succeed later. 25006 comes from a primary that has just
 * become a standby, and JN001 from a shard that was moved to another machine.
 */
const PASSING =
  /^(25006|JN001|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|57P0[1-3]|53[0-9A-Z]{3}|08[0-9A-Z]{3}|40001|40P01)$/;
const CONFLICT = /^(40001|40P01)$/;
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

export function isPassing(error: unknown): boolean {
  return error instanceof Error && (PASSING.test(codeOf(error)) || LOST.test(error.message));
}

/** Returns true if a transaction lost against another one and must be tried again at once. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && CONFLICT.test(codeOf(error));
}

/** Undoes a transaction that found its rows changed by another one, so that it is tried again (`retryOnConflict`). */
export class OvertakenError extends Error {
  /** The SQLSTATE of a serialization failure. */
  readonly code = "40001";

  constructor(message: string) {
    super(message);
    this.name = "OvertakenError";
  }
}

function codeOf(error: Error & { readonly code?: unknown }): string {
  return typeof error.code === "string" ? error.code : "";
}
