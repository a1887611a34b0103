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

/** What every page of the site has around it. */
export interface Frame {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly navigation: readonly NavigationGroup[];
  readonly style: string;
  readonly script: string;
  readonly searchIndex: string;
}

interface Parts {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly aside: string;
  readonly canonical: boolean;
}

/** A page of Markdown, with "on this page" and its neighbours. */
export function pageOf(frame: Frame, path: string, page: Rendered): string {
  const { title, description, html, sections } = page;
  const body = `${html}${neighbours(frame, path)}`;
  return layout(frame, { path, title, description, body, aside: onThisPage(sections), canonical: true });
}

/** `/docs`: the reference first (contract, section 1), then everything there is. */
export function frontOf(frame: Frame, { title, description, html }: Rendered): string {
  const groups = frame.navigation.map(
    (group) => `<section><h2>${escaped(group.title)}</h2>${listOf(group.links)}</section>`,
  );
  const body = `${html}
<p class="first"><a href="/docs/api">API reference</a> <a href="/openapi.json">openapi.json</a> <a href="/docs/errors">Errors</a></p>
<div class="groups">${groups.join("\n")}</div>`;
  return layout(frame, { path: "/docs", title, description, body, aside: "", canonical: true });
}

export function missingOf(frame: Frame): string {
  const body = `<h1>Page not found</h1>
<p>Search above, or begin at the <a href="/docs">front page</a>. An address that worked before may have moved: the navigation names every page.</p>`;
  return layout(frame, {
    path: "",
    title: "Page not found",
    description: "",
    body,
    aside: "",
    canonical: false,
  });
}

function layout(frame: Frame, { path, title, description, body, aside, canonical }: Parts): string {
  const groups = frame.navigation.map((group) => `<h2>${escaped(group.title)}</h2>\n${listOf(group.links, path)}`);
  return `<!doctype html>
<html lang="en" data-search="${frame.searchIndex}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Junction</title>
${description === "" ? "" : `<meta name="description" content="${escaped(description)}">\n`}${canonical ? `<link rel="canonical" href="${escaped(frame.baseUrl + path)}">\n` : '<meta name="robots" content="noindex">\n'}<link rel="stylesheet" href="${frame.style}">
<link rel="icon" href="data:,">
<script type="module" src="${frame.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs">Junction <span>documentation</span></a>
<search id="search" hidden>
<label for="query">Search</label>
<input id="query" type="search" autocomplete="off" spellcheck="false" aria-controls="results" aria-describedby="found">
<p id="found" role="status"></p>
<ol id="results"></ol>
</search>
</header>
<div class="columns">
<nav class="site" aria-label="Documentation">
<details id="pages" open><summary>All pages</summary>
${groups.join("\n")}
</details>
</nav>
<main id="content" tabindex="-1">
${body}
</main>
${aside}
</div>
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
