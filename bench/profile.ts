import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const SHOWN = 30;
/** Start and warm-up, whose compiling would hide what runs all day. */
const SKIPPED_MICROS = 7e6;

export async function profileFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "junction-profile-"));
}

/** Prints where a process spent its time, and deletes the folder of its profile. */
export async function printProfile(folder: string, say: (line: string) => void): Promise<void> {
  const name = (await readdir(folder)).find((file) => file.endsWith(".cpuprofile"));
  if (name !== undefined) summarise(JSON.parse(await readFile(join(folder, name), "utf8")) as Profile, say);
  await rm(folder, { recursive: true });
}

function summarise({ nodes, samples, timeDeltas }: Profile, say: (line: string) => void): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const own = new Map<string, number>();
  const ours = new Map<string, number>();
  let at = 0;
  let busy = 0;
  samples.forEach((id, index) => {
    const micros = timeDeltas[index] ?? 0;
    at += micros;
    const node = byId.get(id);
    if (at < SKIPPED_MICROS || node === undefined || node.callFrame.functionName === "(idle)") return;
    busy += micros;
    add(own, nameOf(node), micros);
    add(ours, causeOf(node, byId, parents), micros);
  });
  print(say, "Time that a function of ours caused, in itself and in what it called outside", ours, busy);
  print(say, "Time of a function itself", own, busy);
}

/** The nearest function of the service on the way up; the outermost one of a library, or itself, when there is none. */
function causeOf(
  node: ProfileNode,
  byId: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
): string {
  let outermost = node;
  for (let next: ProfileNode | undefined = node; next !== undefined; next = byId.get(parents.get(next.id) ?? -1)) {
    if (next.callFrame.url.includes("/apps/service/src/")) return nameOf(next);
    if (next.callFrame.url.includes("/node_modules/")) outermost = next;
  }
  return nameOf(outermost);
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const file = url.replace(/^.*\/node_modules\//, "").replace(/^.*\/apps\/service\/src\//, "src/");
  return `${functionName || "(anonymous)"}${file === "" ? "" : ` ${file}:${lineNumber + 1}`}`;
}

function add(sums: Map<string, number>, key: string, micros: number): void {
  sums.set(key, (sums.get(key) ?? 0) + micros);
}

function print(say: (line: string) => void, title: string, sums: ReadonlyMap<string, number>, busy: number): void {
  say(`\n${title}, of ${(busy / 1e6).toFixed(1)} s busy:`);
  const top = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  for (const [what, micros] of top) say(`  ${((micros / busy) * 100).toFixed(1).padStart(5)} %  ${what}`);
}
