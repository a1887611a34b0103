// Written by hand: tar-stream adds 13 packages, which include 52 native programs of another runtime (decision 0265).

/** The block size. Every part of a tar archive is a multiple of it. */
export const TAR_BLOCK = 512;

/** The kinds of entries that are written: a plain file, and records about the file that follows (POSIX.1-2001, "pax"). */
type WrittenKind = "0" | "x";

/** The kinds of entries that are read. `path` is GNU's long path of the file that follows, and `ignored` contains nothing about it. */
type Kind = "file" | "folder" | "records" | "path" | "ignored";

/** The kinds by byte 156 of the header. */
const KINDS: Readonly<Record<string, Kind>> = {
  "": "file",
  "0": "file",
  "7": "file",
  "5": "folder",
  x: "records",
  L: "path",
  K: "ignored",
  g: "ignored",
};

/**
 * Returns the bytes before the content of a plain file, without owner and time: a ustar header, preceded by a record if
 * the path is too long for it or is not ASCII.
 */
export function tarHeader(path: string, size: number): Buffer {
  const ascii = path.replaceAll(/[^\x20-\x7e]/g, "_");
  const split = ascii === path ? splitPath(path) : undefined;
  if (split !== undefined) return ustarHeader(split, size, "0");
  const record = pathRecord(path);
  return Buffer.concat([
    ustarHeader(["", "PaxHeaders/path"], record.length, "x"),
    record,
    tarPadding(record.length),
    ustarHeader(["", ascii.slice(-NAME_LENGTH)], size, "0"),
  ]);
}

function ustarHeader([prefix, name]: SplitPath, size: number, kind: WrittenKind): Buffer {
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
  readonly kind: Kind;
}

/**
 * Reads the header of an entry. Returns undefined for the block of zeros that ends an archive. Throws if the block is
 * not a header, or is one of a link or a device.
 */
export function readTarHeader(block: Buffer): TarHead | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const text = (from: number, to: number): string => block.toString("utf8", from, to).replace(/\0.*/s, "");
  const blanked = Buffer.from(block);
  blanked.write("        ", 148, "ascii");
  const size = Number.parseInt(text(124, 136), 8);
  const kind = KINDS[text(156, 157)];
  if (Number.parseInt(text(148, 156), 8) !== sumOf(blanked) || !Number.isSafeInteger(size) || kind === undefined)
    throw new Error("the tar archive has an invalid file header");
  // GNU's own format has other fields in the place of the prefix.
  const prefix = text(257, 263) === "ustar" ? text(345, 500) : "";
  const path = prefix === "" ? text(0, NAME_LENGTH) : `${prefix}/${text(0, NAME_LENGTH)}`;
  return { path, size, kind };
}

/** Returns the path that an entry names for the file after it; undefined if it names none. */
export function pathOfNext({ kind }: TarHead, content: Buffer): string | undefined {
  if (kind === "path") return content.toString().replace(/\0.*/s, "");
  return kind === "records" ? pathInRecords(content) : undefined;
}

function pathInRecords(records: Buffer): string | undefined {
  let path: string | undefined;
  for (let at = 0; at < records.length;) {
    const blank = records.indexOf(" ", at);
    const length = Number(records.toString("latin1", at, blank));
    if (blank < 0 || !Number.isSafeInteger(length) || length <= 0) return path;
    const record = records.toString("utf8", blank + 1, at + length - 1);
    if (record.startsWith("path=")) path = record.slice("path=".length);
    at += length;
  }
  return path;
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
