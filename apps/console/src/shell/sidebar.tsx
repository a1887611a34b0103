import { X } from "lucide-react";
import { useRouterState } from "@tanstack/react-router";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { paths } from "../paths.ts";
import { cx, IconButton, Link, Logo } from "../ui/ui.ts";
import { navigation } from "./navigation.ts";
import type { NavItem } from "./navigation.ts";
import { WorkspaceSwitch } from "./workspace-switch.tsx";

export function Sidebar() {
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-sunken lg:flex">
      <div className="flex h-(--header-height) shrink-0 items-center gap-2.5 px-4">
        <Link to={paths.home} look="plain" className="flex items-center gap-2.5">
          <Logo size={22} />
          <span className="font-semibold tracking-tight">Junction</span>
        </Link>
      </div>
      <div className="px-3 pb-2">
        <WorkspaceSwitch />
      </div>
      <Navigation />
    </aside>
  );
}

export function MobileDrawer({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => (open ? undefined : onClose())}
      isDismissable
      className="anim-fade fixed inset-0 z-40 bg-scrim lg:hidden"
    >
      <Modal className="anim-slide-left h-full w-68 max-w-[85vw] bg-sunken shadow-modal">
        <Dialog aria-label="Menu" className="flex h-full flex-col outline-none">
          <div className="flex h-(--header-height) shrink-0 items-center justify-between pr-2 pl-4">
            <span className="flex items-center gap-2.5 font-semibold tracking-tight">
              <Logo size={22} /> Junction
            </span>
            <IconButton label="Close the menu" onPress={onClose}>
              <X aria-hidden size={18} />
            </IconButton>
          </div>
          <div className="px-3 pb-2">
            <WorkspaceSwitch />
          </div>
          <Navigation />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Navigation() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <nav aria-label="Main" className="flex-1 overflow-y-auto px-3 pb-6">
      {navigation.map((group) => (
        <div key={group.label ?? "top"} className="mt-2.5 first:mt-1">
          {group.label === null ? null : (
            <p className="px-2 pb-1 text-2xs font-medium tracking-wide text-faint uppercase">{group.label}</p>
          )}
          <ul className="flex flex-col gap-px">
            {group.items.map((item) => (
              <li key={item.to}>
                <NavLink item={item} isCurrent={isWithin(pathname, item.to)} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function NavLink({ item, isCurrent }: { readonly item: NavItem; readonly isCurrent: boolean }) {
  const Icon = item.icon;
  return (
    <Link
      to={item.to}
      look="plain"
      {...(isCurrent ? { "aria-current": "page" as const } : {})}
      className={cx(
        "flex h-7.5 items-center gap-2.5 rounded-md px-2 text-base transition-colors",
        isCurrent ? "bg-selected font-medium text-ink" : "text-muted hover:bg-hover hover:text-ink",
      )}
    >
      <Icon aria-hidden size={16} className={isCurrent ? "text-accent" : ""} />
      {item.label}
    </Link>
  );
}

function isWithin(pathname: string, to: string): boolean {
  return to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
}
