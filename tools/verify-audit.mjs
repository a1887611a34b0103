/**
 * Checks an exported audit without the service. `node tools/verify-audit.mjs --help` says how it is called; docs/reference/audit.md says how
 * hashes and signatures are made. Plain JavaScript without a dependency, for Node 20 or later: an auditor needs this file alone.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const USAGE = `Verifies an exported audit log without the service.

  node tools/verify-audit.mjs [--digests file] [--public-key file] [--partial] <export.csv or .ndjson>

  <export>           the response of GET /v1/audit/export.csv, or NDJSON: one entry of GET /v1/audit per line, oldest first
  --digests file     the responses of GET /v1/audit/digests, one page per line; they reveal a rewritten chain
  --public-key file  the key that signs digests and exports, in PEM, from your own copy; without it, the key in the file is trusted
  --partial          the export has filters; each entry is verified separately

Exits with 0 if the chain is intact, 1 with the first bad seq if it is not, 2 if the file cannot be read or is not an export.`;

/** The chain does not hold from this seq on. */
class BadChain extends Error {
  constructor(seq, why) {
    super(why);
    this.seq = seq;
  }
}

class NotAnExport extends Error {}

const GENESIS = "0".repeat(64);
const END = "export_end";
const NUMBERS = new Set(["seq", "contract_version", "duration_ms", "backend.status"]);
const JSON_CELLS = new Set(["params_redacted", "result_redacted", END]);
/** Objects that may be null, and the member that says so. */
const OPTIONAL = [
  ["approver", "type"],
  ["backend", "host"],
];

// `import.meta.main` does not exist before Node 24.
if (process.argv[1]?.endsWith("verify-audit.mjs")) process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code. */
export async function main(args) {
  const call = readCall(args);
  if (call === undefined) {
    console.error(USAGE);
    return 2;
  }
  const { file, values } = call;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  try {
    console.log(await verified(file, values));
    return 0;
  } catch (error) {
    if (error instanceof BadChain) {
      console.log(`first bad seq: ${error.seq} (${error.message})`);
      return 1;
    }
    if (error instanceof NotAnExport) console.error(`${file} is not an export of the audit: ${error.message}`);
    else console.error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

/** Returns undefined for invalid arguments. */
function readCall(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        digests: { type: "string" },
        "public-key": { type: "string" },
        partial: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return values.help || positionals.length === 1 ? { file: positionals[0], values } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the report on a chain that holds. Throws for any other chain. */
async function verified(file, { digests: digestFile, "public-key": keyFile, partial }) {
  const pem = keyFile === undefined ? undefined : await readFile(keyFile, "utf8");
  const digests = digestFile === undefined ? [] : await readDigests(digestFile, pem);
  const isCsv = file.endsWith(".csv");
  const rows = isCsv ? csvRows(file) : ndjsonRows(file);
  const last = await checkRows(rows, new Map(digests.map((digest) => [digest.seq, digest])), partial);
  const beyond = digests.find((digest) => digest.seq > last.seq);
  if (beyond !== undefined && !partial)
    throw new BadChain(last.seq + 1, `the tail is missing: a digest was signed at seq ${beyond.seq}`);
  if (isCsv) checkEnd(last, { pem, partial });
  const end = isCsv
    ? "the end is signed"
    : "the end is not signed: only a CSV export shows whether rows are missing there";
  return `ok: ${last.checked} rows, the last seq is ${last.seq}, ${digests.length} digests; ${end}`;
}

async function checkRows(rows, digests, partial) {
  let last = { seq: 0, hash: GENESIS, checked: 0, end: undefined };
  for await (const { [END]: end, ...row } of rows) {
    if (last.end !== undefined) throw new BadChain(row.seq, "the row comes after the signed end of the export");
    // The end of an export without rows is on a line of its own.
    if (row.seq === null && last.checked === 0) {
      last = { ...last, end: end ?? undefined };
      continue;
    }
    if (!partial) checkOrder(row, last);
    checkRow(row, digests.get(row.seq));
    last = { seq: row.seq, hash: row.hash, checked: last.checked + 1, end: end ?? undefined };
  }
  return last;
}

function checkRow(row, digest) {
  if (row.hash !== hashOf(row)) throw new BadChain(row.seq, "the row was changed");
  if (digest !== undefined && digest.hash !== row.hash)
    throw new BadChain(row.seq, "a signed digest says otherwise: the chain was made again");
}

function checkOrder(row, { seq, hash }) {
  if (row.seq !== seq + 1)
    throw new BadChain(seq + 1, row.seq > seq ? "the row is missing" : "the rows are not in order");
  if (row.prev_hash !== hash) throw new BadChain(row.seq, "the row does not follow the one before");
}

/** Checks the signed end in the last row of an export. Without it, rows are missing after that row. */
function checkEnd(last, { pem, partial }) {
  const { seq, checked, end } = last;
  if (end === undefined)
    throw new BadChain(
      seq + 1,
      "the end of the export is missing: it was cut off, or an earlier version made the export",
    );
  if (!isSigned(end, createPublicKey(pem ?? end.public_key)))
    throw new BadChain(seq, "the signature of the export's end does not hold");
  if (end.filtered && !partial) throw new BadChain(seq, "the export was made with filters: check it with --partial");
  if (!isEndOf(end, last))
    throw new BadChain(seq, `the signed end is of ${end.rows} rows up to seq ${end.seq}, and the file has ${checked}`);
}

function isEndOf(end, { seq, hash, checked }) {
  return end.seq === seq && end.hash === hash && end.rows === checked;
}

function hashOf({ hash: _hash, ...hashed }) {
  return createHash("sha256")
    .update(`${hashed.prev_hash}\n${canonical(hashed)}`)
    .digest("hex");
}

/** RFC 8785. */
function canonical(value) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

async function readDigests(file, kept) {
  const pages = (await linesOf(file)).map((line) => JSON.parse(line));
  const pem = kept ?? pages[0]?.public_key;
  if (pem === undefined) return [];
  const key = createPublicKey(pem);
  const digests = pages.flatMap((page) => page.data);
  for (const digest of digests)
    if (!isSigned(digest, key)) throw new BadChain(digest.seq, "the signature of the digest does not hold");
  return digests.toSorted((a, b) => a.seq - b.seq);
}

async function linesOf(file) {
  const text = await readFile(file, "utf8");
  // A single response may span many lines.
  return text.trimStart().startsWith("{\n") ? [text] : text.split("\n").filter((line) => line.trim() !== "");
}

function isSigned({ signature, ...signed }, key) {
  return verify(null, Buffer.from(canonical(signed)), key, Buffer.from(String(signature), "base64"));
}

async function* ndjsonRows(file) {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line.trim() === "") continue;
    const row = JSON.parse(line);
    if (typeof row?.hash !== "string") throw new NotAnExport("a line is not a row of GET /v1/audit");
    yield row;
  }
}

async function* csvRows(file) {
  let header;
  for await (const cells of csvRecords(createReadStream(file, "utf8"))) {
    if (header === undefined) header = headerOf(cells);
    else yield readRow(header, cells);
  }
  if (header === undefined) throw new NotAnExport("it is empty");
}

function headerOf(cells) {
  if (cells[0] === "seq" && cells.includes("prev_hash") && cells.includes("hash")) return cells;
  throw new NotAnExport("its first line is not the header of GET /v1/audit/export.csv");
}

function readRow(header, cells) {
  try {
    return rowOf(header, cells);
  } catch {
    throw new BadChain(Number(cells[0]), "the row cannot be read");
  }
}

function rowOf(header, cells) {
  const row = {};
  header.forEach((name, at) => {
    const [outer, inner] = name.split(".");
    const value = valueOf(name, cells[at] ?? null);
    if (inner === undefined) row[outer] = value;
    else (row[outer] ??= {})[inner] = value;
  });
  for (const [name, member] of OPTIONAL) if (row[name]?.[member] === null) row[name] = null;
  return row;
}

/** Removes the apostrophe that an export puts before texts that a spreadsheet would calculate, and before texts that begin with an apostrophe. */
function valueOf(name, cell) {
  if (cell === null) return null;
  if (NUMBERS.has(name)) return Number(cell);
  const text = cell.startsWith("'") ? cell.slice(1) : cell;
  return JSON_CELLS.has(name) ? JSON.parse(text) : text;
}

/** Yields the records of an RFC 4180 file, chunk by chunk. An empty cell without quotes is null. */
async function* csvRecords(chunks) {
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

/** Returns the end of the record that begins at `from`: the first CRLF outside of quotes; -1 if it has not arrived yet. */
function recordEnd(text, from) {
  let quoted = false;
  for (let at = from; at < text.length - 1; at += 1) {
    if (text[at] === '"') quoted = !quoted;
    else if (!quoted && text[at] === "\r" && text[at + 1] === "\n") return at;
  }
  return -1;
}

function cellsOf(record) {
  const cells = [];
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

function closingQuote(record, from) {
  let at = record.indexOf('"', from);
  while (at >= 0 && record[at + 1] === '"') at = record.indexOf('"', at + 2);
  return at < 0 ? record.length : at;
}
