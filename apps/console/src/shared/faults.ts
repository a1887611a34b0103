import { ApiProblem } from "../api/api.ts";

/** A problem of one value; `pointer` is a JSON pointer into the saved object. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/** Returns the problem at a pointer, or below it. */
export type ProblemAt = (pointer: string) => string | undefined;

/** Returns the faults found here, which prevent sending a definition, or else those of the service's response. */
export function problemsOf(faults: readonly Fault[], error: unknown): readonly Fault[] {
  return faults.length > 0 || !(error instanceof ApiProblem) ? faults : error.fields;
}

export function problemAt(faults: readonly Fault[]): ProblemAt {
  return (pointer) =>
    faults.find((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`))?.message;
}

/** Returns the problems for a part whose pointers begin at its own root. */
export function below(problems: ProblemAt, root: string): ProblemAt {
  return (pointer) => problems(root + pointer);
}
