import type { HostErrorCode } from "./types.ts";

/** Thrown if a service refuses a request. */
export class HostError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string) {
    super(message);
    this.name = "HostError";
    this.code = code;
  }
}
