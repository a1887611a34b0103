import { must } from "./run.ts";
import type { Ran } from "./run.ts";

const MINUTES_10 = 600_000;
/** Options of an outer `npm test` that would change what this npm does. */
const OUTER =
  /^npm_config_(?:omit|only|include|production|workspaces?|include_workspace_root|global|prefix|local_prefix|offline)$/i;

/** Runs the npm that started this process, or the one on the PATH. Throws when it fails. */
export async function npm(args: readonly string[], cwd: string): Promise<Ran> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OUTER.test(name)));
  const running = process.env["npm_execpath"];
  const isScript = running !== undefined && /npm-cli\.[cm]?js$/.test(running);
  const [program, ...first] = isScript ? [process.execPath, running] : ["npm"];
  return await must(program, [...first, ...args, "--no-audit", "--no-fund"], { cwd, env, timeout: MINUTES_10 });
}
