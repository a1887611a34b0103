import type { Db, HotReader } from "../db/db.ts";
import type { Uuid } from "../kernel/kernel.ts";
import { createRedactor } from "./redaction.ts";
import type { Redactor } from "./redaction.ts";
import { secretVersions } from "./secrets.store.ts";

/** Gives all secrets, of both environments, that one module keeps for a workspace. Reads through `reader` alone. */
export type SecretSource = (reader: HotReader, workspaceId: Uuid) => Promise<readonly string[]>;

export interface OwnSecrets {
  /** Redactors that know the workspaces' secrets as they are now: one statement, on the reader, while none changed. */
  redactorsOf(reader: HotReader, workspaceIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, Redactor>>;
}

export interface OwnSecretsDeps {
  readonly db: Pick<Db, "soft">;
  readonly sources: () => readonly SecretSource[];
}

interface Kept {
  readonly version: string;
  readonly redactor: Promise<Redactor>;
}

const MOST_KEPT = 1000;

/**
 * The redactor is made again when the count of changes differs. The count is read each time, and before the secrets are: so what is kept
 * is never older than the count. The secrets are not read on the caller's connection, which may see one environment alone, nor on those
 * that transactions hold while they wait for this.
 */
export function createOwnSecrets({ db, sources }: OwnSecretsDeps): OwnSecrets {
  const kept = new Map<Uuid, Kept>();
  const nothing = createRedactor();
  const apart: HotReader = { hot: db.soft };

  async function read(workspaceId: Uuid): Promise<Redactor> {
    const secrets = await Promise.all(sources().map(async (source) => await source(apart, workspaceId)));
    return createRedactor(secrets.flat());
  }

  async function redactorOf(workspaceId: Uuid, version: string | undefined): Promise<Redactor> {
    if (version === undefined) return nothing;
    const known = kept.get(workspaceId);
    if (known?.version === version) return await known.redactor;
    const redactor = read(workspaceId);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(workspaceId, { version, redactor });
    redactor.catch(() => kept.delete(workspaceId));
    return await redactor;
  }

  return {
    async redactorsOf(reader, workspaceIds) {
      const ids = [...new Set(workspaceIds)];
      const versions = await secretVersions(reader, ids);
      return new Map(await Promise.all(ids.map(async (id) => [id, await redactorOf(id, versions.get(id))] as const)));
    },
  };
}
