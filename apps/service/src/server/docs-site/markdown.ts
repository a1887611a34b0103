import { posix } from "node:path";
import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { escaped } from "./escaped.ts";

/** A heading of a page. `text` is the text between it and the next heading, for the search. */
export interface Section {
  readonly level: number;
  readonly title: string;
  readonly id: string;
  readonly text: string;
}

/** A page of Markdown, ready for the layout. */
export interface Rendered {
  readonly title: string;
  /** The text of the first paragraph. */
  readonly description: string;
  readonly html: string;
  /** The page for programs that read Markdown. Its links lead to such pages. */
  readonly markdown: string;
  readonly sections: readonly Section[];
}

/** Returns the address of a linked file on this site; undefined for a file that only the repository has. */
export type Resolve = (file: string) => string | undefined;

// Raw HTML is disabled, so that no page can contain a script, a frame or a style.
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
const COMMENT = /^<!--.*-->$/gm;
const LINK = /\]\(([^()\s]+)\)/g;
const ABSOLUTE = /^(?:[a-z][a-z+.-]*:|#|\/)/i;

/** Renders a file of `docs`. `file` is its path below that folder. */
export function rendered(file: string, source: string, resolve: Resolve): Rendered {
  const text = source.replaceAll(COMMENT, "");
  const tokens = markdown.parse(text, {});
  const sections = sectionsOf(tokens);
  for (const token of tokens) redirect(token.children ?? [], file, resolve);
  return {
    title: sections[0]?.title ?? file,
    description: tokenText(tokens[tokens.findIndex(({ type }) => type === "paragraph_open") + 1]),
    html: markdown.renderer.render(tokens, markdown.options, {}),
    markdown: text.replaceAll(LINK, (link, href: string) => {
      const address = ABSOLUTE.test(href) ? undefined : addressOf(href, file, resolve);
      return address === undefined ? link : `](${plainAddress(address)})`;
    }),
    sections,
  };
}

/** Returns the address of a page's Markdown: `/docs/guide/cli.md#x` for `/docs/guide/cli#x`. Other files have one form. */
export function plainAddress(address: string): string {
  const [path = "", anchor] = address.split("#");
  const plain = path.startsWith("/docs") && !/\.\w+$/.test(path) ? `${path}.md` : path;
  return anchor === undefined ? plain : `${plain}#${anchor}`;
}

/** Returns the anchor that GitHub creates for a title, so that links work in both places. */
export function slugOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}

const rules = markdown.renderer.rules;
rules["fence"] = (tokens, at) => {
  const { content = "", info = "" } = tokens[at] ?? {};
  const language = /^\w+/.exec(info)?.[0] ?? "text";
  // Code that is wider than the window can be scrolled by keys too.
  return `<div class="code" data-language="${language}"><pre tabindex="0"><code>${escaped(content)}</code></pre></div>\n`;
};
rules["table_open"] = () => '<div class="table" tabindex="0"><table>\n';
rules["table_close"] = () => "</table></div>\n";
// The alignment is a class, because the policy forbids inline styles.
for (const cell of ["th", "td"]) {
  rules[`${cell}_open`] = (tokens, at) => {
    const align = /text-align:(\w+)/.exec(String(tokens[at]?.attrGet("style") ?? ""))?.[1];
    return align === undefined ? `<${cell}>` : `<${cell} class="${align}">`;
  };
}
rules["heading_close"] = (tokens, at) => {
  const id = tokens[at - 2]?.attrGet("id") ?? "";
  const { tag = "h2" } = tokens[at] ?? {};
  if (tag === "h1") return "</h1>\n";
  return ` <a class="anchor" href="#${id}" aria-label="Link to ${escaped(tokenText(tokens[at - 1]))}">#</a></${tag}>\n`;
};

/** Gives each heading its anchor. */
function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: { level: number; title: string; id: string; text: string }[] = [];
  const seen = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    const section = sections.at(-1);
    if (token.type === "heading_open") {
      const title = tokenText(tokens[at + 1]);
      const id = unique(slugOf(title), seen);
      token.attrSet("id", id);
      sections.push({ level: Number(token.tag.slice(1)), title, id, text: "" });
    } else if (section !== undefined && tokens[at - 1]?.type !== "heading_open") {
      const text = token.type === "fence" ? token.content : tokenText(token);
      if (text !== "") section.text += `${text.replaceAll(/\s+/g, " ")} `;
    }
  }
  return sections;
}

function unique(slug: string, seen: Map<string, number>): string {
  const count = seen.get(slug) ?? 0;
  seen.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

function tokenText(token: Token | undefined): string {
  return (token?.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");
}

/**
 * Turns links between files into links between pages. A link to a file that only the repository has becomes its name,
 * because there is no page for it.
 */
function redirect(children: Token[], file: string, resolve: Resolve): void {
  const open: Token[] = [];
  for (const token of children) {
    if (token.type === "image") token.attrSet("src", addressOf(attribute(token, "src"), file, resolve) ?? "");
    if (token.type === "link_open") {
      open.push(token);
      const address = addressOf(attribute(token, "href"), file, resolve);
      if (address !== undefined) token.attrSet("href", address);
      else {
        token.attrs = [
          ["class", "file"],
          ["title", `${attribute(token, "href")} in the repository`],
        ];
        token.tag = "span";
      }
    } else if (token.type === "link_close") token.tag = open.pop()?.tag ?? token.tag;
  }
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

function addressOf(href: string, file: string, resolve: Resolve): string | undefined {
  if (ABSOLUTE.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const address = resolve(posix.normalize(posix.join(posix.dirname(file), decodeURI(path))));
  return anchor === undefined || address === undefined ? address : `${address}#${anchor}`;
}
