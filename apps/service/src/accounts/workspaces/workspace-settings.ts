import type { Db, Query, Tx } from "../../platform/db/db.ts";
import { after, isTimeZone, parseId, retryOnConflict, ServiceError, tagOf, timeText, toDate } from "../../lib/lib.ts";
import type { Clock, Uuid, Violation, t } from "../../lib/lib.ts";
import type { ApiKey } from "../callers/api-key.ts";
import type { Caller } from "../callers/caller.routes.ts";
import * as store from "./workspace-settings.store.ts";
import { liveOf } from "../people/member-view.ts";
import { lockMembers, personOfMember } from "../people/members.store.ts";
import type { AccountNotices } from "../people/account-notices.ts";
import type { StepUps } from "../proofs/step-ups.ts";
import { assertMayWeaken, weakenedBy } from "./guarded-settings.ts";
import { notedCaller } from "../people/audit-port.ts";
import type { RecordAudit } from "../people/audit-port.ts";
import { scopeFields, scopeOf, workspaceWireId } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import { isPortalOrigin, settingsOf } from "./workspace-defaults.ts";
import type { WorkspaceSettings } from "./workspace-defaults.ts";
import type { Workspaces } from "./workspaces.ts";
import type * as shapes from "./workspaces.schemas.ts";

export type WorkspaceView = t.Static<typeof shapes.WorkspaceShape>;

export type WorkspaceChange = t.Static<typeof shapes.WorkspaceBody>;

/** A new workspace, with its keys, which are shown only once. */
export type MadeWorkspace = t.Static<typeof shapes.NewWorkspaceShape>;

/** Manages the workspace that a caller works in. Also creates further workspaces. */
export type CurrentWorkspace = ReturnType<typeof createCurrentWorkspace>;

export interface CurrentWorkspaceDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly workspaces: Pick<Workspaces, "insert" | "join">;
  /** The retention of the installation, which is the maximum of a workspace. */
  readonly retentionDays: number;
  /** The issuer by which people sign in. Null if there is none. */
  readonly oidc: { readonly issuer: string } | null;
  readonly note: RecordAudit;
  readonly stepUps: Pick<StepUps, "demand">;
  readonly notices: Pick<AccountNotices, "announce">;
}

/** The number of attempts for a deletion that conflicts with others. */
const TRIES = 4;
const DAY_MS = 86_400_000;
const GRACE_MS = 7 * DAY_MS;
const KEEP_ENDED_MS = 30 * DAY_MS;
/** A decision that is being made may still need its proof. */
const KEEP_STEP_UPS_MS = 5 * 60_000;
/** Requests that were admitted before the workspace closed have ended after this time. */
const CLOSED_MS = 10 * 60_000;

export function createCurrentWorkspace(deps: CurrentWorkspaceDeps) {
  const { db, clock } = deps;
  return {
    /** Creates a workspace. The caller becomes its owner. */
    create: async (caller: ApiKey, name: string): Promise<MadeWorkspace> => await create(deps, caller, name),
    get: async (scope: Scope): Promise<WorkspaceView> =>
      view(scope, await store.findWorkspace(db.query, scope.workspaceId)),
    /** Reads in a transaction if its `query` is given. */
    settings: async (workspaceId: Uuid, query: Query = db.query): Promise<WorkspaceSettings> =>
      settingsOf((await store.findWorkspace(query, workspaceId))?.settings ?? {}),
    /** Throws 403 unless the caller may weaken the guards that the change weakens (`guarded-settings.ts`). */
    update: async (caller: Caller, change: WorkspaceChange): Promise<WorkspaceView> =>
      await update(deps, caller, change),
    /** Allows sign-in by password again, for the operator's command line. */
    async allowPasswords(id: string): Promise<WorkspaceView> {
      const parsed = parseId(id);
      const change = { name: undefined, settings: { password_sign_in: true } };
      return await db.transaction(async (tx) => {
        const row = parsed?.prefix === "ws" ? await store.updateWorkspace(tx.query, parsed.uuid, change) : undefined;
        if (row === undefined) throw new ServiceError("not_found", { detail: `No workspace has the id ${id}.` });
        const scope = scopeOf(row.id, row.tag);
        const parameters = { settings: change.settings };
        deps.note(tx, scope, { subject: "workspace", action: "workspaces.update", actor: null, parameters });
        return view(scope, row);
      });
    },
    /** Deletes the workspace after seven days. Until then, it keeps working, and `restore` cancels the deletion. */
    async delete(caller: ApiKey, name: string): Promise<WorkspaceView> {
      const workspace = await store.findWorkspace(db.query, caller.workspaceId);
      if (workspace?.name !== name) {
        throw new ServiceError("validation_failed", {
          errors: [{ pointer: "/name", code: "name", message: "must be exactly the workspace's name" }],
        });
      }
      const at = toDate(after(clock.now(), GRACE_MS));
      return view(caller, await store.markDeletion(db.query, caller.workspaceId, at));
    },
    async restore(caller: ApiKey): Promise<WorkspaceView> {
      const restored = await store.unmarkDeletion(db.query, caller.workspaceId);
      if (restored === undefined) throw new ServiceError("conflict", { detail: "The workspace is not being deleted." });
      return view(caller, restored);
    },
    /**
     * Closes and erases workspaces whose grace period has ended. Deletes sessions, invitations and links a month after
     * they ended.
     */
    sweep: async (): Promise<void> => await sweep(deps),
  };
}

async function create({ db, workspaces }: CurrentWorkspaceDeps, caller: ApiKey, name: string): Promise<MadeWorkspace> {
  const { memberId } = caller;
  if (memberId === null) {
    throw new ServiceError("role_not_allowed", {
      detail: "The owner of a workspace must be a person. Use a key that is bound to a person, or a session.",
    });
  }
  return await db.transaction(async (tx) => {
    const made = await workspaces.insert(tx, name, notedCaller(caller));
    const apiKey = await workspaces.join(tx, made.scope, await personOfMember(tx.query, memberId), caller.people);
    return { workspace_id: made.workspaceId, name, api_key: apiKey, sandbox_key: made.sandboxKey };
  });
}

async function update(deps: CurrentWorkspaceDeps, caller: Caller, change: WorkspaceChange): Promise<WorkspaceView> {
  const { db, clock } = deps;
  const { scope } = caller;
  const { workspaceId } = scope;
  const { name, settings = {} } = change;
  assertValidSettings(settings, deps.retentionDays);
  const before = settingsOf((await store.findWorkspace(db.query, workspaceId))?.settings ?? {});
  const weakened = await assertMayWeaken(deps.stepUps, { caller, before, settings, body: change });
  if (settings.password_sign_in === false && before.password_sign_in) await assertPeopleCanEnter(deps, workspaceId);
  const row = await db.transaction(async (tx) => {
    await lockMembers(tx, workspaceId);
    await assertWeakensOnly(tx, workspaceId, settings, weakened);
    const changed = await store.updateWorkspace(tx.query, workspaceId, { name, settings });
    // A session that stayed open would work again as soon as passwords are allowed again.
    if (settings.password_sign_in === false) await store.endPasswordSessions(tx, workspaceId, toDate(clock.now()));
    if (weakened.length > 0) await tellOwners(deps, tx, { caller, workspace: changed?.name ?? "", weakened });
    return changed;
  });
  return view(scope, row);
}

/** Another change may have turned a guard on since the first read. Throws 409 then. */
async function assertWeakensOnly(
  tx: Tx,
  workspaceId: Uuid,
  settings: Partial<WorkspaceSettings>,
  asked: readonly string[],
): Promise<void> {
  const now = settingsOf((await store.findWorkspace(tx.query, workspaceId))?.settings ?? {});
  if (weakenedBy(now, settings).every(([name]) => asked.includes(name))) return;
  throw new ServiceError("conflict", { detail: "The settings were changed at the same time. Try again." });
}

interface Weakened {
  readonly caller: Caller;
  readonly workspace: string;
  readonly weakened: readonly string[];
}

async function tellOwners({ notices }: CurrentWorkspaceDeps, tx: Tx, { caller, workspace, weakened }: Weakened) {
  const about = `${caller.key.display} changed the protection of the workspace ${workspace}: ${weakened.join(", ")}.`;
  for (const owner of await store.ownersOf(tx.query, caller.scope.workspaceId))
    notices.announce(tx, owner, { kind: "guard_weakened", about });
}

/** Throws if no person could sign in without a password. */
async function assertPeopleCanEnter({ db, oidc }: CurrentWorkspaceDeps, workspaceId: Uuid): Promise<void> {
  if (oidc === null) throw passwordsNeeded("the installation has no issuer of OpenID Connect");
  if (!(await store.hasOwnerAt(db.query, workspaceId, oidc.issuer)))
    throw passwordsNeeded("no owner has signed in with OpenID Connect");
}

function passwordsNeeded(reason: string): ServiceError {
  const message = `cannot be false while ${reason}`;
  return new ServiceError("validation_failed", {
    detail: `Passwords cannot be turned off while ${reason}.`,
    errors: [{ pointer: "/settings/password_sign_in", code: "password_sign_in", message }],
  });
}

async function sweep({ db, clock }: CurrentWorkspaceDeps): Promise<void> {
  const now = clock.now();
  const closed = await db.transaction(async (tx) => {
    if (!(await store.lockSweep(tx, "workspaces"))) return [];
    await store.closeDeleted(tx, toDate(now));
    return await store.closedBefore(tx.query, toDate(after(now, -CLOSED_MS)));
  });
  // Deletions on every machine can meet those of another node in the opposite order.
  for (const workspace of closed)
    await db.at(workspace.bucket, async () => await retryOnConflict(TRIES, async () => await erase(db, workspace)));
  await retryOnConflict(TRIES, async () => {
    await db.transaction(async (tx) => {
      if (!(await store.lockSweep(tx, "ended"))) return;
      await store.forgetEnded(tx.query, toDate(after(now, -KEEP_ENDED_MS)));
      await store.forgetStepUps(tx.query, toDate(after(now, -KEEP_STEP_UPS_MS)));
    });
  });
}

async function erase(db: Db, { id, bucket, tag }: store.ClosedWorkspace): Promise<void> {
  const workspace = { id, bucket, tags: [tagOf(tag, "live"), tagOf(tag, "sandbox")] };
  const isErased = await db.transaction(async (tx) => {
    if (!(await store.lockSweep(tx, "workspaces"))) return false;
    await store.eraseWorkspace(tx, workspace);
    return true;
  });
  // Attempts that were in progress wrote their results into tables that were already empty. From now on, their deliveries are gone.
  if (isErased) await db.transaction(async (tx) => await store.eraseWorkspace(tx, workspace));
}

function assertValidSettings(
  { time_zone: zone, retention_days: days, portal_origins: origins = [] }: Partial<WorkspaceSettings>,
  most: number,
): void {
  const errors = origins.flatMap((origin, at) => (isPortalOrigin(origin) ? [] : [originFault(at)]));
  if (zone !== undefined && !isTimeZone(zone)) {
    const message = "must be a time zone of the IANA database, such as Europe/Berlin";
    errors.push({ pointer: "/settings/time_zone", code: "time_zone", message });
  }
  if (days !== undefined && days !== null && days > most) {
    const message = `must be at most ${most}, the number of days for which this installation keeps its logs`;
    errors.push({ pointer: "/settings/retention_days", code: "maximum", message });
  }
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

function originFault(at: number): Violation {
  const message = "must be an origin such as https://app.example.com, without a path; http only for localhost";
  return { pointer: `/settings/portal_origins/${at}`, code: "origin", message };
}

function view(scope: Scope, row: store.WorkspaceRow | undefined): WorkspaceView {
  if (row === undefined) throw new ServiceError("not_found");
  return {
    id: workspaceWireId(scope.tag, row.id),
    object: "workspace",
    name: row.name,
    settings: settingsOf(row.settings),
    deletion_at: timeText(row.deletion_at),
    ...scopeFields(liveOf(scope)),
    created_at: timeText(row.created_at),
  };
}
