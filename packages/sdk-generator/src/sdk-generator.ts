/** Written by hand, because public generators make code that does not read like its language (decision 0080). */
import { emitCli } from "./cli.ts";
import { consoleEmitter } from "./console.ts";
import type { Emit } from "./model.ts";
import { emitNode } from "./node.ts";
import type { Document } from "./openapi.ts";
import { emitPhp } from "./php.ts";
import { emitPython } from "./python.ts";
import { readModel } from "./read.ts";

export type { Document } from "./openapi.ts";

/** The names under which packages are published, as generated code shows them. */
export interface PackageNames {
  readonly node: string;
}

export interface GeneratedFolder {
  readonly language: string;
  /** From the repository's root. It holds nothing but generated files: it is emptied before they are written. */
  readonly folder: string;
  /** By path in the folder, formatted as committed. */
  readonly files: ReadonlyMap<string, string>;
}

/** Makes everything that is generated from the published contract. */
export function generate(document: Document, names: PackageNames): GeneratedFolder[] {
  const api = readModel(document);
  return emitters(names).map(([language, folder, emit]) => ({ language, folder, files: emit(api) }));
}

/** One line a language. */
function emitters({ node }: PackageNames): readonly (readonly [language: string, folder: string, emit: Emit])[] {
  return [
    ["node", "sdks/node/src/generated", emitNode],
    ["python", "sdks/python/src/junction_sdk/generated", emitPython],
    ["php", "sdks/php/generated", emitPhp],
    ["cli", "apps/cli/src/generated", emitCli],
    ["console", "apps/console/src/api/generated", consoleEmitter(node)],
  ];
}
