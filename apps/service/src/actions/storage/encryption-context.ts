/** Returns the encryption context of a contract's signing secret. */
export function signingPlace(contractId: string): string {
  return `contract:${contractId}`;
}

/** Returns the encryption context of a named secret's value. */
export function secretPlace(tag: string, name: string): string {
  return `secret:${tag}:${name}`;
}

/** Returns the encryption context of parameters. `id` is that of the proposal, or that of the run if there is no proposal. */
export function parametersPlace(id: string): string {
  return `action parameters:${id}`;
}

/** Returns the encryption context of a run's result. */
export function resultPlace(runId: string): string {
  return `action result:${runId}`;
}
