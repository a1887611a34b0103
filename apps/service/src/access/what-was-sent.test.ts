import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRecord } from "../lib/lib.ts";
import { richObjects } from "../testing/rich-objects.ts";
import type { RichObject } from "../testing/rich-object.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

/** The operations that take a body and write no object whose members a reader could compare with it. */
const WITHOUT_OBJECT: Readonly<Record<string, string>> = {
  "auth.passkeys.create": "The browser makes the credential (accounts/proofs).",
  "auth.passkeys.begin": "A challenge.",
  "auth.passkeys.update": "Only the name (accounts/proofs).",
  "auth.totp.enrol": "A secret.",
  "configuration.plan": "A plan. What is applied is compared in configuration/round-trip.test.ts.",
  "connected_apps.connect": "A code for the app (ai/oauth).",
  "connectors.update": "The settings of a folder, with its own schema (connectors/registry).",
  "event_types.put": "The types of `event_types.create`, many at a time.",
  "inboxes.put": "It has no members.",
  "issues.update": "A state, an owner and a time, which are those of the response (issues).",
  "keys.roll": "A new secret of a key.",
  "members.reset_link": "A link.",
  "members.update": "A role and permissions, which are those of the response.",
  "proposals.update": "A proposal with these parameters, which may be redacted.",
  "slack_links.create": "A code.",
  "step_ups.create": "A challenge.",
  "workspaces.create": "Only the name; another key reads it.",
};

/** The members that need a real certificate: webhooks/requests/sign-in.test.ts reads them. */
const CERTIFICATES = ["/auth/certificate", "/auth/key_secret_ref"];

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly schema: Parsed;
}

let service: TestService;
let rich: Readonly<Record<string, RichObject>>;
let document: Parsed;
let operations: Operation[];

beforeAll(async () => {
  service = await startService({
    env: { ...UNLIMITED, JUNCTION_SMTP_URL: "smtp://127.0.0.1:9", JUNCTION_MAIL_FROM: "a@example.com" },
  });
  rich = await richObjects(service);
  document = (await service.api("GET", "/openapi.json")).body;
  operations = writing(document);
});
afterAll(async () => await service.close());

/** Returns the operations that create, replace or change an object, each with the schema of its body. */
function writing({ paths }: Parsed): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Parsed).flatMap(([method, told]: [string, Parsed]) => {
      const isWriting = ["put", "patch"].includes(method) || told["responses"]["201"] !== undefined;
      const name = told["x-operation"] ?? (path === "/v1/events/fire" ? "events.fire" : undefined);
      if (name === undefined || !(isWriting || name === "events.fire")) return [];
      const schema = told["requestBody"]?.content["application/json"]?.schema ?? {};
      return [{ name, method: method.toUpperCase(), path, schema }];
    }),
  );
}

/** Returns the operation that creates the objects that this one changes. */
function creating({ name, method }: Operation): string {
  return method === "PATCH" && rich[name] === undefined ? name.replace(/\.update$/, ".create") : name;
}

/** Returns the pointers of the members that a schema names and none of the values has. */
function absent(schema: Parsed, values: readonly unknown[], at = ""): string[] {
  const ref: string | undefined = schema["$ref"];
  if (ref !== undefined) return absent(document["components"].schemas[ref.split("/").at(-1) ?? ""], values, at);
  const objects = values.filter(isRecord);
  const named = Object.entries(schema["properties"] ?? {}).flatMap(([name, of]) => {
    const own = objects.filter((one) => Object.hasOwn(one, name)).map((one) => one[name]);
    return own.length === 0 ? [`${at}/${name}`] : absent(of, own, `${at}/${name}`);
  });
  const anyName = isRecord(schema["additionalProperties"])
    ? absent(schema["additionalProperties"], objects.flatMap(Object.values), `${at}/*`)
    : [];
  const items = values.filter((one) => Array.isArray(one)).flat();
  return [...named, ...anyName, ...(isRecord(schema["items"]) ? absent(schema["items"], items, `${at}/*`) : [])];
}

/** Returns the pointers at which what was read is not what was sent, besides those that may differ. */
function differences(sent: unknown, read: unknown, otherwise: readonly RegExp[], at = ""): string[] {
  if (sent === undefined || otherwise.some((pattern) => pattern.test(at))) return [];
  if (Array.isArray(sent) && Array.isArray(read) && sent.length === read.length)
    return sent.flatMap((one, n) => differences(one, read[n], otherwise, `${at}/${n}`));
  if (isRecord(sent) && isRecord(read))
    return Object.entries(sent).flatMap(([name, one]) => differences(one, read[name], otherwise, `${at}/${name}`));
  return JSON.stringify(sent) === JSON.stringify(read)
    ? []
    : [`${at}: ${JSON.stringify(sent)} is read as ${JSON.stringify(read)}`];
}

function patternsOf({ otherwise = {} }: RichObject): RegExp[] {
  return Object.keys(otherwise).map((pointer) => new RegExp(`^${pointer.replaceAll("*", "[^/]+")}$`));
}

/** Returns the path at which the object is read. */
function readingPath({ method }: Operation, object: RichObject, path: string, made: Parsed): string {
  if (method === "PATCH") return path;
  const isBelow = method === "POST" && object.part === undefined;
  return object.read?.(made) ?? (isBelow ? `${path}/${String(made["id"])}` : path);
}

/** Sends a body and returns how the object that is read differs from it. */
async function sentAndRead(operation: Operation, object: RichObject, body: Parsed): Promise<string[]> {
  const { method } = operation;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => object.names?.[name] ?? "");
  const call = async (verb: string, to: string, sent?: unknown) =>
    object.by === undefined ? await service.api(verb, to, sent) : await object.by.call(verb, to, sent);
  const made = await call(method, path, body);
  if (made.status >= 300) return [`${made.status} ${made.text}`];
  const at = readingPath(operation, object, path, made.body);
  const read = await call("GET", at);
  if (read.status !== 200) return [`GET ${at}: ${read.status} ${read.text}`];
  const part = method === "PATCH" ? undefined : object.part;
  return differences(body, part === undefined ? read.body : part(read.body, made.body), patternsOf(object));
}

describe("what was sent", () => {
  test("every operation that writes an object has its richest body", () => {
    const without = operations.filter((one) => rich[creating(one)] === undefined && !(one.name in WITHOUT_OBJECT));
    expect(without.map(({ name }) => name)).toEqual([]);
    const names = new Set(operations.map(({ name }) => name));
    expect([...Object.keys(rich), ...Object.keys(WITHOUT_OBJECT)].filter((name) => !names.has(name))).toEqual([]);
  });

  test("the richest bodies have every member that a schema names", () => {
    const missing = operations
      .filter(({ name }) => rich[name] !== undefined)
      .map(({ name, schema }) => [name, absent(schema, rich[name]?.bodies ?? [])] as const)
      .map(
        ([name, pointers]) =>
          [name, pointers.filter((one) => !isNodeOfCondition(one) && !CERTIFICATES.includes(one))] as const,
      )
      .filter(([, pointers]) => pointers.length > 0);
    expect(Object.fromEntries(missing)).toEqual({});
  });

  test("what was put in comes out", async () => {
    const lost: Record<string, readonly string[]> = {};
    for (const operation of operations) {
      const object = rich[operation.name];
      for (const [n, body] of (object?.bodies ?? []).entries()) {
        const found = await sentAndRead(operation, object as RichObject, body);
        if (found.length > 0) lost[`${operation.name} ${n}`] = found;
      }
    }
    expect(lost).toEqual({});
  });
});

/** A condition is a group or a leaf, and its deeper nodes have no schema. */
function isNodeOfCondition(pointer: string): boolean {
  return /\/(when|success_when|filter)\/(all|any|not|field|op|value)$/.test(pointer);
}
