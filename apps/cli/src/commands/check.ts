/** One check, in the form of the service's own doctor. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly detail: string;
  readonly cause: string | null;
  readonly fix: string | null;
  readonly page: string;
}

export type Fault = Pick<Check, "detail"> & { readonly cause: string; readonly fix: string };

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail, cause: null, fix: null, page: pageOf(name) };
}

export function skipped(name: string, detail: string): Check {
  return { ...ok(name, detail), status: "skipped" };
}

export function warning(name: string, fault: Fault): Check {
  return { name, status: "warning", ...fault, page: pageOf(name) };
}

export function failed(name: string, fault: Fault): Check {
  return { name, status: "failed", ...fault, page: pageOf(name) };
}

function pageOf(name: string): string {
  return `docs/guide/doctor.md#${name}`;
}
