import { createHash } from "node:crypto";
import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { nothing } from "./objects.ts";
import type { Imported, ImportedEndpoint } from "./objects.ts";

export const COLUMNS = [
  "id",
  "tenant",
  "url",
  "events",
  "secret",
  "description",
  "channels",
  "active",
  "uid",
  "rate_limit_per_second",
  "wire",
] as const;
type Column = (typeof COLUMNS)[number];

const WIRES = ["service", "svix"] as const;

/** Reads endpoints from a table with a line of column names. `url` is required. Lists are separated by spaces. */
export function readCsv(text: string): Imported {
  const [head, ...rows] = linesOf(text.replace(/^\uFEFF/, ""));
  if (head === undefined) throw wrong(1, "the line of column names is missing");
  const names = head.map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !COLUMNS.some((column) => column === name));
  if (unknown !== undefined) throw wrong(1, `${unknown} is not a column. The columns are ${COLUMNS.join(", ")}`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw wrong(1, `has the column ${twice} twice`);
  if (!names.includes("url")) throw wrong(1, "the column url is missing");
  const found = nothing();
  for (const [at, row] of rows.entries()) {
    if (row.every((cell) => cell.trim() === "")) continue;
    if (row.length !== names.length) throw wrong(at + 2, `has ${row.length} values, not ${names.length}`);
    found.endpoints.push(endpointOf(at + 2, (column) => row[names.indexOf(column)]?.trim() ?? ""));
  }
  return found;
}

function endpointOf(line: number, cell: (column: Column) => string): ImportedEndpoint {
  const [url, tenant, secret] = [cell("url"), cell("tenant"), cell("secret")];
  if (url === "") throw wrong(line, "has no url");
  const events = listIn(cell("events"));
  return {
    ref: cell("id") || refOf([tenant, url, events]),
    ...(tenant === "" ? {} : { tenant }),
    url,
    events: events.length === 0 ? ["*"] : events,
    description: cell("description"),
    channels: listIn(cell("channels")),
    uid: cell("uid") || null,
    ...(secret === "" ? {} : { secret }),
    ...settingsOf(line, cell),
  };
}

function settingsOf(
  line: number,
  cell: (column: Column) => string,
): Required<Pick<ImportedEndpoint, "active" | "rate_limit_per_second" | "wire">> {
  const wire = WIRES.find((one) => one === (cell("wire") || "service"));
  if (wire === undefined) throw wrong(line, `wire must be ${WIRES.join(" or ")}`);
  const rate = cell("rate_limit_per_second");
  if (!/^(?:[1-9]\d{0,4})?$/.test(rate)) throw wrong(line, "rate_limit_per_second must be a whole number");
  const active = cell("active") || "true";
  if (active !== "true" && active !== "false") throw wrong(line, "active must be true or false");
  return { wire, active: active === "true", rate_limit_per_second: rate === "" ? null : Number(rate) };
}

/** A table without ids has the same ones whenever it is imported. */
function refOf(parts: readonly unknown[]): string {
  return `csv:${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24)}`;
}

function listIn(cell: string): string[] {
  return cell.split(/[\s;]+/).filter((one) => one !== "");
}

function wrong(line: number, what: string): CommandError {
  return new CommandError(`Line ${line} of the table: ${what}.`, EXIT.data);
}

/** Reads the lines of RFC 4180: quoted values may contain commas, line breaks and doubled quotes. */
function linesOf(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (let at = 0; at < text.length;) {
    const { value, end } = text[at] === '"' ? quotedAt(text, at + 1, lines.length + 1) : plainAt(text, at);
    line.push(value);
    if (text[end] === ",") {
      at = end + 1;
      if (at === text.length) line.push("");
      continue;
    }
    lines.push(line);
    line = [];
    at = end + (text.startsWith("\r\n", end) ? 2 : 1);
  }
  return line.length === 0 ? lines : [...lines, line];
}

interface Cell {
  readonly value: string;
  /** The place of the separator after it. */
  readonly end: number;
}

function plainAt(text: string, start: number): Cell {
  const end = separatorAfter(text, start);
  return { value: text.slice(start, end), end };
}

/** A quote that does not close is the end of a table that was cut off. */
function quotedAt(text: string, start: number, line: number): Cell {
  let value = "";
  for (let from = start; ;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw wrong(line, "has a quote that does not close");
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      if (separatorAfter(text, quote + 1) !== quote + 1) throw wrong(line, "has text after a closing quote");
      return { value, end: quote + 1 };
    }
    value += '"';
    from = quote + 2;
  }
}

function separatorAfter(text: string, start: number): number {
  let end = start;
  while (end < text.length && !",\r\n".includes(text.charAt(end))) end += 1;
  return end;
}
