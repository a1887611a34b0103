import type { ReactNode } from "react";
import { cx, Logo } from "../ui/ui.ts";
import { navigation } from "./navigation.ts";
import type { NavItem } from "./navigation.ts";

// The look of the shell before any data is known. The first paint renders it as text, and the shell with its controls.

export interface SidebarFrameProps {
  readonly brand: ReactNode;
  readonly workspace: ReactNode;
  readonly children: ReactNode;
}

export function SidebarFrame({ brand, workspace, children }: SidebarFrameProps) {
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-sunken lg:flex">
      <div className="flex h-(--header-height) shrink-0 items-center gap-2.5 px-4">{brand}</div>
      <div className="px-3 pb-2">{workspace}</div>
      {children}
    </aside>
  );
}

export function Brand() {
  return (
    <>
      <Logo size={22} />
      <span className="font-semibold tracking-tight">Junction</span>
    </>
  );
}

export function NavGroups({ children }: { readonly children: (item: NavItem) => ReactNode }) {
  return (
    <nav aria-label="Main" className="flex-1 overflow-y-auto px-3 pb-6">
      {navigation.map((group) => (
        <div key={group.label ?? "top"} className="mt-2.5 first:mt-1">
          {group.label === null ? null : (
            <p className="px-2 pb-1 text-2xs font-medium tracking-wide text-faint uppercase">{group.label}</p>
          )}
          <ul className="flex flex-col gap-px">
            {group.items.map((item) => (
              <li key={item.to}>{children(item)}</li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

export function navLook(isCurrent: boolean): string {
  return cx(
    "flex h-7.5 items-center gap-2.5 rounded-md px-2 text-base transition-colors",
    isCurrent ? "bg-selected font-medium text-ink" : "text-muted hover:bg-hover hover:text-ink",
  );
}

export function NavFace({ item, isCurrent }: { readonly item: NavItem; readonly isCurrent: boolean }) {
  const Icon = item.icon;
  return (
    <>
      <Icon aria-hidden size={16} className={isCurrent ? "text-accent" : ""} />
      {item.label}
    </>
  );
}

/** Grid of the sidebar and the content next to it. */
export const SHELL_GRID = "min-h-dvh lg:grid lg:grid-cols-[var(--sidebar-width)_minmax(0,1fr)]";
export const HEADER_BAR = "sticky top-0 z-20 border-b border-line bg-page/90 backdrop-blur-sm";
export const HEADER_ROW = "flex h-(--header-height) items-center gap-2 px-3 sm:px-6 lg:px-8";
export const MAIN = "mx-auto w-full max-w-360 flex-1 px-4 py-5 sm:px-6 lg:px-8";
