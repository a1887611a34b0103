import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { X } from "lucide-react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { read } from "../api/api.ts";
import { paths } from "../paths.ts";
import { useAccess } from "../session/session.ts";
import { IconButton, Link } from "../ui/ui.ts";
import { Brand, NavFace, NavGroups, navLook, SidebarFrame } from "./frame.tsx";
import type { NavItem } from "./navigation.ts";
import { WorkspaceSwitch } from "./workspace-switch.tsx";

export function Sidebar() {
  return (
    <SidebarFrame
      brand={
        <Link to={paths.home} look="plain" className="flex items-center gap-2.5">
          <Brand />
        </Link>
      }
      workspace={<WorkspaceSwitch />}
    >
      <Navigation />
    </SidebarFrame>
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
            <span className="flex items-center gap-2.5">
              <Brand />
            </span>
            <IconButton label="Close menu" onPress={onClose}>
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
  return <NavGroups>{(item) => <NavLink item={item} isCurrent={isWithin(pathname, item.to)} />}</NavGroups>;
}

function NavLink({ item, isCurrent }: { readonly item: NavItem; readonly isCurrent: boolean }) {
  return (
    <Link
      to={item.to}
      look="plain"
      {...(isCurrent ? { "aria-current": "page" as const } : {})}
      className={navLook(isCurrent)}
    >
      <NavFace item={item} isCurrent={isCurrent} />
      {item.to === paths.approvals ? <ApprovalsCount /> : null}
    </Link>
  );
}

/** Shows the current number of proposals that wait for a decision. */
function ApprovalsCount() {
  const access = useAccess();
  const waiting = useQuery({
    ...read("proposals.list", { query: { state: "proposed", limit: MOST_COUNTED } }),
    enabled: access.may("proposals.list"),
  });
  const count = waiting.data?.data.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-accent-soft px-1.5 text-2xs font-semibold text-accent">
      {count}
      {waiting.data?.has_more === true ? "+" : ""}
      <span className="sr-only"> pending {count === 1 ? "proposal" : "proposals"}</span>
    </span>
  );
}

/** The largest number that is shown exactly. */
const MOST_COUNTED = 9;

function isWithin(pathname: string, to: string): boolean {
  return to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
}
