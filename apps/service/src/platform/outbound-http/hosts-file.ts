import { readFile, stat } from "node:fs/promises";
import { isIP, isIPv6 } from "node:net";
import type { Clock } from "../../lib/lib.ts";

export type HostsFile = ReturnType<typeof createHostsFile>;

export interface HostsFileDeps {
  readonly clock: Clock;
  /** The path of the hosts file. Default: the system's. */
  readonly path?: string;
}

const SYSTEM_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
/** A change of the file takes effect after this time. */
const RECHECK_MS = 1000;

type Entries = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the hosts file, which comes before name servers like everywhere on the machine. c-ares cannot query only this
 * file, and the system's resolver holds a thread while it waits for a name server.
 */
export function createHostsFile({ clock, path = SYSTEM_FILE }: HostsFileDeps) {
  let entries: Entries = new Map();
  let version = "";
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> = Promise.resolve();

  async function check(): Promise<void> {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const found = `${mtimeMs} ${size} ${ino}`;
      if (found === version) return;
      entries = parseHosts(await readFile(path, "utf8"));
      version = found;
    } catch {
      entries = new Map();
      version = "";
    }
  }

  return {
    /**
     * Returns the addresses of a host, IPv4 first; empty if the file does not name it or cannot be read. Never throws.
     */
    async addressesOf(host: string): Promise<readonly string[]> {
      const now = clock.monotonicMs();
      if (now - checkedAt >= RECHECK_MS) {
        checkedAt = now;
        checking = check();
      }
      await checking;
      return entries.get(host.toLowerCase().replace(/\.$/, "")) ?? [];
    },
  };
}

/**
 * Reads lines of the form `address name name… # comment`. Further lines of a name add addresses. Other lines are
 * skipped.
 */
export function parseHosts(text: string): Entries {
  const entries = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = (line.split("#", 1)[0] ?? "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const known = entries.get(key) ?? [];
      if (!known.includes(address)) entries.set(key, [...known, address]);
    }
  }
  return new Map(
    [...entries].map(([name, addresses]) => [
      name,
      addresses.toSorted((one, other) => Number(isIPv6(one)) - Number(isIPv6(other))),
    ]),
  );
}
