import { isSkipped } from "./experiment.ts";
import type { Experiment, Finding } from "./experiment.ts";

export interface Row {
  readonly experiment: Experiment;
  readonly finding: Finding;
}

export function holds({ finding }: Row): boolean {
  return isSkipped(finding) || finding.broken.length === 0;
}

/** One line for a terminal. */
export function lineOf(row: Row): string {
  const { experiment, finding } = row;
  if (isSkipped(finding)) return `${experiment.name}: skipped, ${finding.skipped}`;
  const { what, accepted, delivered, lost, duplicates, longestStallS, broken } = finding;
  const verdict = broken.length === 0 ? "holds" : `BROKEN\n  ${broken.join("\n  ")}`;
  return `${experiment.name}: ${what}; accepted ${accepted}, delivered ${delivered}, lost ${lost}, duplicates ${duplicates}, longest stall ${longestStallS.toFixed(1)} s: ${verdict}`;
}

/** A Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const head = ["Experiment", "In this run", "Accepted", "Delivered", "Lost", "Duplicates", "Longest stall", "Verdict"];
  const cells = [head, head.map((_, at) => (isFigure(at) ? "---:" : "---")), ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...cells.map((line) => (line[column] ?? "").length)));
  return cells
    .map(
      (line, at) =>
        `| ${line.map((cell, column) => padded(cell, { width: widths[column] ?? 0, at, column })).join(" | ")} |`,
    )
    .join("\n");
}

function cellsOf(row: Row): string[] {
  const { experiment, finding } = row;
  if (isSkipped(finding)) return [`\`${experiment.name}\``, finding.skipped, "", "", "", "", "", "skipped"];
  const { what, accepted, delivered, lost, duplicates, longestStallS } = finding;
  const figures = [accepted, delivered, lost, duplicates].map(String);
  return [
    `\`${experiment.name}\``,
    what,
    ...figures,
    `${longestStallS.toFixed(1)} s`,
    holds(row) ? "holds" : "**broken**",
  ];
}

function isFigure(column: number): boolean {
  return column >= 2 && column <= 6;
}

function padded(cell: string, { width, at, column }: { width: number; at: number; column: number }): string {
  if (at === 1) return cell.endsWith(":") ? `${"-".repeat(width - 1)}:` : "-".repeat(width);
  return isFigure(column) ? cell.padStart(width) : cell.padEnd(width);
}
