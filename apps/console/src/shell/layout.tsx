import { useQuery } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ApiProblem, isSessionEnd, useLiveStream } from "../api/api.ts";
import { SessionProvider, sessionQuery } from "../session/session.ts";
import { ErrorState } from "../ui/ui.ts";
import { AddressBanner } from "./address-banner.tsx";
import { DemoBanner } from "./demo-banner.tsx";
import { EmptyShell } from "./empty-shell.tsx";
import { MAIN, SHELL_GRID } from "./frame.tsx";
import { Header } from "./header.tsx";
import { Keys } from "./keys.tsx";
import { MobileDrawer, Sidebar } from "./sidebar.tsx";

/** Shows everything around a screen for a signed-in user. */
export function Shell() {
  const session = useQuery(sessionQuery);
  if (session.isPending || isSessionEnd(session.error)) return <EmptyShell path={window.location.pathname} />;
  if (session.isError) {
    return (
      <main className="mx-auto max-w-3xl pt-16">
        <SignedOutError error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  return (
    <SessionProvider answer={session.data}>
      <Frame />
    </SessionProvider>
  );
}

function Frame() {
  const [menuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useLiveStream();
  useFocusAtRouteChange(main, () => setMenuOpen(false));
  return (
    <div className={SHELL_GRID}>
      <a
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <Keys />
      <Sidebar />
      <MobileDrawer isOpen={menuOpen} onClose={() => setMenuOpen(false)} />
      <div className="flex min-w-0 flex-col">
        <Header onMenu={() => setMenuOpen(true)} />
        <AddressBanner />
        <DemoBanner />
        <main ref={main} id="main" tabIndex={-1} className={MAIN}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** A new page begins at its heading, for eyes and for screen readers; the first one begins where the browser puts it. */
function useFocusAtRouteChange(main: React.RefObject<HTMLElement | null>, onChange: () => void): void {
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    const isFirst = shown.current === undefined;
    shown.current = pathname;
    onChange();
    if (isFirst) return;
    const heading = main.current?.querySelector<HTMLElement>("h1[tabindex]");
    (heading ?? main.current)?.focus({ preventScroll: true });
  }, [pathname, main, onChange]);
}

function SignedOutError({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const plain = error instanceof ApiProblem && error.status === 403 ? new Error(error.message) : error;
  return <ErrorState error={plain} onRetry={onRetry} />;
}
