import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

/** Content that is hidden until its title is pressed. */
export function Disclosure({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className="group/disclosure">
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded-sm text-sm font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={14} className="text-muted group-open/disclosure:rotate-90" />
        {title}
      </summary>
      <div className="pt-2">{children}</div>
    </details>
  );
}
