import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { useNextRow } from "./grid-keys.ts";
import type { GridSelection } from "./grid-keys.ts";

export type { GridSelection } from "./grid-keys.ts";

export interface GridColumn<Row> {
  readonly header: string;
  /** A track of CSS grid: `8rem`, `minmax(10rem, 2fr)`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "start" | "end";
  /** Left out on screens narrower than this. */
  readonly from?: "sm" | "md" | "lg";
}

export interface VirtualGridProps<Row> {
  /** Name of the grid: "Deliveries". */
  readonly label: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly count: number;
  /** Returns undefined while the row is not loaded. It is called only for visible rows, so rows may be kept in any form. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly keyOf: (row: Row) => string;
  /** Enter, or a click on the row. */
  readonly onOpen?: (row: Row) => void;
  readonly selection?: GridSelection;
  /** The last rows are near: fetch more. */
  readonly onEnd?: () => void;
  /** Height of each row in pixels. */
  readonly rowHeight?: number;
  /** CSS height of the whole grid. Default: the remaining height of the window. */
  readonly height?: string;
}

const OVERSCAN = 12;
const TRACKS = "grid-cols-(--tracks) sm:grid-cols-(--tracks-sm) md:grid-cols-(--tracks-md) lg:grid-cols-(--tracks-lg)";
const WIDTHS = ["sm", "md", "lg"] as const;
const FROM = { sm: "max-sm:hidden", md: "max-md:hidden", lg: "max-lg:hidden" };

/** Shows any number of rows as an ARIA grid that renders only the visible ones. The grid is one stop for Tab; arrow keys move within it. */
export function VirtualGrid<Row>(props: VirtualGridProps<Row>) {
  const { label, columns, count, rowAt, keyOf, onOpen, selection, rowHeight = 38 } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const id = useId();
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  useEnd(items.at(-1)?.index ?? 0, count, props.onEnd);
  const nextRow = useNextRow({
    count,
    keyAt: (index) => keyAt(rowAt(index), keyOf),
    ...(selection === undefined ? {} : { selection }),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current) return;
    const row = rowAt(active);
    if (event.key === "Enter" && row !== undefined) return onOpen?.(row);
    const next = nextRow(event, active, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    if (next === undefined) return undefined;
    event.preventDefault();
    setActive(next);
    return virtual.scrollToIndex(next);
  };
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + (selection === undefined ? 0 : 1)}
      aria-multiselectable={selection !== undefined}
      aria-activedescendant={count === 0 ? undefined : `${id}-${active}`}
      onKeyDown={onKeyDown}
      className="group/grid relative overflow-auto rounded-xl border border-line bg-surface shadow-card focus-visible:outline-offset-0"
      style={{
        height: props.height ?? "max(20rem, calc(100dvh - 15rem))",
        contain: "strict",
        ...tracksOf(columns, selection !== undefined),
      }}
    >
      <HeaderRow columns={columns} {...(selection === undefined ? {} : { selection })} />
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rowAt(index);
          const key = keyAt(row, keyOf);
          return (
            <div
              key={key ?? index}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              {...(selection === undefined
                ? {}
                : { "aria-selected": key !== undefined && selection.selected.has(key) })}
              onClick={(event) => {
                setActive(index);
                if (row !== undefined && !isControl(event.target)) onOpen?.(row);
              }}
              className={cx(
                TRACKS,
                "absolute inset-x-0 top-0 grid min-w-fit items-center border-b border-line text-sm hover:bg-hover aria-selected:bg-selected",
                onOpen !== undefined && "cursor-pointer",
                index === active &&
                  "group-focus-visible/grid:bg-hover group-focus-visible/grid:shadow-[inset_2px_0_0_var(--accent)]",
              )}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              {selection === undefined ? null : <SelectCell selection={selection} rowKey={key} />}
              {columns.map((column) => (
                <div
                  key={column.header}
                  role="gridcell"
                  className={cx(
                    "min-w-0 truncate px-3",
                    column.align === "end" && "text-right tabular",
                    column.from !== undefined && FROM[column.from],
                  )}
                >
                  {row === undefined ? <span className="block h-3 w-2/3 rounded bg-hover" /> : column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Returns the tracks for each width of the screen: a column that is left out has none. */
function tracksOf<Row>(columns: readonly GridColumn<Row>[], isSelectable: boolean): Readonly<Record<string, string>> {
  const at = (shown: readonly GridColumn<Row>["from"][]): string =>
    [
      ...(isSelectable ? ["2.25rem"] : []),
      ...columns.flatMap(({ from, width }) => (shown.includes(from) ? [width] : [])),
    ].join(" ");
  const wider = WIDTHS.map((from, index) => [`--tracks-${from}`, at([undefined, ...WIDTHS.slice(0, index + 1)])]);
  return Object.fromEntries([["--tracks", at([undefined])], ...wider]) as Record<string, string>;
}

function HeaderRow<Row>({
  columns,
  selection,
}: {
  readonly columns: readonly GridColumn<Row>[];
  readonly selection?: GridSelection;
}) {
  return (
    <div role="rowgroup" className="sticky top-0 z-10">
      <div
        role="row"
        aria-rowindex={1}
        className={cx(
          TRACKS,
          "grid min-w-fit items-center border-b border-line bg-sunken text-xs font-medium text-muted",
        )}
        style={{ height: 34 }}
      >
        {selection === undefined ? null : (
          <div role="columnheader" className="px-3">
            <span className="sr-only">Selected</span>
          </div>
        )}
        {columns.map((column) => (
          <div
            key={column.header}
            role="columnheader"
            className={cx(
              "truncate px-3",
              column.align === "end" && "text-right",
              column.from !== undefined && FROM[column.from],
            )}
          >
            {column.header}
          </div>
        ))}
      </div>
    </div>
  );
}

function SelectCell({ selection, rowKey }: { readonly selection: GridSelection; readonly rowKey: string | undefined }) {
  return (
    <div role="gridcell" className="flex items-center px-3">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label="Select row"
        className="size-4 accent-(--accent)"
        disabled={rowKey === undefined}
        checked={rowKey !== undefined && selection.selected.has(rowKey)}
        onChange={() => {
          if (rowKey !== undefined) selection.toggle(rowKey);
        }}
      />
    </div>
  );
}

/** Requests more rows once for each length of the list. */
function useEnd(lastVisible: number, count: number, onEnd: (() => void) | undefined): void {
  const askedAt = useRef(0);
  useEffect(() => {
    if (count === 0 || askedAt.current === count || lastVisible < count - OVERSCAN) return;
    askedAt.current = count;
    onEnd?.();
  }, [lastVisible, count, onEnd]);
}

function keyAt<Row>(row: Row | undefined, keyOf: (row: Row) => string): string | undefined {
  return row === undefined ? undefined : keyOf(row);
}

/** Returns true for an element within a control, whose click has its own effect. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, [role='button']") !== null;
}
