/** Answers every request like a fired event, as fast as Node does: what a client costs is measured against it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveCommands } from "./child.ts";

const body = JSON.stringify({
  id: "evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
  object: "event",
  event: "order.created",
  canonical: true,
  occurred_at: "2026-11-21T13:00:00.000Z",
  status: "accepted",
  subscribers: [],
  deliveries: [],
});
const headers = {
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
  "x-service-request-id": "req_0000000001m7w4q17jeay9df1b7sqp908g",
};

serveCommands({
  listen: async () => {
    const server = createServer((request, response) => {
      request.resume().once("end", () => response.writeHead(202, headers).end(body));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
});
