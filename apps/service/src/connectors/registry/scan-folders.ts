import { opendir } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectorContracts } from "../../actions/actions.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { canonicalJson } from "../../lib/lib.ts";
import type { Environment, IdMaker } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Blobs } from "./blobs.ts";
import * as store from "./connectors.store.ts";
import { readFolder } from "./folder.ts";
import { readPackage } from "./package.ts";
import type { Package } from "./package.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";
import type { Reason } from "./version-refusal.ts";
import { connectorKey } from "./stored-install.ts";
import { standingOf } from "./trust.ts";
import type { Trust } from "./trust.ts";
import { readTrust } from "./trusted.ts";

export interface ScanDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly log: Log;
  /** The folders that contain connector folders. */
  readonly folders: readonly string[];
  readonly trusted: readonly Uint8Array[];
  readonly blobs: Blobs;
  readonly contracts: ConnectorContracts;
}

/** The number of folders by the result of their check. */
export interface ScanResult {
  readonly verified: number;
  readonly refused: number;
  /** Enabled connectors of all workspaces that were stopped because no trusted key signs them any longer. */
  readonly quarantined: number;
}

type FolderResult = { readonly key: string } & (
  | { readonly kind: "verified"; readonly found: Package }
  | { readonly kind: "refused"; readonly reason: Reason }
);

/** The maximum number of folders to scan. A folder with more subfolders is unlikely to be a folder of connectors. */
const MAX_FOLDERS = 200;

/**
 * Scans the folders, stores verified packages, and records the results. Scans are recorded one after the other, and the
 * last one wins. Workspaces keep running the version that they pinned.
 */
export async function scan(deps: ScanDeps): Promise<ScanResult> {
  const { db, blobs } = deps;
  const trust = await readTrust(db.query, deps.trusted);
  const outcomes = await lookThrough(deps, trust);
  for (const one of outcomes) if (one.kind === "verified") await blobs.keep(one.found);
  return await db.transaction(async (tx) => {
    await store.lockAll(tx);
    for (const one of outcomes) await record(deps, tx, one);
    await store.markAbsent(
      tx,
      outcomes.map(({ key }) => key),
    );
    const verified = outcomes.filter(({ kind }) => kind === "verified").length;
    return { verified, refused: outcomes.length - verified, quarantined: await quarantineUntrusted(deps, tx) };
  });
}

/**
 * Stops enabled connectors that no trusted key signs any longer, and returns their number. The caller holds `lockAll`.
 */
export async function quarantineUntrusted(
  { contracts, trusted }: Pick<ScanDeps, "contracts" | "trusted">,
  tx: Tx,
): Promise<number> {
  const trust = await readTrust(tx.query, trusted);
  let count = 0;
  for (const { signers, ...install } of await store.enabledInstalls(tx)) {
    const reason = distrust(trust, install, signers);
    if (reason === undefined) continue;
    await store.changeInstall(tx, install, { quarantine: canonicalJson(reason) });
    await store.dropListeners(tx, install);
    const { bucket, workspace_id: workspaceId, environment } = install;
    const home = { bucket, workspaceId, environment: environment as Environment };
    await contracts.withdraw(tx, home, connectorKey(install.key));
    count += 1;
  }
  return count;
}

/** Returns the reason why an installed version may not run with the keys that are trusted now, or undefined. */
export function distrust(
  trust: Trust,
  { key, environment }: Pick<store.InstallRow, "key" | "environment">,
  signers: readonly string[],
): Reason | undefined {
  const standing = standingOf(trust, connectorKey(key), signers);
  if (standing.kind === "untrusted") return { code: standing.code, path: null, message: standing.message };
  if (!standing.development || environment === "sandbox") return undefined;
  return {
    code: "key_not_allowed",
    path: null,
    message: "The connector was signed with a development key, which is valid only in the sandbox.",
  };
}

async function lookThrough({ folders, log }: ScanDeps, trust: Trust): Promise<FolderResult[]> {
  const outcomes = new Map<string, FolderResult>();
  for (const folder of folders)
    for (const name of await foldersIn(folder, log)) {
      const outcome = await verifyPackage(join(folder, name), name, trust);
      const isTwice = outcomes.has(outcome.key);
      outcomes.set(outcome.key, isTwice ? twice(outcome.key) : outcome);
      if (outcome.kind === "refused")
        log.warn({ connector: outcome.key, ...outcome.reason }, "rejected a connector's folder");
    }
  return [...outcomes.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns the names of the subfolders. Regular files, and names that begin with a dot, are ignored. */
async function foldersIn(folder: string, log: Log): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder))
      if ((entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith(".")) names.push(entry.name);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) log.warn({ folder, err: error }, "failed to read the connectors' folder");
  }
  if (names.length > MAX_FOLDERS)
    log.warn({ folder, most: MAX_FOLDERS }, "the connectors' folder contains too many folders");
  return names.toSorted().slice(0, MAX_FOLDERS);
}

async function verifyPackage(place: string, name: string, trust: Trust): Promise<FolderResult> {
  try {
    return { key: name, kind: "verified", found: readPackage(name, await readFolder(place), trust) };
  } catch (error) {
    if (!(error instanceof ConnectorRefusedError)) throw error;
    // A name that is not a valid key is shown in its URL-encoded form.
    return { key: encodeURIComponent(name.toWellFormed()).slice(0, 200), kind: "refused", reason: error.reason };
  }
}

function twice(key: string): FolderResult {
  const message = "Two of the scanned folders contain a connector with this key. Remove one of them.";
  return { key, kind: "refused", reason: { code: "connector_key_twice", path: null, message } };
}

async function record({ ids }: ScanDeps, tx: Tx, one: FolderResult): Promise<void> {
  const id = ids.uuid();
  if (one.kind === "refused") {
    await store.putFound(tx, { key: one.key, id, state: "refused", digest: null, reason: canonicalJson(one.reason) });
    return;
  }
  const { found } = one;
  await store.putVersion(tx, {
    key: found.key,
    digest: found.digest,
    version: found.manifest.version,
    manifest: canonicalJson(found.manifest),
    description: canonicalJson(found.description),
    actions: canonicalJson(found.actions),
    settings: canonicalJson(found.settings),
    signers: [...found.signers],
  });
  await store.putFound(tx, { key: found.key, id, state: "verified", digest: found.digest, reason: null });
}
