import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Backend } from "./backend.ts";

const child = fileURLToPath(new URL("../../../../connector-php", import.meta.url));
const MIB = 1024 * 1024;

/**
 * Returns the backend for PHP compiled to WebAssembly, in a Node process that can only read its own files. The packages
 * are optional and have a different license. The service never loads them, and only checks where they are.
 */
export function wasmPhpBackend(): Backend {
  const node = realpathSync(process.execPath);
  const reads = [node, child];
  return {
    runtime: "php",
    name: "php-wasm",
    memoryBytes: 384 * MIB,
    calls: 1,
    argv: (place) => [
      node,
      "--permission",
      "--max-old-space-size=64",
      "--disable-sigusr1",
      "--no-warnings",
      ...[...reads.slice(1), place.directory].map((path) => `--allow-fs-read=${path}`),
      join(child, "src/main.ts"),
      place.directory,
      String(place.memoryBytes),
    ],
    reads,
    probe: async () => {
      try {
        const found = createRequire(join(child, "package.json")).resolve("@php-wasm/node-8-4/package.json");
        const { version } = JSON.parse(await readFile(found, "utf8")) as { readonly version: string };
        const modules = dirname(dirname(dirname(found)));
        reads.push(...["@php-wasm", "ini", "wasm-feature-detect"].map((name) => join(modules, name)));
        return { version: `8.4 (PHP.wasm ${version})` };
      } catch {
        return { missing: "PHP.wasm is not installed (npm omits optional packages with --omit=optional)." };
      }
    },
  };
}
