/** Why a backup was not made or not restored, in words for the operator: what is wrong, and what to do. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}
