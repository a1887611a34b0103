import type { ConnectorContracts } from "../../actions/actions.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { Hosts, Program } from "../sandbox/hosts.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Environment, Sealer, t } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import type { Blobs } from "./blobs.ts";
import { describeCode } from "./code.ts";
import * as store from "./connectors.store.ts";
import type { InstallRow, Listener } from "./connectors.store.ts";
import { newHookSeed } from "./hook-token.ts";
import { existing, holdOwn, installIn, NO_VALUES } from "./installs.ts";
import { distrust } from "./scan-folders.ts";
import {
  assertSettingsComplete,
  assertValidSettings,
  mergeValues,
  openValues,
  sealValues,
  vetUrls,
} from "./connector-settings.ts";
import type { SettingsInput, Values } from "./connector-settings.ts";
import type { Trust } from "./trust.ts";
import { readTrust } from "./trusted.ts";
import { isOlder, readVersion } from "./version.ts";
import type { Version } from "./version.ts";
import type * as shapes from "./connectors.schemas.ts";

export type EnableInput = NonNullable<t.Static<typeof shapes.EnableBody>>;

export interface EnablingDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly net: Pick<Net, "vet">;
  readonly trusted: readonly Uint8Array[];
  readonly blobs: Blobs;
  readonly contracts: ConnectorContracts;
  readonly hosts: Pick<Hosts, "call" | "end">;
  readonly clock: Clock;
}

interface Enabling {
  readonly wanted: Version;
  readonly input: EnableInput;
  /** Runs in the transaction, before anything is changed. */
  readonly check?: (tx: Tx) => Promise<void>;
}

/**
 * Enables a version in the caller's environment, and returns the result of `after`, which runs in the same transaction.
 * Everything that uses the network or runs code happens before the transaction.
 */
export async function enableVersion<Result>(
  deps: EnablingDeps,
  caller: Caller,
  enabling: Enabling,
  after: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const { wanted, input, check } = enabling;
  await assertFilesPresent(deps, wanted);
  const given = input.settings ?? {};
  assertValidSettings(wanted.settings, given);
  await vetUrls(deps.net, wanted.settings, given);
  await deps.contracts.vet(caller, wanted.actions);
  const listeners = await listenersOf(deps, caller.scope, { wanted, given });
  return await deps.db.transaction(async (tx) => {
    await store.lockShared(tx);
    await check?.(tx);
    await enableHeld(deps, tx, caller, { wanted, input, listeners });
    return await after(tx);
  });
}

/** Returns the listeners that the code declares. Code without a trusted signature is not called. */
async function listenersOf(
  deps: EnablingDeps,
  scope: Scope,
  { wanted, given }: { readonly wanted: Version; readonly given: SettingsInput },
): Promise<Listener[]> {
  assertTrusted(await readTrust(deps.db.query, deps.trusted), scope, wanted);
  const before = valuesOf(deps.sealer, await installIn(deps.db.query, scope, wanted.key));
  const values = mergeValues(wanted.settings, before, given);
  const files = async (version: Version): ReturnType<Program["files"]> => await deps.blobs.read(version.manifest);
  return await describeCode({ ...deps, files }, scope, { version: wanted, values });
}

export function assertTrusted(
  trust: Trust,
  { environment }: { readonly environment: Environment },
  { key, signers }: Version,
): void {
  const reason = distrust(trust, { key, environment }, signers);
  if (reason !== undefined)
    throw new ServiceError("conflict", { detail: reason.message, extra: { reason: reason.code } });
}

async function enableHeld(
  deps: EnablingDeps,
  tx: Tx,
  caller: Caller,
  { wanted, input, listeners }: Pick<Enabling, "wanted" | "input"> & { readonly listeners: readonly Listener[] },
): Promise<void> {
  const { scope } = caller;
  const { key } = wanted;
  const install = await holdOwn(deps.sealer, tx, scope, key);
  assertTrusted(await readTrust(tx.query, deps.trusted), scope, wanted);
  await assertSameVersion(tx, install, wanted, input);
  const values = mergeValues(wanted.settings, valuesOf(deps.sealer, install), input.settings ?? {});
  assertSettingsComplete(wanted.settings, values);
  const changed = await store.changeInstall(tx, install, {
    ...sealValues(deps.sealer, install, values),
    digest: wanted.digest,
    enabled: true,
    quarantine: null,
    hook_seed_sealed: install.hook_seed_sealed ?? newHookSeed(deps.sealer, install),
  });
  await store.putListeners(tx, changed, listeners);
  await deps.contracts.replace(tx, caller, { connector: key, inputs: wanted.actions });
}

/** Returns the settings of an installation, or none. */
export function valuesOf(sealer: Sealer, install: InstallRow | undefined): Values {
  return install === undefined ? NO_VALUES : openValues(sealer, install);
}

/**
 * Throws 409 if another request pinned another version at the same time, or if the wanted one is older without
 * `allow_downgrade`.
 */
async function assertSameVersion(tx: Tx, install: InstallRow, wanted: Version, input: EnableInput): Promise<void> {
  if (install.digest === null || install.digest === wanted.digest) return;
  if (input.digest === undefined)
    throw new ServiceError("conflict", {
      detail: "Another version was enabled at the same time. Read the connector again before you decide.",
    });
  const [row] = await store.findVersions(tx.query, [wanted.key], [install.digest]);
  if (row === undefined || !isOlder(wanted, readVersion(row)) || input.allow_downgrade === true) return;
  throw new ServiceError("conflict", {
    detail: `${wanted.version} is older than the pinned ${row.version}. If this is intended, send allow_downgrade: true.`,
    extra: { reason: "downgrade" },
  });
}

/**
 * Returns the version of the digest, the version that the environment pinned, or the one in the folder, in this order.
 */
export async function wantedVersion(
  { db }: Pick<EnablingDeps, "db">,
  scope: Scope,
  key: string,
  digest: string | undefined,
): Promise<Version> {
  const connector = await existing(db.query, scope, key);
  const own = await installIn(db.query, scope, key);
  const wanted = digest ?? own?.digest ?? connector.digest;
  if (wanted === null) {
    const reason = connector.reason === null ? "its folder no longer exists" : "its folder is refused";
    throw new ServiceError("conflict", {
      detail: `The connector ${key} cannot be used: ${reason}. GET it to see why.`,
    });
  }
  const [row] = await store.findVersions(db.query, [key], [wanted]);
  if (row === undefined)
    throw new ServiceError("conflict", {
      detail: "No verified version of the connector has this digest. Use folder.digest, or rescan first.",
      extra: { reason: "digest_unknown" },
    });
  return readVersion(row);
}

export async function assertFilesPresent(
  { blobs }: Pick<EnablingDeps, "blobs">,
  { digest, manifest, version }: Version,
): Promise<void> {
  if (await blobs.has(digest, manifest)) return;
  throw new ServiceError("conflict", {
    detail: `This node does not have the files of version ${version}, or they were changed. Restore its folder, then rescan.`,
    extra: { reason: "files_missing" },
  });
}
