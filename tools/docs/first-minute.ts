/** The first minute of a start: what `npm start` prints, line by line, and its block in the quickstart guide. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Line {
  /** Seconds since the start. */
  readonly seconds: number;
  readonly text: string;
}

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const QUICKSTART = `${ROOT}docs/guide/quickstart.md`;

/** The port in the block that a reader sees, which is the default one. */
const PORT = 4000;
/** The end of the announcement, and the self-test, which ends before or after it. */
const LAST_LINES = [/^ +curl \S+\/inbox\//, /self-test passed$/];
const BLOCK = /(^```text first-minute\n)([^]*?)(\n```$)/m;
const TIME = /^ *\d+\.\d s {2}/;

/** Runs `npm start` in a folder until it is ready, and stops it. Throws when it ends before. */
export async function firstMinute(folder: string, port: number, env: NodeJS.ProcessEnv): Promise<Line[]> {
  const begun = performance.now();
  // A shell merges both outputs in their order.
  const child = spawn("sh", ["-c", "exec npm start 2>&1"], {
    cwd: folder,
    env: { ...env, JUNCTION_PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines: Line[] = [];
  const awaited = new Set(LAST_LINES);
  for await (const text of createInterface(child.stdout)) {
    if (awaited.size === 0) continue;
    lines.push({ seconds: (performance.now() - begun) / 1000, text: stable(text.replaceAll(`:${port}`, `:${PORT}`)) });
    for (const last of LAST_LINES) if (last.test(text)) awaited.delete(last);
    if (awaited.size === 0) child.kill("SIGTERM");
  }
  const [code] = await ended;
  if (awaited.size > 0 || code !== 0)
    throw new Error(`npm start ended with ${String(code)}:\n${lines.map(({ text }) => text).join("\n")}`);
  return trimmed(lines);
}

/** Removes the parts that differ from start to start. */
function stable(text: string): string {
  return text
    .replace(/token=\S+/, "token=<token>")
    .replace(/jn_test_\w+/, "jn_test_<key>")
    .replace(/\/inbox\/\w+/, "/inbox/<inbox>");
}

/** The lines with the time of each, as the guide shows them. */
export function blockOf(lines: readonly Line[]): string {
  const shown = lines.map(({ seconds, text }) => (text === "" ? "" : `${seconds.toFixed(1).padStart(5)} s  ${text}`));
  return ["$ npm start", ...shown].join("\n");
}

/** The lines of the guide's block, without their times. */
export async function recordedLines(): Promise<string[]> {
  const [, , block] = BLOCK.exec(await readFile(QUICKSTART, "utf8")) ?? [];
  if (block === undefined) throw new Error("the quickstart guide has no block of the first minute");
  return block
    .split("\n")
    .slice(1)
    .map((line) => line.replace(TIME, ""));
}

export function withBlock(guide: string, block: string): string {
  if (!BLOCK.test(guide)) throw new Error("the quickstart guide has no block of the first minute");
  return guide.replace(BLOCK, (_all, before: string, _old, after: string) => before + block + after);
}

function trimmed(lines: readonly Line[]): Line[] {
  const first = lines.findIndex(({ text }) => text !== "");
  return lines.slice(first);
}
