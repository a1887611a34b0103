/** Returns the encryption context of a contract's signing secret. */
export function signingPlace(contractId: string): string {
  return `contract:${contractId}`;
}

/** Returns the encryption context of a named secret's value. */
export function secretPlace(tag: string, name: string): string {
  return `secret:${tag}:${name}`;
}
