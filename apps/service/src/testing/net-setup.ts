import { systemClock } from "../lib/lib.ts";
import type { Clock } from "../lib/lib.ts";
import { createNet, parseAllowTargets } from "../platform/outbound-http/outbound-http.ts";
import type {
  EgressSettings,
  Exchange,
  InboxPlace,
  Net,
  OutboundPost,
} from "../platform/outbound-http/outbound-http.ts";
import { startNameServer } from "./name-server.ts";
import type { NameServer } from "./name-server.ts";

export interface NetSetup {
  readonly net: Net;
  readonly dns: NameServer;
  /** Posts `{}` with limits short enough for a test. */
  post(url: string, options?: Partial<OutboundPost>): Promise<Exchange>;
  /** Closes something at the end, before everything that was started earlier. */
  use<Thing extends { close(): Promise<void> }>(thing: Promise<Thing>): Promise<Thing>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts the module as the service uses it, with its own name server. `allow` is as in JUNCTION_ALLOW_TARGETS. */
export async function startNet(
  options: {
    readonly allow?: string;
    readonly ca?: readonly string[];
    readonly inbox?: InboxPlace;
    readonly egress?: EgressSettings;
    readonly clock?: Clock;
  } = {},
): Promise<NetSetup> {
  const dns = await startNameServer();
  const net = createNet({
    clock: options.clock ?? systemClock,
    allow: parseAllowTargets(options.allow ?? ""),
    inbox: options.inbox ?? null,
    dnsServers: [dns.address],
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.egress === undefined ? {} : { egress: options.egress }),
  });
  const open: { close(): Promise<void> }[] = [dns, net];
  return {
    net,
    dns,
    post: async (url, more = {}) =>
      await net.post({ url, headers: {}, body: "{}", connectTimeoutMs: 1000, totalTimeoutMs: 2000, ...more }),
    async use(starting) {
      const thing = await starting;
      open.push(thing);
      return thing;
    },
    async [Symbol.asyncDispose]() {
      for (const thing of open.toReversed()) await thing.close();
    },
  };
}
