import { must } from "./run.ts";

const MIGRATIONS = "apps/service/src/platform/db/migrations";

/**
 * Lists the migrations of released versions (tags `v…`) that the working tree has changed or removed. Databases of released versions are
 * upgraded by them, and a database whose migrations differ is refused.
 */
export async function changedMigrations(root: string): Promise<string[]> {
  const { stdout } = await must("git", ["tag", "--list", "v*"], { cwd: root });
  const changed = new Set<string>();
  for (const tag of stdout.split("\n").filter(Boolean)) {
    const diff = ["diff", "--name-only", "--no-renames", "--diff-filter=a", tag, "--", MIGRATIONS];
    const { stdout: names } = await must("git", diff, { cwd: root });
    for (const name of names.split("\n").filter(Boolean)) changed.add(`${tag} ${name}`);
  }
  return [...changed];
}
