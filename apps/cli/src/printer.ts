import { toJson } from "../../../sdks/node/src/index.ts";
import type { Io } from "./io.ts";
import { visible } from "./text.ts";

export interface Column {
  readonly title: string;
  /** The member of a row. Dots lead to a member within it. */
  readonly from: string;
}

export interface Printer {
  /** True if results are JSON, by request or because a program reads them. */
  readonly isJson: boolean;
  /** Prints an object: all of it as JSON, or one line per member. */
  one(value: object): void;
  /** Prints a page or list: all of it as JSON, or as a table. Without columns, they follow from the rows. */
  list(value: { readonly data: readonly object[] }, columns?: readonly Column[]): void;
  /** Prints one of many results that arrive over time, as a line of JSON or of text. */
  line(value: object, text: string): void;
  /** Prints a text for people; nothing if results are JSON. */
  say(text: string): void;
  /** Returns the text in color if the terminal shows colors. */
  tint(color: Color, text: string): string;
}

export type Color = "green" | "amber" | "red" | "faint";

const CODES: Readonly<Record<Color, string>> = { green: "32", amber: "33", red: "31", faint: "2" };
const MOST_COLUMNS = 6;
const NARROWEST = 8;

export function createPrinter(io: Io, isJson: boolean): Printer {
  const tint = (color: Color, text: string): string => (io.hasColor ? `\u001B[${CODES[color]}m${text}\u001B[0m` : text);
  return {
    isJson,
    tint,
    one: (value) => io.out(isJson ? json(value) : fields(value)),
    list(value, columns) {
      if (isJson) io.out(json(value));
      else if (value.data.length === 0) io.err("No results.\n");
      else io.out(table(value.data, columns ?? columnsOf(value.data), io));
    },
    line: (value, text) => io.out(isJson ? `${toJson(value)}\n` : `${text}\n`),
    say(text) {
      if (!isJson) io.out(`${text}\n`);
    },
  };
}

function json(value: object): string {
  return `${toJson(value, 2)}\n`;
}

/** Returns one `name  value` line per member. Nested members are JSON. */
function fields(value: object): string {
  const rows = Object.entries(value).map(([name, one]) => [name, cell(one)] as const);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join("");
}

/** Returns the columns of a table, identifying ones first. Objects within rows are only in the JSON. */
function columnsOf(rows: readonly object[]): Column[] {
  const first = Object.entries(rows[0] ?? {});
  const shown = first.filter(([name, value]) => !BORING.has(name) && (typeof value !== "object" || value === null));
  const named = shown.map(([name]) => name).toSorted((a, b) => rank(a) - rank(b));
  return named.slice(0, MOST_COLUMNS).map((name) => ({ title: name, from: name }));
}

const BORING = new Set(["object", "scope_kind", "scope_key", "environment", "description"]);
const FIRST = ["id", "key", "name", "event", "action", "state", "status"];

function rank(name: string): number {
  const at = FIRST.indexOf(name);
  return at === -1 ? FIRST.length : at;
}

function table(rows: readonly object[], columns: readonly Column[], io: Io): string {
  const cells = [columns.map(({ title }) => title.toUpperCase()), ...rows.map((row) => columns.map(textIn(row)))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  narrow(widths, io.columns);
  return cells
    .map(
      (line) =>
        `${line
          .map((text, at) => fit(text, widths[at] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function textIn(row: object): (column: Column) => string {
  return ({ from }) =>
    cell(from.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], row));
}

/** Shrinks the widest columns until a line fits. Ids stay whole, because people copy them. */
function narrow(widths: number[], columns: number): void {
  const total = (): number => widths.reduce((sum, width) => sum + width + 2, -2);
  while (columns > 0 && total() > columns) {
    const widest = widths.reduce((best, width, at) => (at > 0 && width > (widths[best] ?? 0) ? at : best), 1);
    const width = widths[widest];
    if (width === undefined || width <= NARROWEST) return;
    widths[widest] = width - 1;
  }
}

function fit(text: string, width: number): string {
  return text.length <= width ? text.padEnd(width) : `${text.slice(0, width - 1)}…`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return visible(typeof value === "string" ? value : toJson(value));
}
