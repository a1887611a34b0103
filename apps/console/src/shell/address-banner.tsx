import { TriangleAlert, X } from "lucide-react";
import { useState } from "react";
import { Code, CopyButton, IconButton } from "../ui/ui.ts";
import { useInstallation } from "./installation.ts";

const DISMISSED = "junction.address-banner";

/**
 * Says that the browser opened another address than the one that is set. `localhost` and 127.0.0.1 are two: they do not share sessions,
 * and a link opens the one that is set.
 */
export function AddressBanner() {
  const installation = useInstallation();
  const [isDismissed, setDismissed] = useState(() => sessionStorage.getItem(DISMISSED) !== null);
  if (installation === undefined || isDismissed) return null;
  const set = new URL(installation.base_url);
  if (set.origin === window.location.origin) return null;
  const opened = window.location.origin + set.pathname.replace(/\/$/, "");
  const line = `JUNCTION_BASE_URL=${opened}`;
  const dismiss = (): void => {
    sessionStorage.setItem(DISMISSED, "");
    setDismissed(true);
  };
  return (
    <aside
      aria-label="Address of this installation"
      className="flex items-start gap-3 border-b border-line bg-warn-soft px-4 py-2 text-sm sm:px-6 lg:px-8"
    >
      <TriangleAlert aria-hidden size={15} className="mt-1 shrink-0 text-warn" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          You opened the console at {opened}, but this installation's address is {installation.base_url}. Links, inboxes
          and webhooks use {installation.base_url}.
        </p>
        <p className="flex flex-wrap items-center gap-x-1">
          <span className="min-w-0 wrap-anywhere">
            To use {opened}, set <Code>{line}</Code> and restart.
          </span>
          <CopyButton text={line} label="Copy setting" />
        </p>
      </div>
      <IconButton size="sm" label="Dismiss address notice" onPress={dismiss}>
        <X aria-hidden size={14} />
      </IconButton>
    </aside>
  );
}
