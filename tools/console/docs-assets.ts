/** The files of the console's build that the documentation site uses: the fonts, and the script that renders the API reference. */
import { hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import scalar from "@scalar/fastify-api-reference";
import fastify from "fastify";
import { BUILT_ASSETS } from "../../apps/service/src/server/docs-site/built.ts";
import type { BuiltAssets } from "../../apps/service/src/server/docs-site/built.ts";
import { readManifest } from "./manifest.ts";

/** Writes the script next to the console's own files, and `docs.json` with the addresses. */
export async function writeDocsAssets(output: string): Promise<void> {
  const script = await referenceScript();
  const reference = `assets/reference-${hash("sha256", script, "hex").slice(0, 8)}.js`;
  await writeFile(join(output, reference), script);
  const manifest = await readManifest(output);
  const font = (name: string): string => {
    const found = Object.entries(manifest).find(([source]) => source.endsWith(`/${name}-latin-wght-normal.woff2`));
    if (found === undefined) throw new Error(`the build has no font ${name}`);
    return `/${found[1].file}`;
  };
  const built: BuiltAssets = {
    fonts: { sans: font("geist"), mono: font("geist-mono") },
    reference: `/${reference}`,
  };
  await writeFile(join(output, BUILT_ASSETS), JSON.stringify(built));
}

/**
 * Returns Scalar's renderer as one file. Its package for Fastify contains it without the three hundred packages of its sources and serves
 * it at a route, which is requested here once. The reference to the source map is removed, because the map is not shipped.
 */
async function referenceScript(): Promise<string> {
  const app = fastify();
  await app.register(scalar, { routePrefix: "/reference", configuration: { url: "/openapi.json" } });
  const { statusCode, body } = await app.inject("/reference/js/scalar.js");
  await app.close();
  if (statusCode !== 200) throw new Error(`Scalar's script was answered with ${statusCode}`);
  return body.replace(/\n\/\/# sourceMappingURL=.*$/, "\n");
}
