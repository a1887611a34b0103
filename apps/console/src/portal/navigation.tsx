import { useEffect, useState, useSyncExternalStore } from "react";
import { paths } from "../paths.ts";
import { searchText } from "../search-text.ts";
import type { AnchorProps, Leaving, Navigation, Place } from "../ui/ui.ts";

interface Location {
  readonly pathname: string;
  readonly search: string;
}

let location: Location = { pathname: paths.endpoints, search: "" };
const listeners = new Set<() => void>();
/** Each asks the user before the portal leaves a page with unsaved changes. */
const guards = new Set<(next: Location) => void>();

/**
 * The router of the portal. It keeps its place in memory, because the address belongs to the host page: a frame must not add to the
 * browser's history, and a reload needs a new session anyway.
 */
export const portalNavigation: Navigation = {
  Anchor,
  useSearchText: () => useSyncExternalStore(subscribe, () => location.search),
  // Paths with a parameter have two parts.
  usePathParameter: () => decodeURIComponent(usePathname().split("/")[2] ?? ""),
  useNavigate: () => go,
  useLeaving,
};

export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

/** The address of a link stays on the page, so that a new tab says that it has no session, instead of opening the console. */
function Anchor({ to, children, onClick, ...props }: AnchorProps) {
  return (
    <a
      {...props}
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        onClick?.();
        go({ to });
      }}
    >
      {children}
    </a>
  );
}

function go({ to, search }: Place): void {
  const [path = "", query = ""] = to.split("?");
  const pathname = to === "." ? location.pathname : path;
  const next = { pathname, search: search === undefined ? query : searchText(search) };
  const [guard] = pathname === location.pathname ? [] : guards;
  if (guard === undefined) move(next);
  else guard(next);
}

function move(next: Location): void {
  location = next;
  for (const listener of listeners) listener();
}

function useLeaving(isUnsaved: boolean): Leaving {
  const [next, setNext] = useState<Location | null>(null);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const keep = (event: BeforeUnloadEvent): void => event.preventDefault();
    guards.add(setNext);
    window.addEventListener("beforeunload", keep);
    return () => {
      guards.delete(setNext);
      window.removeEventListener("beforeunload", keep);
    };
  }, [isUnsaved]);
  return {
    isBlocked: next !== null,
    stay: () => setNext(null),
    leave() {
      setNext(null);
      if (next !== null) move(next);
    },
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
