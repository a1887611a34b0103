export interface Check {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** The results, or the reason for skipping; one entry per fault. */
  readonly details: readonly string[];
}

export interface KitReport {
  readonly ok: boolean;
  readonly key: string;
  readonly version: string | null;
  readonly runtime: "php" | "ts" | null;
  /** The backend that ran the code, and its isolation. */
  readonly backend: string | null;
  readonly wall: string | null;
  readonly checks: readonly Check[];
}

const WORDS = { passed: "ok     ", failed: "FAILED ", skipped: "skipped" } as const;
const NAME_WIDTH = 11;

/** Returns the report as text for people. */
export function reportText(report: KitReport): string {
  const about = [report.runtime, report.backend, report.wall].filter((one) => one !== null).join(", ");
  const title = `${report.key}${report.version === null ? "" : ` ${report.version}`}${about === "" ? "" : ` (${about})`}`;
  const count = (outcome: Check["outcome"]): number => report.checks.filter((one) => one.outcome === outcome).length;
  const summary = `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
  return [title, ...report.checks.flatMap(linesOf), summary, ""].join("\n");
}

function linesOf({ name, outcome, details }: Check): string[] {
  const [first = "", ...rest] = details;
  const indent = " ".repeat("  ".length + WORDS[outcome].length + 1 + NAME_WIDTH + 1);
  return [`  ${WORDS[outcome]} ${name.padEnd(NAME_WIDTH)} ${first}`, ...rest.map((one) => indent + one)];
}
