import { existsSync } from "node:fs";
import { join } from "node:path";
import { modules } from "./install.mjs";
import { runLogged } from "./logged.mjs";
import { root, say } from "./report.mjs";

const ours = /^junction: /;

/** Builds the console where it is stale, with the Node that was installed: this one may be too old for it. Returns whether it is built. */
export async function buildConsole() {
  const isWindows = process.platform === "win32";
  const packaged = join(modules, ".bin", isWindows ? "node.cmd" : "node");
  const node = existsSync(packaged) ? packaged : process.execPath;
  const { code, output, log } = await runLogged(node, [join(root, "tools", "console", "build.ts")], {
    name: "console-build",
    cwd: root,
    shell: isWindows,
    onLine: (line) => {
      if (ours.test(line)) process.stderr.write(`${line}\n`);
    },
  });
  if (code === 0) return true;
  const cause = /^\w*Error: .*$/m.exec(output)?.[0] ?? output.trim().split("\n").pop();
  say(`the console could not be built (${cause}). The output of the build is in ${log}`);
  return false;
}
