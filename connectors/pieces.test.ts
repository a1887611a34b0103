import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createConnector, reportText, testConnector } from "../apps/service/src/connectors/testkit/kit.ts";
import { blocksOf } from "../tools/php/guide.ts";
import type { Block } from "../tools/php/guide.ts";
import { run } from "../tools/run.ts";

/** Runs the pieces of docs/guide/connectors.md in the kit, each in its own class, as the page says. */

vi.setConfig({ testTimeout: 600_000 });
const page = await readFile(new URL("../docs/guide/connectors.md", import.meta.url), "utf8");
const blocks = blocksOf(page);
const pieces = blocks.filter(({ language }) => language === "json");
const SETTINGS = {
  type: "object",
  properties: {
    base_url: { type: "string", format: "uri" },
    api_key: { type: "string", writeOnly: true },
    webhook_secret: { type: "string", writeOnly: true },
  },
  required: ["base_url", "api_key", "webhook_secret"],
};
const at = (method: string, path: string, json: unknown) => ({
  request: { method, url: `{settings.base_url}${path}` },
  response: { status: 200, json },
});
const FIXTURES = [
  at("POST", "/people", { id: "p-1" }),
  at("POST", "/refunds", { id: "r-1" }),
  at("GET", "/people/*", { email: "ada@example.com" }),
  at("GET", "/orders?*", [{ id: "o-1" }]),
];
const KIT = { webhooks: [{ body: { id: "d-1", type: "paid", email: "ada@example.com" } }] };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-pieces-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

test("each piece exists in both languages, and all commands exist", async () => {
  const languages = blocks.map(({ language }) => language).filter((language) => language !== "");
  expect(languages).toEqual(Array.from({ length: pieces.length }, () => ["json", "ts", "php"]).flat());
  expect(pieces.length).toBeGreaterThanOrEqual(4);
  const [, commands = ""] = /^ {2}```sh\n([\s\S]*?)^ {2}```$/m.exec(page) ?? [];
  expect(
    commands
      .trim()
      .split("\n")
      .map((line) => line.trim()),
  ).toEqual([
    "junction connector create acme --runtime ts --out connectors",
    "junction connector test connectors/acme",
  ]);
  const made = await createConnector(join(folder, "connectors"), "acme", "ts");
  await expectGood(made.folder);
});

test.each(pieces.flatMap((piece) => ["ts", "php"].map((language) => ({ piece, language, line: piece.line }))))(
  "the piece of line $line in $language",
  async ({ piece, language }) => {
    const code = blocks[blocks.indexOf(piece) + (language === "ts" ? 1 : 2)];
    if (code === undefined) throw new Error("the piece is not there");
    const { actions = [], ...more } = JSON.parse(piece.code) as { actions?: unknown[] };
    const name = join(folder, `${piece.line}-${language}`, "acme");
    const description = { name: "Acme", version: "1.0.0", runtime: language, egress: ["settings.base_url"] };
    const files: Record<string, string> = {
      [`connector.${language}`]: language === "ts" ? typescript(code) : php(code),
      "connector.json": JSON.stringify({ ...description, events: [], fires: [], reads: [], ...more }),
      "settings.json": JSON.stringify(SETTINGS),
      "actions.json": JSON.stringify(actions),
      "fixtures/http.json": JSON.stringify(FIXTURES),
      "fixtures/kit.json": JSON.stringify(KIT),
      "README.md": "# Acme\n",
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(name, path)), { recursive: true });
      await writeFile(join(name, path), text);
    }
    await expectGood(name);
    if (language === "ts") await expectTyped(join(name, "connector.ts"));
  },
);

function typescript({ code }: Block): string {
  return `import { AbstractConnector } from "@junction/connector";
import type { ConnectorEvent, Customer, Identity, JsonObject, Run } from "@junction/connector";
export type Used = [ConnectorEvent, Customer, Identity, JsonObject, Run];
export class Acme extends AbstractConnector {
  override key(): string { return "acme"; }
${code}
}
`;
}

function php({ code }: Block): string {
  return `<?php
declare(strict_types=1);
final class Acme extends \\Junction\\AbstractConnector
{
    public function key(): string { return 'acme'; }
${code}
}
`;
}

async function expectGood(name: string): Promise<void> {
  const report = await testConnector(name, { php: null });
  if (!report.ok) expect(reportText(report)).toBe("without a fault");
}

/** Checks the types as strictly as this repository does. */
async function expectTyped(file: string): Promise<void> {
  const root = join(import.meta.dirname, "..");
  const config = join(dirname(file), "tsconfig.json");
  const paths = { "@junction/connector": [join(root, "apps/connector-ts/src/connector.ts")] };
  await writeFile(join(dirname(file), "package.json"), '{"type":"module"}');
  const options = { paths, types: [], allowImportingTsExtensions: true, noEmit: true, noImplicitOverride: true };
  await writeFile(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions: options, include: ["connector.ts"] }),
  );
  const judged = await run(join(root, "node_modules/.bin/tsc"), ["-p", config]);
  expect(judged.output).toBe("");
}
