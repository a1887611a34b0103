import { useEffect } from "react";
import { usePortal } from "../session/session.ts";

/** The document's title while the page is shown. */
export function useTitle(title: string): void {
  // The customers of a workspace need not know what runs its portal.
  const site = usePortal() === undefined ? "Junction" : "Webhooks";
  useEffect(() => {
    document.title = `${title} · ${site}`;
  }, [title, site]);
}
