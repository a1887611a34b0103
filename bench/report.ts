import { readFile, writeFile } from "node:fs/promises";
import type { Row } from "./bench.ts";

/** Returns the results of a run as Markdown: a table with a column for each load, and one for all single values. */
export function tableOf(rows: readonly Row[]): string {
  const [compared, single] = [
    rows.filter(({ load }) => load !== undefined),
    rows.filter(({ load }) => load === undefined),
  ];
  return [
    ...(compared.length === 0 ? [] : [comparisonOf(compared)]),
    ...(single.length === 0 ? [] : [listOf(single)]),
  ].join("\n\n");
}

function comparisonOf(rows: readonly Row[]): string {
  const loads = [...new Set(rows.map(({ load }) => load ?? ""))];
  const byWhat = Map.groupBy(rows, ({ what }) => what);
  const lines = [...byWhat].map(([what, found]) => [
    what,
    ...loads.map((load) => cellOf(found.find((row) => row.load === load))),
  ]);
  return markdown([["Measured", ...loads], ["---", ...loads.map(() => "---:")], ...lines]);
}

/** Returns a value with its ratio and its goal: "260 /s, 0.10 of ceiling; ratio ≥ 0.25: **no**". */
function cellOf(row: Row | undefined): string {
  if (row === undefined) return "";
  const value = [valueText(row), ratioText(row)].filter(Boolean).join(", ");
  return row.goal === undefined ? value : `${value}; ${goalText(row)}: ${verdictOf(row)}`;
}

function listOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => [row.what, valueText(row), ratioText(row), goalText(row), verdictOf(row)]);
  return markdown([["Measured", "Value", "Ratio", "Goal", "Met"], ["---", "---:", "---:", "---", "---"], ...lines]);
}

function markdown(cells: readonly (readonly string[])[]): string {
  const widths = (cells[0] ?? []).map((_cell, column) => Math.max(...cells.map((line) => (line[column] ?? "").length)));
  return cells
    .map((line, at) => `| ${line.map((cell, column) => padded(cell, widths[column] ?? 0, at)).join(" | ")} |`)
    .join("\n");
}

function valueText({ value, unit }: Row): string {
  return `${figure(value)} ${unit}`.trim();
}

/** Writes a run between the marks of this name in a page. */
export async function keepReport(path: URL, name: string, report: string): Promise<void> {
  const page = await readFile(path, "utf8");
  const [first, last] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [start, end] = [page.indexOf(first), page.indexOf(last)];
  if (start < 0 || end < start) throw new Error(`${path.pathname} has lost its marks ${first} and ${last}`);
  await writeFile(path, `${page.slice(0, start + first.length)}\n\n${report}\n\n${page.slice(end)}`);
}

export function isMet({ value, ratio, goal }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  const judged = goal.of === "ratio" ? (ratio?.value ?? Number.NaN) : value;
  return judged >= (goal.atLeast ?? -Infinity) && judged <= (goal.atMost ?? Infinity);
}

function figure(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en").replaceAll(",", " ");
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

function ratioText({ ratio }: Row): string {
  return ratio === undefined ? "" : `${ratio.value.toFixed(ratio.value < 0.1 ? 3 : 2)} of ${ratio.to}`;
}

function goalText({ goal }: Row): string {
  if (goal === undefined) return "";
  const bound = goal.atLeast === undefined ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
  return goal.of === "ratio" ? `ratio ${bound}` : bound;
}

function verdictOf(row: Row): string {
  const met = isMet(row);
  return met === undefined ? "" : met ? "yes" : "**no**";
}

function padded(cell: string, width: number, at: number): string {
  if (at === 1) return cell.endsWith(":") ? `${"-".repeat(width - 1)}:` : "-".repeat(width);
  return cell.padEnd(width);
}
