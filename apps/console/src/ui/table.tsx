import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

export interface TableColumn<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "start" | "end";
  /** Left out on screens narrower than this. */
  readonly from?: "sm" | "md" | "lg";
  readonly className?: string;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Default: the row's `id`. */
  readonly keyOf?: (row: Row) => string;
}

const FROM = { sm: "max-sm:hidden", md: "max-md:hidden", lg: "max-lg:hidden" };

/** Shows up to some hundred rows. The first column names the row, with a Link where it has a page. Use a VirtualGrid for longer lists. */
export function Table<Row>({ label, columns, rows, keyOf = idOf }: TableProps<Row>) {
  return (
    <div className="relative overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr className="border-b border-line bg-sunken text-xs text-muted">
            {columns.map((column) => (
              <th
                key={column.header}
                scope="col"
                className={cx(
                  "h-8.5 px-4 font-medium whitespace-nowrap",
                  column.align === "end" ? "text-right" : "sm:first:min-w-40",
                  column.from !== undefined && FROM[column.from],
                )}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b border-line last:border-0 hover:bg-hover">
              {columns.map((column) => (
                <td
                  key={column.header}
                  className={cx(
                    "h-11 px-4 py-1.5",
                    column.align === "end" && "text-right tabular",
                    column.from !== undefined && FROM[column.from],
                    column.className,
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function idOf(row: unknown): string {
  return (row as { readonly id: string }).id;
}
