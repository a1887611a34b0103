/** The pattern of a valid secret name. */
export const SECRET_NAME = "^[A-Za-z][A-Za-z0-9_.-]{0,99}$";

/** Returns the encryption context of a contract's signing secret. */
export function signingPlace(contractId: string): string {
  return `contract:${contractId}`;
}

/** Returns the encryption context of a named secret's value. */
export function secretPlace(tag: string, name: string): string {
  return `secret:${tag}:${name}`;
}
