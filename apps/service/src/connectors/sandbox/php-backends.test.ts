import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HookError, phpBackends } from "./hosts.ts";
import { PHP_START_MS, PHPS, startPhp } from "./testing/php.ts";
import { failureOf } from "./testing/programs.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-php-backends-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

describe("the PHP that runs connectors", () => {
  test("PHP.wasm is used without JUNCTION_PHP, if npm installed it", async () => {
    const [backend] = phpBackends(null);
    expect(backend?.name).toBe("php-wasm");
    expect(await backend?.probe()).toEqual({ version: expect.stringMatching(/^8\.4 \(PHP\.wasm \d/) as string });
  });

  test.each([
    ["is not there", undefined, "the program does not exist."],
    ["is no PHP", "echo hello", "it does not run PHP code."],
    ["fails", "exit 3", "Command failed"],
    [
      "is too old",
      `echo '{"version":"8.3.29","folder":"/x","functions":{"Core":[]}}'`,
      "it is PHP 8.3.29, and connectors require 8.4 or later.",
    ],
    [
      "has an extension that nobody judged",
      `echo '{"version":"8.4.1","folder":"/x","functions":{"Core":[],"swoole":["swoole_x"]}}'`,
      "it has built-in extensions that cannot be disabled for connectors: swoole. Use a PHP without them.",
    ],
    [
      "is newer, and has classes that can no longer be disabled",
      `echo '{"version":"8.5.0","folder":"/x","functions":{"Core":[],"soap":[],"curl":[]}}'`,
      "cannot be disabled for connectors: soap. Use a PHP without them.",
    ],
  ])("a program that %s is not used, and nothing replaces it", async (what, script, why) => {
    const program = join(folder, what.replaceAll(" ", "-"));
    if (script !== undefined) await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const hosts = await startPhp(program);
    try {
      const { runtimes } = await hosts.hosts.report();
      expect(runtimes.php).toEqual({
        missing: expect.stringContaining(`JUNCTION_PHP (${program}) cannot be used: `) as string,
      });
      expect(JSON.stringify(runtimes.php)).toContain(why);
      const failure = await failureOf(hosts.run("return 1;"));
      expect(failure).toBeInstanceOf(HookError);
      expect(failure.kind).toBe("unavailable");
    } finally {
      await hosts.stop();
    }
  });

  test("a newer version of PHP is accepted", async () => {
    const program = join(folder, "newer");
    const said = JSON.stringify({ version: "9.0.0", folder: "/none", functions: { Core: [], curl: ["curl_init"] } });
    await writeFile(program, `#!/bin/sh\necho '${said}'\n`);
    await chmod(program, 0o755);
    const [backend] = phpBackends(program);
    expect(await backend?.probe()).toEqual({ version: "9.0.0" });
    const argv = backend?.argv({ directory: "/laid", memoryBytes: 192 * 1024 * 1024 }) ?? [];
    expect(argv).toContain("-n");
    expect(argv).toContain('memory_limit="134217728"');
    expect(argv.find((arg) => arg.startsWith("open_basedir="))).toMatch(
      /^open_basedir="\/laid:\/.*connector-php\/php"$/,
    );
    expect(argv.find((arg) => arg.startsWith("disable_functions="))).toMatch(/[",]exec,.*,curl_init"$/);
    expect(() => backend?.argv({ directory: '/a"b', memoryBytes: 1 })).toThrow("Rename the folder.");
  });

  test.each(PHPS)(
    "%s is named in the report, and forbidden functions do not exist",
    async (name, program) => {
      const php = await startPhp(await program());
      try {
        const { runtimes } = await php.hosts.report();
        expect(runtimes.php).toMatchObject({ backend: name === "PHP.wasm" ? "php-wasm" : "php" });
        const limits = JSON.parse(
          await readFile(new URL("../../../../connector-php/php/limits.json", import.meta.url), "utf8"),
        ) as { extensions: string[]; silenced: string[]; functions: string[] };
        const left = await php.run(
          `$left = array_filter($in['functions'], 'function_exists');
        foreach ($in['silenced'] as $name) array_push($left, ...(@get_extension_funcs($name) ?: []));
        $judged = array_map('strtolower', [...$in['extensions'], ...$in['silenced']]);
        foreach (get_loaded_extensions() as $name) if (!in_array(strtolower($name), $judged)) $left[] = $name;
        return array_values(array_filter($left));`,
          { args: [limits] },
        );
        expect(left).toEqual([]);
        const wanted = [
          "bcmath",
          "calendar",
          "ctype",
          "dom",
          "iconv",
          "json",
          "mbstring",
          "openssl",
          "pcre",
          "SimpleXML",
          "zlib",
        ];
        const there = (await php.run("return get_loaded_extensions();")) as string[];
        // Debian has a separate package for bcmath.
        expect(there).toEqual(expect.arrayContaining(wanted.filter((one) => one !== "bcmath")));
      } finally {
        await php.stop();
      }
    },
    PHP_START_MS,
  );

  test("a PHP in a separate folder tree can read the whole tree", async () => {
    await mkdir(join(folder, "tree/bin"), { recursive: true });
    const program = join(folder, "tree/bin/php");
    await writeFile(program, `#!/bin/sh\necho '{"version":"8.4.9","folder":"/none","functions":{}}'\n`, {
      mode: 0o755,
    });
    const [backend] = phpBackends(program);
    await backend?.probe();
    expect(backend?.reads).toContain(join(folder, "tree"));
  });
});
