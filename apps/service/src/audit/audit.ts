import type { Db, Tx } from "../platform/db/db.ts";
import { wireId } from "../lib/lib.ts";
import type { Clock, Id, IdMaker, Instant, Sealer, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { append } from "./append.store.ts";
import type { Chain, NewRow } from "./append.store.ts";
import { createDigestWorker } from "./digest.worker.ts";
import { createDigests } from "./digests.ts";
import { createAiActivity } from "./ai-activity.worker.ts";
import type { AuditEntry } from "./entry.ts";
import { createHistory } from "./history.ts";
import { createAuditLog } from "./audit-log.ts";
import { createOwnSecrets } from "./own-secrets.ts";
import type { AddedSecrets, SecretSource } from "./own-secrets.ts";
import { createRedactor } from "./redaction.ts";
import type { Redactor } from "./redaction.ts";
import { factsOf, piecesOf, unchained } from "./audit-row.ts";
import type { Deployment } from "./audit-row.ts";
import { createTelling } from "./audit-port.ts";

export type { AuditActor, AuditActorType, AuditEntry, AuditKind } from "./entry.ts";
export { sealedByAudit } from "./digests.ts";
export { actorOf } from "./audit-port.ts";
export type { AiRequest, Target } from "./ai-activity.ts";
export type { Exchange, History } from "./history.ts";
export type { AddedSecrets, SecretHome, SecretSource } from "./own-secrets.ts";
export { isSecretName } from "./names.ts";
export type { Telling } from "./audit-port.ts";
export { createRedactor } from "./redaction.ts";
export type { Redactor } from "./redaction.ts";

/** The append-only record of what happened in a workspace (contract, section 7 "Audit"). */
export type Audit = ReturnType<typeof createAudit>;

export interface AuditDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly log: { warn(fields: object, message: string): void };
  readonly version: { readonly version: string; readonly git_sha: string | null };
  /** The id of this process. */
  readonly instanceId: string;
  /** The modules that store secrets of workspaces. They are read when secrets have changed. */
  readonly secretSources: () => readonly SecretSource[];
  readonly addedSecrets: AddedSecrets;
}

interface Recorded {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly at: Instant;
  readonly entry: AuditEntry;
}

export function createAudit(deps: AuditDeps) {
  const { clock, ids, version, instanceId } = deps;
  const own = createOwnSecrets({ ...deps, sources: deps.secretSources, added: deps.addedSecrets });
  const deployment: Deployment = { version: version.version, gitSha: version.git_sha, instanceId };

  async function flush(tx: Tx, recorded: readonly Recorded[]): Promise<void> {
    const redactors = await own.redactorsOf(
      tx,
      recorded.map(({ scope }) => scope),
    );
    // A change of a person is recorded in each of the person's workspaces, which may be on other shards.
    for (const [isHere, some] of Map.groupBy(recorded, ({ scope }) => tx.isHere(scope.bucket))) {
      const chains = chainsOf(some);
      await append(tx, { chains, rows: rowsOf(some, { chains, deployment, redactors }), isHere });
    }
  }

  function record(tx: Pick<Tx, "beforeCommit">, scope: Scope, entry: AuditEntry): Id {
    const id = ids.uuid();
    tx.beforeCommit(flush, { scope, id, at: clock.now(), entry });
    return wireId("aud", scope.tag, id);
  }

  const digests = createDigests(deps);
  const activity = createAiActivity({ ...deps, own });
  return {
    /**
     * Writes one row in the transaction of the recorded operation, and returns its id at once. `seq` and `hash` are
     * computed at the commit, with one statement for all rows of the transaction. The whole row is redacted first.
     */
    record,
    telling: createTelling(record),
    log: createAuditLog(deps.db, digests),
    digests,
    digestWorker: createDigestWorker({ clock, digests, log: deps.log }),
    history: createHistory({ db: deps.db, ids, own, activity }),
    activityWorker: activity,
    /**
     * Returns a redactor that works as it does for rows, with the workspace's current secrets. Other modules use it for
     * texts that they store or show to a model.
     */
    async redactorOf(scope: Pick<Scope, "workspaceId" | "bucket" | "tag">): Promise<Redactor> {
      const redactors = await own.redactorsOf({ hot: deps.db.soft }, [scope]);
      return redactors.get(scope.workspaceId) ?? createRedactor();
    },
  };
}

/** Returns the chains in the order in which their heads are locked. */
function chainsOf(recorded: readonly Recorded[]): Chain[] {
  const chains = new Map(recorded.map(({ scope }) => [scope.tag, scope]));
  return [...chains.values()].toSorted((a, b) => a.bucket - b.bucket || (a.tag < b.tag ? -1 : 1));
}

interface RowInputs {
  readonly chains: readonly Chain[];
  readonly deployment: Deployment;
  readonly redactors: ReadonlyMap<Uuid, Redactor>;
}

function rowsOf(recorded: readonly Recorded[], { chains, deployment, redactors }: RowInputs): NewRow[] {
  return chains.flatMap(({ tag, workspaceId }, at) => {
    const redactor = redactors.get(workspaceId);
    if (redactor === undefined) throw new Error("a row was to be written without what redacts it");
    return recorded
      .filter(({ scope }) => scope.tag === tag)
      .map((one) => {
        const facts = factsOf(one.entry, { ...one, deployment }, redactor);
        return {
          chain: at + 1,
          pieces: piecesOf(unchained(one.scope, facts)),
          facts,
          tenant: one.entry.tenant ?? null,
        };
      });
  });
}
