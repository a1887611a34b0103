import { promises as dns } from "node:dns";
import { isIP } from "node:net";
import type { HostsFile } from "./hosts-file.ts";
import type { NameServers } from "./name-servers.ts";

/** The reason why a name has no address at the moment, as a short text for people. */
export type ResolutionFailure =
  | "DNS lookup timed out"
  | "the name server failed"
  | "the name server refused"
  | "the name server is unreachable"
  | "host not found";

/** The current addresses of a name. `failure` is null exactly if there are addresses. */
export type Resolution =
  | { readonly addresses: readonly [string, ...string[]]; readonly failure: null }
  | { readonly addresses: readonly []; readonly failure: ResolutionFailure };

export type Resolver = ReturnType<typeof createResolver>;

export interface ResolverDeps {
  /**
   * Name servers that replace the system's. The hosts file and search domains are not used then. Null means the
   * system's.
   */
  readonly servers: NameServers | null;
  readonly hostsFile: HostsFile;
  readonly queryTimeoutMs?: number;
  readonly totalMs?: number;
}

export const RESOLVE_TOTAL_MS = 5000;

/**
 * Resolves names with the hosts file and then with c-ares, off the thread pool, so that a slow name server delays no
 * other lookup. The system's own resolver (search domains, mDNS) is used when c-ares finds nothing or is silent for too
 * long.
 */
export function createResolver(deps: ResolverDeps) {
  const { servers, hostsFile, queryTimeoutMs = 2500, totalMs = RESOLVE_TOTAL_MS } = deps;
  const nameServers = new dns.Resolver({ timeout: queryTimeoutMs, maxTimeout: queryTimeoutMs, tries: 2 });
  if (servers !== null) nameServers.setServers([...servers]);
  const askSystem = createSystemLookup();
  const underWay = new Map<string, Promise<Resolution>>();

  async function find(host: string): Promise<Resolution> {
    const bell = createBell();
    try {
      return await Promise.race([firstAnswer(host, bell), bell.after(totalMs, failed("DNS lookup timed out"))]);
    } finally {
      underWay.delete(host);
      bell.silence();
    }
  }

  async function firstAnswer(host: string, bell: Bell): Promise<Resolution> {
    const [known, ...more] = servers === null ? await hostsFile.addressesOf(host) : [];
    if (known !== undefined) return { addresses: [known, ...more], failure: null };
    // c-ares applies no search domains, so the system resolves a single label.
    if (servers === null && !host.includes(".")) return await orFailure(askSystem(host, bell));
    const asked = askNameServers(nameServers, host, bell);
    if (servers !== null) return await orFailure(asked);
    const silence = bell.after(queryTimeoutMs * 0.8, undefined);
    const fallback = Promise.race([
      asked.then(
        () => silence,
        () => undefined,
      ),
      silence,
    ]).then(async () => await askSystem(host, bell));
    return await orFailure(Promise.any([asked, fallback]));
  }

  return {
    /**
     * Resolves a host; never throws. IPv4 comes first. Concurrent callers share one lookup, and nothing is kept after it
     * ends.
     */
    resolve(host: string): Promise<Resolution> {
      if (isIP(host) !== 0) return Promise.resolve({ addresses: [host], failure: null });
      // RFC 6761: this name is never sent to a name server, whose answer could not be trusted.
      if (/(^|\.)localhost\.?$/.test(host)) return Promise.resolve({ addresses: ["127.0.0.1"], failure: null });
      const current = underWay.get(host);
      if (current !== undefined) return current;
      const started = find(host);
      underWay.set(host, started);
      return started;
    },
  };
}

type Addresses = readonly [string, ...string[]];

/** The time limit for the second family after the first has answered. Later addresses are not used. */
const OTHER_FAMILY_GRACE_MS = 500;

async function askNameServers(resolver: dns.Resolver, host: string, bell: Bell): Promise<Addresses> {
  const found: [string[], string[]] = [[], []];
  const v4 = resolver.resolve4(host).then((addresses) => void (found[0] = addresses));
  const v6 = resolver.resolve6(host).then((addresses) => void (found[1] = addresses));
  const both = Promise.allSettled([v4, v6]);
  const oneAndGrace = Promise.any([v4, v6]).then(
    async () => await bell.after(OTHER_FAMILY_GRACE_MS, undefined),
    async () => await both,
  );
  await Promise.race([both, oneAndGrace]);
  const [first, ...rest] = found.flat();
  // Neither family answered: the IPv4 question has the error to return.
  if (first === undefined) return await v4.then(() => Promise.reject(new Error("host not found")));
  return [first, ...rest];
}

/**
 * The number of names that the system's resolver may look up at once. Each lookup holds one of the four shared threads.
 */
const SYSTEM_LOOKUPS = 2;

function createSystemLookup(): (host: string, bell: Bell) => Promise<Addresses> {
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (host, bell) => {
    while (running >= SYSTEM_LOOKUPS) await new Promise<void>((resolve) => waiting.push(resolve));
    if (bell.silenced()) {
      waiting.shift()?.();
      throw new Error("DNS lookup timed out");
    }
    running += 1;
    try {
      const found = await dns.lookup(host, { all: true, order: "ipv4first" });
      const [first, ...rest] = found.map(({ address }) => address);
      if (first === undefined) throw new Error("host not found");
      return [first, ...rest];
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}

async function orFailure(answer: Promise<Addresses>): Promise<Resolution> {
  try {
    return { addresses: await answer, failure: null };
  } catch (error) {
    return failed(failureText(error instanceof AggregateError ? error.errors[0] : error));
  }
}

function failed(failure: ResolutionFailure): Resolution {
  return { addresses: [], failure };
}

const FAILURES: Readonly<Record<string, ResolutionFailure>> = {
  ETIMEOUT: "DNS lookup timed out",
  EAI_AGAIN: "DNS lookup timed out",
  ESERVFAIL: "the name server failed",
  EREFUSED: "the name server refused",
  ECONNREFUSED: "the name server is unreachable",
};

function failureText(error: unknown): ResolutionFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return FAILURES[code] ?? "host not found";
}

/** The timers of one lookup. All of them are cleared together when it ends. */
interface Bell {
  after<Value>(ms: number, value: Value): Promise<Value>;
  silence(): void;
  silenced(): boolean;
}

function createBell(): Bell {
  const timers: NodeJS.Timeout[] = [];
  let over = false;
  return {
    after: (ms, value) => new Promise((resolve) => timers.push(setTimeout(() => resolve(value), ms))),
    silence() {
      over = true;
      for (const timer of timers) clearTimeout(timer);
    },
    silenced: () => over,
  };
}
