import type { Backend } from "./backend.ts";
import { nativePhpBackend } from "./php-native.ts";
import { wasmPhpBackend } from "./php-wasm.ts";

/**
 * Returns the backend for connectors in PHP: the PHP program that the operator named, or else PHP.wasm. If the named
 * program cannot be used, nothing replaces it.
 */
export function phpBackends(program: string | null): readonly Backend[] {
  return [program === null ? wasmPhpBackend() : nativePhpBackend(program)];
}
