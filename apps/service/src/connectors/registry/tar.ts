import { TAR_BLOCK, tarHeader, tarPadding } from "../../lib/lib.ts";
import type { Files } from "./folder.ts";

/** Returns a tar of the files below one folder, ordered by path. */
export function tarOf(folder: string, files: Files): Buffer {
  const parts: Buffer[] = [];
  for (const [path, bytes] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    parts.push(tarHeader(`${folder}/${path}`, bytes.length), bytes, tarPadding(bytes.length));
  return Buffer.concat([...parts, Buffer.alloc(2 * TAR_BLOCK)]);
}
