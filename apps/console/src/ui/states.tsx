import type { UseQueryResult } from "@tanstack/react-query";
import { Ban, CircleX, SearchX, TriangleAlert } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { ApiProblem, environmentOfId, isForbidden, isProblem } from "../api/api.ts";
import type { Pages } from "../api/api.ts";
import { useAccess, usePortal, useSession } from "../session/session.ts";
import { Button } from "./button.tsx";
import { cx } from "./class-names.ts";
import { CopyButton } from "./copy.tsx";
import { PageHeader } from "./layout.tsx";

/** Shows gray lines in place of content that loads. The label is read out. */
export function Skeleton({
  label,
  lines = 3,
  className,
}: {
  readonly label: string;
  readonly lines?: number;
  readonly className?: string;
}) {
  return (
    <div role="status" aria-label={label} className={cx("flex flex-col gap-3 py-2", className)}>
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={line}
          className="h-4 animate-[shimmer_1.6s_ease-in-out_infinite] rounded bg-hover"
          style={{ width: `${[92, 78, 85, 64, 88][line % 5] ?? 80}%` }}
        />
      ))}
    </div>
  );
}

export interface EmptyStateProps {
  readonly title: string;
  /** Explains what will be here, and when. */
  readonly children?: ReactNode;
  readonly icon?: ReactNode;
  /** The next thing to do: a Button, or a Link that looks like one. */
  readonly action?: ReactNode;
}

export function EmptyState({ title, children, icon, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      {icon === undefined ? null : (
        <div className="mb-1 flex size-11 items-center justify-center rounded-full bg-accent-soft text-accent">
          {icon}
        </div>
      )}
      <h2 className="text-lg font-semibold">{title}</h2>
      {children === undefined ? null : <div className="max-w-prose text-muted">{children}</div>}
      {action === undefined ? null : <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** Shows any error: what happened, the request's id, and a next step. It has its own texts for missing or forbidden objects. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const isConsole = usePortal() === undefined;
  if (isForbidden(error)) return <NoPermission error={error} />;
  if (isConsole && isProblem(error, "environment_mismatch", "workspace_mismatch")) return <Elsewhere error={error} />;
  const words = wordsOf(error);
  const Icon = words.icon;
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <div className="mb-1 flex size-11 items-center justify-center rounded-full bg-bad-soft text-bad">
        <Icon aria-hidden size={20} />
      </div>
      <h2 className="text-lg font-semibold">{words.title}</h2>
      <p className="max-w-prose text-muted">{words.text}</p>
      <RequestId problem={error instanceof ApiProblem ? error : null} />
      {onRetry === undefined ? null : (
        <div className="mt-2">
          <Button onPress={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
}

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

function wordsOf(error: unknown): { readonly icon: LucideIcon; readonly title: string; readonly text: string } {
  if (isProblem(error, "not_found")) {
    const text = "The object may have been deleted, or its retention time may have ended.";
    return { icon: SearchX, title: "Not found", text };
  }
  const title = error instanceof ApiProblem ? error.title : "The page could not be loaded.";
  return { icon: TriangleAlert, title, text: messageOf(error) };
}

/** Shows an error on one line, within a form or a dialog. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  const problem = error instanceof ApiProblem ? error : null;
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
      <CircleX aria-hidden size={15} className="mt-0.5 shrink-0" />
      <div className="min-w-0">
        <p>{messageOf(error)}</p>
        <RequestId problem={problem} />
      </div>
    </div>
  );
}

/** Shows that the role lacks permission, and who can change the role. */
export function NoPermission({ error }: { readonly error?: ApiProblem }) {
  const { role, portal } = useAccess();
  const who =
    portal === undefined
      ? `Your role is ${role}. ${error === undefined ? "" : error.message} An owner or admin of this workspace can change your role.`
      : "";
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <div className="mb-1 flex size-11 items-center justify-center rounded-full bg-warn-soft text-warn">
        <Ban aria-hidden size={20} />
      </div>
      <h2 className="text-lg font-semibold">You don't have permission to view this</h2>
      <p className="max-w-prose text-muted">{who}</p>
      <RequestId problem={error ?? null} />
    </div>
  );
}

function Elsewhere({ error }: { readonly error: ApiProblem }) {
  const { environment, switchEnvironment } = useSession();
  const named = window.location.pathname
    .split("/")
    .map(environmentOfId)
    .find((one) => one !== null);
  const other = named !== undefined && named !== environment ? named : null;
  return (
    <EmptyState
      title={
        other === null ? "This object belongs to another workspace" : `This object belongs to the ${other} environment`
      }
      icon={<SearchX aria-hidden size={20} />}
      action={
        other === null ? null : (
          <Button variant="primary" onPress={() => switchEnvironment(other)}>
            Switch to {other}
          </Button>
        )
      }
    >
      {other === null ? error.message : `The current environment is ${environment}.`}
    </EmptyState>
  );
}

export interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** Text for the loading state: "Loading the delivery". */
  readonly label: string;
  readonly lines?: number;
  /** Heading of a page whose own heading comes with the data, until then and when loading fails. */
  readonly page?: string;
  readonly children: (data: Data) => ReactNode;
}

/** Shows a query's states: loading, refused, failed, loaded. */
export function Loaded<Data>({ query, label, lines = 6, page, children }: LoadedProps<Data>) {
  if (query.isSuccess) return <>{children(query.data)}</>;
  return (
    <>
      {page === undefined ? null : <PageHeader title={page} />}
      {query.isPending ? (
        <Skeleton label={label} lines={lines} />
      ) : (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
    </>
  );
}

export interface LoadedPagesProps<Row> {
  readonly pages: Pages<Row>;
  readonly label: string;
  /** Shown where there is no row: an EmptyState with an action. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** Shows a list's states, and the button for its next page. */
export function LoadedPages<Row>({ pages, label, empty, children }: LoadedPagesProps<Row>) {
  if (pages.isPending) return <Skeleton label={label} lines={8} />;
  if (pages.isError) return <ErrorState error={pages.error} onRetry={pages.refetch} />;
  if (pages.rows.length === 0) return <>{empty}</>;
  return (
    <>
      {children(pages.rows)}
      {pages.hasMore ? (
        <div className="flex justify-center py-3">
          <Button size="sm" isPending={pages.isFetchingMore} onPress={pages.fetchMore}>
            Show more
          </Button>
        </div>
      ) : null}
    </>
  );
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiProblem) return error.message;
  return error instanceof Error ? error.message : "An unknown error occurred. Try again.";
}

function RequestId({ problem }: { readonly problem: ApiProblem | null }) {
  if (problem?.requestId === null || problem === null) return null;
  return (
    <p className="flex items-center justify-center gap-1 text-xs text-muted">
      Request <code className="text-2xs break-all">{problem.requestId}</code>
      <CopyButton text={problem.requestId} label="Copy request ID" />
    </p>
  );
}
