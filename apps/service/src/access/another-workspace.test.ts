import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createIdMaker, parseId, systemClock, tagOf, wireId } from "../lib/lib.ts";
import type { Tag, Uuid } from "../lib/lib.ts";
import { apiCall, callOf, operations } from "../testing/calls.ts";
import { documentedOperations } from "../testing/documented.ts";
import { tagOfId } from "../testing/keys.ts";
import { joined, OWNER, signIn } from "../testing/people.ts";
import type { TestPerson } from "../testing/people.ts";
import { rowsOfWorkspace } from "../testing/rows.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

/**
 * The owner of another workspace calls each operation with the objects of this workspace. The operations and the places
 * of their ids come from the published contract; the objects come from testing/calls.ts.
 */
type Args = Record<string, unknown>;
type Route = Awaited<ReturnType<typeof operations>>[number];

/** An operation with valid arguments, and the argument that names an object. */
interface Target {
  readonly route: Route;
  readonly args: Args;
  readonly place: string;
  readonly value: string;
  /** Calls the operation as a person who is allowed to. */
  send(args: Args): Promise<ApiAnswer>;
}

/** Names of connectors and event types, which belong to the installation and exist in every workspace. */
const INSTALLED = /^(connectors|event_types)\./;
/** Members that must not be sent together with one that contains an id. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  "rules.test": ["event", "data"],
  "webhook_endpoints.explain": ["event", "data"],
  "webhook_endpoints.transform.test": ["event", "data"],
  "tickets.put": ["customer_external_id"],
  "webhooks.test": ["url"],
};

/** Objects that both environments share under one id. */
const SHARED = /^(mem|inv|ses|rule|wf)_/;

const ids = createIdMaker(systemClock);
let service: TestService;
/** The owner of another workspace, who may do everything there. */
let stranger: TestPerson;
let strangersTag: Tag;
/** Targets that are named by an id in the path, by an id in the query or the body, or by a name in the path. */
let byPath: readonly Target[];
let byArgument: readonly Target[];
let byName: readonly Target[];

beforeAll(async () => {
  const limits = { ...JSON.parse(UNLIMITED.JUNCTION_RATE_LIMITS), "webhooks.test": 100_000 };
  // Without workers, only the calls change data.
  service = await startService({ env: { JUNCTION_ROLES: "api", JUNCTION_RATE_LIMITS: JSON.stringify(limits) } });
  const made = await service.api("POST", "/v1/workspaces", { name: "Strangers" });
  stranger = await joined(service, "owner", String(made.body["api_key"]));
  strangersTag = tagOfId(String(made.body["workspace_id"]));
  const inPaths = await targetsInPaths();
  byPath = inPaths.filter(({ value }) => parseId(value) !== undefined);
  byName = inPaths.filter(({ value }) => parseId(value) === undefined);
  byArgument = await targetsInArguments(byPath.map(({ value }) => value));
});
afterAll(async () => await service.close());

async function targetFor(route: Route, place: string, id?: string): Promise<Target> {
  const { args, send } = await callOf(service, route.operation, "good");
  const instead = id === undefined ? [] : (INSTEAD[route.operation] ?? []);
  const kept = Object.fromEntries(Object.entries(args).filter(([name]) => !instead.includes(name)));
  // Some members name a part of the object that the call is about, and the call has the right one.
  const all = { ...(id !== undefined && { [place]: id }), ...kept };
  return {
    route,
    place,
    args: all,
    value: String(all[place]),
    send: async (given) => await send(apiCall(route, given)),
  };
}

async function targetsInPaths(): Promise<Target[]> {
  const made: Target[] = [];
  for (const route of await operations(service)) {
    const place = /\{(\w+)\}/.exec(route.path)?.[1];
    if (place !== undefined) made.push(await targetFor(route, place));
  }
  return made;
}

/** Returns the members of queries and bodies that contain an id, each with an object of its kind. */
async function targetsInArguments(objects: readonly string[]): Promise<Target[]> {
  const byPrefix = new Map(objects.map((id) => [String(parseId(id)?.prefix), id]));
  const documented = await documentedOperations(service);
  const made: Target[] = [];
  for (const route of await operations(service)) {
    const { members } = documented.find(({ name }) => name === `${route.method} ${route.path}`) ?? { members: {} };
    for (const [place, schema] of Object.entries<Parsed>(members)) {
      const prefix = /An id that begins with `(\w+)_`/.exec(String(schema.description))?.[1];
      if (prefix === undefined) continue;
      const id = byPrefix.get(prefix);
      if (id === undefined)
        throw new Error(`no call in testing/calls.ts makes what ${place} of ${route.operation} names`);
      made.push(await targetFor(route, place, id));
    }
  }
  return made;
}

/** Returns the arguments with each id changed. */
function withIds(args: Args, change: (id: string) => string): Args {
  return JSON.parse(JSON.stringify(args), (_name, value: unknown) =>
    typeof value === "string" && parseId(value) !== undefined ? change(value) : value,
  ) as Args;
}

/** Returns the id as one of another workspace or environment, with the same UUID or another one. */
function idUnder(tag: Tag, id: string, uuid?: Uuid): string {
  const { prefix, uuid: own, tag: ownTag } = parseId(id) ?? {};
  if (prefix === undefined || own === undefined || ownTag === undefined) throw new Error(`${id} is not an id`);
  // Ids of requests do not contain a workspace.
  return wireId(prefix, prefix === "req" ? ownTag : tag, uuid ?? own);
}

function madeUp({ args, place, value }: Target): Args {
  return { ...args, [place]: idUnder(tagOfId(value), value, ids.uuid()) };
}

/** Returns another name of the same length, which differs for each `at`. */
function nameBeside(name: string, at: number): string {
  return name.slice(0, -2) + String.fromCodePoint(122 - Math.floor(at / 26), 97 + (at % 26));
}

/** Returns a response without the parts that differ in each one, so that equal responses reveal nothing. */
function likeness({ status, headers, text }: ApiAnswer, asked: unknown): object {
  const passing = /^(date|idempotency-key|x-service-request-id|.*-(remaining|reset))$/;
  return {
    status,
    headers: Object.fromEntries([...headers].filter(([name]) => !passing.test(name))),
    text: text
      .replaceAll(encodeURIComponent(String(asked)), ":id")
      .replace(/"request_id":"\w+"/, "")
      // The signed end of an export, as CSV.
      .replaceAll(/""(?:at|signature)"":""[^"]+""/g, ""),
  };
}

/** Returns the response that a person gets for these arguments. */
async function answerTo(person: TestPerson, { route, place }: Target, args: Args, headers = {}): Promise<object> {
  const { method, path, body } = apiCall(route, args);
  return {
    operation: route.operation,
    place,
    ...likeness(await person.call(method, path, body, headers), args[place]),
  };
}

test("every operation whose path names something has an object to try", () => {
  expect(byPath.length).toBeGreaterThan(70);
  expect(byName.length).toBeGreaterThan(15);
  expect(byArgument.length).toBeGreaterThan(10);
});

describe("another workspace's owner", () => {
  test("is refused an id whether or not its object exists, in the same bytes", async () => {
    const before = await rowsOfWorkspace(service);
    for (const target of [...byPath, ...byArgument]) {
      const refused = await answerTo(stranger, target, target.args);
      const status = parseId(target.value)?.prefix === "req" ? 404 : 403;
      expect(refused).toMatchObject({ operation: target.route.operation, status });
      expect(refused).toEqual(await answerTo(stranger, target, madeUp(target)));
    }
    expect(await rowsOfWorkspace(service)).toEqual(before);
  });

  test("does not find an object by its number under an id of their own", async () => {
    const before = await rowsOfWorkspace(service);
    const own = (id: string): string => idUnder(strangersTag, id);
    for (const target of [...byPath, ...byArgument]) {
      const args = withIds(target.args, own);
      const answer = await answerTo(stranger, target, args);
      const absent = madeUp({ ...target, args, value: String(args[target.place]) });
      expect(answer).toEqual(await answerTo(stranger, target, absent));
      if (byPath.includes(target)) expect(answer).toMatchObject({ operation: target.route.operation, status: 404 });
    }
    expect(await rowsOfWorkspace(service)).toEqual(before);
  });

  test("is refused the same by the operation's name at the General API", async () => {
    for (const target of byPath.filter(({ value }) => parseId(value)?.prefix !== "req")) {
      const call = { action: target.route.operation, parameters: target.args };
      const { status, body } = await stranger.call("POST", "/api/v1.php", call);
      expect([call.action, status, body["code"]]).toEqual([call.action, 403, "workspace_mismatch"]);
    }
  });

  test("finds nothing by a name, and makes only what is their own", async () => {
    const before = await rowsOfWorkspace(service);
    const own = (id: string): string => idUnder(strangersTag, id);
    for (const [at, target] of byName.entries()) {
      const args = withIds(target.args, own);
      const answer = await answerTo(stranger, target, args);
      if (INSTALLED.test(target.route.operation)) continue;
      const other = { ...args, [target.place]: nameBeside(target.value, at) };
      const absent = (await answerTo(stranger, target, other)) as { status: number };
      expect(answer).toMatchObject({ operation: target.route.operation, status: absent.status });
      if (absent.status >= 400) expect(answer).toEqual(absent);
    }
    expect(await rowsOfWorkspace(service)).toEqual(before);
  });
});

test("the sandbox does not find a live object by its number", async () => {
  const owner = await signIn(service, OWNER);
  const headers = { "X-Service-Environment": "sandbox" };
  for (const target of byPath.filter(({ value }) => !SHARED.test(value))) {
    const sandbox = tagOf(tagOfId(target.value), "sandbox");
    const args = withIds(target.args, (id) => idUnder(sandbox, id));
    const answer = await answerTo(owner, target, args, headers);
    const absent = madeUp({ ...target, args, value: String(args[target.place]) });
    expect(answer).toEqual(await answerTo(owner, target, absent, headers));
  }
});

test("the objects were there all the time: their own workspace's calls succeed", async () => {
  for (const { route, args, send } of [...byArgument, ...byPath, ...byName]) {
    const { status, text } = await send(args);
    expect([route.operation, status < 300, status < 300 ? "" : text]).toEqual([route.operation, true, ""]);
  }
});
