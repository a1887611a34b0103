import type { SiteAssets } from "./assets.ts";
import { escaped } from "./escaped.ts";
import type { Rendered, Section } from "./markdown.ts";

interface Link {
  readonly path: string;
  readonly title: string;
}

export interface NavigationGroup {
  readonly title: string;
  readonly links: readonly Link[];
}

/** The data that surrounds every page of the site. */
export interface Frame {
  /** The base URL without a slash at the end. */
  readonly baseUrl: string;
  readonly navigation: readonly NavigationGroup[];
  readonly assets: SiteAssets;
  readonly searchIndex: string;
}

interface PageParts {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** The HTML below the header. */
  readonly content: string;
  /** Scripts in addition to the site's own. */
  readonly scripts?: string;
  readonly isIndexed: boolean;
}

const LOGO = `<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="currentColor"/><g class="logo-lines"><path d="M7 10h6.5c2.5 0 3.5 1.6 4.5 3.4l1.6 3.2C20.6 18.4 21.6 20 24 20h1"/><path d="M7 22h6c2.4 0 3.6-1.2 4.6-3"/></g><circle class="logo-dot" cx="25" cy="20" r="2.6"/></svg>`;

/** Returns a page of Markdown, with "on this page" and links to its neighbors. */
export function pageOf(frame: Frame, path: string, page: Rendered): string {
  const { title, description, html, sections } = page;
  const content = columns(frame, path, { body: `${html}${neighbours(frame, path)}`, aside: onThisPage(sections) });
  return layout(frame, { path, title, description, content, isIndexed: true });
}

/** Returns `/docs`: the reference first (contract, section 1), then every page. */
export function frontOf(frame: Frame, { title, description, html }: Rendered): string {
  const groups = frame.navigation.map(
    (group) => `<section><h2>${escaped(group.title)}</h2>${listOf(group.links)}</section>`,
  );
  const body = `${html}
<p class="first"><a href="/docs/api">API reference</a> <a href="/openapi.json">openapi.json</a> <a href="/docs/errors">Errors</a></p>
<div class="groups">${groups.join("\n")}</div>`;
  const content = columns(frame, "/docs", { body, aside: "" });
  return layout(frame, { path: "/docs", title, description, content, isIndexed: true });
}

/** Returns `/docs/api`. `script` renders the reference; it is undefined until the console is built. */
export function referenceOf(frame: Frame, script: string | undefined): string {
  const shared = {
    path: "/docs/api",
    title: "API reference",
    description: "Every operation of the API.",
    isIndexed: true,
  };
  if (script === undefined) {
    const body = `<h1>API reference</h1>
<p>The reference is not built yet. <code>npm start</code> builds it together with the console; to build both now, run
<code>node tools/console/build.ts</code> in the repository. Then load this page again.</p>
<p>The same document for tools: <a href="/openapi.json">openapi.json</a>.</p>`;
    return layout(frame, { ...shared, content: columns(frame, "/docs/api", { body, aside: "" }) });
  }
  const content = `<main id="content" class="reference" tabindex="-1">
<div id="reference"></div>
<noscript>The reference needs JavaScript. The same document for tools: <a href="/openapi.json">openapi.json</a>.</noscript>
</main>`;
  const scripts = `<script defer src="${script}"></script>\n<script type="module" src="${frame.assets.referenceScript}"></script>\n`;
  return layout(frame, { ...shared, content, scripts });
}

export function missingOf(frame: Frame): string {
  const body = `<h1>Page not found</h1>
<p>Search for it, or start at the <a href="/docs">front page</a>. The page may have moved: the navigation lists every page.</p>`;
  const content = columns(frame, "", { body, aside: "" });
  return layout(frame, { path: "", title: "Page not found", description: "", content, isIndexed: false });
}

function columns(
  frame: Frame,
  path: string,
  { body, aside }: { readonly body: string; readonly aside: string },
): string {
  const groups = frame.navigation.map((group) => `<h2>${escaped(group.title)}</h2>\n${listOf(group.links, path)}`);
  return `<div class="columns">
<nav class="site" aria-label="Documentation">
<details id="pages" open><summary>All pages</summary>
${groups.join("\n")}
</details>
</nav>
<main id="content" tabindex="-1">
${body}
</main>
${aside}
</div>`;
}

function layout(frame: Frame, { path, title, description, content, scripts = "", isIndexed }: PageParts): string {
  const { style, theme, script } = frame.assets;
  const about = description === "" ? "" : `<meta name="description" content="${escaped(description)}">\n`;
  const address = isIndexed
    ? `<link rel="canonical" href="${escaped(frame.baseUrl + path)}">\n`
    : '<meta name="robots" content="noindex">\n';
  return `<!doctype html>
<html lang="en" data-search="${frame.searchIndex}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Junction</title>
${about}${address}<script src="${theme}"></script>
<link rel="stylesheet" href="${style}">
<link rel="icon" href="data:,">
${scripts}<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs">${LOGO}Junction <span>Docs</span></a>
<button id="search-button" type="button" aria-haspopup="dialog" hidden>Search <kbd>⌘K</kbd></button>
<nav aria-label="Product"><a href="/docs/api">API reference</a> <a href="/">Console</a></nav>
</header>
<dialog id="search" aria-label="Search the documentation">
<input id="query" type="text" role="combobox" aria-label="Search" aria-expanded="false" aria-controls="results" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search pages, operations and errors">
<ul id="results" role="listbox" aria-label="Results"></ul>
<p id="found" role="status"></p>
</dialog>
${content}
</body>
</html>
`;
}

function listOf(links: readonly Link[], current = ""): string {
  const items = links.map(
    ({ path, title }) =>
      `<li><a href="${path}"${path === current ? ' aria-current="page"' : ""}>${escaped(title)}</a></li>`,
  );
  return `<ul>${items.join("\n")}</ul>`;
}

function onThisPage(sections: readonly Section[]): string {
  const shown = sections.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ level, id, title }) => `<li class="level-${level}"><a href="#${id}">${escaped(title)}</a></li>`,
  );
  return `<nav class="page" aria-labelledby="on-this-page"><h2 id="on-this-page">On this page</h2><ul>${items.join("\n")}</ul></nav>`;
}

function neighbours(frame: Frame, path: string): string {
  const links = frame.navigation.flatMap((group) => group.links);
  const at = links.findIndex((link) => link.path === path);
  const side = (link: Link | undefined, rel: "prev" | "next", word: string): string =>
    link === undefined ? "" : `<a rel="${rel}" href="${link.path}"><span>${word}</span> ${escaped(link.title)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next">${side(links[at - 1], "prev", "Previous")}${side(links[at + 1], "next", "Next")}</nav>`;
}
