import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Link } from "./link.tsx";
import { useTitle } from "./title.ts";

export interface PageHeaderProps {
  /** Title of the page and of the document. */
  readonly title: string;
  /** True where the title is code: an id, an event's name. */
  readonly mono?: boolean;
  readonly description?: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
  /** An element next to the title: a StatusLight, a Badge. */
  readonly status?: ReactNode;
  readonly actions?: ReactNode;
}

/** Begins each page. Its heading takes the focus when the route changes. */
export function PageHeader({ title, mono = false, description, back, status, actions }: PageHeaderProps) {
  useTitle(title);
  return (
    <header className="flex flex-col gap-1 pb-4">
      {back === undefined ? null : (
        <Link
          to={back.to}
          look="plain"
          aria-label={`Back to ${back.label}`}
          className="flex w-fit items-center gap-1 text-sm text-muted hover:text-ink"
        >
          <ArrowLeft aria-hidden size={14} />
          {back.label}
        </Link>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1
            tabIndex={-1}
            className={cx(
              "min-w-0 text-xl font-semibold tracking-tight break-words",
              mono && "font-mono text-lg break-all",
            )}
          >
            {title}
          </h1>
          {status}
        </div>
        {actions === undefined ? null : (
          <div data-compact className="group/actions flex flex-wrap items-center gap-2">
            {actions}
          </div>
        )}
      </div>
      {description === undefined ? null : <p className="max-w-3xl break-words text-muted">{description}</p>}
    </header>
  );
}

export interface CardProps {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** Without padding, for lists and grids that fill it. */
  readonly flush?: boolean;
  /** True: the children stand one below the other, with a gap. */
  readonly stacked?: boolean;
}

export function Card({ title, description, actions, children, flush = false, stacked = false }: CardProps) {
  return (
    <section className="overflow-hidden rounded-xl border border-line bg-surface shadow-card">
      {title === undefined ? null : (
        <header className="flex flex-wrap items-start justify-between gap-2 border-b border-line px-4 py-3">
          <div>
            <h2 className="text-base font-semibold">{title}</h2>
            {description === undefined ? null : <p className="text-sm text-muted">{description}</p>}
          </div>
          {actions === undefined ? null : <div className="flex items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={cx(!flush && "p-4", stacked && "flex min-w-0 flex-col gap-4")}>{children}</div>
    </section>
  );
}

export interface KeyValueRow {
  readonly label: string;
  readonly value: ReactNode;
}

/** Shows the facts of one object. Null stands for a fact that the object does not have. */
export function KeyValue({ rows }: { readonly rows: readonly (KeyValueRow | null)[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 gap-y-2 text-base max-sm:grid-cols-1 max-sm:gap-y-1">
      {rows
        .filter((row) => row !== null)
        .map((row) => (
          <div key={row.label} className="contents">
            <dt className="text-muted max-sm:mt-1">{row.label}</dt>
            <dd className="min-w-0 break-words">{row.value}</dd>
          </div>
        ))}
    </dl>
  );
}
