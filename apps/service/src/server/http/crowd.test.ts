import { once } from "node:events";
import { Agent, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RouteOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCrowd } from "./crowd.ts";
import type { Crowd } from "./crowd.ts";
import { createOverload } from "./overload.ts";
import type { OverloadDeps } from "./overload.ts";

/** Returns a crowd, and what passes windows of a tenth of a second in which these callers fire. */
function crowdAt(): { crowd: Crowd; pass(turnMs: number, callers: readonly string[], windows: number): void } {
  let nowMs = 0;
  const crowd = createCrowd({ monotonicMs: () => nowMs });
  return {
    crowd,
    pass(turnMs, callers, windows) {
      for (let at = 0; at < windows; at += 1) {
        nowMs += 100;
        for (const caller of callers) {
          crowd.arrived(caller);
          crowd.turned(turnMs);
        }
      }
    },
  };
}

describe("the requests of one caller that are processed at a time", () => {
  test("are not limited while the caller is alone", () => {
    const { crowd, pass } = crowdAt();
    pass(10, ["flood"], 30);
    expect(crowd.places).toBe(Infinity);
  });

  test("are few while another caller is there and turns are long", () => {
    const { crowd, pass } = crowdAt();
    pass(10, ["flood", "quiet"], 1);
    pass(10, ["flood"], 5);
    expect(crowd.places).toBe(32);
    pass(10, ["flood"], 10);
    expect(crowd.places).toBe(Infinity);
  });

  test("rise while turns are short, and fall at once when turns are long", () => {
    const { crowd, pass } = crowdAt();
    pass(0.2, ["flood", "quiet"], 40);
    expect(crowd.places).toBeGreaterThan(128);
    pass(10, ["flood", "quiet"], 2);
    expect(crowd.places).toBe(32);
  });
});

describe("a crowd at the server", () => {
  const held: ServerResponse[] = [];
  const callers: (string | undefined)[] = [];
  const overload = createOverload({ clock: { monotonicMs: () => 0 } } as OverloadDeps);
  overload.addRoute({ method: "POST", url: "/fire", config: { sheds: true } } as RouteOptions);
  const server = overload.createServer({}, (asked, response) => {
    callers.push(asked.headers.authorization);
    held.push(response);
  });
  const agent = new Agent({ keepAlive: true });
  const fire = async (authorization: string, path = "/fire"): Promise<number> => {
    const { port } = server.address() as AddressInfo;
    const sent = request({ agent, port, path, method: "POST", headers: { authorization } }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  };
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => {
    agent.destroy();
    server.close();
  });

  test("keeps what floods waiting before it costs anything, and refuses none of it", async () => {
    const answers = [fire("quiet")];
    await expect.poll(() => callers).toEqual(["quiet"]);
    answers.push(...Array.from({ length: 50 }, async () => await fire("flood")));
    await expect.poll(() => callers).toHaveLength(1 + 32);
    answers.push(fire("quiet"), fire("flood", "/other"));
    await expect.poll(() => callers.slice(33).toSorted()).toEqual(["flood", "quiet"]);
    while (held.length < answers.length) {
      held.find(({ writableEnded }) => !writableEnded)?.end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const response of held) response.end();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(callers.filter((caller) => caller === "flood")).toHaveLength(51);
  });
});
