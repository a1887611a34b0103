import { Link, useBlocker, useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback } from "react";
import type { AnchorProps, Leaving, Navigation, Place } from "./ui/ui.ts";

/** The console's router, as the screens use it. */
export const consoleNavigation: Navigation = {
  Anchor,
  useSearchText: () => useRouterState({ select: ({ location }) => location.searchStr }),
  usePathParameter: (name) =>
    useRouterState({
      select: ({ matches }) => {
        const found = matches.at(-1)?.params as Readonly<Record<string, string>> | undefined;
        return found?.[name] ?? "";
      },
    }),
  useNavigate: useGo,
  useLeaving,
};

function Anchor({ to, children, ...props }: AnchorProps) {
  const [pathname = "/", search = ""] = to.split("?");
  return (
    <Link to={pathname} search={Object.fromEntries(new URLSearchParams(search))} {...props}>
      {children}
    </Link>
  );
}

function useGo(): (place: Place) => void {
  const navigate = useNavigate();
  // A change of the page's own filters does not scroll.
  return useCallback((place) => void navigate({ ...place, resetScroll: place.to !== "." }), [navigate]);
}

function useLeaving(isUnsaved: boolean): Leaving {
  const { status, reset, proceed } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  return { isBlocked: status === "blocked", stay: () => reset?.(), leave: () => proceed?.() };
}
