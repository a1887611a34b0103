import { FRONT, pathOf } from "./contents.ts";
import type { NavigationGroup } from "./layout.ts";
import { plainAddress } from "./markdown.ts";
import type { Rendered } from "./markdown.ts";
import type { DocumentedOperation } from "./search-index.ts";

/** The documents for language models, at the root of the host. */
export const LLMS = "/llms.txt";
export const LLMS_FULL = "/llms-full.txt";

/** The pages of the site by their files, and what is not a file. */
export interface PlainSite {
  readonly baseUrl: string;
  readonly navigation: readonly NavigationGroup[];
  readonly pages: ReadonlyMap<string, Rendered>;
}

/** Returns the list of all pages for language models (llmstxt.org), with the addresses of their Markdown. */
export function llmsText({ baseUrl, navigation, pages }: PlainSite): string {
  const described = new Map([...pages].map(([name, { description }]) => [pathOf(name), description]));
  const groups = navigation.map(({ title, links }) => {
    const lines = links.map(({ path, title: page }) => {
      const about = described.get(path);
      return `- [${page}](${baseUrl}${plainAddress(path)})${about === undefined ? "" : `: ${about}`}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  const front = pages.get(FRONT);
  return `# Junction\n\n> ${front?.description ?? ""}\n\nThe whole documentation in one file: ${baseUrl}/llms-full.txt. The API as OpenAPI: ${baseUrl}/openapi.json.\n\n${groups.join("\n")}`;
}

/** Returns the Markdown of all pages in the order of the contents, each after its address. */
export function llmsFullText({ baseUrl, navigation, pages }: PlainSite): string {
  const byPath = new Map([...pages].map(([name, { markdown }]) => [pathOf(name), markdown]));
  const paths = [pathOf(FRONT), ...navigation.flatMap(({ links }) => links.map(({ path }) => path))];
  return paths
    .flatMap((path) => {
      const markdown = byPath.get(path);
      return markdown === undefined ? [] : [`<!-- ${baseUrl}${plainAddress(path)} -->\n\n${markdown.trim()}\n`];
    })
    .join("\n");
}

/** Returns the operations of the API as Markdown. The OpenAPI document has their schemas. */
export function operationsText(operations: readonly DocumentedOperation[]): string {
  const groups = Map.groupBy(operations, ({ tag }) => tag);
  const texts = [...groups].map(([tag, of]) => {
    const lines = of.map(({ method, path, summary }) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`);
    return `## ${tag}\n\n${lines.join("\n")}\n`;
  });
  return `# API reference\n\nThe schemas are in [the OpenAPI document](/openapi.json).\n\n${texts.join("\n")}`;
}
