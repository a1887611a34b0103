/**
 * Writes the generated parts of the SDKs from openapi/openapi.json. Tests compare the files with what this makes.
 * `node tools/generate-sdks.ts [language…]`: all languages, unless some are named.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { generate } from "../packages/sdk-generator/src/sdk-generator.ts";
import type { Document } from "../packages/sdk-generator/src/sdk-generator.ts";
import { NODE_SDK } from "./package-names.ts";

const root = new URL("../", import.meta.url);
const document = JSON.parse(await readFile(new URL("openapi/openapi.json", root), "utf8")) as Document;
const wanted = process.argv.slice(2);

for (const { language, folder, files } of generate(document, { node: NODE_SDK.name })) {
  if (wanted.length > 0 && !wanted.includes(language)) continue;
  const base = new URL(`${folder}/`, root);
  await rm(base, { recursive: true, force: true });
  for (const [path, text] of files) {
    const file = new URL(path, base);
    await mkdir(dirname(file.pathname), { recursive: true });
    await writeFile(file, text);
  }
}
