/** Why an exchange failed. Contract section 5. */
export type ErrorClass =
  | "target_refused"
  | "dns"
  | "connect"
  | "tls"
  | "timeout"
  | "reset"
  | "protocol"
  | "redirect"
  | "http_status"
  | "proxy";

/** `detail` is for people: short, without addresses and secrets. */
export interface Fault {
  readonly errorClass: ErrorClass;
  readonly detail: string;
}

/** A connection that never carried a request. Durations are in milliseconds. */
export class ConnectError extends Error {
  readonly fault: Fault;
  readonly connectMs: number;
  readonly tlsMs: number;

  constructor(fault: Fault, spent: { readonly connectMs: number; readonly tlsMs: number }) {
    super(fault.detail);
    this.name = "ConnectError";
    this.fault = fault;
    this.connectMs = spent.connectMs;
    this.tlsMs = spent.tlsMs;
  }
}

/** Returns the fault of a status; null for 2xx, which delivers. */
export function faultOfStatus(status: number): Fault | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return { errorClass: "redirect", detail: `redirect not followed: HTTP ${status}` };
  return { errorClass: "http_status", detail: `HTTP ${status}` };
}

/** Returns the fault of an error of an established connection, before any status. */
export function outboundFault(error: Error): Fault {
  if (error instanceof ConnectError) return error.fault;
  const code = codeOf(error);
  if (isPeerClose(error)) return { errorClass: "reset", detail: "connection closed before a response" };
  if (code === "ETIMEDOUT") return { errorClass: "timeout", detail: "connection timed out" };
  if (isTlsCode(code)) return { errorClass: "tls", detail: tlsDetail(error) };
  return { errorClass: "protocol", detail: PROTOCOL_DETAILS[code] ?? "malformed HTTP response" };
}

/** Returns true if the peer closed the connection, which it may do at any time while the connection is idle. */
export function isPeerClose(error: Error): boolean {
  const code = codeOf(error);
  if (code === "UND_ERR_SOCKET") return !error.message.startsWith("bad ");
  return code === "ECONNRESET" || code === "EPIPE" || code === "ECONNABORTED";
}

/** Returns the fault of an error before the connection was ready. */
export function faultOfConnecting(error: Error, phase: "connect" | "tls"): Fault {
  const code = codeOf(error);
  if (code === "ETIMEDOUT") return { errorClass: "timeout", detail: "connect ETIMEDOUT" };
  if (phase === "connect") return { errorClass: "connect", detail: `connect ${code === "" ? "failed" : code}` };
  return { errorClass: "tls", detail: tlsDetail(error) };
}

const PROTOCOL_DETAILS: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: "response headers larger than 16 KiB",
  UND_ERR_INVALID_ARG: "the request cannot be written as HTTP",
};

const TLS_DETAILS: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate is for another host name",
  ECONNRESET: "connection closed during the TLS handshake",
  EPIPE: "connection closed during the TLS handshake",
  ERR_SSL_WRONG_VERSION_NUMBER: "the port does not speak TLS",
};

function tlsDetail(error: Error): string {
  const known = TLS_DETAILS[codeOf(error)];
  if (known !== undefined) return known;
  // OpenSSL's own messages name source files and lines. Its reason is the part for people.
  const reason = "reason" in error && typeof error.reason === "string" ? error.reason : error.message;
  return reason.slice(0, 120);
}

function isTlsCode(code: string): boolean {
  return code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code === "EPROTO";
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
