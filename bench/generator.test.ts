import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { startChild } from "./child.ts";
import type { Closed, Generated, Open } from "./generator.ts";
import { quantile } from "./histogram.ts";
import { CATALOGUE, DATA_BYTES, HOT } from "./workload.ts";
import type { Workload } from "./workload.ts";

/** A server whose answers the test chooses, and a generator that fires at it. */
async function generatorAt(listener: RequestListener): Promise<{
  closed(options: Pick<Closed, "connections" | "forMs">): Promise<Generated>;
  open(options: Pick<Open, "perSecond" | "forMs">, workload?: Workload): Promise<Generated>;
}> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const generator = startChild(new URL("generator.ts", import.meta.url));
  onTestFinished(async () => {
    await generator.stop();
    server.close();
    server.closeAllConnections();
  });
  const target = { port: (server.address() as AddressInfo).port, key: "none", workload: CATALOGUE };
  return {
    closed: async (options) => await generator.ask("closed", { ...target, ...options }),
    open: async (options, workload = CATALOGUE) => await generator.ask("open", { ...target, ...options, workload }),
  };
}

const accept: RequestListener = (request, response) => {
  request.resume().once("end", () => response.writeHead(202, { "content-length": 2 }).end("{}"));
};

test("fires at fixed moments however slow the answers are", async () => {
  let most = 0;
  let atOnce = 0;
  const { open } = await generatorAt((request, response) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    void sleep(500).then(() => {
      atOnce -= 1;
      accept(request, response);
    });
  });
  const load = await open({ perSecond: 200, forMs: 1000 });
  expect(load).toMatchObject({ accepted: 200, shed: 0, refused: {} });
  expect(load.late.count).toBe(200);
  // At 200 a second and half a second each, about a hundred requests are in flight.
  expect(most).toBeGreaterThan(50);
  expect(quantile(load.latencies, 0.5)).toBeGreaterThan(490);
});

test("counts 503 with Retry-After apart from other refusals, and connections that end without an answer", async () => {
  let count = 0;
  const { open } = await generatorAt((request, response) => {
    count += 1;
    if (count % 5 === 1) request.resume().once("end", () => request.socket.destroy());
    else if (count % 5 === 2)
      request
        .resume()
        .once("end", () => response.writeHead(503, { "retry-after": "1", "content-length": 2 }).end("{}"));
    else if (count % 5 === 3)
      request.resume().once("end", () => response.writeHead(503, { "content-length": 2 }).end("{}"));
    else accept(request, response);
  });
  const load = await open({ perSecond: 100, forMs: 1000 });
  expect(load).toMatchObject({ accepted: 40, shed: 20, refused: { none: 20, 503: 20 } });
  expect(load.latencies.count).toBe(40);
});

test("a client at full speed waits as long as Retry-After says", async () => {
  const moments: number[] = [];
  const { closed } = await generatorAt((request, response) => {
    moments.push(performance.now());
    if (moments.length > 1) accept(request, response);
    else
      request
        .resume()
        .once("end", () => response.writeHead(503, { "retry-after": "1", "content-length": 2 }).end("{}"));
  });
  expect(await closed({ connections: 1, forMs: 1200 })).toMatchObject({ shed: 1, refused: {} });
  expect((moments[1] ?? 0) - (moments[0] ?? 0)).toBeGreaterThan(950);
});

test("fires ten catalog events in turn, of one size, each about a customer", async () => {
  const bodies: { event: string; data: { customer: { external_id: string; email: string } } }[] = [];
  const { open } = await generatorAt((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof bodies)[number]);
      response.writeHead(202, { "content-length": 2 }).end("{}");
    });
  });
  await open({ perSecond: 200, forMs: 1000 });
  expect(new Set(bodies.map(({ event }) => event))).toEqual(new Set(CATALOGUE.names));
  expect(new Set(bodies.map(({ data }) => JSON.stringify(data).length))).toEqual(new Set([DATA_BYTES]));
  expect(new Set(bodies.map(({ data }) => data.customer.external_id)).size).toBeGreaterThan(100);
  bodies.length = 0;
  await open({ perSecond: 50, forMs: 1000 }, HOT);
  expect(new Set(bodies.map(({ data }) => data.customer.email))).toEqual(new Set(["person-000000000@example.com"]));
});
