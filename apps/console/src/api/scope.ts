import { createStore } from "./store.ts";

export type Environment = "live" | "sandbox";

/** The workspace and environment that every call names in addition to the cookie. The session belongs to a person, who may belong to several workspaces. */
export interface Scope {
  /** Null stands for the workspace of the sign-in. */
  readonly workspaceId: string | null;
  readonly environment: Environment;
}

const STORED = "junction.scope";
const scope = createStore(readStored());
let csrfToken: string | null = null;
let credential: string | null = null;

/** Returns the scope. Each call reads it, so that a switch applies from the next call on. */
export const currentScope = scope.get;

export function setScope(next: Partial<Scope>): void {
  const changed = { ...scope.get(), ...next };
  const text = JSON.stringify(changed);
  // Each tab keeps its own scope, so that two tabs can show two environments. A new tab begins with the scope that was chosen last.
  for (const storage of [sessionStorage, localStorage]) storage.setItem(STORED, text);
  scope.set(changed);
}

export const useScope = scope.useValue;

/** Returns the token, which is kept only in memory. A reloaded page requests it again. */
export function currentCsrfToken(): string | null {
  return csrfToken;
}

export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Returns the API key of the portal, empty without a session; null in the console, whose browser sends a cookie. */
export function currentCredential(): string | null {
  return credential;
}

/** Sets the API key of the portal. It is kept only in memory. */
export function setCredential(text: string): void {
  credential = text;
}

/** Returns the environment of an id of this service; null for any other text. */
export function environmentOfId(id: string): Environment | null {
  const last = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{7}([0-9a-hjkmnp-tv-z])[0-9a-hjkmnp-tv-z]{26}$/.exec(id)?.[1];
  if (last === undefined) return null;
  return ("0123456789abcdefghjkmnpqrstvwxyz".indexOf(last) & 1) === 0 ? "live" : "sandbox";
}

function readStored(): Scope {
  try {
    // In a frame of another site, a browser may refuse storage.
    const text = sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED);
    const stored = JSON.parse(text ?? "{}") as Partial<Scope>;
    const environment = stored.environment === "sandbox" ? "sandbox" : "live";
    return { workspaceId: typeof stored.workspaceId === "string" ? stored.workspaceId : null, environment };
  } catch {
    return { workspaceId: null, environment: "live" };
  }
}
