import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Writes the files (paths relative to a repository root) into a temporary folder and runs the repository's real oxlint
 * with its real configuration over them. Returns `path: rule: message` of every finding of the given rules, sorted;
 * a rule is written as oxlint prints it, `junction(front-door)` or `eslint(complexity)`.
 */
export function findings(files: Readonly<Record<string, string>>, ...rules: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "junction-lint-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return lint(folder)
      .filter(({ code }) => rules.includes(code))
      .map(({ code, filename, message }) => `${relative(folder, join(folder, filename))}: ${code}: ${message}`)
      .toSorted();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Finding {
  readonly code: string;
  readonly filename: string;
  readonly message: string;
}

function lint(folder: string): readonly Finding[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "node_modules/oxlint/bin/oxlint"), "-c", join(root, ".oxlintrc.json"), "-f", "json", "."],
    { cwd: folder, encoding: "utf8" },
  );
  // A plugin that does not load leaves no findings either: only a readable report counts as an answer.
  if (!stdout.startsWith("{")) throw new Error(`oxlint did not answer: ${stdout}${stderr}`);
  return (JSON.parse(stdout) as { readonly diagnostics: readonly Finding[] }).diagnostics;
}
