import { useSyncExternalStore } from "react";

export type Environment = "live" | "sandbox";

/** What every call says of itself, beside the cookie: the session belongs to a person, who may belong to several workspaces. */
export interface Scope {
  /** Null: the workspace that was signed in to. */
  readonly workspaceId: string | null;
  readonly environment: Environment;
}

const STORED = "junction.scope";
const listeners = new Set<() => void>();
let scope = readStored();
let csrfToken: string | null = null;

/** Read at each call, so that a switch counts from the next one. */
export function currentScope(): Scope {
  return scope;
}

export function setScope(next: Partial<Scope>): void {
  scope = { ...scope, ...next };
  const text = JSON.stringify(scope);
  // The tab keeps its own, so that two tabs may look at two environments; a new tab begins with the last one chosen.
  for (const storage of [sessionStorage, localStorage]) storage.setItem(STORED, text);
  for (const listener of listeners) listener();
}

export function useScope(): Scope {
  return useSyncExternalStore(subscribe, currentScope);
}

/** In memory alone: a reloaded page asks for it again. */
export function currentCsrfToken(): string | null {
  return csrfToken;
}

export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** The environment that an id of this service belongs to; null for a text that is no such id. */
export function environmentOfId(id: string): Environment | null {
  const last = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{7}([0-9a-hjkmnp-tv-z])[0-9a-hjkmnp-tv-z]{26}$/.exec(id)?.[1];
  if (last === undefined) return null;
  return ("0123456789abcdefghjkmnpqrstvwxyz".indexOf(last) & 1) === 0 ? "live" : "sandbox";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readStored(): Scope {
  const text = sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED);
  try {
    const stored = JSON.parse(text ?? "{}") as Partial<Scope>;
    const environment = stored.environment === "sandbox" ? "sandbox" : "live";
    return { workspaceId: typeof stored.workspaceId === "string" ? stored.workspaceId : null, environment };
  } catch {
    return { workspaceId: null, environment: "live" };
  }
}
