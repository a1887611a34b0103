import { expect, test } from "vitest";
import { findings } from "./fixture.ts";

const src = "apps/service/src";
const modules = {
  [`${src}/modules.json`]: JSON.stringify(["kernel", "db", "net", "gate", "deliver", "http"]),
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

/** The paths in apps/service/src at which the rule found something. */
function found(rule: string, files: Readonly<Record<string, string>>): string[] {
  return findings(service(files), `junction(${rule})`).map((line) =>
    line.slice(src.length + 1).replace(` junction(${rule}): `, " "),
  );
}

test("a module imports the modules before it and itself", () => {
  const good = {
    "deliver/deliver.ts":
      'import { a } from "../kernel/kernel.ts";\nimport { b } from "./ladder.ts";\nexport { a, b };',
    "kernel/kernel.ts": "export const a = 1;",
    "deliver/ladder.ts": "export const b = 1;",
    "app.ts": 'import { port } from "./config.ts";\nexport { b } from "./deliver/deliver.ts";\nexport { port };',
    "main.ts": 'import { port } from "./config.ts";\nimport { b } from "./app.ts";\nexport { b, port };',
    "config.ts": 'import { settings } from "./config-settings.ts";\nexport const port = settings;',
    "config-settings.ts": 'import type { a } from "./kernel/kernel.ts";\nexport const settings: typeof a = 1;',
    "deliver/deliver.test.ts": 'import { started } from "../testing/service.ts";\nstarted();',
    "testing/service.ts": 'import { b } from "../app.ts";\nimport { port } from "../config.ts";\nexport { b, port };',
  };
  expect(found("module-order", good)).toEqual([]);
});

test("a module imports no later module, in whatever form the import is written", () => {
  const bad = {
    "kernel/statement.ts": 'import { b } from "../deliver/deliver.ts";\nexport const c = b;',
    "kernel/typed.ts": 'import type { B } from "../deliver/deliver.ts";\nexport type C = B;',
    "kernel/named.ts": 'export { b } from "../deliver/deliver.ts";',
    "kernel/all.ts": 'export * from "../deliver/deliver.ts";',
    "kernel/lazy.ts": 'export const b = await import("../deliver/deliver.ts");',
    "kernel/inline.ts": 'export type B = import("../deliver/deliver.ts").B;',
    "kernel/proof.test.ts": 'import "../deliver/deliver.ts";',
  };
  const late = '"kernel" may not import "deliver", which comes after it in modules.json.';
  expect(found("module-order", bad)).toEqual(
    ["all", "inline", "lazy", "named", "proof.test", "statement", "typed"].map((name) => `kernel/${name}.ts: ${late}`),
  );
});

test("modules stay below app.ts, main.ts and config.ts, and product code apart from tests", () => {
  const bad = {
    "db/db.ts": 'export { port } from "../config.ts";',
    "deliver/deliver.ts": 'export { started } from "../testing/service.ts";',
    "deliver/deliver.test.ts": 'import { build } from "../app.ts";\nbuild();',
    "stray.ts": "export const a = 1;",
    "unlisted/unlisted.ts": "export const a = 1;",
  };
  expect(found("module-order", bad)).toEqual([
    "db/db.ts: A module never imports config.ts: it stands above the modules.",
    "deliver/deliver.test.ts: A module never imports app.ts: it stands above the modules.",
    "deliver/deliver.ts: Only tests import testing/ and other tests.",
    "stray.ts: Only app.ts with its parts, main.ts and config.ts stand outside a module.",
    'unlisted/unlisted.ts: The folder "unlisted" is not in modules.json.',
  ]);
});

test("another module is entered by its front door, by tests and app.ts too", () => {
  const store = 'export { find } from "../db/pool.ts";';
  const files = {
    "deliver/deliver.ts": 'export { find } from "../db/db.ts";',
    "deliver/own.test.ts": 'import "./ladder.ts";\nimport "../testing/receiver.ts";',
    "deliver/deliver.store.ts": store,
    "deliver/deliver.test.ts": store,
    "testing/database.ts": store,
    "app.ts": 'export { find } from "./db/pool.ts";',
  };
  expect(found("front-door", files)).toEqual(
    ["app.ts", "deliver/deliver.store.ts", "deliver/deliver.test.ts", "testing/database.ts"].map(
      (path) => `${path}: Import db/db.ts instead of db/pool.ts.`,
    ),
  );
});

test("fastify, the database driver and undici stay with their roles", () => {
  const files = {
    "deliver/deliver.routes.ts": uses("fastify"),
    "http/http.ts": uses("fastify"),
    "gate/gate.ts": uses("fastify"),
    "deliver/deliver.store.ts": uses("kysely"),
    "db/pool.ts": uses("pg"),
    "net/send.ts": uses("undici"),
    "deliver/proof.test.ts": uses("pg"),
    "deliver/a.ts": uses("fastify"),
    "deliver/b.ts": uses("kysely"),
    "deliver/c.worker.ts": uses("pg"),
    "deliver/d.ts": uses("undici"),
    "app.ts": uses("@fastify/swagger"),
  };
  expect(found("suffix-roles", files)).toEqual([
    'app.ts: "@fastify/swagger" belongs in *.routes.ts, http/ and gate/ only.',
    'deliver/a.ts: "fastify" belongs in *.routes.ts, http/ and gate/ only.',
    'deliver/b.ts: "kysely" belongs in *.store.ts and db/ only.',
    'deliver/c.worker.ts: "pg" belongs in *.store.ts and db/ only.',
    'deliver/d.ts: "undici" belongs in net/ only.',
  ]);
});

test("time is read in kernel/clock.ts only, the environment in config.ts only, and fetch is not used outside net", () => {
  const files = {
    "kernel/clock.ts": "export const now = () => [Date.now(), performance.now(), new Date()];",
    "config.ts": "export const env = process.env;",
    "net/net.ts": 'export const get = () => fetch("https://example.com");',
    "deliver/proof.test.ts": "export const now = [Date.now(), process.env];",
    "deliver/types.ts":
      "export interface Row { at: Date; performance: number }\nexport const x = (r: Row) => r.performance;",
    "deliver/shadow.ts": "export const x = (fetch: () => number) => fetch();",
    "deliver/a.ts": "export const now = Date.now();",
    "deliver/b.ts": "export const now = new Date();",
    "deliver/c.ts": "export const now = performance.now();",
    "deliver/d.ts": "export const now = globalThis.Date.now();",
    "deliver/e.ts": "export const home = process.env.HOME;",
    "deliver/f.ts": "const { env } = process;\nexport const home = env.HOME;",
    "deliver/g.ts": 'import { env } from "node:process";\nexport const home = env.HOME;',
    "deliver/h.ts": 'export const home = globalThis.process["env"].HOME;',
    "deliver/i.ts": 'import { performance } from "node:perf_hooks";\nexport const now = performance.now();',
    "deliver/j.ts": 'export const get = () => fetch("https://example.com");',
  };
  expect(found("suffix-roles", files)).toEqual([
    "deliver/a.ts: Date belongs in kernel/clock.ts only.",
    "deliver/b.ts: Date belongs in kernel/clock.ts only.",
    "deliver/c.ts: performance belongs in kernel/clock.ts only.",
    "deliver/d.ts: Date belongs in kernel/clock.ts only.",
    "deliver/e.ts: process.env belongs in config.ts only.",
    "deliver/f.ts: process.env belongs in config.ts only.",
    "deliver/g.ts: process.env belongs in config.ts only.",
    "deliver/h.ts: process.env belongs in config.ts only.",
    'deliver/i.ts: "node:perf_hooks" belongs in kernel/clock.ts only.',
    "deliver/j.ts: fetch belongs in net/ only.",
  ]);
});

test("a file is a plain noun or has a known role, and says what it is about", () => {
  const text = "export const a = 1;";
  const files = {
    "deliver/ladder.ts": text,
    "deliver/deliver.store.test.ts": text,
    "db/tables.generated.ts": text,
    "db/database.ts": text,
    "kernel/base62.ts": text,
    "deliver/Ladder.ts": text,
    "deliver/deliver.service.ts": text,
    "deliver/retry_ladder.ts": text,
    "deliver/string-utils.ts": text,
    "deliver/common/ladder.ts": text,
  };
  expect(found("file-names", files).map((line) => line.slice(0, line.indexOf(":")))).toEqual([
    "deliver/Ladder.ts",
    "deliver/common/ladder.ts",
    "deliver/deliver.service.ts",
    "deliver/retry_ladder.ts",
    "deliver/string-utils.ts",
  ]);
});

test("a comment that silences a checker is refused, even when it silences everything", () => {
  const files = {
    "deliver/a.ts": `/* ${exempt} */\nexport const a = 1;`,
    "deliver/b.ts": `export const a = 1; // ${exempt}-line`,
    "deliver/c.ts": `// ${exempt}-next-line\nexport const a = 1;`,
    "deliver/d.ts": "// @ts-expect-error\nexport const a: string = 1;",
    "deliver/e.ts": "// @ts-ignore\nexport const a: string = 1;",
    "deliver/f.ts": `// ${exempt}-next-line\n// ${exempt}-next-line\nexport const a = 1;`,
    "deliver/fine.ts": "// Lint is not mentioned here.\nexport const a = 1;",
  };
  expect([...new Set(found("no-exemptions", files).map((line) => line.slice(0, line.indexOf(":"))))]).toEqual(
    ["a", "b", "c", "d", "e", "f"].map((name) => `deliver/${name}.ts`),
  );
});

test("size, complexity and parameter limits hold in source and tests; only a test's functions may be longer", () => {
  const branches = "  if (g()) return 1;\n".repeat(11);
  const files = {
    "kernel/long.ts": long(70),
    "kernel/long.test.ts": long(70),
    "kernel/branches.test.ts": `export function f(): number {\n${branches}  return 2;\n}\n`,
    "kernel/lines.test.ts": "g();\n".repeat(401),
    "kernel/lines.generated.ts": "g();\n".repeat(401),
    "kernel/five.ts": "export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => [a, b, c, d, e];",
  };
  const limits = ["eslint(max-lines-per-function)", "eslint(complexity)", "eslint(max-lines)", "eslint(max-params)"];
  expect(findings(service(files), ...limits).map((line) => line.split(": ").slice(0, 2).join(" "))).toEqual([
    `${src}/kernel/branches.test.ts eslint(complexity)`,
    `${src}/kernel/five.ts eslint(max-params)`,
    `${src}/kernel/lines.test.ts eslint(max-lines)`,
    `${src}/kernel/long.ts eslint(max-lines-per-function)`,
  ]);
});

test("an import cycle, any and ! are errors", () => {
  const files = {
    "kernel/a.ts": 'import { b } from "./b.ts";\nexport const a = (): unknown => b;',
    "kernel/b.ts": 'import { a } from "./a.ts";\nexport const b = (): unknown => a;',
    "kernel/c.ts": "export const c: any = [1][0]!;",
  };
  const rules = ["import(no-cycle)", "typescript(no-explicit-any)", "typescript(no-non-null-assertion)"];
  expect(new Set(findings(service(files), ...rules).map((line) => line.split(": ").slice(0, 2).join(" ")))).toEqual(
    new Set([
      `${src}/kernel/a.ts import(no-cycle)`,
      `${src}/kernel/b.ts import(no-cycle)`,
      `${src}/kernel/c.ts typescript(no-explicit-any)`,
      `${src}/kernel/c.ts typescript(no-non-null-assertion)`,
    ]),
  );
});
