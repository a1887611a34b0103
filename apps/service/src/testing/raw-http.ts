import { request as open } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** A list value is sent as so many headers of that name. With `Transfer-Encoding` the body goes without a length. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body, `{}` where there is none; tests know its shape. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** A request that `fetch` would not send: repeated headers, any bytes, a body on a GET. */
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

/** Whatever the service answers to bytes that need not be HTTP, until it closes the connection. */
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
