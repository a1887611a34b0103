import type { Db, HotReader } from "../platform/db/db.ts";
import { resultOf, tagOf } from "../lib/lib.ts";
import type { Sealer, SealedValue, Tag, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { createRedactor } from "./redaction.ts";
import type { Redactor } from "./redaction.ts";
import { secretVersions } from "./secrets.store.ts";

/** Where a workspace's secrets are. */
export interface SecretHome {
  readonly workspaceId: Uuid;
  readonly bucket: number;
  /** Of both environments. */
  readonly tags: readonly Tag[];
}

/**
 * Gives all secrets that one module keeps for a workspace, sealed where they are: one that cannot be opened hides no other. Reads through `reader` alone: the connections of the pool may all be held by
 * transactions that wait for this. Its tables have the trigger `secret_changed` (0013_audit.sql).
 */
export type SecretSource = (reader: HotReader, home: SecretHome) => Promise<readonly (string | SealedValue)[]>;

type Owner = Pick<Scope, "workspaceId" | "bucket" | "tag">;

export interface OwnSecrets {
  /** Redactors that know the workspaces' secrets as they are now: one statement, on the reader, while none changed. */
  redactorsOf(reader: HotReader, owners: readonly Owner[]): Promise<ReadonlyMap<Uuid, Redactor>>;
}

export interface OwnSecretsDeps {
  readonly db: Pick<Db, "soft">;
  readonly sealer: Pick<Sealer, "open">;
  readonly log: { warn(fields: object, message: string): void };
  readonly sources: () => readonly SecretSource[];
}

interface Kept {
  readonly version: string;
  readonly redactor: Promise<Redactor>;
}

const MOST_KEPT = 1000;
/** Places, each in one line of the log. */
const MOST_LOGGED = 1000;

/**
 * The redactor is made again when the count of changes differs. The count is read each time, and before the secrets are: so what is kept
 * is never older than the count. The secrets are not read on the caller's connection, which may see one environment alone, nor on those
 * that transactions hold while they wait for this.
 */
export function createOwnSecrets({ db, sealer, sources, log }: OwnSecretsDeps): OwnSecrets {
  const kept = new Map<Uuid, Kept>();
  const logged = new Set<string>();
  const nothing = createRedactor();
  const apart: HotReader = { hot: db.soft };

  async function read({ workspaceId, bucket, tag }: Owner): Promise<Redactor> {
    const home = { workspaceId, bucket, tags: [tagOf(tag, "live"), tagOf(tag, "sandbox")] };
    const secrets = await Promise.all(sources().map(async (source) => await source(apart, home)));
    return createRedactor(secrets.flat().flatMap(textsOf));
  }

  /** None where no key opens the value: the service cannot have written down what it cannot read. */
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
    async redactorsOf(reader, owners) {
      const byId = new Map(owners.map((owner) => [owner.workspaceId, owner]));
      const versions = await secretVersions(reader, [...byId.keys()]);
      const redactors = [...byId].map(async ([id, owner]) => [id, await redactorOf(owner, versions.get(id))] as const);
      return new Map(await Promise.all(redactors));
    },
  };
}
