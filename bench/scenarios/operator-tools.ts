import type { Connection } from "../connection.ts";
import { median } from "../histogram.ts";
import { startStage } from "../stage.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

/** Reads by operator tools of MCP next to the same reads in REST, one call at a time, on a connection that is kept. */
export async function operatorTools(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  const endpoint = await stage.endpoint({ path: "hook", events: ["*"] });
  for (let at = 0; at < EVENTS; at += 1)
    await stage.post("/v1/events/fire", { event: "order.paid", data: { at, note: "some words ".repeat(20) } });
  await stage.drained(DRAIN_LIMIT_MS);
  const { key } = await stage.key(KEY);
  const connection = await stage.connect();
  const pairs = {
    "list of 20 deliveries": [rest(key, "deliveries?limit=20"), tool(key, "deliveries_read", { action: "list" })],
    "list of 20 events": [rest(key, "events?limit=20"), tool(key, "events_read", { action: "list" })],
    "an endpoint": [
      rest(key, `webhook-endpoints/${endpoint}`),
      tool(key, "endpoints_read", { action: "get", id: endpoint }),
    ],
  } as const;
  const rows: Row[] = [];
  for (const [what, [inRest, byTool]] of Object.entries(pairs)) {
    await alternate(connection, [inRest, byTool], WARM_MS);
    const [restMs, toolMs] = await alternate(connection, [inRest, byTool], (bench.seconds * 1000) / 2);
    rows.push(
      row(`REST: ${what}, median`, restMs, "ms"),
      row(`Operator tool: ${what}, median`, toolMs, "ms", {
        against: [restMs, "REST"],
        goal: { atMost: 1.1, of: "ratio" },
      }),
    );
  }
  const [listMs] = await alternate(connection, [toolList(key), toolList(key)], (bench.seconds * 1000) / 4);
  connection.close();
  return [...rows, row("`tools/list` of the operator tools, median", listMs, "ms", { goal: { atMost: 20 } })];
}

const EVENTS = 60;
const DRAIN_LIMIT_MS = 10_000;
const WARM_MS = 2000;
const KEY = {
  role: "admin",
  scopes: ["ops:read", "webhook_endpoints:read", "events:read", "deliveries:read", "management:read"],
};

/** Makes two requests in turn, so that a change of the machine's speed meets both, and returns their medians. */
async function alternate(
  connection: Connection,
  requests: readonly [Buffer, Buffer],
  forMs: number,
): Promise<[number, number]> {
  const took: [number[], number[]] = [[], []];
  for (const endAt = performance.now() + forMs; performance.now() < endAt;)
    for (const at of [0, 1] as const) {
      const begun = performance.now();
      const { status } = await connection.send(requests[at]);
      if (status !== 200) throw new Error(`a read was answered with ${status}`);
      took[at].push(performance.now() - begun);
    }
  return [median(took[0]), median(took[1])];
}

function rest(key: string, path: string): Buffer {
  return request("GET", `/v1/${path}`, key);
}

function tool(key: string, name: string, args: object): Buffer {
  return message(key, "tools/call", { name, arguments: args });
}

function toolList(key: string): Buffer {
  return message(key, "tools/list", {});
}

function message(key: string, method: string, params: object): Buffer {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const more = `Content-Type: application/json\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: ${body.length}\r\n`;
  return request("POST", "/mcp?toolset=operator", key, `${more}\r\n${body}`);
}

function request(method: string, path: string, key: string, remainder = "\r\n"): Buffer {
  const accept = "Accept: application/json, text/event-stream";
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n${accept}\r\n${remainder}`,
  );
}
