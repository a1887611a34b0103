import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { findPythons, home, install } from "../../sdks/python/pythons.ts";
import { must } from "../../tools/run.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

interface Measured {
  readonly overhead_us: number;
  readonly overhead_processor_us: number;
  readonly bare_us: number;
  readonly import_ms: number;
  readonly import_httpx_ms: number;
}

const FIRED = JSON.stringify({
  id: "evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
  object: "event",
  event: "order.created",
  canonical: true,
  occurred_at: "2026-11-21T13:00:00.000Z",
  status: "accepted",
  subscribers: [{ kind: "webhook", key: "ep_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", priority: 60 }],
  deliveries: [{ id: "dlv_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", endpoint_id: "ep_7", state: "pending" }],
});

/** Measures the overhead of the Python SDK over its HTTP client: signing, keys, typed results. Nothing else runs. */
export async function sdkPython(bench: Bench): Promise<Row[]> {
  const python = (await findPythons()).at(-1);
  if (python === undefined) {
    bench.say("sdk-python: there is no Python from 3.10 on; nothing measured");
    return [];
  }
  const installed = await install(python);
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      response.writeHead(202, { "content-type": "application/json" }).end(FIRED);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    const { stdout } = await must(installed.python, [join(home, "bench.py"), `http://127.0.0.1:${port}`]);
    return rowsOf(JSON.parse(stdout) as Measured, python.version);
  } finally {
    server.close();
    await installed.remove();
  }
}

function rowsOf(found: Measured, version: string): Row[] {
  const what = `Python SDK on ${version}`;
  return [
    row(`${what}: a call, next to bare httpx2, p50`, found.overhead_us, "µs", { goal: { atMost: 150 } }),
    row(`${what}: the same, processor time, mean`, found.overhead_processor_us, "µs"),
    row(`${what}: the bare call, p50`, found.bare_us, "µs"),
    row(`${what}: import junction_sdk`, found.import_ms, "ms"),
    row(`${what}: import httpx2, which the first client does`, found.import_httpx_ms, "ms"),
  ];
}
