import type { Backend } from "./backend.ts";
import { nativePhpBackend } from "./php-native.ts";
import { wasmPhpBackend } from "./php-wasm.ts";

/**
 * What connectors in PHP run on: the PHP that the operator named, and no other in its place where it cannot be used; else PHP.wasm.
 */
export function phpBackends(program: string | null): readonly Backend[] {
  return [program === null ? wasmPhpBackend() : nativePhpBackend(program)];
}
