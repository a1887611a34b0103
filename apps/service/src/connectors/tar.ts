import type { Files } from "./folder.ts";

const BLOCK = 512;

/** The ustar format (POSIX.1-1988), files in the order of their paths below one folder, without owners and times. */
export function tarOf(folder: string, files: Files): Buffer {
  const parts: Buffer[] = [];
  for (const [path, bytes] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    parts.push(headerOf(`${folder}/${path}`, bytes.length), bytes, Buffer.alloc(-bytes.length & (BLOCK - 1)));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const [prefix, name] = splitPath(path);
  header.write(name, 0, "ascii");
  // Mode, owner, group, size and time, in octal digits.
  header.write("0000644", 100, "ascii");
  header.write("0000000", 108, "ascii");
  header.write("0000000", 116, "ascii");
  header.write(size.toString(8).padStart(11, "0"), 124, "ascii");
  header.write("00000000000", 136, "ascii");
  // While the sum is made, its own place holds blanks; then comes the kind, a plain file.
  header.write("        0", 148, "ascii");
  header.write("ustar", 257, "ascii");
  header.write("00", 263, "ascii");
  header.write(prefix, 345, "ascii");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(sum.toString(8).padStart(6, "0"), 148, "ascii");
  header.writeUInt8(0, 154);
  return header;
}

/** A name has room for 100 characters, and what precedes it for 155: whole names of folders. */
function splitPath(path: string): [prefix: string, name: string] {
  if (path.length <= 100) return ["", path];
  const slash = path.indexOf("/", path.length - 101);
  if (slash < 0 || slash > 155) throw new Error(`the path ${path} is too long for an archive`);
  return [path.slice(0, slash), path.slice(slash + 1)];
}
