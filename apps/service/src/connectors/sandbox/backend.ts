import type { Runtime } from "./program.ts";

/** What a child may see of the machine's files: everything else is not there for it. */
export interface Place {
  /** The connector's files, and nothing else; read-only. */
  readonly directory: string;
  readonly memoryBytes: number;
}

/** How a runtime's children are started. */
export interface Backend {
  readonly runtime: Runtime;
  /** For the report: `node`, `php-wasm`, `php`. */
  readonly name: string;
  /** Resident memory of a child, where its program says nothing else. */
  readonly memoryBytes: number;
  /** How many calls a child holds at once: 1 is one after the other. */
  readonly calls: number;
  /** What a child runs as, the program by its absolute path. It speaks the protocol on its standard input and output. */
  argv(place: Place): readonly string[];
  /** Files and folders beside its own that it reads, absolute; no wall hides them. */
  readonly reads: readonly string[];
  /** The runtime's version, or why it cannot be used here. Asked once. */
  probe(): Promise<{ readonly version: string } | { readonly missing: string }>;
}
