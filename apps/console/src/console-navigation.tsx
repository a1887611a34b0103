import { Link, Outlet, useBlocker, useRouterState } from "@tanstack/react-router";
import type { AnyRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import { PlaceContext } from "./ui/ui.ts";
import type { AnchorProps, LeavingGuardProps, Navigation } from "./ui/ui.ts";

/** Returns the console's router, as the screens use it. */
export function consoleNavigation(router: AnyRouter): Navigation {
  return {
    Anchor,
    LeavingGuard,
    // A change of the page's own filters does not scroll.
    navigate: (target) => void router.navigate({ ...target, resetScroll: target.to !== "." }),
  };
}

/** The root of all routes: it provides the page's address. */
export function Root() {
  const searchText = useRouterState({ select: ({ location }) => location.searchStr });
  const parameters = useRouterState({
    select: ({ matches }) => matches.at(-1)?.params as Readonly<Record<string, string>> | undefined,
  });
  const place = useMemo(() => ({ searchText, parameters: parameters ?? {} }), [searchText, parameters]);
  return (
    <PlaceContext value={place}>
      <Outlet />
    </PlaceContext>
  );
}

function Anchor({ to, children, ...props }: AnchorProps) {
  const [pathname = "/", search = ""] = to.split("?");
  return (
    <Link to={pathname} search={Object.fromEntries(new URLSearchParams(search))} {...props}>
      {children}
    </Link>
  );
}

function tabIn(search: unknown): unknown {
  return (search as { readonly tab?: unknown }).tab;
}

function LeavingGuard({ isUnsaved, isInTab = false, children }: LeavingGuardProps) {
  const { status, reset, proceed } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isUnsaved && (current.pathname !== next.pathname || (isInTab && tabIn(current.search) !== tabIn(next.search))),
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  return children({ isBlocked: status === "blocked", stay: () => reset?.(), leave: () => proceed?.() });
}
