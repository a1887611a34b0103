import type { QueryClient } from "@tanstack/react-query";
import { ApiProblem, createStore, send, setCredential, whenSessionEnds } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { reportEnd } from "./host.ts";
import { applyTheme } from "./theme.ts";

/** The answer of the exchange. Its route has no dotted name, because it needs no key, so its types are not generated. */
export interface PortalCredential {
  readonly credential: string;
  readonly tenant: string;
  readonly capabilities: readonly string[];
  readonly operations: readonly string[];
  readonly theme: wire.PortalTheme;
  /** The name and the logo of the workspace. */
  readonly brand: { readonly name: string | null; readonly logo: string | null };
}

/** `ended`: the link was used or is too old, or the session has ended. */
export interface PortalState {
  readonly name: "opening" | "open" | "ended";
  /** The session, or the last one, whose unsaved forms continue in the next one. */
  readonly session: PortalCredential | null;
}

const state = createStore<PortalState>({ name: "opening", session: null });
let queries: QueryClient | null = null;

/** Opens the session of the link, and a new one when the host page sets another link. */
export function startPortal(queryClient: QueryClient): void {
  queries = queryClient;
  setCredential("");
  whenSessionEnds(() => {
    if (state.get().name === "open") end(null);
  });
  window.addEventListener("hashchange", () => void openLink());
  void openLink();
}

export const usePortalState = state.useValue;

/** Exchanges the token in the address, and removes it from the address, because it works once. */
async function openLink(): Promise<void> {
  const token = new URLSearchParams(window.location.hash.slice(1)).get("token");
  const workspace = new URLSearchParams(window.location.search).get("workspace");
  if (token === null) {
    // Removing the token from the address of an open page does not end its session.
    if (state.get().name !== "open") end(null);
    return;
  }
  window.history.replaceState(null, "", window.location.pathname + window.location.search);
  try {
    setCredential("");
    const body = { token, ...(workspace === null ? {} : { workspace }) };
    const session = (await send({
      method: "POST",
      path: "/v1/portal-sessions/exchange",
      body,
    })) as PortalCredential;
    setCredential(session.credential);
    applyTheme(session.theme);
    const before = state.get().session;
    state.set({ name: "open", session });
    // Another customer must see nothing of the one before.
    if (before !== null && before.tenant !== session.tenant) queries?.clear();
    else void queries?.invalidateQueries();
  } catch (error) {
    end(error);
  }
}

function end(error: unknown): void {
  setCredential("");
  if (state.get().name !== "ended") state.set({ name: "ended", session: state.get().session });
  reportEnd(error instanceof ApiProblem ? error.code : null);
}
