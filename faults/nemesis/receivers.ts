import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tracked } from "../running.ts";
import type { Hit } from "./history.ts";

/** How a receiver responds. */
export type Mode =
  | { readonly kind: "ok" | "hang" | "reset" }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "slow"; readonly ms: number };

/** A receiver on a port of its own that can be disturbed. */
export interface NemesisReceiver {
  readonly port: number;
  set(mode: Mode): void;
  /** Refuses connections until `listen`. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
}

export const OK: Mode = { kind: "ok" };
/** A 200 that says more than it sends. */
const CUT_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of";
const KEPT_HEADERS = /^(?:x-service-|webhook-)/;

/** Starts a receiver, and records each request that was received whole. */
export async function startReceiver(now: () => number, add: (hit: Hit) => void): Promise<NemesisReceiver> {
  let mode = OK;
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      if (body === undefined) return;
      const startMs = now();
      let status: number | null = null;
      response.once("close", () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).filter(([name]) => KEPT_HEADERS.test(name)),
        ) as Record<string, string>;
        add({ kind: "hit", path: request.url ?? "/", startMs, endMs: now(), headers, body, status });
      });
      respond(response, mode, (sent) => {
        status = sent;
      });
    });
  });
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const refuse = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  tracked(refuse);
  return {
    port,
    set: (next) => {
      mode = next;
    },
    refuse,
    listen: async () => {
      if (!server.listening) await listen(server, port);
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

function respond(response: ServerResponse, mode: Mode, sent: (status: number) => void): void {
  const end = (status: number): void => {
    if (response.destroyed) return;
    sent(status);
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  };
  if (mode.kind === "ok") end(200);
  else if (mode.kind === "status") end(mode.status);
  else if (mode.kind === "slow") setTimeout(() => end(200), mode.ms);
  else if (mode.kind === "reset") {
    sent(200);
    response.socket?.write(CUT_RESPONSE, () => response.socket?.resetAndDestroy());
  }
}

/** Returns undefined where the sender disconnected before the end. */
async function readAll(request: IncomingMessage): Promise<string | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch {
    return undefined;
  }
}
