import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Sealer } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Blobs } from "./blobs.ts";
import * as store from "./connectors.store.ts";
import type { PinnedRow } from "./connectors.store.ts";
import { distrust } from "./scan-folders.ts";
import { connectorKey, usedInstall } from "./stored-install.ts";
import { openValues } from "./connector-settings.ts";
import type { Values } from "./connector-settings.ts";
import { trustOf } from "./trusted.ts";
import type { Trust } from "./trust.ts";
import { readVersion } from "./version.ts";
import type { Version } from "./version.ts";
import { parseJson } from "../../lib/lib.ts";

/** A connector that may run in a workspace and environment, at this moment. */
export interface Pinned {
  readonly scope: Scope;
  readonly key: string;
  readonly version: Version;
  /** The settings that are set. */
  readonly values: Values;
}

export type Pin =
  | { readonly kind: "ready"; readonly pinned: Pinned }
  /** The connector does not run: it is absent, disabled, or of the other environment. */
  | { readonly kind: "off" }
  /** The connector was stopped because of its crashes, or no trusted key signs it any longer. */
  | { readonly kind: "quarantined"; readonly message: string };

/**
 * The versions that workspaces run. The state is read before each call, so that disabling and revoking take effect at
 * once.
 */
export type Pins = ReturnType<typeof createPins>;

export interface PinsDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly blobs: Blobs;
  readonly trusted: readonly Uint8Array[];
}

interface PinsQuery {
  readonly scope: Scope;
  /** Null means every connector that the workspace enabled. */
  readonly key: string | null;
}

interface TrustedPin {
  readonly row: PinnedRow;
  readonly trust: Trust;
}

const MAX_BATCH = 200;
const MAX_VERSIONS = 200;

export function createPins({ db, sealer, blobs, trusted }: PinsDeps) {
  const versions = createVersions(db);
  const batcher = createShardBatcher<PinsQuery, readonly TrustedPin[]>(db, {
    bucketOf: ({ scope }) => scope.bucket,
    maxSize: MAX_BATCH,
    concurrency: 2,
    async run(wanted) {
      const places = wanted.map(({ scope, key }) => ({ ...scope, key }));
      const rows = await store.pinnedInstalls(db, places);
      const trust = rows.length === 0 ? new Map() : trustOf(await store.signingKeys(db), trusted);
      return wanted.map((_one, at) => rows.filter((row) => row.at === at + 1).map((row) => ({ row, trust })));
    },
  });
  const pinnedOf = async (scope: Scope, row: PinnedRow): Promise<Pinned> => ({
    scope,
    key: connectorKey(row.key),
    version: { ...(await versions(row)), signers: row.signers },
    values: openValues(sealer, row),
  });
  return {
    async current(scope: Scope, key: string): Promise<Pin> {
      const found = runningOf(scope, key, await batcher.add({ scope, key }));
      if (found === undefined) return { kind: "off" };
      const trouble = troubleOf(found);
      if (trouble !== undefined) return { kind: "quarantined", message: trouble };
      return { kind: "ready", pinned: await pinnedOf(scope, found.row) };
    },
    /** Returns true if the workspace ever configured the connector. */
    isKnown: async (scope: Scope, key: string): Promise<boolean> =>
      (await store.installsOf(db.query, scope, [key])).length > 0,
    /** Returns all connectors that may run in the scope, by key. */
    async all(scope: Scope): Promise<readonly Pinned[]> {
      const found = await batcher.add({ scope, key: null });
      const keys = [...new Set(found.map(({ row }) => connectorKey(row.key)))];
      const running = keys.flatMap((key) => runningOf(scope, key, found) ?? []);
      const ready = running.filter((one) => troubleOf(one) === undefined);
      return await Promise.all(ready.map(async ({ row }) => await pinnedOf(scope, row)));
    },
    /** Returns the version's files, with their hashes checked on each read. */
    files: async (version: Version): Promise<ReadonlyMap<string, Buffer>> => await blobs.read(version.manifest),
  };
}

/** Returns the install that the scope's environment uses, if it is enabled. */
function runningOf({ environment }: Scope, key: string, found: readonly TrustedPin[]): TrustedPin | undefined {
  const used = usedInstall(
    found.map(({ row }) => row),
    key,
    environment,
  );
  return found.find(({ row }) => row === used && row.enabled);
}

function troubleOf({ row, trust }: TrustedPin): string | undefined {
  if (row.quarantine !== null) return (parseJson(row.quarantine) as { readonly message: string }).message;
  return distrust(trust, row, row.signers)?.message;
}

/** Caches versions. A version never changes except for its signers, and those are read with each row. */
function createVersions(db: Db): (row: PinnedRow) => Promise<Version> {
  const kept = new Map<string, Version>();
  return async ({ key: stored, digest }) => {
    const key = connectorKey(stored);
    const name = `${key} ${digest}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    const [row] = await store.findVersions(db.query, [key], [digest]);
    if (row === undefined) throw new Error("a pinned version is gone");
    const version = readVersion(row);
    if (kept.size >= MAX_VERSIONS) kept.clear();
    kept.set(name, version);
    return version;
  };
}
