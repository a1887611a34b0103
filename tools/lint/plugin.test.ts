import { expect, test } from "vitest";
import { findings } from "./fixture.ts";

const src = "apps/service/src";
const modules = {
  [`${src}/modules.json`]: JSON.stringify(["lib", "platform", "access", "events", "webhooks", "server"]),
  [`${src}/rooms.json`]: JSON.stringify({ webhooks: ["endpoints", "deliveries"] }),
};
const exempt = ["oxlint", "disable"].join("-");

/** Files of apps/service/src by their path in it. */
function service(files: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...modules,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${src}/${path}`, text])),
  };
}

function uses(name: string): string {
  return `import type { A } from "${name}";\nexport type B = A;`;
}

function long(lines: number): string {
  return `export function f(): number {\n${"  g();\n".repeat(lines)}  return 1;\n}\n`;
}

/** Returns the paths in apps/service/src at which the rule found something. */
function found(rule: string, files: Readonly<Record<string, string>>): string[] {
  return findings(service(files), `junction(${rule})`).map((line) =>
    line.slice(src.length + 1).replace(` junction(${rule}): `, " "),
  );
}

test("a module imports the modules before it and itself", () => {
  const good = {
    "webhooks/webhooks.ts": 'import { a } from "../lib/lib.ts";\nimport { b } from "./schedule.ts";\nexport { a, b };',
    "lib/lib.ts": "export const a = 1;",
    "webhooks/schedule.ts": "export const b = 1;",
    "webhooks/webhooks.module.ts":
      'import type { Config } from "../config/config.ts";\nimport { a } from "../lib/lib.ts";\nexport { defineModule } from "../composition/module.ts";\nexport type C = [Config, typeof a];',
    "service.ts":
      'import type { Config } from "./config/config.ts";\nexport { b } from "./webhooks/webhooks.ts";\nexport type C = Config;',
    "main.ts": 'import { port } from "./config/config.ts";\nimport { b } from "./service.ts";\nexport { b, port };',
    "config/config.ts": 'import { settings } from "./settings.ts";\nexport const port = settings;',
    "config/settings.ts": 'import type { a } from "../lib/lib.ts";\nexport const settings: typeof a = 1;',
    "process/program.ts": 'export { b } from "../service.ts";',
    "webhooks/webhooks.test.ts": 'import { started } from "../testing/service.ts";\nstarted();',
    "testing/service.ts":
      'import { b } from "../service.ts";\nimport { port } from "../config/config.ts";\nexport { b, port };',
  };
  expect(found("module-order", good)).toEqual([]);
});

test("a module imports no later module in any form of import", () => {
  const bad = {
    "lib/statement.ts": 'import { b } from "../webhooks/webhooks.ts";\nexport const c = b;',
    "lib/typed.ts": 'import type { B } from "../webhooks/webhooks.ts";\nexport type C = B;',
    "lib/named.ts": 'export { b } from "../webhooks/webhooks.ts";',
    "lib/all.ts": 'export * from "../webhooks/webhooks.ts";',
    "lib/lazy.ts": 'export const b = await import("../webhooks/webhooks.ts");',
    "lib/inline.ts": 'export type B = import("../webhooks/webhooks.ts").B;',
    "lib/proof.test.ts": 'import "../webhooks/webhooks.ts";',
    "lib/lib.module.ts": 'export { webhooks } from "../webhooks/webhooks.module.ts";',
  };
  const late = '"lib" may not import "webhooks", which comes after it in modules.json.';
  expect(found("module-order", bad)).toEqual(
    ["all", "inline", "lazy", "lib.module", "named", "proof.test", "statement", "typed"].map(
      (name) => `lib/${name}.ts: ${late}`,
    ),
  );
});

test("a folder of a module imports only the folders before it", () => {
  const good = {
    "webhooks/webhooks.ts": 'export { send } from "./deliveries/send.ts";\nexport { settings } from "./settings.ts";',
    "webhooks/settings.ts": "export const settings = 1;",
    "webhooks/deliveries/send.ts": 'import { url } from "../endpoints/url.ts";\nexport const send = url;',
    "webhooks/deliveries/extra.module.ts": 'export { settings } from "../settings.ts";',
    "webhooks/endpoints/url.ts": "export const url = 1;",
    "webhooks/endpoints/url.test.ts": 'import { send } from "../deliveries/send.ts";\nsend();',
    "events/fire/fire.ts": 'export { later } from "../scheduled/later.ts";',
    "events/scheduled/later.ts": 'export type { Fire } from "../fire/fire.ts";',
  };
  const bad = {
    "webhooks/endpoints/value.ts": 'export { send } from "../deliveries/send.ts";',
    "webhooks/endpoints/typed.ts": uses("../deliveries/send.ts"),
    "webhooks/endpoints/lazy.ts": 'export const send = await import("../deliveries/send.ts");',
    "webhooks/endpoints/root.ts": 'export { settings } from "../settings.ts";',
    "webhooks/unlisted/a.ts": "export const a = 1;",
  };
  const late = '"endpoints" may not import "deliveries", which comes after it in rooms.json.';
  expect(found("room-order", good)).toEqual([]);
  expect(found("room-order", { ...good, ...bad })).toEqual([
    `webhooks/endpoints/lazy.ts: ${late}`,
    'webhooks/endpoints/root.ts: "endpoints" may not import webhooks/settings.ts, which stands above the folders.',
    `webhooks/endpoints/typed.ts: ${late}`,
    `webhooks/endpoints/value.ts: ${late}`,
    'webhooks/unlisted/a.ts: The folder "webhooks/unlisted" is not in rooms.json.',
  ]);
});

test("names of code and files use the words of the glossary", () => {
  const bad = {
    "webhooks/retry-ladder.ts": "export const waits = 1;",
    "webhooks/webhooks.ts": "export interface PostingDeps {\n  readonly gate: number;\n}\nexport const navigate = 1;",
    "webhooks/rows.ts": "export interface Row {\n  readonly ladder_seconds: number;\n}",
    "webhooks/webhooks.test.ts": "export const gate = 1;",
  };
  expect(found("glossary-names", bad)).toEqual([
    'webhooks/retry-ladder.ts: Write "retry schedule" instead of "ladder" in "retry-ladder.ts" (docs/glossary.md).',
    'webhooks/webhooks.ts: Write "access check" instead of "gate" in "gate" (docs/glossary.md).',
    'webhooks/webhooks.ts: Write "delivery" instead of "posting" in "PostingDeps" (docs/glossary.md).',
  ]);
});

test("a declaration is named after its thing", () => {
  const bad = {
    "webhooks/views.ts":
      "export function viewOf(): number {\n  const made = 1;\n  return made;\n}\ntype Found = 1;\nexport type F = Found;",
    "webhooks/told.ts": "const told = 1;\nexport interface Outcome {\n  readonly told: typeof told;\n}",
    "webhooks/webhooks.test.ts": "function viewOf() {}\nviewOf();",
    "webhooks/endpoint-views.ts": "export function endpointView() {}\nexport class FoundEndpoint {}",
  };
  const such = 'after its thing, such as "endpointView".';
  expect(found("glossary-names", bad)).toEqual([
    `webhooks/told.ts: Name "Outcome" ${such}`,
    `webhooks/told.ts: Name "told" ${such}`,
    `webhooks/views.ts: Name "Found" ${such}`,
    `webhooks/views.ts: Name "viewOf" ${such}`,
  ]);
});

test("modules stay below composition, configuration and processes, and product code apart from tests", () => {
  const bad = {
    "platform/db/db.ts": 'export { port } from "../../config/config.ts";',
    "webhooks/webhooks.ts": 'export { started } from "../testing/service.ts";',
    "webhooks/webhooks.test.ts": 'import { build } from "../service.ts";\nbuild();',
    "events/events.ts": 'export { compose } from "../composition/compose.ts";',
    "events/events.module.ts": 'export { port } from "../config/config.ts";\nexport { build } from "../service.ts";',
    "process/program.ts": 'export { port } from "../config/config.ts";',
    "stray.ts": "export const a = 1;",
    "unlisted/unlisted.ts": "export const a = 1;",
  };
  expect(found("module-order", bad)).toEqual([
    "events/events.module.ts: A module never imports config/config.ts: it stands above the modules.",
    "events/events.module.ts: A module never imports service.ts: it stands above the modules.",
    "events/events.ts: A module never imports composition/compose.ts: it stands above the modules.",
    "platform/db/db.ts: A module never imports config/config.ts: it stands above the modules.",
    "process/program.ts: Only main.ts imports values of config/.",
    "stray.ts: Only service.ts, main.ts, composition/, config/ and process/ stand outside a module.",
    'unlisted/unlisted.ts: The folder "unlisted" is not in modules.json.',
    "webhooks/webhooks.test.ts: A module never imports service.ts: it stands above the modules.",
    "webhooks/webhooks.ts: Only tests import testing/ and other tests.",
  ]);
});

test("another module is entered by its front door, by tests, manifests and service.ts too", () => {
  const pool = (from: string): string => `export { find } from "${from}webhooks/pool.ts";`;
  const files = {
    "ai/ai.ts": 'export { find } from "../webhooks/webhooks.ts";',
    "webhooks/own.test.ts": 'import "./schedule.ts";\nimport "../testing/receiver.ts";',
    "webhooks/webhooks.module.ts": pool("../"),
    "ai/ai.store.ts": pool("../"),
    "ai/ai.test.ts": pool("../"),
    "ai/ai.module.ts": pool("../"),
    "testing/database.ts": pool("../"),
    "service.ts": pool("./"),
  };
  expect(found("front-door", files)).toEqual(
    ["ai/ai.module.ts", "ai/ai.store.ts", "ai/ai.test.ts", "service.ts", "testing/database.ts"].map(
      (path) => `${path}: Import webhooks/webhooks.ts instead of webhooks/pool.ts.`,
    ),
  );
});

test("modules that read JSON of customers use our own reader", () => {
  const files = {
    "webhooks/read.ts": "export const read = JSON.parse;",
    "webhooks/read.test.ts": 'export const read: unknown = JSON.parse("{}");',
    "events/read.ts": 'export const read = globalThis.JSON["parse"];',
    "lib/json.ts": 'export const read: unknown = JSON.parse("{}");',
    "connectors/sandbox/start.ts": 'export const read: unknown = JSON.parse("{}");',
  };
  expect(found("stored-json", files)).toEqual([
    "events/read.ts: Use parseJson of lib/: JSON.parse misreads some names with escapes.",
    "webhooks/read.ts: Use parseJson of lib/: JSON.parse misreads some names with escapes.",
  ]);
});

test("each part of the platform has a front door of its own", () => {
  const files = {
    "ai/ai.store.ts": 'export { sql } from "../platform/db/db.ts";',
    "ai/other.store.ts": 'export { sql } from "../platform/db/pool.ts";',
  };
  expect(found("front-door", files)).toEqual([
    "ai/other.store.ts: Import platform/db/db.ts instead of platform/db/pool.ts.",
  ]);
});

test("a manifest is imported by manifests and service.ts alone", () => {
  const manifest = (from: string): string => `export { db } from "${from}db.module.ts";`;
  const files = {
    "service.ts": manifest("./platform/"),
    "ai/ai.module.ts": manifest("../platform/"),
    "ai/ai.ts": manifest("../platform/"),
    "platform/db/db.ts": manifest("../"),
  };
  expect(found("front-door", files)).toEqual(
    ["ai/ai.ts", "platform/db/db.ts"].map(
      (path) => `${path}: Only manifests and service.ts import platform/db.module.ts.`,
    ),
  );
});

test("fastify, the database driver and undici stay with their roles", () => {
  const files = {
    "webhooks/webhooks.routes.ts": uses("fastify"),
    "server/server.ts": uses("fastify"),
    "access/access.ts": uses("fastify"),
    "webhooks/webhooks.store.ts": uses("kysely"),
    "platform/db/pool.ts": uses("pg"),
    "platform/outbound-http/send.ts": uses("undici"),
    "webhooks/proof.test.ts": uses("pg"),
    "webhooks/a.ts": uses("fastify"),
    "webhooks/b.ts": uses("kysely"),
    "webhooks/c.worker.ts": uses("pg"),
    "webhooks/d.ts": uses("undici"),
    "service.ts": uses("@fastify/type-provider-typebox"),
  };
  expect(found("suffix-roles", files)).toEqual([
    'service.ts: "@fastify/type-provider-typebox" belongs in *.routes.ts, server/ and access/ only.',
    'webhooks/a.ts: "fastify" belongs in *.routes.ts, server/ and access/ only.',
    'webhooks/b.ts: "kysely" belongs in *.store.ts, platform/db/ and platform/embedded-postgres/ only.',
    'webhooks/c.worker.ts: "pg" belongs in *.store.ts, platform/db/ and platform/embedded-postgres/ only.',
    'webhooks/d.ts: "undici" belongs in platform/outbound-http/ only.',
  ]);
});

test("time, the environment and fetch are used only in their designated files", () => {
  const files = {
    "lib/clock.ts": "export const now = () => [Date.now(), performance.now(), new Date()];",
    "config/config.ts": "export const env = process.env;",
    "platform/outbound-http/net.ts": 'export const get = () => fetch("https://example.com");',
    "webhooks/proof.test.ts": "export const now = [Date.now(), process.env];",
    "webhooks/types.ts":
      "export interface Row { at: Date; performance: number }\nexport const x = (r: Row) => r.performance;",
    "webhooks/shadow.ts": "export const x = (fetch: () => number) => fetch();",
    "webhooks/a.ts": "export const now = Date.now();",
    "webhooks/b.ts": "export const now = new Date();",
    "webhooks/c.ts": "export const now = performance.now();",
    "webhooks/d.ts": "export const now = globalThis.Date.now();",
    "webhooks/e.ts": "export const home = process.env.HOME;",
    "webhooks/f.ts": "const { env } = process;\nexport const home = env.HOME;",
    "webhooks/g.ts": 'import { env } from "node:process";\nexport const home = env.HOME;',
    "webhooks/h.ts": 'export const home = globalThis.process["env"].HOME;',
    "webhooks/i.ts": 'import { performance } from "node:perf_hooks";\nexport const now = performance.now();',
    "webhooks/j.ts": 'export const get = () => fetch("https://example.com");',
  };
  expect(found("suffix-roles", files)).toEqual([
    "webhooks/a.ts: Date belongs in lib/clock.ts only.",
    "webhooks/b.ts: Date belongs in lib/clock.ts only.",
    "webhooks/c.ts: performance belongs in lib/clock.ts only.",
    "webhooks/d.ts: Date belongs in lib/clock.ts only.",
    "webhooks/e.ts: process.env belongs in config/config.ts only.",
    "webhooks/f.ts: process.env belongs in config/config.ts only.",
    "webhooks/g.ts: process.env belongs in config/config.ts only.",
    "webhooks/h.ts: process.env belongs in config/config.ts only.",
    'webhooks/i.ts: "node:perf_hooks" belongs in lib/clock.ts only.',
    "webhooks/j.ts: fetch belongs in platform/outbound-http/ only.",
  ]);
});

test("a file name is a specific plain noun or has a known role", () => {
  const text = "export const a = 1;";
  const files = {
    "webhooks/schedule.ts": text,
    "webhooks/webhooks.store.test.ts": text,
    "platform/db/tables.generated.ts": text,
    "platform/db/db.module.ts": text,
    "platform/db/database.ts": text,
    "lib/base62.ts": text,
    "webhooks/Ladder.ts": text,
    "webhooks/webhooks.service.ts": text,
    "webhooks/retry_schedule.ts": text,
    "webhooks/string-utils.ts": text,
    "webhooks/common/schedule.ts": text,
  };
  expect(found("file-names", files).map((line) => line.slice(0, line.indexOf(":")))).toEqual([
    "webhooks/Ladder.ts",
    "webhooks/common/schedule.ts",
    "webhooks/retry_schedule.ts",
    "webhooks/string-utils.ts",
    "webhooks/webhooks.service.ts",
  ]);
});

test("a comment that silences a checker is refused, even when it silences everything", () => {
  const files = {
    "webhooks/a.ts": `/* ${exempt} */\nexport const a = 1;`,
    "webhooks/b.ts": `export const a = 1; // ${exempt}-line`,
    "webhooks/c.ts": `// ${exempt}-next-line\nexport const a = 1;`,
    "webhooks/d.ts": "// @ts-expect-error\nexport const a: string = 1;",
    "webhooks/e.ts": "// @ts-ignore\nexport const a: string = 1;",
    "webhooks/f.ts": `// ${exempt}-next-line\n// ${exempt}-next-line\nexport const a = 1;`,
    "webhooks/fine.ts": "// Lint is not mentioned here.\nexport const a = 1;",
  };
  expect([...new Set(found("no-exemptions", files).map((line) => line.slice(0, line.indexOf(":"))))]).toEqual(
    ["a", "b", "c", "d", "e", "f"].map((name) => `webhooks/${name}.ts`),
  );
});

test("size, complexity and parameter limits hold; only functions in tests may be longer", () => {
  const branches = "  if (g()) return 1;\n".repeat(11);
  const files = {
    "lib/long.ts": long(80),
    "lib/long.test.ts": long(80),
    "lib/branches.test.ts": `export function f(): number {\n${branches}  return 2;\n}\n`,
    "lib/lines.test.ts": "g();\n".repeat(401),
    "lib/lines.generated.ts": "g();\n".repeat(401),
    "lib/five.ts": "export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => [a, b, c, d, e];",
  };
  const limits = ["eslint(max-lines-per-function)", "eslint(complexity)", "eslint(max-lines)", "eslint(max-params)"];
  expect(findings(service(files), ...limits).map((line) => line.split(": ").slice(0, 2).join(" "))).toEqual([
    `${src}/lib/branches.test.ts eslint(complexity)`,
    `${src}/lib/five.ts eslint(max-params)`,
    `${src}/lib/lines.test.ts eslint(max-lines)`,
    `${src}/lib/long.ts eslint(max-lines-per-function)`,
  ]);
});

test("an import cycle of values or of types, any and ! are errors", () => {
  const files = {
    "lib/a.ts": 'import { b } from "./b.ts";\nexport const a = (): unknown => b;',
    "lib/b.ts": 'import { a } from "./a.ts";\nexport const b = (): unknown => a;',
    "lib/d.ts": 'import type { E } from "./e.ts";\nexport type D = E | 1;',
    "lib/e.ts": 'import type { D } from "./d.ts";\nexport type E = D | 2;',
    "lib/c.ts": "export const c: any = [1][0]!;",
  };
  const rules = ["import(no-cycle)", "typescript(no-explicit-any)", "typescript(no-non-null-assertion)"];
  expect(new Set(findings(service(files), ...rules).map((line) => line.split(": ").slice(0, 2).join(" ")))).toEqual(
    new Set([
      `${src}/lib/a.ts import(no-cycle)`,
      `${src}/lib/b.ts import(no-cycle)`,
      `${src}/lib/c.ts typescript(no-explicit-any)`,
      `${src}/lib/c.ts typescript(no-non-null-assertion)`,
      `${src}/lib/d.ts import(no-cycle)`,
      `${src}/lib/e.ts import(no-cycle)`,
    ]),
  );
});
