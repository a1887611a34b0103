import type { wire } from "../../../api/api.ts";
import { Badge, labelOf } from "../../../ui/ui.ts";
import type { Tone } from "../../../ui/ui.ts";

type Changes = Pick<wire.ConfigurationDrift, "create" | "update" | "delete" | "unchanged" | "warnings">;

interface Row {
  readonly tone: Tone;
  readonly word: string;
  readonly kind: string;
  readonly name: string;
  readonly note: string | null;
  readonly changes: readonly wire.ConfigurationDifference[];
}

/** The number of objects that are listed. */
const MOST_ROWS = 200;
const MOST_CHARACTERS = 500;

export function isEmpty({ create, update, delete: remove }: Changes): boolean {
  return create.length + update.length + remove.length === 0;
}

/** Lists the objects that a file would create, change and delete, with the members that change. */
export function Difference({ changes }: { readonly changes: Changes }) {
  const { create, update, delete: remove, unchanged, warnings } = changes;
  const rows = rowsOf(changes);
  const more = rows.length - MOST_ROWS;
  return (
    <div className="flex min-w-0 flex-col gap-3" role="region" aria-label="Changes" aria-live="polite">
      <p>
        {rows.length === 0
          ? `Nothing would change. ${unchanged} objects are the same.`
          : `${create.length} to create, ${update.length} to change, ${remove.length} to delete, ${unchanged} unchanged.`}
      </p>
      {warnings.map(({ section, message }) => (
        <p key={section} className="rounded-md bg-warn-soft px-3 py-2 text-sm wrap-anywhere text-warn">
          {message}
        </p>
      ))}
      {rows.length === 0 ? null : (
        <ul className="flex flex-col divide-y divide-line">
          {rows.slice(0, MOST_ROWS).map((row) => (
            <ChangedObject key={`${row.word} ${row.kind} ${row.name}`} row={row} />
          ))}
        </ul>
      )}
      {more > 0 ? <p className="text-sm text-muted">{more} more are not listed.</p> : null}
    </div>
  );
}

function rowsOf({ create, update, delete: remove }: Changes): Row[] {
  return [
    ...create.map(({ kind, name }) => ({ tone: "good", word: "Create", kind, name, note: null, changes: [] }) as const),
    ...update.map(
      ({ kind, name, renamed_from: before, changes }) =>
        ({
          tone: "warn",
          word: "Change",
          kind,
          name,
          note: before === undefined ? null : `was ${before}`,
          changes,
        }) as const,
    ),
    ...remove.map(
      ({ kind, name, pending_deliveries: pending = 0 }) =>
        ({
          tone: "bad",
          word: "Delete",
          kind,
          name,
          note: pending === 0 ? null : `cancels ${pending} pending ${pending === 1 ? "delivery" : "deliveries"}`,
          changes: [],
        }) as const,
    ),
  ];
}

function ChangedObject({ row }: { readonly row: Row }) {
  return (
    <li className="flex min-w-0 flex-col gap-1 py-2">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={row.tone}>{row.word}</Badge>
        <span className="text-sm text-muted">{labelOf(row.kind)}</span>
        <bdi className="min-w-0 font-medium wrap-anywhere">{row.name}</bdi>
        {row.note === null ? null : <bdi className="text-sm wrap-anywhere text-muted">{row.note}</bdi>}
      </div>
      {row.changes.length === 0 ? null : (
        <dl className="flex flex-col gap-1 text-sm">
          {row.changes.map(({ path, from, to }) => (
            <div key={path} className="grid grid-cols-[minmax(8rem,14rem)_1fr] gap-x-4 max-sm:grid-cols-1">
              <dt className="wrap-anywhere">
                <code>{path}</code>
              </dt>
              <dd className="min-w-0 font-mono wrap-anywhere">
                <del className="text-muted">
                  <bdi>{textOf(from)}</bdi>
                </del>{" "}
                <ins className="no-underline">
                  <bdi>{textOf(to)}</bdi>
                </ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return "(absent)";
  const text = JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
