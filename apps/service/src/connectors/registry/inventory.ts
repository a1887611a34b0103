import type { ConnectorContracts } from "../../actions/actions.ts";
import type { Db, Query, Tx } from "../../platform/db/db.ts";
import type { Hosts, Program } from "../sandbox/hosts.ts";
import { paginate, ServiceError } from "../../lib/lib.ts";
import type { Clock, Page, Sealer } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import type { Blobs } from "./blobs.ts";
import { describeCode } from "./code.ts";
import * as store from "./connectors.store.ts";
import type { ConnectorRow, InstallRow, Listener } from "./connectors.store.ts";
import type { Health } from "./health.ts";
import { newHookSeed, webhookUrl } from "./hook-token.ts";
import type { Pinned } from "./pins.ts";
import { distrust } from "./scan.ts";
import {
  mergeValues,
  openValues,
  assertValidSettings,
  assertSettingsComplete,
  sealValues,
  vetUrls,
} from "./settings.ts";
import type { SettingsInput, Values } from "./settings.ts";
import type { Trust } from "./trust.ts";
import { readTrust } from "./trusted.ts";
import { isOlder, readVersion } from "./version.ts";
import type { Version } from "./version.ts";
import { connectorView } from "./views.ts";
import type { ConnectorView, Known } from "./views.ts";

export interface EnableInput {
  readonly settings?: SettingsInput;
  /** The version to run. The default is the version that the workspace pinned, or else the one in the folder. */
  readonly digest?: string;
  readonly allow_downgrade?: boolean;
}

/**
 * The connectors that a workspace can see, and its operations on them (contract, section 8). A key that never had a
 * folder is 404.
 */
export interface Inventory {
  list(scope: Scope, query: { readonly limit?: number; readonly cursor?: string }): Promise<Page<ConnectorView>>;
  get(scope: Scope, key: string): Promise<ConnectorView>;
  /**
   * Pins a version, asks its code for its description, subscribes it to its events and registers its actions. Throws
   * 422 for invalid settings. Throws 409 if the version is refused or older, if its actions collide with others, or if
   * its code differs from its files.
   */
  enable(caller: Caller, key: string, input: EnableInput): Promise<ConnectorView>;
  /** Stops the connector's events and removes its actions. Its settings and its version are kept. */
  disable(caller: Caller, key: string): Promise<ConnectorView>;
  /**
   * Changes the given settings; null removes a value. The settings may be incomplete until the connector is enabled.
   */
  configure(caller: Caller, key: string, settings: SettingsInput): Promise<ConnectorView>;
  /** Returns the version that runs, or would run, with the current settings. Throws 409 and 422 as `enable` would. */
  forTrial(scope: Scope, key: string): Promise<Pinned>;
}

export interface InventoryDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly net: Pick<Net, "vet">;
  readonly trusted: readonly Uint8Array[];
  readonly blobs: Blobs;
  readonly contracts: ConnectorContracts;
  readonly hosts: Pick<Hosts, "call" | "end">;
  readonly clock: Clock;
  readonly baseUrl: string;
  /** Returns the health of the running connectors, by key. */
  readonly healthOf: (scope: Scope, keys: readonly string[]) => Promise<ReadonlyMap<string, Health>>;
}

const EMPTY = {
  digest: null,
  enabled: false,
  quarantine: null,
  settings: "{}",
  secret_names: [],
  secrets_sealed: null,
  hook_seed_sealed: null,
};

export function createInventory(deps: InventoryDeps): Inventory {
  const { db } = deps;
  const shown = async (query: Query, scope: Scope, rows: readonly ConnectorRow[]): Promise<ConnectorView[]> => {
    const trust = await readTrust(query, deps.trusted);
    return (await knownOf(deps, query, scope, rows)).map((known) => connectorView(scope, trust, known));
  };
  const get = async (query: Query, scope: Scope, key: string): Promise<ConnectorView> => {
    const [view] = await shown(query, scope, [await existing(query, scope, key)]);
    if (view === undefined) throw new ServiceError("not_found");
    return view;
  };
  return {
    async list(scope, query) {
      const page = await paginate(query, {
        binding: [scope.workspaceId, "connectors"],
        read: async (before, count) => await store.listConnectors(db.query, scope, before, count),
        view: (row) => row,
      });
      return { ...page, data: await shown(db.query, scope, page.data) };
    },
    get: async (scope, key) => await get(db.query, scope, key),
    async enable(caller, key, input) {
      const { scope } = caller;
      const wanted = await wantedVersion(deps, scope, key, input.digest);
      await assertFilesPresent(deps, wanted);
      const given = input.settings ?? {};
      assertValidSettings(wanted.settings, given);
      await vetUrls(deps.net, wanted.settings, given);
      await deps.contracts.vet(caller, wanted.actions);
      const listeners = await listenersOf(deps, scope, { wanted, given });
      return await db.transaction(async (tx) => {
        await enableHeld(deps, tx, caller, { wanted, input, listeners });
        return await get(tx.query, scope, key);
      });
    },
    async disable({ scope }, key) {
      return await db.transaction(async (tx) => {
        await existing(tx.query, scope, key);
        const install = await hold(tx, scope, key);
        if (install.digest === null)
          throw new ServiceError("conflict", { detail: `The connector ${key} was never enabled.` });
        await store.changeInstall(tx, install, { enabled: false, quarantine: null });
        await store.dropListeners(tx, install);
        await deps.contracts.withdraw(tx, scope, key);
        return await get(tx.query, scope, key);
      });
    },
    async configure({ scope }, key, given) {
      const form = (await wantedVersion(deps, scope, key, undefined)).settings;
      assertValidSettings(form, given);
      await vetUrls(deps.net, form, given);
      return await db.transaction(async (tx) => {
        const install = await hold(tx, scope, key);
        const values = mergeValues(form, valuesBefore(deps, scope, install), given);
        if (install.enabled) assertSettingsComplete(form, values);
        const sealed = sealValues(deps.sealer, { workspaceId: scope.workspaceId, key }, values);
        const { environment } = install.enabled ? install : scope;
        await store.changeInstall(tx, install, { ...sealed, environment });
        return await get(tx.query, scope, key);
      });
    },
    forTrial: async (scope, key) => await forTrial(deps, scope, key),
  };
}

async function forTrial(deps: InventoryDeps, scope: Scope, key: string): Promise<Pinned> {
  const version = await wantedVersion(deps, scope, key, undefined);
  assertTrusted(await readTrust(deps.db.query, deps.trusted), scope, version);
  await assertFilesPresent(deps, version);
  const [install] = await store.installsOf(deps.db.query, scope, [key]);
  const values = install === undefined ? NOTHING : valuesBefore(deps, scope, install);
  assertSettingsComplete(version.settings, values);
  return { scope, key, version, values };
}

/** Returns the listeners that the code declares. Code without a trusted signature is not called. */
async function listenersOf(
  deps: InventoryDeps,
  scope: Scope,
  { wanted, given }: { readonly wanted: Version; readonly given: SettingsInput },
): Promise<Listener[]> {
  assertTrusted(await readTrust(deps.db.query, deps.trusted), scope, wanted);
  const [install] = await store.installsOf(deps.db.query, scope, [wanted.key]);
  const before = install === undefined ? NOTHING : valuesBefore(deps, scope, { ...install, enabled: false });
  const values = mergeValues(wanted.settings, before, given);
  const files = async (version: Version): ReturnType<Program["files"]> => await deps.blobs.read(version.manifest);
  return await describeCode({ ...deps, files }, scope, { version: wanted, values });
}

function assertTrusted(trust: Trust, { environment }: Scope, { key, signers }: Version): void {
  const reason = distrust(trust, { key, environment }, signers);
  if (reason !== undefined)
    throw new ServiceError("conflict", { detail: reason.message, extra: { reason: reason.code } });
}

interface Enabling {
  readonly wanted: Version;
  readonly input: EnableInput;
  readonly listeners: readonly Listener[];
}

async function enableHeld(
  deps: InventoryDeps,
  tx: Tx,
  caller: Caller,
  { wanted, input, listeners }: Enabling,
): Promise<void> {
  const { scope } = caller;
  const { key } = wanted;
  await store.lockShared(tx);
  const install = await hold(tx, scope, key);
  assertTrusted(await readTrust(tx.query, deps.trusted), scope, wanted);
  await assertSameVersion(tx, install, wanted, input);
  const values = mergeValues(
    wanted.settings,
    valuesBefore(deps, scope, { ...install, enabled: false }),
    input.settings ?? {},
  );
  assertSettingsComplete(wanted.settings, values);
  const home = { workspaceId: scope.workspaceId, key };
  const changed = await store.changeInstall(tx, install, {
    ...sealValues(deps.sealer, home, values),
    environment: scope.environment,
    digest: wanted.digest,
    enabled: true,
    quarantine: null,
    hook_seed_sealed: install.hook_seed_sealed ?? newHookSeed(deps.sealer, home),
  });
  await store.putListeners(tx, changed, listeners);
  await deps.contracts.replace(tx, caller, { connector: key, inputs: wanted.actions });
}

const NOTHING: Values = { shown: {}, secrets: {} };

/** Returns the current settings. Settings from a sandbox credential are not used in production. */
function valuesBefore({ sealer }: InventoryDeps, scope: Scope, install: InstallRow): Values {
  const isElsewhere = scope.environment === "live" && install.environment === "sandbox" && !install.enabled;
  return isElsewhere ? NOTHING : openValues(sealer, install);
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

/** Returns the version of the digest, the pinned version, or the version in the folder, in this order. */
async function wantedVersion(
  { db }: InventoryDeps,
  scope: Scope,
  key: string,
  digest: string | undefined,
): Promise<Version> {
  const connector = await existing(db.query, scope, key);
  const [install] = await store.installsOf(db.query, scope, [key]);
  const wanted = digest ?? install?.digest ?? connector.digest;
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

async function assertFilesPresent({ blobs }: InventoryDeps, { digest, manifest, version }: Version): Promise<void> {
  if (await blobs.has(digest, manifest)) return;
  throw new ServiceError("conflict", {
    detail: `This node does not have the files of version ${version}, or they were changed. Restore its folder, then rescan.`,
    extra: { reason: "files_missing" },
  });
}

/**
 * Throws 404 for an unknown key. A connector whose folder no longer exists is visible only to workspaces that installed
 * it.
 */
async function existing(query: Query, scope: Scope, key: string): Promise<ConnectorRow> {
  const row = await store.findConnector(query, key);
  if (row === undefined) throw new ServiceError("not_found");
  if (row.state === "absent" && (await store.installsOf(query, scope, [key])).length === 0)
    throw new ServiceError("not_found");
  return row;
}

/** Locks the install. A sandbox credential cannot change a connector that is used in production. */
async function hold(tx: Tx, scope: Scope, key: string): Promise<InstallRow> {
  const install = await store.holdInstall(tx, scope, key, { ...EMPTY, environment: scope.environment });
  if (scope.environment === "sandbox" && install.environment === "live")
    throw new ServiceError("environment_mismatch", {
      detail: "This connector was configured with a live credential and is used in production. Use a live credential.",
    });
  return install;
}

async function knownOf(
  deps: InventoryDeps,
  query: Query,
  scope: Scope,
  rows: readonly ConnectorRow[],
): Promise<Known[]> {
  const keys = rows.map(({ key }) => key);
  const installs = new Map((await store.installsOf(query, scope, keys)).map((one) => [one.key, one]));
  const digests = [...rows, ...installs.values()].flatMap(({ digest }) => digest ?? []);
  const versions = await store.findVersions(query, keys, digests);
  const running = [...installs.values()].filter(({ enabled }) => enabled).map(({ key }) => key);
  const health = running.length === 0 ? new Map<string, Health>() : await deps.healthOf(scope, running);
  const byDigest = new Map(versions.map((row) => [`${row.key} ${row.digest}`, readVersion(row)]));
  return rows.map((connector) => {
    const install = installs.get(connector.key);
    return {
      connector,
      install,
      found: byDigest.get(`${connector.key} ${connector.digest}`),
      pinned: byDigest.get(`${connector.key} ${install?.digest}`),
      health: health.get(connector.key),
      webhookUrl: webhookUrl(deps, scope, install),
    };
  });
}
