import { existsSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { EmbeddedError } from "./error.ts";
import { exists, processes, signal, until } from "./process.ts";
import type { ServerPlace } from "./place.ts";
import type { Process } from "./process.ts";

interface Log {
  warn(fields: object, message: string): void;
}

/**
 * Prepares the start of a server. Stops what a killed Junction or a killed server left behind, and removes the pid file
 * of a server that has ended if its process id now belongs to a zombie or to another program. The caller holds the
 * claim, so nothing found here has an owner. Throws EmbeddedError when another PostgreSQL runs on the data.
 */
export async function clearOrphans(place: ServerPlace, tag: string, log: Log): Promise<void> {
  const { data, sockets } = place;
  for (const pid of postmasters(tag)) {
    log.warn({ pid }, "stopping the PostgreSQL server of a killed Junction process");
    await stopOrphan(pid, () => postmasters(tag).includes(pid));
  }
  await stopBackends(tag, log);
  await clearNote(data);
  // The lock file of a socket names a process id too, and the server accepts it even if the process is a zombie.
  if (sockets !== undefined) rmSync(sockets, { recursive: true, force: true });
}

async function clearNote(data: string): Promise<void> {
  const note = join(data, "postmaster.pid");
  if (!existsSync(note)) return;
  const pid = Number(readFileSync(note, "utf8").split("\n")[0]);
  const holder = () => processes().find((candidate) => candidate.pid === pid);
  // A process that was just killed needs some milliseconds to end; a zombie remains until its parent reads its status.
  await until(() => !exists(pid) || holder() !== undefined, 1_000);
  // A pid file without a process is left to the server, which also checks the shared memory that it names.
  if (!exists(pid)) return;
  const stranger = holder();
  if (stranger === undefined || !runsOn(stranger, data)) return rmSync(note, { force: true });
  throw new EmbeddedError(
    `The database in ${data} is in use by PostgreSQL pid ${pid}, which Junction did not start. ` +
      "Stop it, or set JUNCTION_DATA_DIR to another folder.",
  );
}

function postmasters(tag: string): number[] {
  return processes()
    .filter((candidate) => runsPostgres(candidate) && candidate.argv.includes(`cluster_name=${tag}`))
    .map(({ pid }) => pid);
}

/**
 * Stops the workers of a killed server. Most end by themselves, but one in the middle of a long query does not notice.
 */
async function stopBackends(tag: string, log: Log): Promise<void> {
  const backends = () =>
    processes()
      .filter(({ argv }) => argv[0]?.startsWith(`postgres: ${tag}: `))
      .map(({ pid }) => pid);
  if (await until(() => backends().length === 0, 1_000)) return;
  log.warn({ pids: backends() }, "stopping worker processes of a killed PostgreSQL server");
  for (const name of ["SIGQUIT", "SIGKILL"] as const) {
    for (const pid of backends()) signal(pid, name);
    if (await until(() => backends().length === 0, 3_000)) return;
  }
}

async function stopOrphan(pid: number, isIt: () => boolean): Promise<void> {
  for (const name of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    // The process is checked again before each signal: its id may have been reused during the wait.
    if (isIt()) signal(pid, name);
    if (await until(() => !isIt(), 10_000)) return;
  }
}

function runsOn(candidate: Process, data: string): boolean {
  if (!runsPostgres(candidate)) return false;
  if (candidate.argv.some((argument) => argument.includes(data))) return true;
  try {
    return readlinkSync(`/proc/${candidate.pid}/cwd`) === data;
  } catch {
    // If the state cannot be known, a refusal does less harm than two servers on one folder.
    return true;
  }
}

function runsPostgres({ argv }: Process): boolean {
  return /^postgres(\.exe)?$/.test(basename(argv[0] ?? ""));
}
