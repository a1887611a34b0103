/** The reason why a database cannot be distributed, in words for the operator. */
export class DistributeError extends Error {
  override readonly name = "DistributeError";
}
