// The types that are used of optional packages, whose own types are incomplete.

declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  interface Imports {
    readonly env: Record<string, (...args: number[]) => unknown>;
  }
  const Module: {
    imports(module: Module): { readonly module: string; readonly name: string; readonly kind: string }[];
  };
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module, imports: Imports): Promise<Instance>;
}

declare module "@php-wasm/node-8-4" {
  interface Loader {
    readonly dependencyFilename: string;
  }
  export function getPHPLoaderModule(): Promise<Loader>;
}

declare module "@php-wasm/universal" {
  interface Options {
    readonly ENV?: Readonly<Record<string, string | undefined>>;
    readonly thisProgram?: string;
    readonly print?: (text: string) => void;
    readonly printErr?: (text: string) => void;
    readonly instantiateWasm?: (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) => void;
    readonly onRuntimeInitialized?: (module: Emscripten) => void;
  }
  export interface Emscripten {
    readonly HEAPU8: Uint8Array;
    UTF8ToString(address: number): string;
    /** Replaceable while PHP runs. */
    onStdout?: (chunk: Uint8Array) => void;
    onStderr?: (chunk: Uint8Array) => void;
  }
  export function loadPHPRuntime(loader: import("@php-wasm/node-8-4").Loader, options?: Options): Promise<number>;
  export class PHP {
    constructor(runtime: number);
    mkdir(path: string): void;
    writeFile(path: string, bytes: Uint8Array | string): void;
    setSpawnHandler(handler: () => never): Promise<void>;
    onMessage(listener: (message: string) => Promise<string> | string | undefined): void;
    run(request: { readonly code: string }): Promise<{ readonly text: string }>;
    runStream(request: { readonly scriptPath: string }): Promise<{
      readonly exitCode: Promise<number>;
    }>;
  }
}
