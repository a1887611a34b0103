/**
 * `npm start`: the service in this process, so that signals and the exit code are its own. With `--demo` something else fills the sandbox
 * meanwhile (tools/demo.ts).
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { main } from "../apps/service/src/process/program.ts";
import { readAuthor, readConfig } from "../apps/service/src/config/config.ts";
import { buildConsole } from "./bootstrap/console.mjs";

const [node = process.execPath, , ...args] = process.argv;
const isDemo = args.includes("--demo");
// As if it had been started itself: its processes (JUNCTION_PROCESSES) are.
process.argv = [
  node,
  fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url)),
  ...args.filter((argument) => argument !== "--demo"),
];
// For a person, unless an operator wants JSON. Passed on to the service's other processes.
process.env["JUNCTION_LOG_FORMAT"] ||= "text";
if (isDemo) fillSandbox();
// The console is built while the database is created. The offline archive has it built, and nothing to build it with.
const canBuild = existsSync(new URL("console/build.ts", import.meta.url));
await main({ readConfig, readAuthor, ...(canBuild ? { prepare: buildConsole } : {}) });

/** Ends with the service, however that ends: it listens to the channel. Its own failure is none of the service's. */
function fillSandbox(): void {
  const child = spawn(process.execPath, [fileURLToPath(new URL("demo.ts", import.meta.url))], {
    stdio: ["ignore", 2, 2, "ipc"],
    // A terminal's Ctrl-C is the service's affair.
    detached: process.platform !== "win32",
  });
  child.unref();
  child.channel?.unref();
}
