import { useEffect } from "react";

/** The document's title while the page is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Junction`;
  }, [title]);
}
