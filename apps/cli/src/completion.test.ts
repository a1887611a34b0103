import { spawn, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { cli, home } from "./testing/cli.ts";

/** Typed text, and the shell's completion of it. */
const TYPED: readonly [typed: string, completed: string][] = [
  ["junction tri", "trigger"],
  ["junction endpoints secret re", "regenerate"],
  ["junction rules get rule_1 --j", "--json"],
  ["junction res", "restore"],
];

let folder: string;
const scripts: Record<string, string> = {};

beforeAll(async () => {
  folder = await home();
  for (const shell of ["bash", "zsh", "fish"]) {
    const file = join(folder, shell);
    await writeFile(file, (await cli(["completion", shell])).stdout);
    scripts[shell] = file;
  }
});

/**
 * Returns true if the shell is missing. A developer then sees a warning; with `JUNCTION_NEED_SHELLS`, which CI sets,
 * the test fails.
 */
function isMissing(shell: string): boolean {
  const isThere = spawnSync(shell, ["--version"]).status === 0;
  if (!isThere && process.env["JUNCTION_NEED_SHELLS"] === undefined) {
    console.warn(`SKIPPED: completion in ${shell}, which is not on this machine. Install Debian's package ${shell}.`);
    return true;
  }
  return false;
}

test("bash completes commands, subcommands and options", () => {
  for (const [typed, completed] of TYPED) {
    const words = typed.split(" ");
    const given = words.map((word) => `'${word}'`).join(" ");
    const code = `source ${scripts["bash"] ?? ""}; COMP_WORDS=(${given}); COMP_CWORD=${words.length - 1}; _junction; echo "\${COMPREPLY[*]}"`;
    expect(spawnSync("bash", ["-c", code], { encoding: "utf8" }).stdout.trim()).toBe(completed);
  }
});

test.skipIf(isMissing("fish"))("fish completes the same", () => {
  for (const [typed, completed] of TYPED) {
    const code = `source ${scripts["fish"] ?? ""}; complete -C '${typed}'`;
    expect(spawnSync("fish", ["--no-config", "-c", code], { encoding: "utf8" }).stdout.trim()).toBe(completed);
  }
});

test.skipIf(isMissing("zsh"))("zsh completes the same at a terminal with the Tab key", async () => {
  const shell = spawn("script", ["-qefc", "zsh -f -i", "/dev/null"], {
    env: { PATH: process.env["PATH"], HOME: folder, TERM: "xterm", SHELL: "/bin/sh" },
  });
  let shown = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  const until = async (text: string): Promise<void> => await expect.poll(() => shown).toContain(text);
  // Text that is typed before zsh reads would be lost.
  await sleep(500);
  shell.stdin.write(`autoload -U compinit && compinit -u -D; source ${scripts["zsh"] ?? ""}; print -r is''ready\r`);
  await until("isready");
  for (const [typed, completed] of TYPED) {
    shown = "";
    // Ctrl-U clears the line first.
    shell.stdin.write(`\u0015${typed}\t`);
    await until(`${typed.split(" ").slice(0, -1).join(" ")} ${completed}`);
  }
  shell.stdin.end("\u0015exit\r");
});

test("there are scripts for three shells", async () => {
  expect((await cli(["completion", "tcsh"])).status).toBe(64);
});
