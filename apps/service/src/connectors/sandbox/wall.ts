import { existsSync } from "node:fs";

/** What a child is given of the machine. */
export interface Enclosure {
  /** An empty folder: the child's root is laid over it, out of everybody else's sight. */
  readonly root: string;
  /** Files and folders, absolute, that the child sees; nothing else is there for it. */
  readonly sees: readonly string[];
  readonly memoryBytes: number;
}

export const WALLS = ["namespaces", "network", "capabilities", "none"] as const;
/** What stands around a child beside what its runtime refuses by itself; the strongest first. */
export type Wall = (typeof WALLS)[number];

/** Where Linux distributions have what a wall is built with. */
const FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/** What programs are linked with; none of it is anybody's secret. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].filter((path) => existsSync(path));

/**
 * What a child can have allocated beyond its memory before the watch on memory has to notice. V8 sets half a gigabyte aside that it
 * never touches, and the limit counts that.
 */
const ALLOCATED_BEYOND_BYTES = 1024 ** 3;

/**
 * The first process of every child. A part of it waits until the fourth stream ends, be it that we are no more, and kills the whole
 * group then: a child that never looks at its input would not notice. No core is dumped and no file is written.
 */
const GUARD = `
( read _ <&3; kill -KILL 0 ) >/dev/null 2>&1 </dev/null &
exec 3<&-
ulimit -c 0; ulimit -f 0; ulimit -d "$1" 2>/dev/null || true
shift
unset PATH PWD OLDPWD
exec "$@"`;

/** Makes a root that has what the child sees, read-only, and starts the rest of the command in it. */
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

/** The command that runs `argv` behind a wall; undefined where this machine has not what it is built with. */
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

/** What lies in a folder that is seen anyway would be laid into a root that is read-only by then. */
function withoutCovered(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
}
