import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { call } from "./scene.ts";

/** Calls of a quiet workspace, in a thread of their own: the senders of attacks must not hold up their clock. */
interface Quiet {
  readonly port: number;
  readonly key: string;
  readonly forMs: number;
}

const { port, key, forMs } = workerData as Quiet;
const times: number[] = [];
const endMs = performance.now() + forMs;
while (performance.now() < endMs) {
  const begunMs = performance.now();
  await call(port, key, "/v1/events/fire", { event: "faults.calm", data: {} });
  times.push(performance.now() - begunMs);
  await sleep(100);
}
parentPort?.postMessage(times, []);
