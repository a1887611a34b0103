import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import type { Bar } from "../progress.ts";
import type { Io } from "../io.ts";
import { wait } from "../wait.ts";
import { linesOf, MANIFEST, openFolder, openGrowing, removeParts, writeWhole } from "./folder.ts";
import type { Growing } from "./folder.ts";
import { KINDS, LEFT_OUT } from "./kinds.ts";
import type { ExportKind, MoreKind, Parsed } from "./kinds.ts";
import { CONTINUE, RefusedError } from "./reader.ts";
import type { Reader } from "./reader.ts";
import { exactObject, exactPage, lineOf } from "./records.ts";
import type { Exact } from "./records.ts";
import { readState, writeState } from "./state.ts";
import type { Mark, Owner, State } from "./state.ts";

export interface Exporting {
  readonly io: Pick<Io, "signal">;
  readonly reader: Reader;
  readonly folder: string;
  readonly bar: Bar;
}

/** The contents of a finished export, as in `manifest.json`. */
export interface Manifest extends Owner {
  readonly object: "export";
  readonly version: 1;
  readonly until: string;
  readonly files: readonly {
    readonly name: string;
    readonly records: number;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  /** Kinds that the key may not read. */
  readonly refused: readonly { readonly kind: string; readonly code: string }[];
  readonly left_out: readonly string[];
}

type Listed = Pick<ExportKind, "path" | "isOne">;
type Query = Readonly<Record<string, string | undefined>>;

const PAGE = "100";
const FLUSHED_CHARACTERS = 1024 * 1024;
/** So that an interruption repeats few reads, however small their objects are. */
const FLUSHED_READS = 20;
/** Until transactions that had begun before the start have ended. */
const SETTLE_MS = 2000;
const START: Mark = { cursor: null, passed: 0 };

/** Writes everything that the key may read into files of the folder, or continues to. */
export async function exportEverything(exporting: Exporting): Promise<Manifest> {
  const { reader, folder, io } = exporting;
  await openFolder(folder);
  const { owner, at } = await ownerOf(reader);
  let state = await readState(folder, owner);
  if (state === undefined) {
    state = newState(owner, at);
    await writeState(folder, state);
    await wait(SETTLE_MS, io.signal);
  }
  for (const kind of KINDS) await exportKind(exporting, state, kind);
  await removeParts(folder);
  const manifest = manifestOf(state);
  await writeWhole(folder, MANIFEST, manifest);
  return manifest;
}

/** The times of the service have milliseconds, and this one has seconds: the started second is included. */
function newState(owner: Owner, at: number): State {
  const until = new Date(1000 * (Math.floor(at / 1000) + 1)).toISOString();
  return { version: 1, ...owner, until, files: {}, refused: {}, months: {}, current: null };
}

async function ownerOf(reader: Reader): Promise<{ readonly owner: Owner; readonly at: number }> {
  const { text, at } = await reader.read("/v1/me");
  const { workspace, environment, key } = exactObject(text).value as {
    readonly workspace: { readonly id: string };
    readonly environment: string;
    readonly key: { readonly tenant?: string | null } | null;
  };
  return { owner: { workspace: workspace.id, environment, tenant: key?.tenant ?? null }, at };
}

function manifestOf({ workspace, environment, tenant, until, files, refused }: State): Manifest {
  const names = Object.keys(files).toSorted();
  return {
    object: "export",
    version: 1,
    workspace,
    environment,
    tenant,
    until,
    files: names.flatMap((name) => (files[name] === undefined ? [] : [{ name, ...files[name] }])),
    refused: Object.entries(refused).map(([kind, code]) => ({ kind, code })),
    left_out: LEFT_OUT,
  };
}

async function exportKind(exporting: Exporting, state: State, kind: ExportKind): Promise<void> {
  await unlessRefused(exporting, state, kind.name, async () => {
    if (kind.isMonthly === true) await exportMonths(exporting, state, kind);
    else
      await exportFile(exporting, state, {
        name: kind.name,
        source: (mark) => pages(exporting.reader, kind, {}, mark),
      });
  });
  const { more } = kind;
  if (more === undefined || state.refused[kind.name] !== undefined) return;
  await unlessRefused(exporting, state, more.name, async () => {
    for (const name of filesOf(state, kind.name)) await exportMore(exporting, state, { name, kind, more });
  });
}

/** Notes a kind that the key may not read. Throws for a right that ended in the middle: a part must not look like the whole. */
async function unlessRefused(
  { folder }: Exporting,
  state: State,
  kind: string,
  work: () => Promise<void>,
): Promise<void> {
  if (state.refused[kind] !== undefined) return;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (filesOf(state, kind).length > 0 || (state.current !== null && isOf(kind, state.current.file)))
      throw new CommandError(`The service refused ${kind} (${error.code}). ${CONTINUE}`, EXIT.denied);
    state.refused[kind] = error.code;
    await writeState(folder, state);
  }
}

/** One file for each month with objects, latest first. Months without objects are skipped. */
async function exportMonths(exporting: Exporting, state: State, kind: ExportKind): Promise<void> {
  const { reader, folder } = exporting;
  const { until } = state;
  if (!(kind.name in state.months)) state.months[kind.name] = await monthBefore(reader, kind, until);
  for (let month = state.months[kind.name] ?? null; month !== null;) {
    const from = `${month}-01T00:00:00.000Z`;
    const to = monthAfter(month);
    const query = { created_after: from, created_before: to < until ? to : until };
    await exportFile(exporting, state, {
      name: `${kind.name}-${month}`,
      source: (mark) => pages(reader, kind, query, mark),
    });
    const earlier = await monthBefore(reader, kind, from);
    month = earlier !== null && earlier < month ? earlier : null;
    state.months[kind.name] = month;
    await writeState(folder, state);
  }
}

/** Returns the month of the last object that was created before this time, as `2026-11`. */
async function monthBefore(reader: Reader, { path }: ExportKind, before: string): Promise<string | null> {
  const { data } = exactPage((await reader.read(path, { created_before: before, limit: "1" })).text);
  const created = data[0]?.value["created_at"];
  return typeof created === "string" ? created.slice(0, 7) : null;
}

function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString();
}

interface Further {
  /** The finished file of the objects. */
  readonly name: string;
  readonly kind: ExportKind;
  readonly more: MoreKind;
}

/** Reads the further records of each object of a finished file. */
async function exportMore(exporting: Exporting, state: State, { name, kind, more }: Further): Promise<void> {
  await exportFile(exporting, state, {
    name: more.name + name.slice(kind.name.length).replace(/\.jsonl\.gz$/, ""),
    source: (mark) => further(exporting.reader, linesOf(exporting.folder, name), more, mark),
  });
}

interface Found {
  readonly records: readonly Exact[];
  /** The place after them. */
  readonly mark: Mark;
}

interface Unit {
  readonly name: string;
  source(mark: Mark): AsyncGenerator<Found>;
}

/** Writes one file, or the rest of it. */
async function exportFile(exporting: Exporting, state: State, unit: Unit): Promise<void> {
  const file = `${unit.name}.jsonl.gz`;
  if (state.files[file] !== undefined) return;
  const held = state.current?.file === file ? state.current : undefined;
  try {
    await writeFileFrom(exporting, state, unit, held);
  } catch (error) {
    // Cursors of before an upgrade or a restore may be unknown.
    if (held === undefined || !(error instanceof RefusedError && error.code === "cursor_invalid")) throw error;
    await writeFileFrom(exporting, state, unit, undefined);
  }
}

/** Lines are appended at places that depend on the content only, so that a continued file has the same bytes. */
async function writeFileFrom(
  { folder, bar, io }: Exporting,
  state: State,
  { name, source }: Unit,
  held: State["current"] | undefined,
): Promise<void> {
  const file = `${name}.jsonl.gz`;
  let { growing, records, mark } = await begun(folder, file, held);
  let waiting = "";
  let reads = 0;
  const flush = async (): Promise<void> => {
    const bytes = await growing.append(waiting);
    [waiting, reads] = ["", 0];
    state.current = { file, records, bytes, ...mark };
    await writeState(folder, state);
  };
  try {
    for await (const found of source(mark)) {
      waiting += found.records.map(lineOf).join("");
      records += found.records.length;
      reads += 1;
      ({ mark } = found);
      bar.at(name, records, 0);
      if (waiting.length >= FLUSHED_CHARACTERS || reads >= FLUSHED_READS) await flush();
      if (io.signal.aborted) throw new DOMException("The export was interrupted.", "AbortError");
    }
    if (waiting !== "") await flush();
    state.files[file] = { records, ...(await growing.finish()) };
    state.current = null;
    await writeState(folder, state);
  } finally {
    await growing.close();
  }
}

/** Opens the file at the place where it was interrupted, or at its beginning. */
async function begun(
  folder: string,
  file: string,
  held: State["current"] | undefined,
): Promise<{ growing: Growing; records: number; mark: Mark }> {
  const rest = held && (await openGrowing(folder, file, held.bytes));
  if (held && rest) return { growing: rest, records: held.records, mark: { cursor: held.cursor, passed: held.passed } };
  const growing = await openGrowing(folder, file, 0);
  if (growing === undefined) throw new Error(`${file} has a negative size`);
  return { growing, records: 0, mark: START };
}

/** The pages of a list, or the one object. */
async function* pages(reader: Reader, { path, isOne }: Listed, query: Query, from: Mark): AsyncGenerator<Found> {
  if (isOne === true) {
    yield { records: [exactObject((await reader.read(path)).text)], mark: from };
    return;
  }
  let { cursor } = from;
  do {
    const { text } = await reader.read(path, { ...query, limit: PAGE, cursor: cursor ?? undefined });
    const { data, next } = exactPage(text);
    cursor = next;
    yield { records: data, mark: { ...from, cursor } };
  } while (cursor !== null);
}

/** Reads the further records of each object, after those that were passed. An object that was deleted in the meantime has nothing. */
async function* further(
  reader: Reader,
  lines: AsyncIterable<string>,
  { pathOf, isOne }: MoreKind,
  from: Mark,
): AsyncGenerator<Found> {
  let passed = 0;
  for await (const line of lines) {
    passed += 1;
    const path = pathOf(JSON.parse(line) as Parsed);
    if (passed <= from.passed || path === undefined) continue;
    const place = { cursor: passed === from.passed + 1 ? from.cursor : null, passed: passed - 1 };
    try {
      for await (const { records, mark } of pages(reader, { path, isOne }, {}, place))
        yield { records, mark: mark.cursor === null ? { cursor: null, passed } : mark };
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === "not_found")) throw error;
    }
  }
}

function isOf(kind: string, file: string): boolean {
  return file.startsWith(kind) && /^(?:-\d{4}-\d{2})?\.jsonl\.gz$/.test(file.slice(kind.length));
}

function filesOf({ files }: State, kind: string): string[] {
  return Object.keys(files).filter((file) => isOf(kind, file));
}
