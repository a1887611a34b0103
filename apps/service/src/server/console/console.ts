import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { acceptedEncoding } from "../../lib/lib.ts";

/** A file of the console as it is sent. Its headers do not include the `securityHeaders` that all responses carry. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export interface Console {
  /**
   * Returns the page, with its own nonce. The console draws the page of the path. The response shows the start of that
   * screen and names its files, or those of the sign-in screen if the user seems to be signed out.
   */
  page(asked: PageRequest): Promise<ConsoleAnswer>;
  /** Returns the page of the portal, with its own nonce. Only these origins may frame it. */
  portal(asked: PortalPageRequest): Promise<ConsoleAnswer>;
  /** Returns a file of the build; undefined if no file has this path. */
  file(path: string, acceptEncoding: string | undefined): Promise<ConsoleAnswer | undefined>;
}

export interface PageRequest {
  readonly path: string;
  readonly isSignedIn: boolean;
  readonly acceptEncoding?: string | undefined;
}

export interface PortalPageRequest {
  readonly origins: readonly string[];
  readonly acceptEncoding?: string | undefined;
}

type Coding = (typeof CODINGS)[number];

interface Encoded {
  readonly body: Buffer;
  readonly encoding: Coding | undefined;
}

/** The folder into which `tools/console/build.ts` writes the console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL("../../../../console/dist", import.meta.url));

const NONCE = "JUNCTION_CSP_NONCE";
const HTML = "text/html; charset=utf-8";
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const FOREVER = "public, max-age=31536000, immutable";
const CODINGS = ["br", "gzip"] as const;
const SUFFIXES = { br: ".br", gzip: ".gz" };
/** Matches paths that cannot leave the folder: no part begins with a dot. */
const PLAIN_PATH = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
const NO_FILE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EISDIR", "ENAMETOOLONG"]);
const A_DAY = "public, max-age=86400";
/** Marks the place of the content that is shown before any script runs. */
const FIRST_PAINT = "<!-- first paint -->";
const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Junction</title>
<h1>The console is not built.</h1>
<p>The service runs, and so does its API: see the <a href="/docs">documentation</a>.</p>
<p>To build the console, run <code>node tools/console/build.ts</code> in the repository with Node 24.12 or later, or start the
service with <code>npm start</code>, which builds it. Then load this page again.</p>
</html>
`;

/**
 * Returns the console's files of a folder. A build may replace them at any time: only files whose names contain a hash
 * of their content are kept in memory.
 */
export function createConsole(folder: string): Console {
  const kept = new Map<string, Buffer>();

  async function read(name: string): Promise<Buffer | undefined> {
    const body = kept.get(name) ?? (await readIfExists(join(folder, name)));
    if (body !== undefined && isHashed(name)) kept.set(name, body);
    return body;
  }

  /** Returns the file in the best accepted coding that the build contains. */
  async function encoded(
    name: string,
    acceptEncoding: string | undefined,
    offered: readonly Coding[] = CODINGS,
  ): Promise<Encoded | undefined> {
    const encoding = acceptedEncoding(acceptEncoding, offered);
    const body = await read(name + (encoding === undefined ? "" : SUFFIXES[encoding]));
    if (body !== undefined) return { body, encoding };
    const others = offered.filter((coding) => coding !== encoding);
    return encoding === undefined ? undefined : await encoded(name, acceptEncoding, others);
  }

  return {
    async page({ acceptEncoding, ...at }) {
      const html = await readPage(folder, "index.html");
      const pages = html === undefined ? NO_PAGES : await readFile(join(folder, "pages.json"), "utf8");
      return await pageAnswer(html && pageOf(html, JSON.parse(pages) as Pages, at), { ancestors: [], acceptEncoding });
    },
    portal: async ({ origins, acceptEncoding }) =>
      await pageAnswer(await readPage(folder, "portal/index.html"), { ancestors: origins, acceptEncoding }),
    async file(path, acceptEncoding) {
      const name = path.slice(1);
      const type = TYPES[extname(name)];
      if (!PLAIN_PATH.test(name) || type === undefined) return undefined;
      const found = await encoded(name, acceptEncoding);
      if (found === undefined) return undefined;
      const { body, encoding } = found;
      return {
        status: 200,
        headers: {
          "Content-Type": type,
          "Cache-Control": isHashed(name) ? FOREVER : A_DAY,
          Vary: "Accept-Encoding",
          ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
        },
        body,
      };
    },
  };
}

const NO_PAGES = "{}";

async function readPage(folder: string, name: string): Promise<string | undefined> {
  return await readFile(join(folder, name), "utf8").catch(() => undefined);
}

interface PageOptions {
  /** The origins that may frame the page. */
  readonly ancestors: readonly string[];
  readonly acceptEncoding: string | undefined;
}

/** Returns a page with its own nonce. It is never cached, because it names the files of the current build. */
async function pageAnswer(
  html: string | undefined,
  { ancestors, acceptEncoding }: PageOptions,
): Promise<ConsoleAnswer> {
  const nonce = randomBytes(16).toString("base64url");
  const headers = {
    ...pageHeaders(nonce, ancestors),
    "Content-Type": HTML,
    "Cache-Control": "no-cache",
    Vary: "Accept-Encoding",
  };
  if (html === undefined) return { status: 503, headers, body: NOT_BUILT };
  const body = html.replaceAll(NONCE, nonce);
  if (acceptedEncoding(acceptEncoding, ["gzip"]) === undefined) return { status: 200, headers, body };
  return { status: 200, headers: { ...headers, "Content-Encoding": "gzip" }, body: await promisify(gzip)(body) };
}

/** The facts about the pages that `tools/console/build.ts` writes. */
export interface Pages {
  readonly routes: readonly Route[];
  /** The content shown before any script runs: for single paths, and for all other paths of signed-in users. */
  readonly paints: { readonly paths: Readonly<Record<string, string>>; readonly shell: string };
}

interface Route {
  /** A path in which `$id` matches any one part. */
  readonly path: string;
  readonly isPublic: boolean;
  /**
   * Paths of files that the screen needs in addition to the page's own script, so that the browser does not have to
   * discover them step by step.
   */
  readonly preloads: readonly string[];
}

const SIGN_IN = "/sign-in";

function pageOf(html: string, { routes, paints }: Pages, { path, isSignedIn }: PageRequest): string {
  const asked = routeAt(routes, path);
  const shown = isSignedIn || asked.isPublic ? asked : routeAt(routes, SIGN_IN);
  const paint = paints.paths[shown.path] ?? (shown.isPublic ? "" : paints.shell);
  const links = shown.preloads.map((file) => `<link rel="modulepreload" crossorigin href="${file}" nonce="${NONCE}">`);
  return html.replace("</head>", () => `${links.join("")}</head>`).replace(FIRST_PAINT, () => paint);
}

/** The route of an unknown path. */
const MISSING: Route = { path: "", isPublic: false, preloads: [] };

function routeAt(routes: readonly Route[], path: string): Route {
  const parts = path.split("/");
  const fits = (route: Route): boolean => {
    const names = route.path.split("/");
    return names.length === parts.length && names.every((name, at) => name === parts[at] || name.startsWith("$"));
  };
  return routes.find((route) => route.path === path) ?? routes.find(fits) ?? MISSING;
}

/**
 * Returns the headers of a page. Only the build's own files may run or draw, nothing is loaded from or sent to other
 * hosts, and no site may frame the page unless it is one of the `ancestors`.
 */
function pageHeaders(nonce: string, ancestors: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
  };
}

/** Returns true for files whose content never changes under their name. */
function isHashed(name: string): boolean {
  return name.startsWith("assets/") || name.startsWith("portal/assets/");
}

/** Returns undefined if there is no such file. */
async function readIfExists(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (NO_FILE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
