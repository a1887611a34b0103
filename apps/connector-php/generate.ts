// Run this script after an update of PHP.wasm. It writes the names of the functions that its PHP has from extensions
// which connectors must not use (`silenced` in php/limits.json), because disable_functions must list them before PHP
// starts.
import { readFileSync, writeFileSync } from "node:fs";
import { getPHPLoaderModule } from "@php-wasm/node-8-4";
import { PHP, loadPHPRuntime } from "@php-wasm/universal";

const limits = JSON.parse(readFileSync(new URL("./php/limits.json", import.meta.url), "utf8")) as {
  readonly extensions: readonly string[];
  readonly silenced: readonly string[];
};
const php = new PHP(await loadPHPRuntime(await getPHPLoaderModule()));
const { text } = await php.run({
  code: "<?php foreach (get_loaded_extensions() as $name) $all[$name] = get_extension_funcs($name) ?: []; echo json_encode($all);",
});
const found = JSON.parse(text) as Readonly<Record<string, readonly string[]>>;
const unknown = Object.keys(found).filter((name) => ![...limits.extensions, ...limits.silenced].includes(name));
if (unknown.length > 0) throw new Error(`Nobody has judged these extensions: ${unknown.join(", ")}.`);
const names = limits.silenced.flatMap((name) => found[name] ?? []).toSorted();
writeFileSync(new URL("./src/silenced.generated.json", import.meta.url), `${JSON.stringify(names, undefined, 2)}\n`);
process.exit();
