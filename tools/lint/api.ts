import type { RuleTester } from "oxlint/plugins-dev";

/** A rule as oxlint runs it. oxlint exports the types only through its tester's signature. */
export type Rule = Extract<Parameters<RuleTester["run"]>[1], { readonly create: unknown; createOnce?: never }>;
export type Context = Parameters<Rule["create"]>[0];
export type Visitor = ReturnType<Rule["create"]>;
/** A node that a report can point to. */
export type Node = Extract<Parameters<Context["report"]>[0], { node: unknown }>["node"];

export interface Import {
  readonly specifier: string;
  readonly node: Node;
  /** True for an import that is erased before the program runs. */
  readonly isTypeOnly: boolean;
  /** The names of a named import or re-export; `*` for everything. */
  readonly names: readonly string[];
}
