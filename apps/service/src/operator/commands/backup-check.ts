import { readLastBackup } from "../backup/backup.ts";
import { ok, warning } from "./checks.ts";
import type { Check } from "./checks.ts";
import type { InstallationServices } from "./command.ts";

/**
 * Checks for a recorded backup. Other backups, such as those of the database server, are not visible, so a missing one
 * is only a warning.
 */
export async function backupCheck({ db }: Pick<InstallationServices, "db">): Promise<Check> {
  const last = await readLastBackup(db.query);
  if (last !== null) return ok("backup", `The last backup was completed at ${last.created_at}: ${last.file_name}.`);
  return warning("backup", {
    detail: "The database has no record of a backup.",
    cause: "`junction backup` has never completed. If the disk fails, the data is lost.",
    fix: "Run `junction backup`. Keep the file and the master key on other machines, and separate from each other.",
  });
}
