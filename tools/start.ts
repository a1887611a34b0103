/**
 * Runs the service for `npm start` in this process, so that signals and the exit code are its own. With `--demo`, another process fills the
 * sandbox at the same time (tools/demo.ts).
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { keepCompiledCode } from "../apps/service/src/process/compile-cache.ts";
import { buildConsole } from "./bootstrap/console.mjs";

const [node = process.execPath, , ...args] = process.argv;
const isDemo = args.includes("--demo");
// The arguments are those of a direct start, because the service's further processes (JUNCTION_PROCESSES) are started directly.
process.argv = [
  node,
  fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url)),
  ...args.filter((argument) => argument !== "--demo"),
];
// The default is text for a person; an operator can choose JSON. The service's other processes inherit the setting.
process.env["JUNCTION_LOG_FORMAT"] ||= "text";
if (isDemo) fillSandbox();
// The console is built while the database is created. The offline archive contains the built console, but not the tools to build it.
const canBuild = existsSync(new URL("console/build.ts", import.meta.url));
keepCompiledCode();
const { main } = await import("../apps/service/src/process/program.ts");
await main({
  loadConfig: async () => await import("../apps/service/src/config/config.ts"),
  ...(canBuild ? { prepare: buildIfStale } : {}),
});

/** Another process builds the console. Starting it costs more than finding out that it is not needed. */
async function buildIfStale(): Promise<void> {
  const { isBuilt } = await import("./console/fingerprint.ts");
  if (!(await isBuilt())) await buildConsole();
}

/** Starts the process that fills the sandbox. It ends with the service in every case, because it listens to the channel. Its failure does not affect the service. */
function fillSandbox(): void {
  const child = spawn(process.execPath, [fileURLToPath(new URL("demo.ts", import.meta.url))], {
    stdio: ["ignore", 2, 2, "ipc"],
    // Only the service handles a terminal's Ctrl-C.
    detached: process.platform !== "win32",
  });
  child.unref();
  child.channel?.unref();
}
