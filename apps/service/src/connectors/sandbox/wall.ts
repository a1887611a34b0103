import { existsSync } from "node:fs";

/** The parts of the machine that a child can see. */
export interface Enclosure {
  /** An empty folder. The child's root is mounted over it, invisible to other processes. */
  readonly root: string;
  /** Absolute paths of the files and folders that the child sees. */
  readonly sees: readonly string[];
  readonly memoryBytes: number;
}

export const WALLS = ["namespaces", "network", "capabilities", "none"] as const;
/** The isolation of a child, in addition to the restrictions of its runtime. The strongest comes first. */
export type Wall = (typeof WALLS)[number];

/** The folders in which Linux distributions have the required tools. */
const FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/** The folders of shared libraries, which contain no secrets. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].filter((path) => existsSync(path));

/**
 * The memory that a child may allocate above its limit before the memory watch has to detect it. V8 reserves half a
 * gigabyte that it never uses, and `ulimit` counts that.
 */
const ALLOCATED_BEYOND_BYTES = 1024 ** 3;

/**
 * Runs first in every child. A background process waits until the fourth stream ends, for example because the service
 * has died, and then kills the whole group. A child that never reads its input would not notice. Core dumps and file
 * writes are disabled.
 */
const GUARD = `
( read _ <&3; kill -KILL 0 ) >/dev/null 2>&1 </dev/null &
exec 3<&-
ulimit -c 0; ulimit -f 0; ulimit -d "$1" 2>/dev/null || true
shift
unset PATH PWD OLDPWD
exec "$@"`;

/** Creates a read-only root with the files that the child sees, and starts the rest of the command in it. */
const ROOM = `
set -eu
mount=$1 mkdir=$2 root=$3; shift 3
"$mount" -t tmpfs -o mode=755,size=1m,nr_inodes=4k none "$root"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then "$mkdir" -p "$root$1"; else "$mkdir" -p "$root\${1%/*}"; : > "$root$1"; fi
  "$mount" --bind -o ro,nosuid,nodev "$1" "$root$1"
  shift
done
shift
"$mount" -o remount,bind,ro "$root"
unset PWD OLDPWD
exec "$@"`;

const POWERLESS = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];

/**
 * Returns the command that runs `argv` at an isolation level, or undefined if this machine does not have the required
 * tools.
 */
export function commandOf(wall: Wall, argv: readonly string[], enclosure: Enclosure): readonly string[] | undefined {
  if (process.platform === "win32") return wall === "none" ? argv : undefined;
  const inner = innerOf(wall, argv, enclosure);
  if (inner === undefined) return undefined;
  const kib = Math.ceil((enclosure.memoryBytes + ALLOCATED_BEYOND_BYTES) / 1024);
  return ["/bin/sh", "-c", GUARD, "sh", String(kib), ...inner];
}

function innerOf(wall: Wall, argv: readonly string[], enclosure: Enclosure): readonly string[] | undefined {
  if (wall === "none") return argv;
  const setpriv = find("setpriv");
  if (setpriv === undefined) return undefined;
  const powerless = [setpriv, ...POWERLESS, ...argv];
  if (wall === "capabilities") return powerless;
  const unshare = find("unshare");
  if (unshare === undefined) return undefined;
  if (wall === "network") return [unshare, "--map-root-user", "--net", ...powerless];
  return roomOf(powerless, [unshare, setpriv], enclosure);
}

function roomOf(
  powerless: readonly string[],
  [unshare, setpriv]: readonly [string, string],
  enclosure: Enclosure,
): readonly string[] | undefined {
  const [mount, mkdir, chroot] = [find("mount"), find("mkdir"), find("chroot")];
  if (mount === undefined || mkdir === undefined || chroot === undefined) return undefined;
  const apart = ["--map-root-user", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child=KILL"];
  const sees = withoutCovered([...LIBRARIES, setpriv, ...enclosure.sees]);
  const room = ["/bin/sh", "-c", ROOM, "sh", mount, mkdir, enclosure.root, ...sees, "--", chroot, enclosure.root];
  return [unshare, ...apart, ...room, ...powerless];
}

function find(tool: string): string | undefined {
  return FOLDERS.map((folder) => `${folder}/${tool}`).find((path) => existsSync(path));
}

/**
 * Removes paths inside of a folder that is visible anyway. They could not be mounted, because that folder is read-only
 * by then.
 */
function withoutCovered(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
}
