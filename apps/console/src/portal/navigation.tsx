import { useEffect, useMemo, useState } from "react";
import type { ReactNode } from "react";
import { createStore } from "../api/api.ts";
import { paths } from "../paths.ts";
import { PlaceContext } from "../ui/ui.ts";
import type { AnchorProps, LeavingGuardProps, Navigation, Target } from "../ui/ui.ts";

interface Location {
  readonly pathname: string;
  readonly searchText: string;
}

const location = createStore<Location>({ pathname: paths.endpoints, searchText: "" });
/** Each asks the user before the portal leaves a page with unsaved changes. */
const guards = new Set<(next: Location) => void>();

/**
 * The router of the portal. It keeps its place in memory, because the address belongs to the host page: a frame must not add to the
 * browser's history, and a reload needs a new session anyway.
 */
export const portalNavigation: Navigation = { Anchor, LeavingGuard, navigate };

/** Provides the page's address. Paths with a parameter have two parts. */
export function PortalPlace({ children }: { readonly children: ReactNode }) {
  const { pathname, searchText } = location.useValue();
  const place = useMemo(() => {
    const last = decodeURIComponent(pathname.split("/")[2] ?? "");
    return { searchText, parameters: { id: last, name: last } };
  }, [pathname, searchText]);
  return <PlaceContext value={place}>{children}</PlaceContext>;
}

export function usePathname(): string {
  return location.useValue().pathname;
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
        navigate({ to });
      }}
    >
      {children}
    </a>
  );
}

function navigate({ to, search }: Target): void {
  const [path = "", query = ""] = to.split("?");
  const current = location.get().pathname;
  const pathname = to === "." ? current : path;
  const next = { pathname, searchText: search === undefined ? query : new URLSearchParams(search).toString() };
  const [guard] = pathname === current ? [] : guards;
  if (guard === undefined) location.set(next);
  else guard(next);
}

function LeavingGuard({ isUnsaved, children }: LeavingGuardProps) {
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
  return children({
    isBlocked: next !== null,
    stay: () => setNext(null),
    leave() {
      setNext(null);
      if (next !== null) location.set(next);
    },
  });
}
