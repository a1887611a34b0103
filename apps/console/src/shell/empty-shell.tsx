import { Logo, PageHeader } from "../ui/ui.ts";
import {
  Brand,
  HEADER_BAR,
  HEADER_ROW,
  MAIN,
  NavFace,
  NavGroups,
  navLook,
  SHELL_GRID,
  SidebarFrame,
} from "./frame.tsx";
import { pages } from "./navigation.ts";

/** The shell before it is known who is signed in, with the heading of the page that is opened where that is known. */
export function EmptyShell({ path }: { readonly path: string }) {
  const page = pages.find(({ to }) => to === path);
  return (
    <div className={SHELL_GRID}>
      <SidebarFrame
        brand={<Brand />}
        workspace={<p className="rounded-md border border-line bg-surface px-2.5 py-1.5 text-base">&nbsp;</p>}
      >
        <NavGroups>
          {(item) => (
            <span className={navLook(false)}>
              <NavFace item={item} isCurrent={false} />
            </span>
          )}
        </NavGroups>
      </SidebarFrame>
      <div className="flex min-w-0 flex-col">
        <header className={HEADER_BAR}>
          <div className={HEADER_ROW} />
        </header>
        <div role="status" aria-label="Loading the console" className={MAIN}>
          {page?.about === undefined ? (
            <div className="flex h-full animate-[shimmer_1.6s_ease-in-out_infinite] items-center justify-center">
              <Logo size={40} />
            </div>
          ) : (
            <PageHeader title={page.label} description={page.about} />
          )}
        </div>
      </div>
    </div>
  );
}
