import type { Tag, Uuid } from "../kernel/kernel.ts";

/** Where a contract's signing secret is sealed to. */
export function signingPlace(contractId: Uuid): string {
  return `contract:${contractId}`;
}

/** Where the value of a named secret is sealed to. */
export function secretPlace(tag: Tag, name: string): string {
  return `secret:${tag}:${name}`;
}
