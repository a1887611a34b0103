import { useEffect, useMemo, useRef } from "react";
import type { ReactNode } from "react";
import type { OperationName } from "../api/api.ts";
import { paths } from "../paths.ts";
import { AccessProvider } from "../session/session.ts";
import { cx, Link, Skeleton, useNavigate, useTitle } from "../ui/ui.ts";
import { Failure } from "./failure.tsx";
import { isFramed, reportHeight } from "./host.ts";
import { usePathname } from "./navigation.tsx";
import { usePortalState } from "./state.ts";
import type { PortalCredential } from "./state.ts";

interface PortalPage {
  readonly to: string;
  readonly label: string;
  /** The page is shown if the session may call this. */
  readonly needs: OperationName;
}

const PAGES: readonly PortalPage[] = [
  { to: paths.endpoints, label: "Endpoints", needs: "webhook_endpoints.list" },
  { to: paths.deliveries, label: "Deliveries", needs: "deliveries.list" },
  { to: paths.eventTypes, label: "Event types", needs: "event_types.list" },
  { to: paths.assistants, label: "Assistants", needs: "mcp_tokens.list" },
];

/** Stands around the pages of the portal: its navigation, and what is shown before and after a session. */
export function PortalFrame({ children }: { readonly children: ReactNode }) {
  const state = usePortalState();
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => (root.current === null ? undefined : reportHeight(root.current)), []);
  return (
    <div ref={root} className="bg-page text-base text-ink">
      {state.name === "opening" ? <Skeleton label="Opening the portal" className="p-6" /> : null}
      {state.name === "ended" ? <Ended /> : null}
      {state.session === null ? null : (
        // The unsaved text of a customer is kept while the host page requests the next session.
        <div key={state.session.tenant} hidden={state.name !== "open"}>
          <Open session={state.session}>{children}</Open>
        </div>
      )}
    </div>
  );
}

function Ended() {
  useTitle("Session ended");
  return (
    <main className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <div role="alert" className="flex flex-col gap-2">
        <h1 className="text-lg font-semibold">This session has ended</h1>
        <p className="max-w-prose text-muted">
          {isFramed()
            ? "A new session is being requested. If it does not open, reload the page."
            : "Links to this page work once, and for a short time. Go back to the page that you came from, and open it again."}
        </p>
      </div>
    </main>
  );
}

function Open({ session, children }: { readonly session: PortalCredential; readonly children: ReactNode }) {
  const access = useMemo(() => accessOf(session), [session]);
  const pages = PAGES.filter(({ needs }) => access.may(needs));
  const navigate = useNavigate();
  const pathname = usePathname();
  const [first] = pages;
  const isElsewhere = first !== undefined && !access.portal.hasPage(pathname);
  useEffect(() => {
    if (isElsewhere) navigate({ to: first.to, replace: true });
  }, [isElsewhere, first, navigate]);
  return (
    <AccessProvider access={access}>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:m-2 focus:rounded-md focus:bg-surface focus:px-3 focus:py-2"
        onClick={(event) => {
          // The fragment of the address is for links, not for places in the page.
          event.preventDefault();
          document.querySelector<HTMLElement>("#content")?.focus();
        }}
      >
        Skip to content
      </a>
      <Brand brand={session.brand} />
      {pages.length > 1 ? <Navigation pages={pages} /> : null}
      <main id="content" tabIndex={-1} className="mx-auto flex max-w-6xl flex-col gap-4 p-4 outline-none">
        {isElsewhere ? null : <Failure pathname={pathname}>{children}</Failure>}
      </main>
    </AccessProvider>
  );
}

/** Shows whose portal it is, if the workspace says so. */
function Brand({ brand: { name, logo } }: Pick<PortalCredential, "brand">) {
  if (name === null && logo === null) return null;
  return (
    <header className="bg-surface px-4 pt-3">
      <p className="mx-auto flex max-w-6xl items-center gap-2.5 font-semibold">
        {logo === null ? null : (
          <img src={logo} alt={name === null ? "Logo" : ""} className="h-7 max-w-40 object-contain" />
        )}
        {name === null ? null : <bdi className="min-w-0 truncate">{name}</bdi>}
      </p>
    </header>
  );
}

function Navigation({ pages }: { readonly pages: readonly PortalPage[] }) {
  const pathname = usePathname();
  return (
    <nav aria-label="Portal" className="border-b border-line bg-surface px-4">
      <ul className="mx-auto flex max-w-6xl overflow-x-auto overflow-y-hidden sm:gap-1">
        {pages.map(({ to, label }) => {
          const isHere = pathname === to || pathname.startsWith(`${to}/`);
          return (
            <li key={to}>
              <Link
                to={to}
                look="plain"
                className={cx(
                  "block border-b-2 px-1.5 py-2.5 whitespace-nowrap sm:px-2.5",
                  isHere ? "border-accent font-medium" : "border-transparent text-muted hover:text-ink",
                )}
                {...(isHere ? { "aria-current": "page" as const } : {})}
              >
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

let focused: string | null = null;

/** A new page begins at its heading, for eyes and for screen readers, also in a long host page; the first one begins where the host puts it. */
export function PageFocus() {
  const pathname = usePathname();
  useEffect(() => {
    const isFirst = focused === null;
    if (focused === pathname) return;
    focused = pathname;
    if (!isFirst) document.querySelector<HTMLElement>("#content h1[tabindex]")?.focus();
  }, [pathname]);
  return null;
}

function accessOf({ operations, tenant, capabilities }: PortalCredential) {
  const allowed = new Set<string>(operations);
  const may = (operation: OperationName): boolean => allowed.has(operation);
  const hasPage = (pathname: string): boolean =>
    PAGES.some(({ to, needs }) => may(needs) && (pathname === to || pathname.startsWith(`${to}/`)));
  return { role: "portal", may, portal: { hasPage, tenant, capabilities } };
}
