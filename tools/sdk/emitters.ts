import { emitCli } from "../../packages/sdk-generator/src/cli.ts";
import { emitConsole } from "../../packages/sdk-generator/src/console.ts";
import type { Api } from "../../packages/sdk-generator/src/model.ts";
import { emitNode } from "../../packages/sdk-generator/src/node.ts";
import { emitPython } from "../../packages/sdk-generator/src/python.ts";
import { emitPhp } from "../../packages/sdk-generator/src/php.ts";

/** The files of one language: their paths in `folder`, and their text, formatted as committed. */
export type Emit = (api: Api) => ReadonlyMap<string, string>;

export interface Emitter {
  readonly language: string;
  /** Holds nothing but generated files: it is emptied before they are written. */
  readonly folder: string;
  readonly emit: Emit;
}

/** One line a language. */
export const emitters: readonly Emitter[] = [
  { language: "node", folder: "sdks/node/src/generated", emit: emitNode },
  { language: "python", folder: "sdks/python/src/junction_sdk/generated", emit: emitPython },
  { language: "php", folder: "sdks/php/generated", emit: emitPhp },
  { language: "cli", folder: "apps/cli/src/generated", emit: emitCli },
  { language: "console", folder: "apps/console/src/api/generated", emit: emitConsole },
];
