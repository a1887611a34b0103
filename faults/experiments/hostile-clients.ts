import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { watchMemory } from "../../bench/meter.ts";
import type { Experiment } from "../experiment.ts";
import type { Node } from "../node.ts";
import { tracked } from "../running.ts";
import { EVENT, assess, startWithCluster } from "../scene.ts";

const SLOW_CLIENTS = 400;
const MOST_MIB_MORE = 300;
const GIGABYTE = 1024 ** 3;

export const hostileClients: Experiment = {
  name: "hostile-clients",
  done: "400 connections send their headers one byte per second, others flood headers, and others send bodies of 1 GB, to the node that serves the load",
  promised:
    "Other clients are served at the same time, and none of their requests fails; floods are rejected (400, 413) or disconnected; memory stays limited",
  async run({ full }) {
    const { scene } = await startWithCluster({ nodes: 1 });
    const [node] = scene.nodes;
    if (node === undefined) throw new Error("no node");
    await scene.endpoint("slow", [EVENT]);
    const load = scene.load();
    await load.more(300);
    const memory = watchMemory(node.pid());
    const before = memory.stop().last;
    const watch = watchMemory(node.pid());
    const loris = slowClients(node);
    await load.more(100);
    const headers = await Promise.all(Array.from({ length: 20 }, async () => await floodHeaders(node)));
    const bodies = await Promise.all(Array.from({ length: 4 }, async () => await sendGigabyte(node, scene.key)));
    await load.more(full ? 1000 : 100);
    if (full) await sleep(40_000);
    const openStill = loris.open();
    await loris.end();
    const fired = await load.stop();
    const { peak } = watch.stop();
    const broken = [
      ...headers
        .filter((status) => ![0, 400, 431].includes(status))
        .map((status) => `flooded headers were answered ${status}`),
      ...bodies.filter((status) => ![0, 413].includes(status)).map((status) => `a body of 1 GB was answered ${status}`),
      ...(Object.keys(fired.failed).length > 0 ? [`requests of others failed: ${JSON.stringify(fired.failed)}`] : []),
      ...(peak - before > MOST_MIB_MORE ? [`memory rose from ${before.toFixed(0)} to ${peak.toFixed(0)} MiB`] : []),
      ...(full && openStill > 0 ? [`${openStill} slow connections were open after 40 s`] : []),
    ];
    const what = `${SLOW_CLIENTS} slow clients, 20 floods of headers, 4 bodies of 1 GB; memory ${before.toFixed(0)} MiB, at most ${peak.toFixed(0)}`;
    return await assess(scene, fired, { what, broken });
  },
};

function slowClients(node: Node): { open(): number; end(): Promise<void> } {
  const head = `POST /v1/events/fire HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ${"a".repeat(1000)}`;
  const sockets = Array.from({ length: SLOW_CLIENTS }, () =>
    connect(node.port, "127.0.0.1").on("error", () => undefined),
  );
  let sent = 0;
  const timer = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write(head[sent] ?? "a");
    sent += 1;
  }, 1000);
  const end = tracked(async () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    await Promise.resolve();
  });
  for (const socket of sockets) socket.resume();
  return { open: () => sockets.filter((socket) => !socket.closed).length, end };
}

/** Returns the status; 0 where the connection was cut during the flood, so that the response was not read. */
async function floodHeaders(node: Node): Promise<number> {
  const socket = connect(node.port, "127.0.0.1");
  const status = statusOf(socket);
  socket.write("GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  for (let n = 0; n < 2000 && !socket.destroyed; n += 1) socket.write(`X-Flood-${n}: ${"a".repeat(1000)}\r\n`);
  return await status;
}

async function sendGigabyte(node: Node, key: string): Promise<number> {
  const socket = connect(node.port, "127.0.0.1");
  const status = statusOf(socket);
  const head = `POST /v1/events/fire HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`;
  // The request declares no length, so that the service can judge only the received bytes.
  socket.write(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, "a"), Buffer.from("\r\n")]);
  for (let sent = 0; sent < GIGABYTE && !socket.destroyed && socket.writable; sent += 65_536) {
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
  }
  socket.end();
  return await status;
}

async function statusOf(socket: Socket): Promise<number> {
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    if (text.length < 100) text += chunk;
  });
  await new Promise<void>((resolve) => {
    socket.once("error", () => resolve()).once("close", () => resolve());
  });
  return Number(text.slice(9, 12));
}
