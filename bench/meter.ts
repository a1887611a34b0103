import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";

/** The processes of one measurement. */
export interface Parties {
  readonly service: number;
  readonly database: number;
  readonly generator: number;
  readonly receiver: number;
}

/** Processor time of a measurement in milliseconds, over all cores. NaN where the system does not report it. */
export interface Usage {
  readonly wallMs: number;
  /** The whole machine, including unrelated processes. */
  readonly machineMs: number;
  readonly serviceMs: number;
  readonly databaseMs: number;
  readonly generatorMs: number;
  readonly receiverMs: number;
  /** Everything else: other programs, and the kernel's own threads. */
  readonly otherMs: number;
  /** Time that the host gave to other machines while this one had work to do. */
  readonly stolenMs: number;
  readonly cores: number;
}

/** Resident memory of a process, mebibytes. */
export interface MemoryWatch {
  now(): number;
  stop(): {
    readonly peak: number;
    readonly last: number;
    /** The mean of each quarter of the time. */
    readonly quarters: readonly number[];
    /** Mean of the last quarter by mean of the second quarter; 1 is flat. */
    readonly flatness: number;
  };
}

/** Starts to measure; call the result to stop. */
export function startMeter(parties: Parties): () => Usage {
  const wall = performance.now();
  const before = ticksOf(parties);
  return () => {
    const after = ticksOf(parties);
    const ms = (name: keyof Ticks): number => (after[name] - before[name]) * TICK_MS;
    const named = ms("service") + ms("database") + ms("generator") + ms("receiver");
    return {
      wallMs: performance.now() - wall,
      machineMs: ms("machine"),
      serviceMs: ms("service"),
      databaseMs: ms("database"),
      generatorMs: ms("generator"),
      receiverMs: ms("receiver"),
      otherMs: Math.max(0, ms("machine") - named),
      stolenMs: ms("stolen"),
      cores: availableParallelism(),
    };
  };
}

export function watchMemory(pid: number): MemoryWatch {
  const samples: number[] = [];
  const sample = (): void => void samples.push(residentMib(pid));
  sample();
  const timer = setInterval(sample, 200);
  return {
    now: () => residentMib(pid),
    stop() {
      clearInterval(timer);
      sample();
      const quarter = Math.max(1, Math.floor(samples.length / 4));
      const quarters = [0, 1, 2, 3].map((at) => mean(samples.slice(at * quarter, (at + 1) * quarter)));
      const last = samples.at(-1) ?? 0;
      const peak = Math.max(...samples);
      return { peak, last, quarters, flatness: mean(samples.slice(-quarter)) / (quarters[1] ?? Number.NaN) };
    },
  };
}

/** Describes in one line the machine that the figures come from. */
export function machineLine(folder: string): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const sync = syncMicros(folder).toFixed(0);
  return `${availableParallelism()} cores of ${model}, ${memory}, ${process.platform} ${release()}, Node ${process.version}, one fdatasync of 8 KiB ${sync} µs (median)`;
}

/** Clock ticks, which Linux reports at 100 a second regardless of the kernel's internal rate. */
type Ticks = Record<keyof Parties | "machine" | "stolen", number>;

const TICK_MS = 10;

function ticksOf(parties: Parties): Ticks {
  if (process.platform !== "linux") {
    const none = Number.NaN;
    return { machine: none, stolen: none, service: none, database: none, generator: none, receiver: none };
  }
  return {
    ...machineTicks(),
    // The service's children do the work with JUNCTION_PROCESSES. Its database is counted separately.
    service: processTicks(parties.service) + descendantsTicks(parties.service, parties.database),
    database: familyTicks(parties.database),
    generator: processTicks(parties.generator),
    receiver: processTicks(parties.receiver),
  };
}

function machineTicks(): Pick<Ticks, "machine" | "stolen"> {
  const line = readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "";
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return { machine: user + nice + system + irq + softirq, stolen: steal };
}

/** Returns the fields of `/proc/<pid>/stat` from the third one on, because the second may contain blanks. Empty when the process has ended. */
function fieldsOf(pid: number | string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function processTicks(pid: number): number {
  const fields = fieldsOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Returns the processor milliseconds of a process's living descendants. NaN where the system does not report them. */
export function descendantsMs(pid: number): number {
  return process.platform === "linux" ? descendantsTicks(pid) * TICK_MS : Number.NaN;
}

function descendantsTicks(pid: number, except?: number): number {
  const counted = childrenOf(pid).filter((child) => child !== except);
  return counted.reduce((sum, child) => sum + processTicks(child) + descendantsTicks(child, except), 0);
}

function childrenOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"));
    return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
  } catch {
    return [];
  }
}

/** Returns the ticks of a server with its children, including those that have ended. */
/** Returns the processor milliseconds of a process and its children, also of those that ended. NaN where the system does not report them. */
export function familyMs(pid: number): number {
  return process.platform === "linux" ? familyTicks(pid) * TICK_MS : Number.NaN;
}

function familyTicks(pid: number): number {
  const own = fieldsOf(pid);
  let ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(own[at] ?? 0), 0);
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const fields = fieldsOf(entry);
    if (fields[1] === String(pid)) ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return ticks;
}

function residentMib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
  } catch {
    return Number.NaN;
  }
}

function syncMicros(folder: string): number {
  const path = join(folder, "sync-probe");
  const file = openSync(path, "w");
  const block = Buffer.alloc(8192, 1);
  const times: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    writeSync(file, block);
    const at = performance.now();
    fdatasyncSync(file);
    times.push((performance.now() - at) * 1000);
  }
  closeSync(file);
  rmSync(path);
  return times.toSorted((a, b) => a - b)[50] ?? Number.NaN;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
