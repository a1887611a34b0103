import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { acceptedEncoding } from "../../lib/lib.ts";

/** A file of the console as it is sent. What all answers say of themselves, `securityHeaders`, is not in its headers. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export interface Console {
  /**
   * The page, with a nonce of its own: the console draws whatever its path names. It shows how the path's screen begins and names what that
   * needs; or signing in, where nobody seems to have.
   */
  page(asked: PageRequest): Promise<ConsoleAnswer>;
  /** A file of the build; undefined where there is none of this path. */
  file(path: string, acceptEncoding: string | undefined): Promise<ConsoleAnswer | undefined>;
}

export interface PageRequest {
  readonly path: string;
  readonly isSignedIn: boolean;
  readonly acceptEncoding?: string | undefined;
}

/** Where `tools/console/build.ts` puts it. */
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
const A_DAY = "public, max-age=86400";
/** Where the page holds what is read before any script runs. */
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

/** The console's files in a folder. They are read when they are first asked for; a build that comes later is found. */
export function createConsole(folder: string): Console {
  const kept = new Map<string, Promise<Buffer>>();
  const read = async (name: string): Promise<Buffer> => {
    const reading = kept.get(name) ?? readFile(join(folder, name));
    kept.set(name, reading);
    return await reading;
  };
  return {
    async page({ acceptEncoding, ...at }) {
      const nonce = randomBytes(16).toString("base64url");
      // Never kept: it names the files of the build that is there now.
      const html = await readFile(join(folder, "index.html"), "utf8").catch(() => undefined);
      const headers = {
        ...pageHeaders(nonce),
        "Content-Type": HTML,
        "Cache-Control": "no-cache",
        Vary: "Accept-Encoding",
      };
      if (html === undefined) return { status: 503, headers, body: NOT_BUILT };
      const pages = JSON.parse(await readFile(join(folder, "pages.json"), "utf8")) as Pages;
      const body = pageOf(html, pages, at).replaceAll(NONCE, nonce);
      if (acceptedEncoding(acceptEncoding, ["gzip"]) === undefined) return { status: 200, headers, body };
      return { status: 200, headers: { ...headers, "Content-Encoding": "gzip" }, body: await promisify(gzip)(body) };
    },
    async file(path, acceptEncoding) {
      const name = path.slice(1);
      const names = filesOf(folder);
      const type = TYPES[extname(name)];
      if (!names.has(name) || type === undefined) return undefined;
      const encoding = acceptedEncoding(
        acceptEncoding,
        CODINGS.filter((coding) => names.has(name + SUFFIXES[coding])),
      );
      return {
        status: 200,
        headers: {
          "Content-Type": type,
          "Cache-Control": name.startsWith("assets/") ? FOREVER : A_DAY,
          Vary: "Accept-Encoding",
          ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
        },
        body: await read(name + (encoding === undefined ? "" : SUFFIXES[encoding])),
      };
    },
  };
}

/** What `tools/console/build.ts` writes of the pages. */
export interface Pages {
  readonly routes: readonly Route[];
  /** What is shown before any script runs: at single paths, and at all others of whoever is signed in. */
  readonly paints: { readonly paths: Readonly<Record<string, string>>; readonly shell: string };
}

interface Route {
  /** `$id` stands for any one part. */
  readonly path: string;
  readonly isPublic: boolean;
  /** Paths of files that the screen needs beside the page's own script, so that the browser need not find them out step by step. */
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

/** What the console says of a path that is none. */
const MISSING: Route = { path: "", isPublic: false, preloads: [] };

function routeAt(routes: readonly Route[], path: string): Route {
  const parts = path.split("/");
  const fits = (route: Route): boolean => {
    const names = route.path.split("/");
    return names.length === parts.length && names.every((name, at) => name === parts[at] || name.startsWith("$"));
  };
  return routes.find((route) => route.path === path) ?? routes.find(fits) ?? MISSING;
}

/** Only what the build itself brings may run or draw; nothing is loaded from, or sent to, elsewhere, and nobody may frame it. */
function pageHeaders(nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
  };
}

/** What there is to send, by its path; looked up anew each time, for it is one small folder and a build may replace it. */
function filesOf(folder: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return new Set(
      files.map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll("\\", "/"),
      ),
    );
  } catch {
    return new Set();
  }
}
