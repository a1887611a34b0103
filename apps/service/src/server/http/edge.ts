import type { Socket } from "node:net";
import { problemOf, ServiceError, wireId } from "../../lib/lib.ts";
import type { ErrorCode, IdMaker, Tag } from "../../lib/lib.ts";

export interface EdgeDeps {
  readonly ids: IdMaker;
  readonly baseUrl: string;
  /** The tenant id of request ids, which belong to no workspace. */
  readonly requestTag: Tag;
  /** The headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A complete response to a request that never reached the framework, so that no hook runs for it. */
export interface EdgeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The same with its headers as a list of names and values. */
type RepeatedAnswer = Omit<EdgeAnswer, "headers"> & { readonly headers: string[] };

const REQUEST_ID = "X-Service-Request-Id";
const BAD_URL: readonly [ErrorCode, string] = ["bad_request", "The path is not encoded correctly."];
/** Faults by the code of Node's HTTP parser or timers. */
const FAULTS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["bad_request", "The headers are larger than 16 KiB."],
  ERR_HTTP_REQUEST_TIMEOUT: ["bad_request", "The request did not arrive completely in time."],
};

/** Responds to a path that cannot be decoded, or to a parameter that is longer than any id. */
export function badUrl(deps: EdgeDeps, code: string | undefined, url: string): EdgeAnswer {
  const [refusal, detail] = code === "FST_ERR_MAX_PARAM_LENGTH" ? (["not_found", undefined] as const) : BAD_URL;
  return edgeAnswer(deps, new ServiceError(refusal, detail === undefined ? {} : { detail }), url);
}

/** Responds to bytes that are not HTTP and closes the connection, because nothing after them can be understood. */
export function answerMalformed(deps: EdgeDeps, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] =
    FAULTS[error.code ?? ""] ?? (["bad_request", "The request is not well-formed HTTP/1.1."] as const);
  const { status, headers, body } = edgeAnswer(deps, new ServiceError(code, { detail }), "/");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join("")}Connection: close\r\n\r\n${body}`);
}

/** Returns a function that refuses requests to one path in the same way, each under an id of its own. The text is made once. */
export function repeatedAnswer(deps: EdgeDeps, error: ServiceError, url: string): () => RepeatedAnswer {
  const { status, headers, body } = edgeAnswer(deps, error, url);
  const { [REQUEST_ID]: firstId = "", ...rest } = headers;
  const [before, after] = body.split(firstId);
  const lines = Object.entries(rest).flat();
  return () => {
    const id = newRequestId(deps);
    return { status, headers: [...lines, REQUEST_ID, id], body: `${before}${id}${after}` };
  };
}

function newRequestId({ requestTag, ids }: EdgeDeps): string {
  return wireId("req", requestTag, ids.uuid());
}

/** Returns a problem document with the headers of every response. */
export function edgeAnswer(deps: EdgeDeps, error: ServiceError, url: string): EdgeAnswer {
  const requestId = newRequestId(deps);
  const body = JSON.stringify(problemOf(error, { baseUrl: deps.baseUrl, instance: url, requestId }));
  return {
    status: error.kind.status,
    headers: {
      "Content-Type": "application/problem+json; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(body)),
      [REQUEST_ID]: requestId,
      ...deps.headers,
      ...error.details.headers,
    },
    body,
  };
}
