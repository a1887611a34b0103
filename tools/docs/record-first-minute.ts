/**
 * Records the first minute into the quickstart guide: `npm run record:first-minute`. Clones the repository into a new folder and starts it there. With
 * `--empty-cache` npm fetches every package.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../../apps/service/src/testing/process.ts";
import { must } from "../run.ts";
import { blockOf, firstMinute, QUICKSTART, ROOT, withBlock } from "./first-minute.ts";

const folder = await mkdtemp(join(tmpdir(), "junction-first-minute-"));
// The user that runs the database must be able to enter the folder.
await chmod(folder, 0o755);
try {
  const clone = join(folder, "junction");
  await must("git", ["clone", "-q", ROOT, clone]);
  const block = blockOf(await firstMinute(clone, await freePort(), environment()));
  await writeFile(QUICKSTART, withBlock(await readFile(QUICKSTART, "utf8"), block));
  console.log(block);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Returns the environment of a new user: no settings, not even npm's, and the machine's own Node. */
function environment(): NodeJS.ProcessEnv {
  const { PATH = "", HOME = "" } = process.env;
  const programs = PATH.split(delimiter).filter(
    (part) => !part.includes("node_modules") && !part.includes("node-gyp-bin"),
  );
  const cache = process.argv.includes("--empty-cache") ? join(folder, "cache") : join(HOME, ".npm");
  return { PATH: programs.join(delimiter), HOME: folder, npm_config_cache: cache, npm_config_update_notifier: "false" };
}
