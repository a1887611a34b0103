import type { Db, HotReader } from "../platform/db/db.ts";
import { after, resultOf, tagOf, uuidFloor } from "../lib/lib.ts";
import type { Clock, Sealer, SealedValue, Tag, Uuid } from "../lib/lib.ts";
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
export type SecretSource = (reader: HotReader, home: SecretHome) => Promise<readonly Secret[]>;

type Secret = string | SealedValue;

/**
 * Returns the secrets of the objects that a workspace has most of and that were added since: those whose ids are not before
 * `from`, without those in `known`. The count of changes is of the same snapshot; null if nothing ever changed.
 */
export type AddedSecrets = (
  reader: HotReader,
  home: SecretHome,
  since: { readonly from: Uuid; readonly known: readonly Uuid[] },
) => Promise<{
  readonly changes: string | null;
  readonly added: readonly { readonly id: Uuid; readonly secrets: readonly Secret[] }[];
}>;

type Owner = Pick<Scope, "workspaceId" | "bucket" | "tag">;

export type OwnSecrets = ReturnType<typeof createOwnSecrets>;

export interface OwnSecretsDeps {
  readonly db: Pick<Db, "at" | "soft">;
  readonly sealer: Pick<Sealer, "open">;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock: Pick<Clock, "now">;
  readonly sources: () => readonly SecretSource[];
  readonly added: AddedSecrets;
}

interface CachedRedactor {
  /** The count of changes that it knows. */
  readonly changes: bigint;
  readonly redactor: Redactor;
  readonly from: Uuid;
  /** The objects with ids from there on whose addition is among the changes. */
  readonly recent: readonly Uuid[];
}

const MOST_KEPT = 1000;
/** How far the id of a new object may lie back: a transaction's time, and the difference between the clocks of nodes. */
const RECENT_MS = 10_000;
/** The maximum number of places that are logged, each once. */
const MOST_LOGGED = 1000;

/**
 * The redactor is created again when the count of changes differs, unless the new objects explain the difference: then it
 * learns their secrets, so that each of thousands of endpoints costs the same. The count is read each time, and not after the
 * secrets, so that a cached redactor is never older than its count. The secrets are not read on the caller's connection, which
 * may see only one environment. They are also not read on the connections that transactions hold while they wait for
 * the result.
 */
export function createOwnSecrets({ db, sealer, clock, sources, added: readAdded, log }: OwnSecretsDeps) {
  const kept = new Map<Uuid, Promise<CachedRedactor | undefined>>();
  const logged = new Set<string>();
  const nothing = createRedactor();
  const apart: HotReader = { hot: db.soft };

  async function read(home: SecretHome): Promise<Redactor> {
    const secrets = await Promise.all(sources().map(async (source) => await source(apart, home)));
    return createRedactor(secrets.flat().flatMap(textsOf));
  }

  async function readSince({ workspaceId, bucket, tag }: Owner, last?: CachedRedactor): Promise<CachedRedactor> {
    const home = { workspaceId, bucket, tags: [tagOf(tag, "live"), tagOf(tag, "sandbox")] };
    const floor = uuidFloor(after(clock.now(), -RECENT_MS));
    const from = last !== undefined && last.from > floor ? last.from : floor;
    const known = last?.recent.filter((id) => id >= from) ?? [];
    const { changes: count, added } = await readAdded(apart, home, { from, known });
    const changes = BigInt(count ?? 0);
    const recent = [...known, ...added.map(({ id }) => id)];
    if (last === undefined || changes - last.changes !== BigInt(added.length))
      return { changes, from, recent, redactor: await read(home) };
    last.redactor.learn(added.flatMap(({ secrets }) => secrets).flatMap(textsOf));
    return { changes, from, recent, redactor: last.redactor };
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
    const last = kept.get(workspaceId);
    const current = currentOf(owner, { last, version: BigInt(version) });
    if (last === undefined && kept.size >= MOST_KEPT) kept.clear();
    kept.set(
      workspaceId,
      current.catch(() => undefined),
    );
    return (await current).redactor;
  }

  /** Callers take turns, because each continues with what the one before it has read. */
  async function currentOf(
    owner: Owner,
    { last, version }: { readonly last: Promise<CachedRedactor | undefined> | undefined; readonly version: bigint },
  ): Promise<CachedRedactor> {
    const known = await last;
    if (known !== undefined && known.changes >= version) return known;
    return await db.at(owner.bucket, async () => await readSince(owner, known));
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
