import { after, parseJson, randomText } from "../../lib/lib.ts";
import type { Clock, Sealer } from "../../lib/lib.ts";
import { createCookie } from "../sessions/cookie.ts";
import type { Claims } from "./claims.ts";
import type { Binding } from "./issuer.ts";

/** A sign-in that has begun in a browser, until the issuer leads back. */
export interface PendingSignIn extends Binding {
  /** The path of the console to open afterwards. */
  readonly next: string;
  /** The token of the invitation to accept; null if there is none. */
  readonly invitation: string | null;
  /** The hash of the session's token that the browser had, as hex; null if it had none. */
  readonly session: string | null;
  /** Unix time in milliseconds. */
  readonly expiresAt: number;
}

/** Keeps the sign-in in the browser itself, sealed, so that only the browser that began it can end it. */
export type PendingSignIns = ReturnType<typeof createPendingSignIns>;

/** A first link of an account, which waits for the person's confirmation on a page of this site. */
export interface PendingLink extends Pick<PendingSignIn, "next" | "invitation" | "expiresAt"> {
  readonly claims: Claims;
  /** Any text that is used once. */
  readonly id: string;
}

/** Keeps the link in the browser, as the sign-in. Only requests of this site's own pages send it. */
export type PendingLinks = ReturnType<typeof createPendingLinks>;

const PENDING_MS = 10 * 60_000;
const PLACE = "oidc sign-in";
const LINK_PLACE = "oidc link";

interface PendingDeps {
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly baseUrl: string;
}

export function createPendingSignIns({ clock, sealer, baseUrl }: PendingDeps) {
  // The issuer's site leads to the callback, so that a strict cookie would not be sent.
  const cookie = createCookie(baseUrl, "junction_oidc", "Lax");
  return {
    begin(ask: Pick<PendingSignIn, "next" | "invitation" | "session">): {
      readonly pending: PendingSignIn;
      readonly setCookie: string;
    } {
      const pending = {
        ...ask,
        state: randomText(43),
        nonce: randomText(43),
        verifier: randomText(64),
        expiresAt: after(clock.now(), PENDING_MS),
      };
      const value = sealer.seal(JSON.stringify(pending), PLACE).toString("base64url");
      return { pending, setCookie: cookie.set(value, PENDING_MS / 1000) };
    },
    /** Returns the sign-in of the browser; undefined if it has none, or an expired one. */
    read: (header: string | undefined): PendingSignIn | undefined =>
      opened({ clock, sealer }, cookie.read(header), PLACE) as PendingSignIn | undefined,
    clearCookie: cookie.clear(),
  };
}

const MOST_PATH = 1000;

export function createPendingLinks({ clock, sealer, baseUrl }: PendingDeps) {
  const cookie = createCookie(baseUrl, "junction_oidc_link", "Strict");
  return {
    begin(ask: Pick<PendingLink, "claims" | "next" | "invitation">): string {
      const pending: PendingLink = { ...ask, id: randomText(43), expiresAt: after(clock.now(), PENDING_MS) };
      return cookie.set(sealer.seal(JSON.stringify(pending), LINK_PLACE).toString("base64url"), PENDING_MS / 1000);
    },
    read: (header: string | undefined): PendingLink | undefined =>
      opened({ clock, sealer }, cookie.read(header), LINK_PLACE) as PendingLink | undefined,
    clearCookie: cookie.clear(),
  };
}

/** Returns what was sealed at the place, unless it has expired. */
function opened(
  { clock, sealer }: Pick<PendingDeps, "clock" | "sealer">,
  value: string | undefined,
  place: string,
): { readonly expiresAt: number } | undefined {
  if (value === undefined || value === "") return undefined;
  try {
    const pending = parseJson(sealer.open(Buffer.from(value, "base64url"), place).reveal()) as {
      readonly expiresAt: number;
    };
    return pending.expiresAt > clock.now() ? pending : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the path of a page of this installation's console, or `/`: a link must not lead to another site. */
export function ownPath(text: string): string {
  const url = text.length > MOST_PATH ? null : URL.parse(text, "http://own.invalid");
  if (url === null || url.origin !== "http://own.invalid" || !text.startsWith("/")) return "/";
  // A path that begins with two slashes would name a host, and the API has no pages.
  const path = url.pathname.replace(/^\/+/, "/");
  return path.startsWith("/v1/") ? "/" : path + url.search + url.hash;
}
