import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { ATTACKS } from "./attacks.ts";
import type { Answered, Attack, Hostile } from "./attacks.ts";
import { LEAST_WEIGHT, weigh } from "./weight.ts";

/*
 * All attacks at once, in a process of their own (`attackers.ts <port> <key>`). The attackers are other machines: here, they get the processor
 * time that is left. The process sends a message when it is prepared, begins and ends with a message, and answers with what was broken.
 */

const PAUSE_MS = 200;
const LIMIT_MS = 120_000;

const [port = "", key = ""] = process.argv.slice(2);
weigh(process.pid, LEAST_WEIGHT);
process.once("disconnect", () => process.exit());
const broken = new Set<string>();
let isOver = false;

const hostile = hostileOf(await hangingServer());
for (const attack of ATTACKS) await attack.prepare(hostile);
process.once("message", () => {
  const running = Promise.all(ATTACKS.map(repeat));
  process.once("message", () => {
    isOver = true;
    void running.then(() => process.send?.([...broken]));
  });
});
process.send?.("prepared");

/** Notes what was broken: an attack that got a fault of the service, or no answer. */
async function repeat({ name, strike }: Attack): Promise<void> {
  while (!isOver) {
    const statuses = await strike(hostile).catch((error: unknown) => {
      broken.add(`${name} got no answer: ${String(error)}`);
      return [];
    });
    // A refusal that asks to try again is an answer; a fault of the service is none.
    for (const status of statuses) if (status === 500) broken.add(`${name} was answered 500`);
    if (statuses.length > 0 && statuses.every((status) => status === 404 || status === 422))
      broken.add(`${name} reached nothing`);
    await sleep(PAUSE_MS);
  }
}

/** Starts a server that accepts connections, reads little and never answers. Returns its URL. It ends with the process. */
async function hangingServer(): Promise<string> {
  const server = createServer({ highWaterMark: 1024 }, (socket) => {
    socket.pause().on("error", () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hang`;
}

function hostileOf(hangingUrl: string): Hostile {
  const raw: Hostile["raw"] = async (method, path, headers, body): Promise<Answered> => {
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method: method as "GET",
      headers,
      ...(body === undefined ? {} : { body }),
      headersTimeout: LIMIT_MS,
      bodyTimeout: LIMIT_MS,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  return {
    hangingUrl,
    raw,
    call: async (method, path, body) =>
      await raw(
        method,
        path,
        { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      ),
  };
}
