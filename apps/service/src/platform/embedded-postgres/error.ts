/** A fault of the embedded PostgreSQL that an operator can mend. The message says what is wrong and what to do. */
export class EmbeddedError extends Error {
  override readonly name = "EmbeddedError";
}
