import { ConnectorRefusedError } from "./version-refusal.ts";
import type { RefusalCode } from "./version-refusal.ts";

/** The maximum length of a path inside the folder, and of one of its names. */
const MAX_PATH = 200;
/** Device names of Windows, with or without an extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

type Check = readonly [code: RefusalCode, isAtFault: (path: string) => boolean, message: string];

/**
 * The checks in their order: the first match names the fault. A path that passes is valid on every file system and has
 * one spelling.
 */
const CHECKS: readonly Check[] = [
  ["path_control", (path) => /\p{Cc}/u.test(path), "A path contains a control character."],
  ["path_backslash", (path) => path.includes("\\"), "A path contains a backslash. Separate names with /."],
  ["path_absolute", (path) => path.startsWith("/") || /^[A-Za-z]:/.test(path), "A path is absolute."],
  [
    "path_traversal",
    (path) => path.split("/").some((name) => name === ".." || name === "."),
    "A path contains the name . or ...",
  ],
  [
    "path_unicode",
    (path) => !/^[\x20-\x7e]*$/.test(path),
    "A path contains characters beyond ASCII, which file systems can encode in different ways.",
  ],
  [
    "path_malformed",
    (path) => path.length > MAX_PATH || path.split("/").some((name) => !isPlain(name)),
    "A path must consist of names of letters, digits and . _ - that begin with a letter, a digit or _, and must have at most 200 characters.",
  ],
];

/** Throws ConnectorRefusedError for a path that is not plain. */
export function assertPlainPath(path: string): void {
  const fault = CHECKS.find(([, isAtFault]) => isAtFault(path));
  if (fault !== undefined) throw new ConnectorRefusedError(fault[0], fault[2], path);
}

/** Throws ConnectorRefusedError if two paths, or their parent folders, differ only in case. */
export function assertNoCollisions(paths: Iterable<string>): void {
  const spelled = new Map<string, string>();
  for (const path of paths) {
    const names = path.split("/");
    for (let count = 1; count <= names.length; count += 1) {
      const part = names.slice(0, count).join("/");
      const before = spelled.get(part.toLowerCase());
      if (before !== undefined && before !== part)
        throw new ConnectorRefusedError("path_collision", "Two paths differ only in upper and lower case.", path);
      spelled.set(part.toLowerCase(), part);
    }
  }
}

function isPlain(name: string): boolean {
  return SEGMENT.test(name) && !name.endsWith(".") && !RESERVED.test(name);
}
