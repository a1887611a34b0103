import { withTimeout } from "../../lib/lib.ts";
import { createAllowlist } from "./allowlist.ts";
import type { AllowEntry } from "./allowlist.ts";
import { RESOLVE_TOTAL_MS } from "./resolver.ts";
import type { Resolution, Resolver } from "./resolver.ts";
import { blockReasonOf, parseTarget } from "./target.ts";
import type { BlockReason, Target } from "./target.ts";

/** The built-in inbox, which is exempt from the guard. */
export interface InboxPlace {
  readonly origin: string;
  readonly pathPrefix: "/inbox/";
  /** Our own plain-HTTP listener, regardless of the origin's address. */
  readonly connectTo?: { readonly address: string; readonly port: number };
}

/** A target with the addresses that were just vetted for it. */
export interface Vetted {
  readonly kind: "vetted";
  readonly target: Target;
  readonly addresses: readonly [string, ...string[]];
  /** True for the service itself. */
  readonly direct?: true;
}

interface Unresolved {
  readonly kind: "unresolved";
  readonly failure: string;
}

export type Aim = Vetted | Unresolved | { readonly kind: "refused"; readonly reason: BlockReason };

export interface AimDeps {
  readonly resolver: Resolver;
  readonly allow: readonly AllowEntry[];
  readonly inbox: InboxPlace | null;
}

/**
 * Creates the target guard, which is the same at save and at each send: it reads the URL, resolves its name again, and
 * checks every address.
 */
export function createAim(deps: AimDeps): (url: string, withinMs: number) => Promise<Aim> {
  const { allow, inbox, resolver } = deps;
  const allowlist = createAllowlist(allow);
  const inboxOrigin = inbox === null ? null : new URL(inbox.origin).origin;

  async function resolve(target: Target, withinMs: number): Promise<Vetted | Unresolved> {
    const { addresses, failure } = await within(resolver.resolve(target.host), withinMs);
    return failure === null ? { kind: "vetted", target, addresses } : { kind: "unresolved", failure };
  }

  async function aimAtInbox(target: Target, place: InboxPlace, withinMs: number): Promise<Aim> {
    if (place.connectTo === undefined) {
      const found = await resolve(target, withinMs);
      return found.kind === "vetted" ? { ...found, direct: true } : found;
    }
    const { address, port } = place.connectTo;
    return { kind: "vetted", target: { ...target, port, secure: false }, addresses: [address], direct: true };
  }

  return async (text, withinMs) => {
    const target = parseTarget(text, inbox !== null || allow.length > 0);
    if (typeof target === "string") return blockedTarget(target);
    if (inbox !== null && target.url.origin === inboxOrigin && isWithin(target.url, inbox.pathPrefix)) {
      return await aimAtInbox(target, inbox, withinMs);
    }
    if (!target.secure && allow.length === 0) return blockedTarget("not_https");
    const aim = await resolve(target, withinMs);
    const reason = aim.kind === "vetted" ? blockReasonOf(target, aim.addresses, allowlist) : null;
    return reason === null ? aim : blockedTarget(reason);
  };
}

function blockedTarget(reason: BlockReason): Aim {
  return { kind: "refused", reason };
}

/**
 * Returns true if a path is within a prefix. %2f and %5c survive normalization: a router that unescapes them must not
 * leave the prefix.
 */
function isWithin(url: URL, prefix: string): boolean {
  return url.pathname.startsWith(prefix) && !/%2f|%5c/i.test(url.pathname);
}

/** Limits the wait for a name by the request's own time, if that is shorter than the resolver's. */
async function within(resolving: Promise<Resolution>, ms: number): Promise<Resolution> {
  if (ms >= RESOLVE_TOTAL_MS) return await resolving;
  return (await withTimeout(resolving, ms)) ?? { addresses: [], failure: "DNS lookup timed out" };
}
