/** The reason why a backup was not created or restored, for the operator, with what to do. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}
