import type { EgressSettings, Net, NetDeps } from "../../platform/outbound-http/outbound-http.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import { after, ServiceError, sha256, timingSafeEqualText, toDate } from "../../lib/lib.ts";
import { createRefusals, noteEverywhere } from "../people/audit-port.ts";
import type { NotedOrigin } from "../people/audit-port.ts";
import type { Account } from "../identity/account.ts";
import { createSessionCookie } from "../sessions/cookie.ts";
import type { AccountNotices } from "../people/account-notices.ts";
import { networkOf } from "../callers/network.ts";
import { personById, takeTry } from "../people/people.store.ts";
import type { Origin } from "../callers/caller.routes.ts";
import { admit } from "./admit.ts";
import type { AdmitDeps, Arrival } from "./admit.ts";
import type { Claims } from "./claims.ts";
import { roleOfGroups } from "./group-role.ts";
import { createIssuer } from "./issuer.ts";
import type { Issuer, OidcSettings } from "./issuer.ts";
import { createIssuerFetch } from "./issuer-fetch.ts";
import * as store from "./oidc.store.ts";
import { createPendingLinks, createPendingSignIns, ownPath } from "./pending-sign-in.ts";
import type { PendingLinks, PendingSignIns } from "./pending-sign-in.ts";
import { OidcRefusal } from "./oidc-refusal.ts";
import type { WorkspacesDeps } from "../workspaces/workspaces.ts";

/** Where the browser goes next, with the cookies that it stores. */
export interface Redirect {
  readonly location: string;
  readonly cookies: readonly string[];
}

export interface StartAsk {
  /** The path of the console to open afterwards. */
  readonly next: string;
  /** The token of the invitation to accept. */
  readonly invitation: string | null;
}

/** Sign-in by an issuer of OpenID Connect (contract, section 11). Failures lead to the console's sign-in page. */
export type Oidc = ReturnType<typeof createOidc>;

export interface OidcDeps extends WorkspacesDeps {
  readonly baseUrl: string;
  readonly net: Net;
  readonly dnsServers: NetDeps["dnsServers"];
  readonly egress: EgressSettings | null;
  readonly log: { warn(fields: object, message: string): void };
  readonly signals: Pick<Signals, "signInEnded">;
  readonly settings: OidcSettings;
  readonly account: Pick<Account, "enter">;
  readonly notices: Pick<AccountNotices, "announce">;
}

/** The sign-ins of a network in a minute and an hour. An office of many people is one network. */
const OF_NETWORK = { perMinute: 120, perHour: 1000 };
const USED_MS = 10 * 60_000;
const CALLBACK = "/v1/auth/oidc/callback";
const START = "/v1/auth/oidc/start";

interface Parts extends OidcDeps, AdmitDeps {
  readonly issuer: Issuer;
  readonly signIns: PendingSignIns;
  readonly links: PendingLinks;
}

export function createOidc(deps: OidcDeps) {
  const { settings, baseUrl } = deps;
  const { fetch, close } = createIssuerFetch(settings.issuer, deps.net, deps);
  const issuer = createIssuer({ ...deps, fetch, redirectUri: baseUrl + CALLBACK });
  const parts = {
    ...deps,
    issuer,
    signIns: createPendingSignIns(deps),
    links: createPendingLinks(deps),
    refusals: createRefusals(deps),
  };
  const session = createSessionCookie(baseUrl);
  return {
    /** The issuer's host, for people. */
    issuer: new URL(settings.issuer).host,
    startUrl: baseUrl + START,
    close,
    /** Leads the browser to the issuer. */
    async start({ next, invitation }: StartAsk, { cookie }: Origin): Promise<Redirect> {
      const path = ownPath(next);
      const token = session.read(cookie);
      const sessionHash = token === undefined ? null : sha256(token).toString("hex");
      const { pending, setCookie } = parts.signIns.begin({ next: path, invitation, session: sessionHash });
      return await orSignInPage(parts, path, async () => ({
        location: await issuer.authorizationUrl(pending),
        cookies: [setCookie],
      }));
    },
    /** Ends the sign-in with the issuer's response, and leads to the console. */
    finish: async (query: URLSearchParams, origin: Origin): Promise<Redirect> => await finish(parts, query, origin),
    /** Links an account for the first time, after the person confirmed it on a page of this site. Throws 409 if nothing waits. */
    async link(origin: Origin): Promise<Redirect> {
      const token = session.read(origin.cookie);
      return await link(parts, origin, token === undefined ? null : sha256(token).toString("hex"));
    },
    /** Ends the sessions of a logout token. Throws bad_request, or service_unavailable. */
    logOut: async (token: string, origin: NotedOrigin): Promise<void> => await logOut(parts, token, origin),
  };
}

async function finish(parts: Parts, query: URLSearchParams, origin: Origin): Promise<Redirect> {
  const { db, clock, baseUrl, signIns } = parts;
  const pending = signIns.read(origin.cookie);
  const next = pending?.next ?? "/";
  return await orSignInPage(parts, next, async () => {
    const waitSeconds = await takeTry(db, { subject: `oidc:network:${networkOf(origin.ip)}`, ...OF_NETWORK });
    if (waitSeconds !== undefined) throw new OidcRefusal("too_many", "too many sign-ins of a network");
    // Another browser's state would sign this browser in to another person's account.
    if (pending === undefined || !timingSafeEqualText(pending.state, query.get("state") ?? ""))
      throw new OidcRefusal("expired", "no sign-in of this browser has the state");
    const expiresAt = toDate(after(clock.now(), USED_MS));
    if (!(await store.takeOnce(db.query, sha256(`state:${pending.state}`), expiresAt)))
      throw new OidcRefusal("expired", "the state was used before");
    const claims = await parts.issuer.redeem(query, pending);
    const ownOrigin = { ...origin, cookie: undefined };
    const arrival = { claims, pending, origin: ownOrigin, isConfirmed: false };
    try {
      return { location: baseUrl + next, cookies: [await entered(parts, arrival), signIns.clearCookie] };
    } catch (error) {
      if (!(error instanceof OidcRefusal) || error.failure !== "confirm_link") throw error;
      const cookie = parts.links.begin({ claims: withOwnGroups(parts, claims), next, invitation: pending.invitation });
      return { location: `${baseUrl}/sign-in?failed=confirm_link`, cookies: [cookie, signIns.clearCookie] };
    }
  });
}

async function entered(parts: Parts, arrival: Arrival): Promise<string> {
  const answer = await parts.db.transaction(async (tx) => await admit(parts, tx, arrival));
  if (answer instanceof OidcRefusal) throw answer;
  parts.signals.signInEnded("oidc", "ok");
  return answer.setCookie;
}

/** A cookie has no room for all groups of a person. Those without a role change nothing. */
function withOwnGroups({ settings }: Parts, claims: Claims): Claims {
  const { groups } = settings;
  if (groups === null || claims.groups === null) return { ...claims, groups: null };
  return { ...claims, groups: claims.groups.filter((one) => roleOfGroups(groups, [one]) !== null) };
}

async function link(parts: Parts, origin: Origin, session: string | null): Promise<Redirect> {
  const { db, clock, baseUrl, links } = parts;
  const pending = links.read(origin.cookie);
  const expiresAt = toDate(after(clock.now(), USED_MS));
  if (pending === undefined || !(await store.takeOnce(db.query, sha256(`link:${pending.id}`), expiresAt)))
    throw new ServiceError("conflict", { detail: "No sign-in waits for a confirmation. Sign in again." });
  const { claims, invitation, next } = pending;
  return await orSignInPage(parts, next, async () => {
    const arrival = {
      claims,
      pending: { invitation, session },
      origin: { ...origin, cookie: undefined },
      isConfirmed: true,
    };
    return { location: baseUrl + next, cookies: [await entered(parts, arrival), links.clearCookie] };
  });
}

/** Leads to the sign-in page, with the reason, if the work is refused. */
async function orSignInPage(
  { baseUrl, log, signals }: Pick<Parts, "baseUrl" | "log" | "signals">,
  next: string,
  work: () => Promise<Redirect>,
): Promise<Redirect> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OidcRefusal)) throw error;
    log.warn({ failure: error.failure, detail: error.message }, "a sign-in by OIDC failed");
    signals.signInEnded("oidc", error.failure);
    const query = new URLSearchParams({ failed: error.failure, ...(next === "/" ? {} : { next }) });
    return { location: `${baseUrl}/sign-in?${query.toString()}`, cookies: [] };
  }
}

const KEEP_LOGOUT_MS = 60 * 60_000;

async function logOut(parts: Parts, token: string, origin: NotedOrigin): Promise<void> {
  const { db, clock, log } = parts;
  const logout = await parts.issuer.logoutOf(token).catch((error: unknown) => {
    if (!(error instanceof OidcRefusal)) throw error;
    log.warn({ failure: error.failure, detail: error.message }, "a logout token was refused");
    if (error.failure === "issuer_unreachable") throw new ServiceError("service_unavailable");
    return undefined;
  });
  if (logout === undefined) throw new ServiceError("bad_request", { detail: "The logout token is not valid." });
  await db.transaction(async (tx) => {
    const expiresAt = toDate(after(clock.now(), KEEP_LOGOUT_MS));
    if (!(await store.takeOnce(tx.query, sha256(`logout:${logout.id}`), expiresAt)))
      throw new ServiceError("bad_request", { detail: "The logout token was used before." });
    for (const id of await store.endIssuedSessions(tx, logout, toDate(clock.now()))) {
      const person = await personById(tx.query, id);
      const noted = { subject: "session", action: "auth.oidc_logout", origin } as const;
      if (person !== undefined) await noteEverywhere(parts, tx, person, noted);
    }
  });
}
