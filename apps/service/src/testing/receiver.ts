import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Sets how it responds from now on. Default: 200. */
  answer(respond: (response: ServerResponse, request: Received) => void): void;
  /** Responds with this status from now on. */
  status(code: number, headers?: Record<string, string>): void;
  /** Resolves when it has received this number of requests in total. The default timeout only ends a test that hangs. */
  count(wanted: number, timeoutMs?: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

/** Starts a real HTTP receiver on loopback. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let respond: (response: ServerResponse, request: Received) => void = (response) => response.writeHead(200).end("ok");
  const server = createServer((request, response) => {
    void readAll(request).then((one): void => {
      received.push(one);
      respond(response, one);
      for (const check of waiting) check();
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const listening = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${listening}/hook`,
    received,
    answer: (next) => {
      respond = next;
    },
    status: (code, headers = {}) => {
      respond = (response) => response.writeHead(code, headers).end();
    },
    count: async (wanted, timeoutMs = 60_000) =>
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`received ${received.length} of ${wanted} requests in ${timeoutMs} ms`));
        }, timeoutMs);
        const check = (): void => {
          if (received.length < wanted) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        check();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body: Buffer.concat(chunks).toString("utf8"),
    at: Date.now(),
  };
}
