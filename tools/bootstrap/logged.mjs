// Runs a program and writes its output to a log file, which is kept if the program fails.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Resolves with the exit code (null: it could not be started or a signal ended it), the output, and the log's path. `onLine` gets each
 * line as it comes.
 */
export async function runLogged(command, args, { name, onLine = () => undefined, ...options }) {
  const log = openLog(name);
  let output = "";
  let rest = "";
  const take = (text) => {
    output += text;
    log.write(text);
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) onLine(line);
  };
  const code = await new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const end = () => child.kill();
    process.once("exit", end);
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", take);
    child.once("error", (error) => {
      take(`${error.message}\n`);
      resolve(null);
    });
    child.once("close", (status) => {
      process.off("exit", end);
      resolve(status);
    });
  });
  if (code === 0) log.remove();
  return { code, output, log: log.path };
}

/** Outside of the repository: `npm ci` empties node_modules, and git status stays clean. */
function openLog(name) {
  try {
    const path = join(mkdtempSync(join(tmpdir(), "junction-")), `${name}.log`);
    return {
      path,
      write: (text) => {
        try {
          appendFileSync(path, text);
        } catch {
          // A full disk is reported by the program itself.
        }
      },
      remove: () => rmSync(dirname(path), { recursive: true, force: true }),
    };
  } catch {
    return { path: undefined, write: () => undefined, remove: () => undefined };
  }
}
