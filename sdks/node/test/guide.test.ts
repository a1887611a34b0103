import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerContract } from "../../../apps/service/src/testing/contracts.ts";
import { freePort } from "../../../apps/service/src/testing/process.ts";
import { startService } from "../../../apps/service/src/testing/service.ts";
import type { TestService } from "../../../apps/service/src/testing/test-service.ts";
import { kitModules, packedSdk, project, removeMade } from "./kit.ts";
import { run } from "../../../tools/run.ts";
import type { Ran } from "../../../tools/run.ts";

const MINUTES_10 = 600_000;
const root = fileURLToPath(new URL("../../../", import.meta.url));
const pages = ["docs/guide/sdk-node.md", "sdks/node/README.md"];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

const blocks = (await Promise.all(pages.map(blocksOf))).flat();

let service: TestService;
let folder: string;
let tarball: string;

beforeAll(async () => {
  service = await startService();
  await registerContract(service, {
    key: "billing.refund",
    requires_confirmation: true,
    params: { payment_id: { type: "string" } },
  });
  tarball = await packedSdk();
  folder = await project(tarball, {});
  // The packages are then available like those that a user installs next to the SDK.
  await cp(await kitModules(), join(folder, "node_modules"), { recursive: true, force: false });
}, MINUTES_10);

afterAll(async () => {
  await service.close();
  await removeMade();
});

test("the guide has code for each kind of reader", () => {
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(["sh", "js", "cjs", "ts"]));
});

for (const block of blocks) {
  test(`${block.page}:${block.line} does what it says (${block.language})`, { timeout: MINUTES_10 }, async () => {
    const { status, output } = await runBlock(block);
    expect({ status, output }).toEqual({ status: 0, output: expect.any(String) as string });
    if (block.code.includes("console.log") && !isServer(block)) expect(output).not.toBe("");
    expect(output).not.toMatch(/undefined|NaN|\[object/);
  });
}

async function runBlock({ language, code, page, line }: Block): Promise<Ran> {
  const env = {
    ...process.env,
    JUNCTION_API_KEY: service.key,
    JUNCTION_BASE_URL: service.baseUrl,
    WEBHOOK_SECRET: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    PORT: String(await freePort()),
  };
  const name = `${page.replaceAll(/\W/g, "_")}_${line}`;
  switch (language) {
    case "sh":
      return await run("sh", ["-ec", code], {
        cwd: await project(tarball, {}),
        env: { ...env, HOME: await homeWith(tarball) },
      });
    case "cjs":
      await writeFile(join(folder, `${name}.cjs`), code);
      return await run(process.execPath, [join(folder, `${name}.cjs`)], { env });
    case "ts":
      return await runTypeScript(`${name}.mts`, code, env);
    default:
      await writeFile(join(folder, `${name}.mjs`), whole(code));
      return await run(process.execPath, [join(folder, `${name}.mjs`)], { env });
  }
}

/** Creates a home folder whose `junction` folder looks like a clone after `npm run pack:release`. */
async function homeWith(packed: string): Promise<string> {
  const home = join(folder, "home");
  await mkdir(join(home, "junction/release"), { recursive: true });
  await cp(packed, join(home, "junction/release", basename(packed)));
  return home;
}

/** Runs code that is compiled first, like a user's program. */
async function runTypeScript(name: string, code: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  await writeFile(join(folder, name), code);
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = ["--strict", "--module", "nodenext", "--target", "es2022", "--types", "node", name];
  const compiled = await run(process.execPath, [compiler, ...args], { cwd: folder });
  if (compiled.status !== 0) return compiled;
  return await run(process.execPath, [join(folder, name.replace(".mts", ".mjs"))], { env });
}

/** Completes a block. A block continues the earlier ones, so that it gets what it does not create itself. */
function whole(code: string): string {
  const isNamed = (name: string): boolean => new RegExp(`import [^;]*\\b${name}\\b`).test(code);
  const lines = [
    isNamed("Junction") || /const junction\b/.test(code) ? "" : 'import { Junction } from "@junction-platform/sdk";',
    /const junction\b/.test(code) ? "" : "const junction = new Junction();",
  ];
  return [...lines, code, deliveryTo(code)].join("\n");
}

function isServer({ code }: Block): boolean {
  return /listen\(|export const POST/.test(code);
}

/** Sends a receiver one valid delivery, and one with a wrong signature. */
function deliveryTo(code: string): string {
  if (!/listen\(|export const POST/.test(code)) return "";
  const send = code.includes("listen(")
    ? "async (init) => await fetch(`http://localhost:${process.env.PORT}/webhooks`, init)"
    : 'async (init) => await POST(new Request("http://localhost/webhooks", init))';
  return `
    const testing = await import("@junction-platform/sdk/testing");
    const sample = testing.fixtures.delivery("invoice.paid", { secret: process.env.WEBHOOK_SECRET });
    const send = ${send};
    const taken = await send({ method: "POST", ...sample });
    const refused = await send({ method: "POST", ...sample, body: sample.body + " " });
    process.exit(taken.status === 204 && refused.status === 401 ? 0 : 1);`;
}

async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(join(root, page), "utf8");
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = "", 2: code = "", index }) => ({
    page,
    line: text.slice(0, index).split("\n").length,
    language,
    code,
  }));
}
