// Written by hand: tar-stream adds 13 packages, which include 52 native programs of another runtime (decision 0265).

/** The block size. Every part of a tar archive is a multiple of it. */
export const TAR_BLOCK = 512;

/** The kind of a header in its byte 156: a plain file, or records about the file that follows (POSIX.1-2001, "pax"). */
type Kind = "0" | "x";

/**
 * Returns the bytes before the content of a plain file, without owner and time: a ustar header, preceded by a record if
 * the path is too long for it.
 */
export function tarHeader(path: string, size: number): Buffer {
  const split = splitPath(path);
  if (split !== undefined) return ustarHeader(split, size, "0");
  const record = pathRecord(path);
  return Buffer.concat([
    ustarHeader(["", "PaxHeaders/path"], record.length, "x"),
    record,
    tarPadding(record.length),
    ustarHeader(["", path.slice(-NAME_LENGTH)], size, "0"),
  ]);
}

function ustarHeader([prefix, name]: SplitPath, size: number, kind: Kind): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  header.write(name, 0, "ascii");
  // Mode, owner, group, size and time, in octal digits.
  header.write("0000644", 100, "ascii");
  header.write("0000000", 108, "ascii");
  header.write("0000000", 116, "ascii");
  header.write(size.toString(8).padStart(11, "0"), 124, "ascii");
  header.write("00000000000", 136, "ascii");
  // The checksum is computed with blanks in its own place.
  header.write(`        ${kind}`, 148, "ascii");
  header.write("ustar", 257, "ascii");
  header.write("00", 263, "ascii");
  header.write(prefix, 345, "ascii");
  header.write(sumOf(header).toString(8).padStart(6, "0"), 148, "ascii");
  header.writeUInt8(0, 154);
  return header;
}

/** Returns `<length> path=<path>` and a line feed, where the length includes its own digits. */
function pathRecord(path: string): Buffer {
  const rest = ` path=${path}\n`;
  const bytes = Buffer.byteLength(rest);
  const length = bytes + String(bytes + String(bytes).length).length;
  return Buffer.from(`${length}${rest}`);
}

/** Returns the padding after the content of a file, up to the next block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc(-size & (TAR_BLOCK - 1));
}

export interface TarHead {
  readonly path: string;
  readonly size: number;
  /** True if the bytes that follow are records about the next file instead of a file. */
  readonly isExtension: boolean;
}

/**
 * Reads the header of a file. Returns undefined for the block of zeros that ends an archive. Throws if the block is not
 * a header.
 */
export function readTarHeader(block: Buffer): TarHead | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const text = (from: number, to: number): string => block.toString("latin1", from, to).replace(/\0.*/s, "");
  const blanked = Buffer.from(block);
  blanked.write("        ", 148, "ascii");
  const size = Number.parseInt(text(124, 136), 8);
  if (Number.parseInt(text(148, 156), 8) !== sumOf(blanked) || !Number.isSafeInteger(size))
    throw new Error("this is no head of a file in a tar archive");
  const prefix = text(345, 500);
  const path = prefix === "" ? text(0, NAME_LENGTH) : `${prefix}/${text(0, NAME_LENGTH)}`;
  return { path, size, isExtension: text(156, 157) === "x" };
}

/** Returns the path that records name for the file after them; undefined if they name none. */
export function pathOfRecords(records: Buffer): string | undefined {
  return /(?:^|\n)\d+ path=(.*)\n/.exec(records.toString())?.[1];
}

function sumOf(header: Buffer): number {
  return header.reduce((total, byte) => total + byte, 0);
}

const NAME_LENGTH = 100;
const PREFIX_LENGTH = 155;

type SplitPath = readonly [prefix: string, name: string];

/** Returns the two parts of a path that fit into a header, divided between names; undefined if they do not fit. */
function splitPath(path: string): SplitPath | undefined {
  if (path.length <= NAME_LENGTH) return ["", path];
  const slash = path.indexOf("/", path.length - NAME_LENGTH - 1);
  return slash < 0 || slash > PREFIX_LENGTH ? undefined : [path.slice(0, slash), path.slice(slash + 1)];
}
