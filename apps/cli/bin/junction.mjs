#!/usr/bin/env node
// Runs the command line, which is TypeScript, with the Node of the lockfile if the current one is too old for it. This
// file is plain JavaScript for Node >= 18.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const pinned = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const runsTypeScript = major > 24 || (major === 24 && minor >= 12);

if (runsTypeScript) {
  // The compiled code is kept with the libraries if that folder can be written: a later command starts three times as fast.
  module.enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url)));
  await import("../src/main.ts");
} else if (existsSync(pinned)) {
  // A terminal sends Ctrl-C to both processes: this one waits for the result of the other.
  process.on("SIGINT", () => undefined);
  const { status, signal } = spawnSync(pinned, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exit(status ?? (signal === "SIGINT" ? 130 : 1));
} else {
  process.stderr.write(`junction needs Node >= 24.12 and this one is ${process.version}. Run \`npm ci\` first.\n`);
  process.exit(78);
}
