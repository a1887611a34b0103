import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tracked } from "./running.ts";

/** The arrivals of one numbered event. */
export interface Arrival {
  /** The number of arrivals by delivery id. */
  readonly deliveries: Map<string, number>;
  /** Ids of the events that carried the number; more than one is an event that happened twice. */
  readonly events: Set<string>;
}

export interface Recorder {
  readonly port: number;
  /** Returns the arrivals below `/<path>`. The map grows with further arrivals. */
  arrivals(path: string): ReadonlyMap<number, Arrival>;
  /** Returns the number of connections that hang now. */
  hanging(): number;
  stop(): Promise<void>;
}

interface Delivered {
  readonly id: string;
  readonly delivery_id: string;
  readonly data: { readonly n: number };
}

const SLOW_MS = 60;
const DRIP_MS = 1000;

/**
 * Starts a receiver that records requests. The first part of the path selects its response: `hang` never responds, `drip` sends a byte a
 * second, `slow` takes a moment, so that a request is always in flight. All other paths respond at once.
 */
export async function startRecorder(): Promise<Recorder> {
  const paths = new Map<string, Map<number, Arrival>>();
  const hanging = new Set<ServerResponse>();
  const at = (path: string): Map<number, Arrival> => {
    const known = paths.get(path) ?? new Map<number, Arrival>();
    paths.set(path, known);
    return known;
  };
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").slice(1).split("/")[0] ?? "";
    void readAll(request).then((body) => {
      if (body === undefined) return;
      record(at(path), JSON.parse(body) as Delivered);
      if (path === "hang" || path === "drip") {
        hanging.add(response);
        response.once("close", () => hanging.delete(response));
      }
      answer(path, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    arrivals: at,
    hanging: () => hanging.size,
    stop: tracked(async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    }),
  };
}

function record(arrivals: Map<number, Arrival>, { id, delivery_id, data }: Delivered): void {
  const arrival = arrivals.get(data.n) ?? { deliveries: new Map<string, number>(), events: new Set<string>() };
  arrivals.set(data.n, arrival);
  arrival.events.add(id);
  arrival.deliveries.set(delivery_id, (arrival.deliveries.get(delivery_id) ?? 0) + 1);
}

function answer(path: string, response: ServerResponse): void {
  if (path === "hang") return;
  if (path === "slow") setTimeout(() => response.writeHead(200).end("ok"), SLOW_MS);
  else if (path === "drip") drip(response);
  else response.writeHead(200).end("ok");
}

/** Writes below HTTP, so that not even the status line arrives complete. */
function drip(response: ServerResponse): void {
  const bytes = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  let sent = 0;
  const timer = setInterval(() => {
    response.socket?.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (sent === bytes.length) clearInterval(timer);
  }, DRIP_MS);
  response.once("close", () => clearInterval(timer));
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
