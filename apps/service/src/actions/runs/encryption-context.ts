/** What a secret can be called. */
export const SECRET_NAME = "^[A-Za-z][A-Za-z0-9_.-]{0,99}$";

/** Where a contract's signing secret is sealed to. */
export function signingPlace(contractId: string): string {
  return `contract:${contractId}`;
}

/** Where the value of a named secret is sealed to. */
export function secretPlace(tag: string, name: string): string {
  return `secret:${tag}:${name}`;
}
