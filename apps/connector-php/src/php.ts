import { constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { getPHPLoaderModule } from "@php-wasm/node-8-4";
import { PHP, loadPHPRuntime } from "@php-wasm/universal";
import type { Emscripten } from "@php-wasm/universal";
import type { Files } from "./files.ts";
import { guard } from "./imports.ts";
import type { Imports } from "./imports.ts";
import type { Guard } from "./imports.ts";
import { phpIni } from "./ini.ts";
import { toStandardError } from "./lines.ts";
import type { Lines } from "./lines.ts";

export interface PhpOptions {
  /** The files by their paths in PHP. */
  readonly files: Files;
  /** The limit of the process's resident memory. */
  readonly memoryBytes: number;
  readonly lines: Lines;
}

const MIB = 1024 * 1024;
// The memory of the process without a connector: Node, the machine code, the first linear memory.
const WITHOUT_CONNECTOR = 256 * MIB;
const LEAST = 32 * MIB;

/**
 * Runs the loop in one PHP request, until the service ends the input or the connector ends PHP. Returns the exit code.
 */
export async function startPhp(options: PhpOptions): Promise<number> {
  const forConnector = Math.max(LEAST, options.memoryBytes - WITHOUT_CONNECTOR);
  const { id, module, lock } = await load(forConnector);
  const php = new PHP(id);
  for (const [path, bytes] of options.files) {
    php.mkdir(path.slice(0, path.lastIndexOf("/")));
    php.writeFile(path, bytes);
  }
  php.writeFile("/internal/shared/php.ini", await phpIni(forConnector));
  // No program can be started. Where PHP tries it in a way that no other restriction detects, it fails like an unknown
  // command.
  await php.setSpawnHandler(() => {
    throw new Error("Nothing is started from here.");
  });
  php.onMessage((message) => {
    // `!` comes before any code of the connector is read, `>` is a line to the service, `<` requests the next one.
    if (message.startsWith("<")) return options.lines.next();
    if (message.startsWith(">")) options.lines.write(message.slice(1));
    else {
      lock();
      // Output is written immediately, because PHP leaves no time for a later write, and a flood would be kept in
      // memory.
      module.onStdout = toStandardError;
      module.onStderr = toStandardError;
    }
    return undefined;
  });
  const { exitCode } = await php.runStream({ scriptPath: "/junction/loop.php" });
  return await exitCode;
}

async function load(forConnector: number): Promise<{ id: number; module: Emscripten; lock: () => void }> {
  // Node's permission model refuses this access to its internals, of which PHP.wasm needs a few constants.
  Object.assign(process, { binding: () => ({ fs: constants }) });
  const loader = await getPHPLoaderModule();
  let module: Emscripten | undefined;
  let guarded: Guard | undefined;
  let first = 0;
  const machine = {
    largest: Infinity,
    text: (address: number) => module?.UTF8ToString(address) ?? "",
  };
  const id = await loadPHPRuntime(loader, {
    ENV: { USER: undefined, LOGNAME: undefined, PWD: undefined, HOME: undefined, LANG: undefined, _: undefined },
    thisProgram: "php",
    print: toStandardError,
    printErr: toStandardError,
    instantiateWasm: (imports, receive) => {
      const put = (names: readonly string[]): void => {
        guarded = guard(imports["env"] as Imports, names, () => machine);
      };
      void instantiate(loader.dependencyFilename, imports, put).then((done) => receive(done.instance, done.module));
    },
    onRuntimeInitialized: (initialized) => {
      module = initialized;
      first = initialized.HEAPU8.length;
    },
  });
  if (module === undefined || guarded === undefined) throw new Error("PHP.wasm was not guarded.");
  machine.largest = first + 2 * forConnector;
  return { id, module, lock: guarded.lock };
}

async function instantiate(
  path: string,
  imports: WebAssembly.Imports,
  replace: (names: readonly string[]) => void,
): Promise<{ readonly module: WebAssembly.Module; readonly instance: WebAssembly.Instance }> {
  const module = await WebAssembly.compile(await readFile(path));
  const functions = WebAssembly.Module.imports(module).filter(({ kind }) => kind === "function");
  replace(functions.map(({ name }) => name));
  return { module, instance: await WebAssembly.instantiate(module, imports) };
}
