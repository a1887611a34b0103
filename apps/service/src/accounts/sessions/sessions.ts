import { createHmac } from "node:crypto";
import type { Db, Tx } from "../../platform/db/db.ts";
import {
  after,
  createBatcher,
  fromDate,
  paginate,
  parseId,
  randomText,
  ServiceError,
  sha256,
  tagOf,
  timeText,
  timingSafeEqualText,
  toDate,
  wireId,
} from "../../lib/lib.ts";
import type { Clock, Environment, Id, IdMaker, Page, PageInput, Uuid } from "../../lib/lib.ts";
import { createSessionCookie } from "./cookie.ts";
import { UNLIMITED } from "../callers/api-key.ts";
import type { ApiKey, Role, SessionInfo } from "../callers/api-key.ts";
import type { Origin } from "../callers/caller.routes.ts";
import { ownUuid, scopeOf } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import * as store from "./sessions.store.ts";

/** The headers of a request that concern its session. */
export interface SessionHeaders {
  readonly method: string;
  readonly cookie: string | undefined;
  readonly csrfToken: string | undefined;
  /** `X-Service-Workspace`. Default: the workspace of the sign-in. */
  readonly workspace: string | undefined;
  /** `X-Service-Environment`. Default: live. */
  readonly environment: string | undefined;
}

/** A new session. */
export interface OpenedSession {
  readonly id: Uuid;
  readonly csrfToken: string;
  readonly expiresAt: Date;
  readonly setCookie: string;
}

export interface SessionView {
  readonly id: Id;
  readonly object: "session";
  readonly current: boolean;
  readonly ip: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
}

export type Sessions = ReturnType<typeof createSessions>;

/** The person and the workspace of a new session. */
export interface SessionPlace {
  readonly personId: Uuid;
  readonly workspaceId: Uuid;
  /** Set for a session that an issuer opened: the person's id there, and that of the issuer's session. */
  readonly issued?: { readonly subject: string; readonly sid: string | null };
}

export interface SessionsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly baseUrl: string;
}

const DAY_MS = 86_400_000;
export const SESSION_MS = 14 * DAY_MS;
export const SESSION_IDLE_MS = DAY_MS;
/** The minimum time between two writes of the last use. */
const TOUCH_MS = 60_000;
const MAX_USER_AGENT = 300;
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function createSessions(deps: SessionsDeps) {
  const { db, clock } = deps;
  const cookie = createSessionCookie(deps.baseUrl);
  const found = createBatcher<store.SessionAsk, store.FoundSession | undefined>({
    maxSize: 200,
    run: async (asks) => await findBatch(deps, asks),
  });
  return {
    /**
     * Returns the session of a request's cookie as the credential of its member, with the current role, or undefined if
     * there is no cookie. Throws session_invalid, csrf_token_invalid, or workspace_mismatch if the person is not a
     * member.
     */
    async admit(headers: SessionHeaders): Promise<ApiKey | undefined> {
      const token = cookie.read(headers.cookie);
      if (token === undefined) return undefined;
      const wanted = workspaceNamed(headers.workspace);
      const workspaceId = wanted === "malformed" ? null : wanted;
      const row = await found.add({ tokenHash: sha256(token), workspaceId });
      if (row === undefined || !isAlive(row, clock)) throw new ServiceError("session_invalid");
      if (!SAFE_METHODS.has(headers.method)) assertCsrfToken(token, headers.csrfToken);
      if (wanted === "malformed") {
        throw new ServiceError("bad_request", { detail: "X-Service-Workspace must be the id of a workspace (ws_…)." });
      }
      return credentialOf(row, environmentNamed(headers.environment));
    },
    async open(tx: Tx, { personId, workspaceId, issued }: SessionPlace, origin: Origin): Promise<OpenedSession> {
      const token = randomText(43);
      const now = clock.now();
      const session = {
        id: deps.ids.uuid(),
        token_hash: sha256(token),
        person_id: personId,
        workspace_id: workspaceId,
        ip: origin.ip,
        user_agent: origin.userAgent.slice(0, MAX_USER_AGENT),
        created_at: toDate(now),
        last_used_at: toDate(now),
        expires_at: toDate(after(now, SESSION_MS)),
        ended_at: null,
        oidc_subject: issued?.subject ?? null,
        oidc_sid: issued?.sid ?? null,
      };
      const earlier = cookie.read(origin.cookie);
      if (earlier !== undefined) await store.endSessionByToken(tx, sha256(earlier), toDate(now));
      await store.insertSession(tx, session);
      const setCookie = cookie.set(token, SESSION_MS / 1000);
      return { id: session.id, csrfToken: csrfOf(token), expiresAt: session.expires_at, setCookie };
    },
    /** Returns the CSRF token of the session that the cookie names. */
    csrfToken: (header: string | undefined): string => csrfOf(cookie.read(header) ?? ""),
    async list(scope: Scope, { id, personId }: SessionInfo, page: PageInput): Promise<Page<SessionView>> {
      const now = clock.now();
      const range = { now: toDate(now), idleSince: toDate(after(now, -SESSION_IDLE_MS)) };
      return await paginate(page, {
        binding: [personId, "sessions"],
        read: async (before, limit) => await store.liveSessions(db.query, personId, { ...range, before, limit }),
        view: (row) => sessionView(scope, row, id),
      });
    },
    /** Ends one of the person's own sessions. */
    async end(scope: Scope, { personId }: SessionInfo, id: string): Promise<void> {
      const ended = await store.endSession(db.query, personId, ownUuid(scope, "ses", id), toDate(clock.now()));
      if (!ended) throw new ServiceError("not_found");
    },
    async endThis({ id, personId }: SessionInfo): Promise<void> {
      await store.endSession(db.query, personId, id, toDate(clock.now()));
    },
    clearCookie: cookie.clear(),
  };
}

/** Finds all sessions of a batch with one statement. A second statement writes last uses that are a minute old. */
async function findBatch(
  { db, clock }: SessionsDeps,
  asks: readonly store.SessionAsk[],
): Promise<(store.FoundSession | undefined)[]> {
  const rows = await store.findSessions(db, asks);
  const now = clock.now();
  const stale = rows.filter((row) => fromDate(row.last_used_at) < after(now, -TOUCH_MS) && isAlive(row, clock));
  if (stale.length > 0) {
    await store.touchSessions(
      db,
      stale.map((row) => row.session_id),
      toDate(now),
    );
  }
  const byPosition = new Map(rows.map((row) => [row.at, row]));
  return asks.map((_ask, at) => byPosition.get(at + 1));
}

function isAlive(row: store.FoundSession, clock: Clock): boolean {
  const now = clock.now();
  const idleSince = after(now, -SESSION_IDLE_MS);
  return row.ended_at === null && fromDate(row.expires_at) > now && fromDate(row.last_used_at) > idleSince;
}

/**
 * Derives the CSRF token from the session's token, so that it need not be stored and a reloaded page can request it
 * again.
 */
function csrfOf(token: string): string {
  return createHmac("sha256", token).update("csrf").digest("base64url");
}

function assertCsrfToken(token: string, sent: string | undefined): void {
  if (sent !== undefined && timingSafeEqualText(csrfOf(token), sent)) return;
  throw new ServiceError("csrf_token_invalid", {
    detail: "Send the csrf_token of the sign-in, or of GET /v1/auth/session, as X-CSRF-Token.",
  });
}

function workspaceNamed(id: string | undefined): Uuid | "malformed" | null {
  if (id === undefined) return null;
  const parsed = parseId(id);
  return parsed?.prefix === "ws" ? parsed.uuid : "malformed";
}

function environmentNamed(text: string | undefined): Environment {
  if (text === undefined) return "live";
  if (text === "live" || text === "sandbox") return text;
  throw new ServiceError("bad_request", { detail: "X-Service-Environment must be live or sandbox." });
}

/**
 * Returns a session as a credential for the access checks, with the member's role. All sessions of a member share one
 * lineage.
 */
function credentialOf(row: store.FoundSession, environment: Environment): ApiKey {
  if (row.member_id === null || row.workspace_id === null || row.tag === null) {
    throw new ServiceError("workspace_mismatch", { detail: "You are not a member of this workspace." });
  }
  if (row.by_refused_password === true) {
    throw new ServiceError("workspace_mismatch", { detail: "This workspace requires sign-in with OpenID Connect." });
  }
  return {
    ...scopeOf(row.workspace_id, tagOf(row.tag, environment)),
    id: row.session_id,
    lineageId: row.member_id,
    display: row.name,
    ...UNLIMITED,
    role: row.role as Role,
    actorType: "user",
    memberId: row.member_id,
    people: [row.person_id],
    permissions: row.permissions ?? [],
    signingSecret: null,
    revokedAt: null,
    session: { id: row.session_id, personId: row.person_id, recoveredAt: row.recovered_at },
  };
}

/**
 * Returns a session's view. A session belongs to a person, so its id contains the tenant id of the workspace that
 * requests it.
 */
function sessionView(scope: Scope, row: store.SessionRow, current: Uuid): SessionView {
  return {
    id: wireId("ses", tagOf(scope.tag, "live"), row.id),
    object: "session",
    current: row.id === current,
    ip: row.ip,
    user_agent: row.user_agent,
    created_at: timeText(row.created_at),
    last_used_at: timeText(row.last_used_at),
    expires_at: timeText(row.expires_at),
  };
}
