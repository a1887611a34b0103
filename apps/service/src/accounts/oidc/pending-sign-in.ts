import { after, randomText } from "../../lib/lib.ts";
import type { Clock, Sealer } from "../../lib/lib.ts";
import { createCookie } from "../identity/cookie.ts";
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
export interface PendingSignIns {
  begin(ask: Pick<PendingSignIn, "next" | "invitation" | "session">): {
    readonly pending: PendingSignIn;
    readonly setCookie: string;
  };
  /** Returns the sign-in of the browser; undefined if it has none, or an expired one. */
  read(cookieHeader: string | undefined): PendingSignIn | undefined;
  readonly clearCookie: string;
}

const PENDING_MS = 10 * 60_000;
const PLACE = "oidc sign-in";

export function createPendingSignIns({
  clock,
  sealer,
  baseUrl,
}: {
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly baseUrl: string;
}): PendingSignIns {
  // The issuer's site leads to the callback, so that a strict cookie would not be sent.
  const cookie = createCookie(baseUrl, "junction_oidc", "Lax");
  return {
    begin(ask) {
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
    read(header) {
      const value = cookie.read(header);
      if (value === undefined || value === "") return undefined;
      try {
        const text = sealer.open(Buffer.from(value, "base64url"), PLACE).reveal();
        const pending = JSON.parse(text) as PendingSignIn;
        return pending.expiresAt > clock.now() ? pending : undefined;
      } catch {
        return undefined;
      }
    },
    clearCookie: cookie.clear(),
  };
}

const MOST_PATH = 1000;

/** Returns the path of a page of this installation's console, or `/`: a link must not lead to another site. */
export function ownPath(text: string): string {
  const url = text.length > MOST_PATH ? null : URL.parse(text, "http://own.invalid");
  if (url === null || url.origin !== "http://own.invalid" || !text.startsWith("/")) return "/";
  // A path that begins with two slashes would name a host, and the API has no pages.
  const path = url.pathname.replace(/^\/+/, "/");
  return path.startsWith("/v1/") ? "/" : path + url.search + url.hash;
}
