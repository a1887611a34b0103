import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the console as it is sent. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export interface Console {
  /**
   * The page, with a nonce of its own: the console draws whatever its path names. What the path's screen needs is named in it, or what
   * signing in needs where nobody seems to have.
   */
  page(at: { readonly path: string; readonly isSignedIn: boolean }): Promise<ConsoleAnswer>;
  /** A file of the build; undefined where there is none of this path. */
  file(path: string, acceptEncoding: string | undefined): Promise<ConsoleAnswer | undefined>;
}

/** Where `tools/console/build.ts` puts it. */
export const CONSOLE_FOLDER = fileURLToPath(new URL("../../../console/dist", import.meta.url));

const NONCE = "JUNCTION_CSP_NONCE";
const HTML = "text/html; charset=utf-8";
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const FOREVER = "public, max-age=31536000, immutable";
const A_DAY = "public, max-age=86400";
const COMMON = {
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};
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
    async page(at) {
      const nonce = randomBytes(16).toString("base64url");
      // Never kept: it names the files of the build that is there now.
      const html = await readFile(join(folder, "index.html"), "utf8").catch(() => undefined);
      const headers = { ...COMMON, ...pageHeaders(nonce), "Content-Type": HTML, "Cache-Control": "no-cache" };
      if (html === undefined) return { status: 503, headers, body: NOT_BUILT };
      const preloads = JSON.parse(await readFile(join(folder, "preloads.json"), "utf8").catch(() => "{}")) as Preloads;
      const links = preloadsAt(preloads, at).map(
        (file) => `<link rel="modulepreload" crossorigin href="${file}" nonce="${NONCE}">`,
      );
      return {
        status: 200,
        headers,
        body: html.replace("</head>", `${links.join("")}</head>`).replaceAll(NONCE, nonce),
      };
    },
    async file(path, acceptEncoding) {
      const name = path.slice(1);
      const names = filesOf(folder);
      const type = TYPES[extname(name)];
      if (!names.has(name) || type === undefined) return undefined;
      const encoding = encodingOf(acceptEncoding ?? "", (suffix) => names.has(name + suffix));
      return {
        status: 200,
        headers: {
          ...COMMON,
          "Content-Type": type,
          "Cache-Control": name.startsWith("assets/") ? FOREVER : A_DAY,
          Vary: "Accept-Encoding",
          ...(encoding === undefined ? {} : { "Content-Encoding": encoding.name }),
        },
        body: await read(name + (encoding?.suffix ?? "")),
      };
    },
  };
}

/** By a route's path, in which `$id` stands for any one part. */
type Preloads = Readonly<Record<string, readonly string[]>>;

const SIGN_IN = "/sign-in";
/** Opened by links with a token in them. */
const FOR_ANYBODY = [SIGN_IN, "/setup", "/invite", "/reset"];

function preloadsAt(
  preloads: Preloads,
  { path, isSignedIn }: { readonly path: string; readonly isSignedIn: boolean },
): readonly string[] {
  const shown = isSignedIn || FOR_ANYBODY.includes(path) ? path : SIGN_IN;
  const parts = shown.split("/");
  const fits = (route: string): boolean => {
    const names = route.split("/");
    return names.length === parts.length && names.every((name, at) => name === parts[at] || name.startsWith("$"));
  };
  return preloads[shown] ?? preloads[Object.keys(preloads).find(fits) ?? ""] ?? [];
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
    "X-Frame-Options": "DENY",
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

function encodingOf(
  accepted: string,
  has: (suffix: string) => boolean,
): { readonly name: string; readonly suffix: string } | undefined {
  const choices = [
    { name: "br", suffix: ".br" },
    { name: "gzip", suffix: ".gz" },
  ];
  return choices.find(
    ({ name, suffix }) =>
      new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(accepted) && has(suffix),
  );
}
