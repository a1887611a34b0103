import { once } from "node:events";
import { Agent, request } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { RouteOptions } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createIdMaker, NO_WORKSPACE_TAG, systemClock } from "../../lib/lib.ts";
import { createCrowd } from "./crowd.ts";
import type { Crowd } from "./crowd.ts";
import { createOverload } from "./overload.ts";
import type { OverloadDeps } from "./overload.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

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
  let rejected = 0;
  const overload = createOverload({
    clock: { monotonicMs: () => 0 },
    log: { warn: () => undefined },
    signals: { requestAnswered: () => (rejected += 1) },
    ids: createIdMaker(systemClock),
    baseUrl: "",
    requestTag: NO_WORKSPACE_TAG,
    headers: { "X-Own": "own" },
  } as unknown as OverloadDeps);
  overload.addRoute({ method: "POST", url: "/fire", config: { sheds: true } } as RouteOptions);
  const server = overload.createServer({}, (asked, response) => {
    callers.push(asked.headers.authorization);
    held.push(response);
  });
  const agent = new Agent({ keepAlive: true });
  const fire = async (authorization: string, path = "/fire"): Promise<Answer> => {
    const { port } = server.address() as AddressInfo;
    const sent = request({ agent, port, path, method: "POST", headers: { authorization } }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  };
  const fireMany = (count: number, callerOf: (n: number) => string): Promise<Answer>[] =>
    Array.from({ length: count }, async (_fired, n) => await fire(callerOf(n)));
  /** Waits until this many requests were passed on. */
  const passedOn = async (count: number): Promise<void> => await expect.poll(() => callers.length).toBe(count);
  /** Answers everything that is passed on, until these have their answers. */
  const answerAll = async (firing: readonly Promise<Answer>[], status = 200): Promise<Answer[]> => {
    const all = Promise.all(firing);
    let isOver = false;
    void all.then(() => (isOver = true));
    while (!isOver) {
      for (const response of held.splice(0)) response.writeHead(status).end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return await all;
  };
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  beforeEach(async () => {
    // Callers are known after a success.
    await answerAll([fire("quiet"), fire("flood")]);
    callers.length = 0;
  });
  afterAll(() => {
    agent.destroy();
    server.close();
  });

  test("keeps a few dozen requests of one caller waiting, and refuses none", async () => {
    const answers = [fire("quiet")];
    await passedOn(1);
    answers.push(...fireMany(64, () => "flood"));
    await passedOn(1 + 32);
    answers.push(fire("quiet"), fire("flood", "/other"));
    await expect.poll(() => callers.slice(33).toSorted()).toEqual(["flood", "quiet"]);
    expect(new Set((await answerAll(answers)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(callers.filter((caller) => caller === "flood")).toHaveLength(65);
  });

  test("refuses more than a few dozen, each under an id of its own", async () => {
    const answers = [fire("quiet"), ...fireMany(100, () => "flood")];
    await expect.poll(() => rejected).toBe(100 - 72);
    const refused = (await answerAll(answers)).filter(({ status }) => status === 503);
    expect(refused).toHaveLength(100 - 72);
    expect(refused[0]?.headers).toMatchObject({ "retry-after": "1", "x-own": "own" });
    const ids = refused.map(({ headers, body }) => {
      const problem = JSON.parse(body) as { request_id: string; instance: string };
      expect(problem).toMatchObject({ request_id: headers["x-service-request-id"], instance: "/fire" });
      expect(headers["content-length"]).toBe(String(body.length));
      return problem.request_id;
    });
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("counts made-up credentials as one caller, which takes nothing from known ones", async () => {
    const made = fireMany(64, (n) => `made up ${n}`);
    await passedOn(32);
    const known = [...fireMany(30, () => "flood"), fire("quiet")];
    await passedOn(32 + 31);
    expect(callers.slice(32).toSorted()).toEqual([...Array<string>(30).fill("flood"), "quiet"]);
    await answerAll([...made, ...known], 401);
    expect(callers.filter((caller) => caller?.startsWith("made up"))).toHaveLength(64);
  });
});
