import { readFile } from "node:fs/promises";

interface Limits {
  readonly functions: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

const limitsFile = new URL("../php/limits.json", import.meta.url);
const silencedFile = new URL("./silenced.generated.json", import.meta.url);

/** Returns the only php.ini. `memoryBytes` is PHP's limit for the connector's allocations. */
export async function phpIni(memoryBytes: number): Promise<string> {
  const limits = JSON.parse(await readFile(limitsFile, "utf8")) as Limits;
  const silenced = JSON.parse(await readFile(silencedFile, "utf8")) as string[];
  const settings = {
    ...limits.settings,
    memory_limit: String(memoryBytes),
    open_basedir: "/connector:/junction",
    disable_functions: [...limits.functions, ...silenced].join(","),
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = "${value}"\n`)
    .join("");
}
