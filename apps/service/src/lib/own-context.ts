import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Returns a function that runs work in the context in which `ownContext` was called. Background work belongs to no request, even if a request
 * starts it: in the context of the request, it would see only the rows of that request's workspace.
 */
export function ownContext(): <T>(work: () => T) => T {
  return AsyncLocalStorage.snapshot();
}
