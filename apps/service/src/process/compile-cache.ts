import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Keeps the compiled code of the modules that are loaded from now on, in the folder of the libraries. A later start takes half the
 * processor time (docs/decisions/0215). Does nothing where that folder cannot be written.
 */
export function keepCompiledCode(): void {
  enableCompileCache(fileURLToPath(new URL("../../../../node_modules/.cache/compiled", import.meta.url)));
}
