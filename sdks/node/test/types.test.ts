import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../requirements/covers.ts";
import { kitModules, packedSdk, project, removeMade } from "./kit.ts";
import { run } from "../../../tools/run.ts";

const MINUTES_10 = 600_000;
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A TypeScript program that uses the SDK. Each line must compile. */
const USE = `
import { Junction, NotFoundError, RateLimitError, ServiceError, ValidationError, webhooks } from "@junction-platform/sdk";
import type { Answered, Delivered, EventName, FiredEvent, Page, Ticket, WebhookEndpoint } from "@junction-platform/sdk";
import { fixtures, mockTransport } from "@junction-platform/sdk/testing";

interface Order { external_id: string; gift?: boolean }

export async function use(junction: Junction): Promise<void> {
  const fired: Answered<FiredEvent> = await junction.events.fire("order.created", { order: { external_id: "1" } });
  const order: Order = { external_id: "1" };
  await junction.events.fire("order.paid", { order, paid_at: new Date(0) });
  await junction.events.fire<string>("order.paid", { order, anything: [1] });
  await junction.events.fire("order.created", { order: { external_id: "1", total_minor: 10n ** 20n, items: [{ sku: "a" }] } });
  const fixture = fixtures.data("order.created");
  await junction.events.fire("order.created", fixture);
  await junction.events.fire("acme.rocket.launched", { order }, { occurredAt: new Date(0), subject: "rocket:1", idempotencyKey: "k" });
  const name: EventName = "acme.custom";
  await junction.events.fire(name, {}, { timeoutMs: 1, deadlineMs: 2, maxRetries: 0 });
  const key: string | null = fired.$response.idempotencyKey;
  await junction.events.batch([{ event: "order.created", data: { order } }], { idempotencyKey: key ?? "k" });
  const endpoint: WebhookEndpoint = await junction.webhookEndpoints.create({ url: "https://a.example", events: ["*"] });
  await junction.webhookEndpoints.update(endpoint.id, { active: false, rate_limit_per_second: null });
  const page: Page<Ticket> = await junction.tickets.list({ status: "open", created_after: new Date(0) });
  const next: Page<Ticket> | null = await page.nextPage();
  for await (const ticket of junction.tickets.list()) ticket.subject?.trim();
  const all: Ticket[] = await junction.tickets.list().all({ limit: 5 });
  switch (endpoint.health) {
    case "green": break;
    case "a colour of tomorrow": break;
  }
  const thing = await junction.request<{ id: string }>("POST", "/v1/things", { body: { a: 1 } });
  thing.id.trim();
  try {
    await junction.customers.get("con_1");
  } catch (error) {
    if (error instanceof NotFoundError) return;
    if (error instanceof RateLimitError) console_(error.retryAfter);
    if (error instanceof ValidationError) error.errors.map((one) => one.pointer);
    if (error instanceof ServiceError && error.code === "workspace_mismatch") console_(error.requestId, error.headers["date"]);
  }
  const delivery: Delivered = webhooks.verify("{}", { a: ["b"] }, ["whsec_a", "whsec_b"], { tolerance: 60 });
  if (webhooks.isEvent(delivery, "invoice.paid")) delivery.data.invoice.external_id.trim();
  if (webhooks.isEvent(delivery, "acme.custom")) console_(delivery.data["anything"], delivery.$raw);
  junction.webhooks.verify(new Uint8Array(), new Map([["a", "b"]]) as { get(name: string): string | null }, "whsec_a");
  const mock = mockTransport().reply("customers.get", { id: "con_1" }).fail("events.fire", "rate_limited", { status: 429 });
  console_(all, next, mock.calls[0]?.operation, fixtures.data("order.created").order.external_id);
}

function console_(..._what: unknown[]): void {}
export const options: ConstructorParameters<typeof Junction>[0] = { apiKey: fixtures.apiKey, maxRetries: 0, sign: false };
`;

/** The receivers, with the types of the frameworks. */
const SERVERS = `
import express from "express";
import fastify from "fastify";
import { createServer } from "node:http";
import { webhooks } from "@junction-platform/sdk";

express().post("/webhooks", webhooks.express("whsec_a"), (request, response) => { response.sendStatus(204); });
await fastify().register(webhooks.fastify({ secret: () => ["whsec_a"], handler: async (delivery) => delivery.event }));
const middleware = webhooks.express(["whsec_a"]);
createServer((request, response) => { void middleware(request, response, () => { response.end(); }); });
export const POST: (request: Request) => Promise<Response> = webhooks.next("whsec_a", () => new Response("ok"));
`;

/** Code that the compiler must refuse, with the reason. */
const REFUSED: readonly (readonly [code: string, why: RegExp])[] = [
  ['await junction.webhookEndpoints.create({ url: "https://example.com" });', /events/],
  ["await junction.events.fire(1, {});", /EventName/],
  ['await junction.events.fire("order.created");', /arguments/],
  ['await junction.events.fire("order.created", { order: { external_idd: "1" } });', /external_idd/],
  ['await junction.events.fire("order.created", { order: { external_id: "1" }, costumer: {} });', /costumer/],
  [
    'await junction.events.fire("order.created", { order: { external_id: "1", total_minor: "1" } });',
    /total_minor|string/,
  ],
  ['await junction.tickets.list({ statuss: "open" });', /statuss/],
  ['await junction.members.update("mem_1", { role: "emperor" });', /emperor/],
  ["await junction.customers.get(1);", /number/],
  ["(await junction.me.get()).$response.status = 1;", /read-only/],
  ["new Junction({ apiKeys: 1 });", /apiKeys/],
  ["junction.events.fired();", /fired/],
];

const COMPILERS = [
  ["5.0", async () => join(await kitModules(), "typescript-5-oldest", "bin", "tsc")],
  ["5.9", async () => join(await kitModules(), "typescript-5", "bin", "tsc")],
  ["7", async () => await Promise.resolve(join(root, "node_modules", "typescript", "bin", "tsc"))],
] as const;

let installed: string;

beforeAll(async () => {
  installed = await project(await packedSdk(), {
    "use.mts": USE,
    "use.cts": USE,
    "servers.mts": SERVERS,
    ...Object.fromEntries(
      REFUSED.map(([code], index) => [
        `refused${index}.mts`,
        `import { Junction } from "@junction-platform/sdk";\nexport async function use(junction: Junction) {\n  ${code}\n}\n`,
      ]),
    ),
    "words.mts":
      'import { Junction } from "@junction-platform/sdk";\nnew Junction().events.fire("", {});\nnew Junction().\n',
  });
}, MINUTES_10);

afterAll(removeMade);

for (const [version, compilerOf] of COMPILERS) {
  covers(
    "sdk.handles.typed",
    `a program in TypeScript ${version} compiles against the types, with no others at hand`,
    async () => {
      const args = [
        "--noEmit",
        "--strict",
        "--exactOptionalPropertyTypes",
        "--module",
        "nodenext",
        "--target",
        "es2022",
      ];
      const program = [await compilerOf(), ...args, "--lib", "es2022", "use.mts", "use.cts"];
      expect(await run(process.execPath, program, { cwd: installed })).toEqual({ status: 0, stdout: "", output: "" });
    },
    MINUTES_10,
  );
}

test("so does one with Node's types, of the oldest Node", { timeout: MINUTES_10 }, async () => {
  const types = join(await kitModules(), "@types");
  const args = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--typeRoots",
    types,
    "--types",
    "node",
  ];
  const program = [await COMPILERS[1][1](), ...args, "use.mts", "use.cts"];
  expect(await run(process.execPath, program, { cwd: installed })).toEqual({ status: 0, stdout: "", output: "" });
});

test("the receivers match the types of Express, Fastify, Node and Next", { timeout: MINUTES_10 }, async () => {
  const modules = await kitModules();
  const paths = { express: [join(modules, "@types/express")], fastify: [join(modules, "fastify", "fastify.d.ts")] };
  const options = { noEmit: true, strict: true, module: "nodenext", target: "es2022", skipLibCheck: true, paths };
  const compilerOptions = { ...options, types: ["node"], typeRoots: [join(modules, "@types")] };
  await writeFile(join(installed, "servers.json"), JSON.stringify({ compilerOptions, files: ["servers.mts"] }));
  const [, , [, compiler]] = COMPILERS;
  const ran = await run(process.execPath, [await compiler(), "-p", "servers.json"], { cwd: installed });
  expect(ran).toEqual({ status: 0, stdout: "", output: "" });
});

test("the compiler reports mistakes", { timeout: MINUTES_10 }, async () => {
  const [, , [, compiler]] = COMPILERS;
  const files = REFUSED.map((_one, index) => `refused${index}.mts`);
  const args = [
    await compiler(),
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--pretty",
    "false",
  ];
  const { output } = await run(process.execPath, [...args, ...files], { cwd: installed });
  for (const [index, [, why]] of REFUSED.entries()) {
    const told = output.split("\n").filter((line) => line.startsWith(`refused${index}.mts`));
    expect(told.join("\n")).toMatch(why);
  }
});

covers(
  "sdk.call.events-fire",
  "all 52 names complete in the editor",
  async () => {
    const compiler = createRequire(import.meta.url)(join(await kitModules(), "typescript-5")) as Compiler;
    const names = completions(compiler, join(installed, "words.mts"), 'fire("');
    const file = new URL("../../../openapi/openapi.json", import.meta.url);
    const document = JSON.parse(await readFile(file, "utf8")) as {
      "x-webhooks": Record<string, { post: { "x-canonical": boolean } }>;
    };
    const canonical = Object.entries(document["x-webhooks"]).filter(([, { post }]) => post["x-canonical"]);
    expect(canonical).toHaveLength(52);
    expect(names.toSorted()).toEqual(canonical.map(([name]) => name).toSorted());
    const members = completions(compiler, join(installed, "words.mts"), "\nnew Junction().");
    expect(members).toEqual(expect.arrayContaining(["events", "tickets", "webhookEndpoints", "request"]));
  },
  MINUTES_10,
);

/** The part of TypeScript's own API that an editor uses. */
interface Compiler {
  readonly sys: { fileExists(path: string): boolean; readFile(path: string): string | undefined };
  readonly ScriptSnapshot: { fromString(text: string): unknown };
  readonly ModuleKind: { readonly NodeNext: number };
  readonly ScriptTarget: { readonly ES2022: number };
  getDefaultLibFilePath(options: object): string;
  createLanguageService(host: object): {
    getCompletionsAtPosition(
      path: string,
      position: number,
      options: object,
    ): { entries: { name: string }[] } | undefined;
  };
}

/** Returns the completions that the editor offers after the last `after` of the file. */
function completions(compiler: Compiler, path: string, after: string): string[] {
  const { sys, ScriptSnapshot, ModuleKind, ScriptTarget } = compiler;
  const options = { module: ModuleKind.NodeNext, target: ScriptTarget.ES2022, strict: true, types: [] };
  const text = sys.readFile(path) ?? "";
  const service = compiler.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [path],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name: string) =>
      sys.fileExists(name) ? ScriptSnapshot.fromString(sys.readFile(name) ?? "") : undefined,
    getCurrentDirectory: () => installed,
    getDefaultLibFileName: (settings: object) => compiler.getDefaultLibFilePath(settings),
    fileExists: (name: string) => sys.fileExists(name),
    readFile: (name: string) => sys.readFile(name),
  });
  const found = service.getCompletionsAtPosition(path, text.lastIndexOf(after) + after.length, {});
  // The completions include the existing text, which is empty here.
  return (found?.entries ?? []).map(({ name }) => name).filter((name) => name !== "");
}
