import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { BookOpen, LogOut, Menu as MenuIcon, UserRound } from "lucide-react";
import { paths } from "../paths.ts";
import { signOut, useSession } from "../session/session.ts";
import { IconButton, Menu, toastError } from "../ui/ui.ts";
import { LiveLight } from "./live-light.tsx";
import { PaletteButton } from "./palette-button.tsx";
import { EnvironmentSwitch, SandboxStripe } from "./environment-switch.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { HEADER_BAR, HEADER_ROW } from "./frame.tsx";

export function Header({ onMenu }: { readonly onMenu: () => void }) {
  return (
    <header className={HEADER_BAR}>
      <SandboxStripe />
      <div className={HEADER_ROW}>
        <div className="lg:hidden">
          <IconButton label="Open menu" onPress={onMenu}>
            <MenuIcon aria-hidden size={18} />
          </IconButton>
        </div>
        <PaletteButton />
        <div className="flex-1" />
        <LiveLight />
        <EnvironmentSwitch />
        <div className="max-sm:hidden">
          <ThemeSwitch />
        </div>
        <AccountMenu />
      </div>
    </header>
  );
}

function AccountMenu() {
  const { member } = useSession();
  const navigate = useNavigate();
  const client = useQueryClient();
  const leave = async (): Promise<void> => {
    await signOut();
    client.clear();
    await navigate({ to: paths.signIn });
  };
  return (
    <Menu
      label="Your account"
      trigger={
        <IconButton label={`Account of ${member.name}`}>
          <span className="flex size-6.5 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">
            {member.name.slice(0, 1).toUpperCase()}
          </span>
        </IconButton>
      }
      actions={[
        {
          id: "account",
          label: "Your account",
          icon: <UserRound aria-hidden size={15} />,
          onAction: () => void navigate({ to: paths.account }),
        },
        {
          id: "docs",
          label: "API reference",
          icon: <BookOpen aria-hidden size={15} />,
          onAction: () => void window.open("/docs", "_blank", "noopener"),
        },
        {
          id: "sign-out",
          label: "Sign out",
          icon: <LogOut aria-hidden size={15} />,
          onAction: () => void leave().catch(toastError),
        },
      ]}
    />
  );
}
