import { ApiProblem } from "../api/api.ts";

/** What is wrong with one value; `pointer` is a JSON pointer into what is saved. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/** What is wrong at a pointer, or below it. */
export type ProblemAt = (pointer: string) => string | undefined;

/** Those found here, which keep a definition from being sent, or those of the service's answer. */
export function problemsOf(faults: readonly Fault[], error: unknown): readonly Fault[] {
  return faults.length > 0 || !(error instanceof ApiProblem) ? faults : error.fields;
}

export function problemAt(faults: readonly Fault[]): ProblemAt {
  return (pointer) =>
    faults.find((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`))?.message;
}

/** The same, for a part that knows pointers from its own root. */
export function below(problems: ProblemAt, root: string): ProblemAt {
  return (pointer) => problems(root + pointer);
}
