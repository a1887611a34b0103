import { existsSync, globSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { slugOf } from "../../apps/service/src/server/docs-site/docs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const FILES = globSync(["*.md", "docs/**/*.md", "conformance/*.md", "apps/*/README.md", "connectors/*/README.md"], {
  cwd: root,
});
const markdown = new MarkdownIt({ html: true });

interface Page {
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

const pages = new Map<string, Page>();

test("every link between files leads to an existing file and heading", async () => {
  expect(FILES.length).toBeGreaterThan(100);
  const lost: string[] = [];
  for (const file of FILES)
    for (const link of (await pageOf(file)).links) if (!(await leads(file, link))) lost.push(`${file}: ${link}`);
  expect(lost).toEqual([]);
});

async function leads(file: string, link: string): Promise<boolean> {
  if (/^(?:[a-z]+:|\/)/i.test(link)) return true;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? file : normalize(join(dirname(file), decodeURI(path)));
  const whole = join(root, target);
  if (!existsSync(whole)) return false;
  if (anchor === undefined || statSync(whole).isDirectory() || !target.endsWith(".md")) return anchor === undefined;
  return (await pageOf(target)).anchors.has(anchor);
}

async function pageOf(file: string): Promise<Page> {
  const known = pages.get(file);
  if (known !== undefined) return known;
  const tokens = markdown.parse(await readFile(join(root, file), "utf8"), {});
  const inline = tokens.flatMap((token) => token.children ?? []);
  const links = inline.flatMap((token) => {
    const address =
      token.type === "link_open" ? token.attrGet("href") : token.type === "image" ? token.attrGet("src") : null;
    return address === null ? [] : [String(address)];
  });
  const anchors = new Set<string>();
  for (const [at, { type }] of tokens.entries()) {
    if (type !== "heading_open") continue;
    const slug = slugOf((tokens[at + 1]?.children ?? []).map(({ content }) => content).join(""));
    let count = 0;
    while (anchors.has(count === 0 ? slug : `${slug}-${count}`)) count += 1;
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  const page = { links, anchors };
  pages.set(file, page);
  return page;
}
