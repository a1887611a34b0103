import type { Runtime } from "./program.ts";

/** The files and the memory of a child process. */
export interface ProcessPlace {
  /** The connector's files and nothing else, read-only. */
  readonly directory: string;
  readonly memoryBytes: number;
}

/** Starts the child processes of a runtime. */
export interface Backend {
  readonly runtime: Runtime;
  /** The name in the report: `node`, `php-wasm`, `php`. */
  readonly name: string;
  /** The default limit of a child's resident memory, if its program does not set one. */
  readonly memoryBytes: number;
  /** The number of calls that a child runs at the same time. */
  readonly calls: number;
  /**
   * Returns the child's command, with the program as an absolute path. It speaks the protocol on its standard input and
   * output.
   */
  argv(place: ProcessPlace): readonly string[];
  /** Absolute paths of the other files and folders that it reads. They are visible at every isolation level. */
  readonly reads: readonly string[];
  /** Returns the runtime's version, or the reason why it cannot be used here. Called once. */
  probe(): Promise<{ readonly version: string } | { readonly missing: string }>;
}
