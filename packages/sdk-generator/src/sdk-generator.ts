/**
 * This generator is written by hand, because the code of public generators does not look natural in its language
 * (decision 0080).
 */
import { emitCli } from "./cli.ts";
import { consoleEmitter } from "./console.ts";
import type { Emit } from "./model.ts";
import { emitNode } from "./node.ts";
import type { Document } from "./openapi.ts";
import { emitPhp } from "./php.ts";
import { emitPython } from "./python.ts";
import { readModel } from "./read.ts";
import { emitTerraform } from "./terraform.ts";

export type { Document } from "./openapi.ts";

/** The names under which packages are published, as generated code shows them. */
export interface PackageNames {
  readonly node: string;
}

export interface GeneratedFolder {
  readonly language: string;
  /**
   * The path from the repository's root. The folder contains only generated files, and is emptied before they are
   * written.
   */
  readonly folder: string;
  /** The files by their path in the folder, formatted as committed. */
  readonly files: ReadonlyMap<string, string>;
}

/** Generates everything that is derived from the published contract. */
export function generate(document: Document, names: PackageNames): GeneratedFolder[] {
  const api = readModel(document);
  return emitters(names).map(([language, folder, emit]) => ({ language, folder, files: emit(api) }));
}

/** Returns one entry per language. */
function emitters({ node }: PackageNames): readonly (readonly [language: string, folder: string, emit: Emit])[] {
  return [
    ["node", "sdks/node/src/generated", emitNode],
    ["python", "sdks/python/src/junction_sdk/generated", emitPython],
    ["php", "sdks/php/generated", emitPhp],
    ["cli", "apps/cli/src/generated", emitCli],
    ["console", "apps/console/src/api/generated", consoleEmitter(node)],
    ["terraform", "terraform/internal/contract/generated", emitTerraform],
  ];
}
