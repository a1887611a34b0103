/** What everything in a tar archive is a multiple of. */
export const TAR_BLOCK = 512;

/** The head of a plain file in the ustar format (POSIX.1-1988), without owner and time. */
export function tarHeader(path: string, size: number): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
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
  header.write(sumOf(header).toString(8).padStart(6, "0"), 148, "ascii");
  header.writeUInt8(0, 154);
  return header;
}

/** What follows the bytes of a file, up to the next block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc(-size & (TAR_BLOCK - 1));
}

/** The path and size of a head; undefined for the block of zeros that ends an archive. Throws where the block is no head. */
export function readTarHeader(block: Buffer): { readonly path: string; readonly size: number } | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const text = (from: number, to: number): string => block.toString("latin1", from, to).replace(/\0.*/s, "");
  const blanked = Buffer.from(block);
  blanked.write("        ", 148, "ascii");
  const size = Number.parseInt(text(124, 136), 8);
  if (Number.parseInt(text(148, 156), 8) !== sumOf(blanked) || !Number.isSafeInteger(size))
    throw new Error("this is no head of a file in a tar archive");
  const prefix = text(345, 500);
  return { path: prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`, size };
}

function sumOf(header: Buffer): number {
  return header.reduce((total, byte) => total + byte, 0);
}

/** A name has room for 100 characters, and what precedes it for 155: whole names of folders. */
function splitPath(path: string): [prefix: string, name: string] {
  if (path.length <= 100) return ["", path];
  const slash = path.indexOf("/", path.length - 101);
  if (slash < 0 || slash > 155) throw new Error(`the path ${path} is too long for an archive`);
  return [path.slice(0, slash), path.slice(slash + 1)];
}
