import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { php84, whyNoPhp84 } from "./php84.ts";
import type { Php } from "./php84.ts";

const missing = await whyNoPhp84();
if (missing !== undefined) console.warn(`\nSKIPPED: the tests on PHP. ${missing}\n`);
const MINUTES_15 = 900_000;

let php: Php;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-php-"));
  if (missing === undefined) [php] = await Promise.all([php84(), php84()]);
}, MINUTES_15);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(missing !== undefined)("PHP 8.4 in a folder of its own", () => {
  test("PHP is 8.4, with all that its tools need", async () => {
    const { stdout } = await php.run(["-r", "echo json_encode([PHP_VERSION, get_loaded_extensions()]);"]);
    const [version, extensions] = JSON.parse(stdout) as [string, string[]];
    expect(version).toMatch(/^8\.4\./);
    expect(extensions).toEqual(expect.arrayContaining(["curl", "mbstring", "dom", "xmlwriter", "openssl", "sodium"]));
  });

  test("a program that PHP starts by its own name is the same PHP", async () => {
    const child = "echo shell_exec(escapeshellarg(PHP_BINARY) . ' -r ' . escapeshellarg('echo PHP_VERSION;'));";
    expect((await php.run(["-r", child])).stdout).toMatch(/^8\.4\./);
  });

  test("PHPUnit runs a test, and says which one failed", async () => {
    const source =
      "<?php final class OneTest extends PHPUnit\\Framework\\TestCase { public function testOne(): void { self::assertSame(1, 2); } }";
    await writeFile(join(folder, "OneTest.php"), source);
    const ran = await php.run([php.phpunit, "--no-configuration", "--do-not-cache-result", "OneTest.php"], {
      cwd: folder,
    });
    expect(ran.status).toBe(1);
    expect(ran.output).toContain("OneTest::testOne");
    expect(ran.output).toContain("PHPUnit 11.");
  });

  test("Composer starts", async () => {
    const env = { ...process.env, COMPOSER_HOME: folder, COMPOSER_ALLOW_SUPERUSER: "1" };
    expect((await php.run([php.composer, "--version", "--no-plugins"], { env })).output).toContain(
      "Composer version 2.",
    );
  });

  test("the system's own PHP settings are not read", async () => {
    const { stdout } = await php.run(["-r", "echo json_encode([php_ini_loaded_file(), php_ini_scanned_files()]);"]);
    expect(JSON.parse(stdout)).toEqual([expect.stringContaining("php.ini"), false]);
  });

  test("Debian's PHP libraries load", async () => {
    const code =
      "require 'GuzzleHttp/autoload.php'; require 'Psr/Http/Client/autoload.php'; echo interface_exists('Psr\\Http\\Client\\ClientInterface') && class_exists('GuzzleHttp\\Client') ? 'yes' : 'no';";
    expect((await php.run(["-r", code])).output).toBe("yes");
  });
});

test("where PHP cannot be had, a sentence says what is missing", async () => {
  vi.stubEnv("CI", undefined);
  vi.stubEnv("XDG_CACHE_HOME", folder);
  vi.stubEnv("PATH", folder);
  const sentence = "PHP 8.4 for tests is made of Debian's packages, and apt-get is not on this machine.";
  expect(await whyNoPhp84()).toBe(sentence);
  await expect(php84()).rejects.toThrow("PHP 8.4 cannot be installed: apt-get is not on this machine.");
});
