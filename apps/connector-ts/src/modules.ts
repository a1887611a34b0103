import { registerHooks } from "node:module";

/** Modules of Node that connectors may import, because they only compute. Everything else is a service request. */
const BUILTINS = new Set([
  "assert",
  "assert/strict",
  "buffer",
  "crypto",
  "events",
  "path",
  "path/posix",
  "querystring",
  "stream",
  "stream/promises",
  "stream/web",
  "string_decoder",
  "timers",
  "timers/promises",
  "url",
  "util",
  "util/types",
  "zlib",
]);

const FORMATS: Readonly<Record<string, string>> = {
  ts: "module-typescript",
  mts: "module-typescript",
  js: "module",
  mjs: "module",
  json: "json",
};

/**
 * Restricts the imports of modules in the folder `root` (a URL with a slash at the end) to `@junction/connector`, each
 * other, and the modules of Node above.
 */
export function confineImports(root: string, connectorUrl: string): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      if (context.parentURL?.startsWith(root) !== true) return next(specifier, context);
      if (specifier === "@junction/connector") return { url: connectorUrl, shortCircuit: true };
      if (BUILTINS.has(specifier.replace(/^node:/, ""))) return next(specifier, context);
      const url = fileOf(specifier, context.parentURL);
      if (url === undefined || !url.startsWith(root)) throw refused(specifier);
      const format = FORMATS[url.slice(url.lastIndexOf(".") + 1)];
      if (format === undefined) throw refused(specifier);
      return { url, format, importAttributes: context.importAttributes, shortCircuit: true };
    },
  });
}

function fileOf(specifier: string, parent: string): string | undefined {
  if (!/^(\.{0,2}\/|file:)/.test(specifier)) return undefined;
  const url = new URL(specifier, parent);
  // A query would create a second instance of the module. An escaped slash could hide another path.
  return url.protocol === "file:" && url.search === "" && url.hash === "" && !/%2f|%5c/i.test(url.pathname)
    ? url.href
    : undefined;
}

function refused(specifier: string): Error {
  return new Error(
    `"${specifier.slice(0, 200)}" cannot be imported: a connector imports "@junction/connector", files of its own folder by a relative path with its ending, and these modules of Node: ${[...BUILTINS].join(", ")}.`,
  );
}
