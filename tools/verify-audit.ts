/**
 * Checks an exported audit without the service: node tools/verify-audit.ts [--digests file] [--public-key file] [--partial] <export>
 *
 * <export> is what GET /v1/audit/export.csv answered without filters, or NDJSON: one row of GET /v1/audit on each line, oldest first.
 * --digests is what GET /v1/audit/digests answered, one page on each line; they tell of a tail that was cut and of a chain that was made
 * anew. --public-key is the key that signs them, in PEM, as it was kept elsewhere; without it the one in the file is believed.
 * --partial checks an export with filters: each row by itself, not that none is missing.
 *
 * Prints the first bad seq and exits with 1 when the chain does not hold; 0 when it does, 2 when it was called wrongly.
 * Needs Node 24 or later and nothing else. docs/reference/audit.md says how hashes and signatures are made.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

interface Row {
  readonly seq: number;
  readonly prev_hash: string;
  readonly hash: string;
}

interface Digest {
  readonly seq: number;
  readonly hash: string;
  readonly signature: string;
}

/** The chain does not hold from this seq on. */
class BadChain extends Error {
  readonly seq: number;

  constructor(seq: number, why: string) {
    super(why);
    this.seq = seq;
  }
}

const GENESIS = "0".repeat(64);
const NUMBERS = new Set(["seq", "contract_version", "duration_ms", "backend.status"]);
const JSON_CELLS = new Set(["params_redacted", "result_redacted"]);
/** Objects that may be null, and the member that says so. */
const OPTIONAL = [
  ["approver", "type"],
  ["backend", "host"],
] as const;

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      digests: { type: "string" },
      "public-key": { type: "string" },
      partial: { type: "boolean", default: false },
    },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    console.error(
      "node tools/verify-audit.ts [--digests file] [--public-key file] [--partial] <export.csv or .ndjson>",
    );
    return 2;
  }
  try {
    const digests = values.digests === undefined ? [] : await readDigests(values.digests, values["public-key"]);
    const rows = file.endsWith(".csv") ? csvRows(file) : ndjsonRows(file);
    const end = await checkRows(rows, new Map(digests.map((digest) => [digest.seq, digest])), values.partial);
    const beyond = digests.find((digest) => digest.seq > end.seq);
    if (beyond !== undefined && !values.partial)
      throw new BadChain(end.seq + 1, `the tail is missing: a digest was signed at seq ${beyond.seq}`);
    console.log(`ok: ${end.checked} rows, the last seq is ${end.seq}, ${digests.length} digests`);
    return 0;
  } catch (error) {
    if (error instanceof BadChain) {
      console.log(`first bad seq: ${error.seq} (${error.message})`);
      return 1;
    }
    console.error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

async function checkRows(
  rows: AsyncIterable<Row>,
  digests: ReadonlyMap<number, Digest>,
  partial: boolean,
): Promise<{ seq: number; checked: number }> {
  let [seq, hash, checked] = [0, GENESIS, 0];
  for await (const row of rows) {
    if (!partial && row.seq !== seq + 1)
      throw new BadChain(seq + 1, row.seq > seq ? "the row is missing" : "the rows are not in order");
    if (!partial && row.prev_hash !== hash) throw new BadChain(row.seq, "the row does not follow the one before");
    if (row.hash !== hashOf(row)) throw new BadChain(row.seq, "the row was changed");
    const digest = digests.get(row.seq);
    if (digest !== undefined && digest.hash !== row.hash)
      throw new BadChain(row.seq, "a signed digest says otherwise: the chain was made anew");
    [seq, hash, checked] = [row.seq, row.hash, checked + 1];
  }
  return { seq, checked };
}

function hashOf(row: Row): string {
  const { hash: _hash, ...hashed } = row;
  return createHash("sha256")
    .update(`${row.prev_hash}\n${canonical(hashed)}`)
    .digest("hex");
}

/** RFC 8785. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

async function readDigests(file: string, keyFile: string | undefined): Promise<Digest[]> {
  const pages = (await linesOf(file)).map((line) => JSON.parse(line) as { data: Digest[]; public_key: string });
  const pem = keyFile === undefined ? pages[0]?.public_key : await readFile(keyFile, "utf8");
  if (pem === undefined) return [];
  const key = createPublicKey(pem);
  const digests = pages.flatMap((page) => page.data);
  for (const digest of digests) {
    if (!isSigned(digest, key)) throw new BadChain(digest.seq, "the signature of the digest does not hold");
  }
  return digests.toSorted((a, b) => a.seq - b.seq);
}

async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  // One answer may be laid out over many lines.
  return text.trimStart().startsWith("{\n") ? [text] : text.split("\n").filter((line) => line.trim() !== "");
}

function isSigned({ signature, ...signed }: Digest, key: KeyObject): boolean {
  return verify(null, Buffer.from(canonical(signed)), key, Buffer.from(signature, "base64"));
}

async function* ndjsonRows(file: string): AsyncGenerator<Row> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }))
    if (line.trim() !== "") yield JSON.parse(line) as Row;
}

async function* csvRows(file: string): AsyncGenerator<Row> {
  let header: readonly (string | null)[] | undefined;
  for await (const cells of csvRecords(createReadStream(file, "utf8") as AsyncIterable<string>)) {
    if (header === undefined) header = cells;
    else yield readRow(header, cells);
  }
}

function readRow(header: readonly (string | null)[], cells: readonly (string | null)[]): Row {
  try {
    return rowOf(header, cells);
  } catch {
    throw new BadChain(Number(cells[0]), "the row cannot be read");
  }
}

function rowOf(header: readonly (string | null)[], cells: readonly (string | null)[]): Row {
  const row: Record<string, unknown> = {};
  header.forEach((name, at) => {
    const [outer = "", inner] = (name ?? "").split(".");
    const value = valueOf(name ?? "", cells[at] ?? null);
    if (inner === undefined) row[outer] = value;
    else ((row[outer] ??= {}) as Record<string, unknown>)[inner] = value;
  });
  for (const [name, member] of OPTIONAL) {
    const object = row[name] as Record<string, unknown> | undefined;
    if (object?.[member] === null) row[name] = null;
  }
  return row as unknown as Row;
}

/** What a spreadsheet would calculate, and what begins with an apostrophe anyway, has an apostrophe before it. */
function valueOf(name: string, cell: string | null): unknown {
  if (cell === null) return null;
  if (NUMBERS.has(name)) return Number(cell);
  const text = cell.startsWith("'") ? cell.slice(1) : cell;
  return JSON_CELLS.has(name) ? (JSON.parse(text) as unknown) : text;
}

/** Records of an RFC 4180 file, chunk by chunk. An empty cell without quotes is null. */
async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<(string | null)[]> {
  let rest = "";
  for await (const chunk of chunks) {
    rest += chunk;
    let from = 0;
    for (let end = recordEnd(rest, from); end >= 0; end = recordEnd(rest, from)) {
      yield cellsOf(rest.slice(from, end));
      from = end + 2;
    }
    rest = rest.slice(from);
  }
  if (rest !== "") yield cellsOf(rest);
}

/** Where the record ends that begins at `from`: the first CRLF outside of quotes; -1 if it is not there yet. */
function recordEnd(text: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length - 1; at += 1) {
    if (text[at] === '"') quoted = !quoted;
    else if (!quoted && text[at] === "\r" && text[at + 1] === "\n") return at;
  }
  return -1;
}

function cellsOf(record: string): (string | null)[] {
  const cells: (string | null)[] = [];
  for (let at = 0; at <= record.length;) {
    if (record[at] === '"') {
      const end = closingQuote(record, at + 1);
      cells.push(record.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 2;
    } else {
      const comma = record.indexOf(",", at);
      const end = comma < 0 ? record.length : comma;
      cells.push(end === at ? null : record.slice(at, end));
      at = end + 1;
    }
  }
  return cells;
}

function closingQuote(record: string, from: number): number {
  let at = record.indexOf('"', from);
  while (at >= 0 && record[at + 1] === '"') at = record.indexOf('"', at + 2);
  return at < 0 ? record.length : at;
}
