import { readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../", import.meta.url));
/** Matches what is loaded with a file: `import()` and types are not. */
const LOADED = /^(?:import|export)(?! type\b)[^"';=]*?\bfrom "(\.[^"]+)"/gm;

/** Matches the libraries that are loaded with a file. */
const LIBRARY = /^(?:import|export)(?! type\b)[^"';=]*?\bfrom "([^."][^"]*)"/gm;

/** Returns all files that are loaded with these, by their paths in apps/service/src. */
async function loadedWith(files: readonly string[], known = new Set<string>()): Promise<Set<string>> {
  for (const file of files.filter((one) => !known.has(one))) {
    known.add(file);
    const text = await readFile(join(src, file), "utf8");
    const imported = [...text.matchAll(LOADED)].map(([, path = ""]) => normalize(join(dirname(file), path)));
    await loadedWith(
      imported.filter((path) => !path.startsWith("..")),
      known,
    );
  }
  return known;
}

test.each([
  ["--help and an unknown command", ["main.ts", "process/program.ts"]],
  ["doctor", ["process/program.ts", "process/commands.ts", "config/config.ts", "operator/commands/doctor.ts"]],
  ["a refusal", ["process/refusal.ts"]],
])("%s is printed without loading the service or a domain", async (_, files) => {
  const loaded = [...(await loadedWith(files))];
  expect(loaded.length).toBeGreaterThan(files.length);
  expect(loaded.filter((file) => file === "service.ts" || file.endsWith(".module.ts"))).toEqual([]);
  expect(loaded.filter((file) => /^(?:webhooks|automation|actions|ai|server|insights|contacts)\//.test(file))).toEqual(
    [],
  );
});

test("the service is loaded by a start", async () => {
  expect([...(await loadedWith(["process/start.ts"]))]).toContain("service.ts");
});

test("a start leaves the libraries of MCP and passkeys to their first use", async () => {
  const files = [...(await loadedWith(["process/start.ts"]))];
  const texts = await Promise.all(files.map(async (file) => await readFile(join(src, file), "utf8")));
  const imported = texts.flatMap((text) => [...text.matchAll(LIBRARY)].map(([, name]) => name));
  expect(imported).toContain("fastify");
  expect(imported).not.toContain("@modelcontextprotocol/server");
  expect(imported).not.toContain("@simplewebauthn/server");
});
