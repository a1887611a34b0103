import { request as open } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** A list value is sent as repeated headers. With `Transfer-Encoding`, the body is sent without a length. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body, or `{}` if there is none. Tests know its shape. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Sends a request that `fetch` cannot send: repeated headers, any bytes, or a body with GET. */
export async function sendRaw(baseUrl: string, wanted: RawRequest): Promise<RawAnswer> {
  const url = new URL(baseUrl);
  return await new Promise((resolve, reject) => {
    const options = {
      host: url.hostname,
      port: url.port,
      method: wanted.method,
      path: wanted.path,
      headers: {
        ...lengthOf(wanted),
        ...wanted.headers,
      },
      agent: false as const,
    };
    const outgoing = open(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const body = text.startsWith("{") ? JSON.parse(text) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(wanted.body);
  });
}

function lengthOf({ body, headers = {} }: RawRequest): Record<string, string> {
  if (body === undefined || headers["Transfer-Encoding"] !== undefined) return {};
  return { "Content-Length": String(Buffer.byteLength(body)) };
}

/** Sends any bytes, and returns the response of the service until it closes the connection. */
export async function sendBytes(baseUrl: string, bytes: string): Promise<string> {
  const url = new URL(baseUrl);
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => socket.write(bytes));
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("error", reject).on("close", () => resolve(text));
  });
}
