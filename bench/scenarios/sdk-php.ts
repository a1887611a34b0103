import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { php84, whyNoPhp84 } from "../../tools/php/php84.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

interface Figures {
  readonly calls: number;
  readonly median_us: number;
  readonly processor_us: number;
}

const PROGRAM = new URL("../overhead.php", import.meta.url).pathname;

/** Measures the overhead of the PHP SDK over bare curl: signing, its key, JSON both ways and the typed response. */
export async function sdkPhp(bench: Bench): Promise<Row[]> {
  const missing = await whyNoPhp84();
  if (missing !== undefined) {
    bench.say(`left out: ${missing}`);
    return [];
  }
  const php = await php84();
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      response.writeHead(202, HEADERS).end(ANSWER);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const ran = await php.run([PROGRAM, url, String(bench.seconds)], { timeout: (bench.seconds + 60) * 1000 });
    if (ran.status !== 0) throw new Error(`the PHP program failed: ${ran.output}`);
    const { bare, sdk } = JSON.parse(ran.stdout) as Record<"bare" | "sdk", Figures>;
    return [
      row("PHP SDK: events.fire over bare curl, p50", sdk.median_us - bare.median_us, "µs", { goal: { atMost: 150 } }),
      row("· the whole call", sdk.median_us, "µs"),
      row("· bare curl", bare.median_us, "µs"),
      row("· processor time of PHP over bare curl", sdk.processor_us - bare.processor_us, "µs"),
    ];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const ID = "7k2m9qaw01m7w4q17jeay9df1b7sqp908g";
const ANSWER = JSON.stringify({
  id: `evt_${ID}`,
  object: "event",
  event: "order.created",
  canonical: true,
  occurred_at: "2026-11-21T13:00:00.000Z",
  status: "accepted",
  subscribers: [{ kind: "projection", key: "contacts", priority: 10 }],
  deliveries: [{ id: `dlv_${ID}`, endpoint_id: `ep_${ID}`, state: "pending" }],
});
const HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "content-length": Buffer.byteLength(ANSWER),
  "x-service-request-id": `req_${ID}`,
  "x-service-version": "2026-11-21",
  "x-service-ratelimit-limit": "1000",
  "x-service-ratelimit-remaining": "999",
  "x-service-ratelimit-reset": "60",
  "x-service-signature-scheme": "v1",
};
