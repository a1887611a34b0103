/** A fault of the embedded PostgreSQL that an operator can fix. The message describes the problem and the solution. */
export class EmbeddedError extends Error {
  override readonly name = "EmbeddedError";
}
