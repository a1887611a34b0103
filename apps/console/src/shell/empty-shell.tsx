import { Logo } from "../ui/ui.ts";
import { Brand, HEADER_BAR, HEADER_ROW, NavFace, NavGroups, navLook, SHELL_GRID, SidebarFrame } from "./frame.tsx";

/** The shell before it is known who is signed in. */
export function EmptyShell() {
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
        <div role="status" aria-label="Loading the console" className="flex flex-1 items-center justify-center">
          <div className="animate-[shimmer_1.6s_ease-in-out_infinite]">
            <Logo size={40} />
          </div>
        </div>
      </div>
    </div>
  );
}
