import type { ReactNode } from "react";
import { Logo, useTitle } from "../ui/ui.ts";

export interface PlainPageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** A page without the shell: signing in, and what comes before that. */
export function PlainPage({ title, description, children }: PlainPageProps) {
  useTitle(title);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center bg-page px-4 py-10">
      <div className="flex w-full max-w-sm flex-col gap-6">
        <div className="flex items-center gap-2.5">
          <Logo size={28} />
          <span className="text-lg font-semibold tracking-tight">Junction</span>
        </div>
        <div className="rounded-xl border border-line bg-surface p-6 shadow-card">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {description === undefined ? null : <p className="mt-1 text-muted">{description}</p>}
          <div className="mt-5 flex flex-col gap-4">{children}</div>
        </div>
      </div>
    </main>
  );
}
