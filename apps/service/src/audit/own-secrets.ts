import type { Db, HotReader } from "../platform/db/db.ts";
import { resultOf, tagOf } from "../lib/lib.ts";
import type { Sealer, SealedValue, Tag, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { createRedactor } from "./redaction.ts";
import type { Redactor } from "./redaction.ts";
import { secretVersions } from "./secrets.store.ts";

/** The location of a workspace's secrets. */
export interface SecretHome {
  readonly workspaceId: Uuid;
  readonly bucket: number;
  /** The tenant ids of both environments. */
  readonly tags: readonly Tag[];
}

/**
 * Returns all secrets that one module stores for a workspace, still encrypted, so that one that cannot be decrypted
 * does not hide the others. It reads only through `reader`, because transactions that wait for the result may hold all
 * connections of the pool. Its tables have the trigger `secret_changed` (0013_audit.sql).
 */
export type SecretSource = (reader: HotReader, home: SecretHome) => Promise<readonly (string | SealedValue)[]>;

type Owner = Pick<Scope, "workspaceId" | "bucket" | "tag">;

export type OwnSecrets = ReturnType<typeof createOwnSecrets>;

export interface OwnSecretsDeps {
  readonly db: Pick<Db, "at" | "soft">;
  readonly sealer: Pick<Sealer, "open">;
  readonly log: { warn(fields: object, message: string): void };
  readonly sources: () => readonly SecretSource[];
}

interface CachedRedactor {
  readonly version: string;
  readonly redactor: Promise<Redactor>;
}

const MOST_KEPT = 1000;
/** The maximum number of places that are logged, each once. */
const MOST_LOGGED = 1000;

/**
 * The redactor is created again when the count of changes differs. The count is read each time, and before the secrets,
 * so that a cached redactor is never older than its count. The secrets are not read on the caller's connection, which
 * may see only one environment. They are also not read on the connections that transactions hold while they wait for
 * the result.
 */
export function createOwnSecrets({ db, sealer, sources, log }: OwnSecretsDeps) {
  const kept = new Map<Uuid, CachedRedactor>();
  const logged = new Set<string>();
  const nothing = createRedactor();
  const apart: HotReader = { hot: db.soft };

  async function read({ workspaceId, bucket, tag }: Owner): Promise<Redactor> {
    const home = { workspaceId, bucket, tags: [tagOf(tag, "live"), tagOf(tag, "sandbox")] };
    const secrets = await db.at(
      bucket,
      async () => await Promise.all(sources().map(async (source) => await source(apart, home))),
    );
    return createRedactor(secrets.flat().flatMap(textsOf));
  }

  /**
   * Returns no texts if the value cannot be decrypted, because the service cannot have recorded a value that it cannot
   * read.
   */
  function textsOf(secret: string | SealedValue): readonly string[] {
    if (typeof secret === "string") return [secret];
    const { sealed, place, texts = (plain: string) => [plain] } = secret;
    const found = resultOf(() => texts(sealer.open(sealed, place).reveal()));
    if (!(found instanceof Error)) return found;
    if (!logged.has(place) && logged.size < MOST_LOGGED) {
      logged.add(place);
      log.warn({ place }, "failed to decrypt a secret with the master key; texts are redacted without this secret");
    }
    return [];
  }

  async function redactorOf(owner: Owner, version: string | undefined): Promise<Redactor> {
    const { workspaceId } = owner;
    if (version === undefined) return nothing;
    const known = kept.get(workspaceId);
    if (known?.version === version) return await known.redactor;
    const redactor = read(owner);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(workspaceId, { version, redactor });
    redactor.catch(() => kept.delete(workspaceId));
    return await redactor;
  }

  return {
    /**
     * Returns redactors with the current secrets of the workspaces. It needs one statement on the reader while no secret
     * has changed.
     */
    async redactorsOf(reader: HotReader, owners: readonly Owner[]): Promise<ReadonlyMap<Uuid, Redactor>> {
      const byId = new Map(owners.map((owner) => [owner.workspaceId, owner]));
      const versions = await secretVersions(reader, [...byId.keys()]);
      const redactors = [...byId].map(async ([id, owner]) => [id, await redactorOf(owner, versions.get(id))] as const);
      return new Map(await Promise.all(redactors));
    },
  };
}
