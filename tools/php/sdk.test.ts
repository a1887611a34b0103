import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { startMock } from "../../conformance/mock.ts";
import { covers } from "../../requirements/covers.ts";
import { php84, whyNoPhp84 } from "./php84.ts";
import { php82 } from "./php82.ts";
import type { Php } from "./php84.ts";

/**
 * The PHP SDK's own tests (`sdks/php/tests`), run by PHPUnit on PHP 8.4 and on 8.2 against the server of `conformance/`. They run once,
 * before the tests below are named: each of PHPUnit's becomes one here.
 */

interface Case {
  readonly name: string;
  /** PHPUnit's message; undefined where the test passed. */
  readonly failure: string | undefined;
}

const MINUTES_5 = 300_000;
const sdk = fileURLToPath(new URL("../../sdks/php/", import.meta.url));
const missing = await whyNoPhp84();
const folder = await mkdtemp(join(tmpdir(), "junction-phpunit-"));
const { cases, output } = missing === undefined ? await runPhpUnit(await php84()) : { cases: [], output: "" };
const oldest = missing === undefined ? (await runPhpUnit(await php82())).output : "";

afterAll(async () => await rm(folder, { recursive: true, force: true }));

describe.skipIf(missing !== undefined)("PHPUnit", () => {
  covers("sdk.php.runtime", "the SDK's tests ran to their end on PHP 8.4", () => {
    expect(output).toMatch(/Runtime: +PHP 8\.4\./);
    expect(output).toMatch(/^(OK|Tests: )/m);
    expect(cases.length).toBeGreaterThan(700);
  });

  test("the SDK's tests pass on PHP 8.2, the oldest that is supported", () => {
    expect(oldest).toMatch(/Runtime: +PHP 8\.2\./);
    expect(oldest).toMatch(/^OK \(\d+ tests, \d+ assertions\)$/m);
  });

  test.each(cases)("$name", ({ failure }) => {
    expect(failure).toBeUndefined();
  });

  covers("sdk.wrapper.thin", "each operation is one request to the path that the contract gives it", () => {
    const operations = cases.filter(({ name }) => name.startsWith("SurfaceTest: testOperation"));
    expect(operations.length).toBeGreaterThan(80);
    expect(operations.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  covers(["sdk.handles.retries", "sdk.handles.idempotency", "sdk.handles.signing"], "the shared scenarios pass", () => {
    const scenarios = cases.filter(({ name }) => name.startsWith("ScenariosTest: "));
    expect(scenarios.length).toBeGreaterThan(60);
    expect(scenarios.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  test("no warning, deprecation or risky test", () => {
    expect(output).toMatch(/^OK \(\d+ tests, \d+ assertions\)$/m);
  });
});

describe("the sources", () => {
  test("no line is longer than 120 characters", async () => {
    const files = await Promise.all(["src", "tests"].map(async (name) => await phpFiles(join(sdk, name))));
    const texts = await Promise.all(files.flat().map(async (file) => await readFile(file, "utf8")));
    expect(texts.flatMap((text) => text.split("\n")).filter((line) => line.length > 120)).toEqual([]);
  });
});

async function runPhpUnit(php: Php): Promise<{ cases: Case[]; output: string }> {
  const mock = await startMock();
  try {
    const log = join(folder, "junit.xml");
    const args = [php.phpunit, "--do-not-cache-result", "--no-progress", "--log-junit", log];
    const env = { ...process.env, JUNCTION_MOCK_URL: mock.url };
    const ran = await php.run(args, { cwd: sdk, env, timeout: MINUTES_5 });
    return { cases: readCases(await readFile(log, "utf8").catch(() => "")), output: ran.output };
  } finally {
    await mock.close();
  }
}

/** Reads PHPUnit's report, in which each test is one element with its failure inside. */
function readCases(xml: string): Case[] {
  const elements = xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g);
  return [...elements].map(([, attributes = "", inside = ""]) => {
    const failure = /<(?:failure|error)[^>]*>([\s\S]*?)<\/(?:failure|error)>/.exec(inside)?.[1];
    const type = attribute(attributes, "class").split("\\").at(-1) ?? "";
    return {
      name: `${type}: ${attribute(attributes, "name")}`.replaceAll("%", "%%"),
      failure: failure === undefined ? undefined : unescape(failure),
    };
  });
}

function attribute(attributes: string, name: string): string {
  return unescape(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

function unescape(text: string): string {
  const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text
    .replaceAll(/&#(\d+);/g, (_match, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(lt|gt|quot|apos|amp);/g, (_match, name: string) => entities[name] ?? "");
}

async function phpFiles(path: string): Promise<string[]> {
  const names = await readdir(path, { recursive: true });
  return names.filter((name) => name.endsWith(".php")).map((name) => join(path, name));
}
