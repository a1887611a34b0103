import { readFile, writeFile } from "node:fs/promises";
import type { Row } from "./scenario.ts";

/** A Markdown table of what a run found. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.what,
    `${figure(row.value)} ${row.unit}`.trim(),
    ratioText(row),
    goalText(row),
    verdictOf(row),
  ]);
  const cells = [["Measured", "Value", "Ratio", "Goal", "Met"], ["---", "---:", "---:", "---", "---"], ...lines];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((line) => (line[column] ?? "").length)));
  return cells
    .map((line, at) => `| ${line.map((cell, column) => padded(cell, widths[column] ?? 0, at)).join(" | ")} |`)
    .join("\n");
}

/** Puts a run between the marks of this name in a page. */
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
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en").replaceAll(",", " ");
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

function ratioText({ ratio }: Row): string {
  return ratio === undefined ? "" : `${ratio.value.toFixed(2)} of ${ratio.to}`;
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
