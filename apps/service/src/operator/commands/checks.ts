/** The result of a check of an installation. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** The finding. */
  readonly detail: string;
  /** The cause; null if nothing is wrong. */
  readonly cause: string | null;
  /** The instruction that fixes it; null if nothing is wrong. */
  readonly fix: string | null;
  /** The page that describes the check. */
  readonly page: string;
}

export interface Fault {
  readonly detail: string;
  readonly cause: string;
  readonly fix: string;
}

const PAGE = "docs/guide/doctor.md";

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail, cause: null, fix: null, page: pageOf(name) };
}

export function skipped(name: string, detail: string): Check {
  return { name, status: "skipped", detail, cause: null, fix: null, page: pageOf(name) };
}

export function warning(name: string, fault: Fault): Check {
  return { name, status: "warning", ...fault, page: pageOf(name) };
}

export function failed(name: string, fault: Fault): Check {
  return { name, status: "failed", ...fault, page: pageOf(name) };
}

function pageOf(name: string): string {
  return `${PAGE}#${name}`;
}

/** Runs a check. If the check itself throws, returns a failed check. */
export async function looked(name: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    const detail = error instanceof Error && error.message !== "" ? error.message : String(error);
    return failed(name, {
      detail,
      cause: "The check itself failed.",
      fix: "Fix the reported problem, then run the doctor again.",
    });
  }
}
