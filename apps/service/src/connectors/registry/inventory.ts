import type { Query } from "../../platform/db/db.ts";
import { paginate, ServiceError } from "../../lib/lib.ts";
import type { Environment, Page, t } from "../../lib/lib.ts";
import { scopeIn } from "../../accounts/accounts.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import * as store from "./connectors.store.ts";
import type { ConnectorRow } from "./connectors.store.ts";
import { assertFilesPresent, assertTrusted, enableVersion, valuesOf, wantedVersion } from "./enabling.ts";
import type { EnableInput, EnablingDeps } from "./enabling.ts";
import type { Health } from "./health.ts";
import { webhookUrl } from "./hook-token.ts";
import { existing, holdEnabled, holdOwn, holdSandbox } from "./installs.ts";
import type { Pinned } from "./pins.ts";
import { promoteConnector } from "./connector-promotion.ts";
import type { ConnectorPromotion, ConnectorPromotionRequest } from "./connector-promotion.ts";
import { assertSettingsComplete, assertValidSettings, mergeValues, sealValues, vetUrls } from "./connector-settings.ts";
import type { SettingsInput } from "./connector-settings.ts";
import { connectorKey, ownInstall, shownInstall, usersOf } from "./stored-install.ts";
import { readTrust } from "./trusted.ts";
import { readVersion } from "./version.ts";
import { connectorView } from "./connector-view.ts";
import type { ConnectorView, KnownConnector } from "./connector-view.ts";
import type * as shapes from "./connectors.schemas.ts";

/** The installations of one environment, or of the caller's and else of the other one. */
export interface Which {
  readonly environment?: Environment;
}

export type ConnectorQuery = t.Static<typeof shapes.ConnectorListQuery>;

/**
 * The connectors that a workspace can see, and its operations on them (contract, section 8). Each environment can have
 * its own installation of a connector, and a credential changes that of its own environment. A key that never had a
 * folder is 404.
 */
export interface Inventory {
  /** Throws 403 if a sandbox credential names live. */
  list(scope: Scope, query: ConnectorQuery): Promise<Page<ConnectorView>>;
  /** Throws 403 if a sandbox credential names live. */
  get(scope: Scope, key: string, which?: Which): Promise<ConnectorView>;
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
  /** Enables in live the version that the sandbox runs. With `dry_run`, only shows what would change. */
  promote(caller: Caller, key: string, request: ConnectorPromotionRequest): Promise<ConnectorPromotion>;
  /** Deletes the sandbox's own installation, so that the sandbox uses the live one again. Throws 404 if there is none. */
  removeSandbox(caller: Caller, key: string): Promise<void>;
  /** Returns the version that runs, or would run, with the current settings. Throws 409 and 422 as `enable` would. */
  forTrial(scope: Scope, key: string): Promise<Pinned>;
}

export interface InventoryDeps extends EnablingDeps {
  readonly baseUrl: string;
  /** Returns the health of the running connectors, by key. */
  readonly healthOf: (scope: Scope, keys: readonly string[]) => Promise<ReadonlyMap<string, Health>>;
}

export function createInventory(deps: InventoryDeps): Inventory {
  const { db } = deps;
  const shown = async (
    query: Query,
    scope: Scope,
    rows: readonly ConnectorRow[],
    which: Which = {},
  ): Promise<ConnectorView[]> => {
    const trust = await readTrust(query, deps.trusted);
    const place = which.environment === undefined ? scope : scopeIn(scope, which.environment);
    return (await knownOf(deps, query, { scope: place, which }, rows)).map((known) =>
      connectorView(place, trust, known),
    );
  };
  const get = async (query: Query, scope: Scope, key: string, which?: Which): Promise<ConnectorView> => {
    const [view] = await shown(query, scope, [await existing(query, scope, key)], which);
    if (view === undefined) throw new ServiceError("not_found");
    return view;
  };
  return {
    async list(scope, query) {
      assertMaySee(scope, query);
      const page = await paginate(query, {
        binding: [scope.workspaceId, "connectors", query.environment ?? null],
        read: async (before, count) => await store.listConnectors(db.query, scope, before, count),
        view: (row) => row,
      });
      return { ...page, data: await shown(db.query, scope, page.data, query) };
    },
    async get(scope, key, which = {}) {
      assertMaySee(scope, which);
      return await get(db.query, scope, key, which);
    },
    async enable(caller, key, input) {
      const { scope } = caller;
      const wanted = await wantedVersion(deps, scope, key, input.digest);
      return await enableVersion(deps, caller, { wanted, input }, async (tx) => await get(tx.query, scope, key));
    },
    async disable({ scope }, key) {
      return await db.transaction(async (tx) => {
        await existing(tx.query, scope, key);
        const install = await holdEnabled(tx, scope, key);
        await store.changeInstall(tx, install, { enabled: false, quarantine: null });
        await store.dropListeners(tx, install);
        await deps.contracts.withdraw(tx, scopeIn(scope, install.environment as Environment), key);
        return await get(tx.query, scope, key);
      });
    },
    async configure({ scope }, key, given) {
      const form = (await wantedVersion(deps, scope, key, undefined)).settings;
      assertValidSettings(form, given);
      await vetUrls(deps.net, form, given);
      return await db.transaction(async (tx) => {
        const install = await holdOwn(deps.sealer, tx, scope, key);
        const values = mergeValues(form, valuesOf(deps.sealer, install), given);
        if (install.enabled) assertSettingsComplete(form, values);
        await store.changeInstall(tx, install, sealValues(deps.sealer, install, values));
        return await get(tx.query, scope, key);
      });
    },
    promote: async (caller, key, request) => await promoteConnector(deps, caller, key, request),
    async removeSandbox({ scope }, key) {
      await db.transaction(async (tx) => {
        await existing(tx.query, scope, key);
        const install = await holdSandbox(tx, scope, key);
        await store.forgetCrashes(tx, install);
        await store.deleteInstall(tx, install);
        await deps.contracts.withdraw(tx, scopeIn(scope, "sandbox"), key);
      });
    },
    forTrial: async (scope, key) => await forTrial(deps, scope, key),
  };
}

/** Live settings are not shown to a sandbox credential that names live. */
function assertMaySee(scope: Scope, { environment }: Which): void {
  if (environment !== "live" || scope.environment === "live") return;
  throw new ServiceError("environment_mismatch", {
    detail: "A sandbox credential sees what the sandbox uses. Use a live credential to see the live installation.",
  });
}

/** Before the sandbox has its own installation, it tests with the live one's settings, against the fixtures. */
async function forTrial(deps: InventoryDeps, scope: Scope, key: string): Promise<Pinned> {
  const rows = await store.installsOf(deps.db.query, scope, [key]);
  const install =
    ownInstall(rows, key, scope.environment) ??
    (scope.environment === "sandbox" ? ownInstall(rows, key, "live") : undefined);
  const version = await wantedVersion(deps, scope, key, install?.digest ?? undefined);
  assertTrusted(await readTrust(deps.db.query, deps.trusted), scope, version);
  await assertFilesPresent(deps, version);
  const values = valuesOf(deps.sealer, install);
  assertSettingsComplete(version.settings, values);
  return { scope, key, version, values };
}

async function knownOf(
  deps: InventoryDeps,
  query: Query,
  { scope, which: { environment } }: { readonly scope: Scope; readonly which: Which },
  rows: readonly ConnectorRow[],
): Promise<KnownConnector[]> {
  const keys = rows.map(({ key }) => key);
  const installs = await store.installsOf(query, scope, keys);
  const digests = [...rows, ...installs].flatMap(({ digest }) => digest ?? []);
  const versions = await store.findVersions(query, keys, digests);
  const running = [...new Set(installs.filter(({ enabled }) => enabled).map(({ key }) => connectorKey(key)))];
  const health = running.length === 0 ? new Map<string, Health>() : await deps.healthOf(scope, running);
  const byDigest = new Map(versions.map((row) => [`${row.key} ${row.digest}`, readVersion(row)]));
  return rows.map((connector) => {
    const { key } = connector;
    const install =
      environment === undefined
        ? shownInstall(installs, key, scope.environment)
        : ownInstall(installs, key, environment);
    return {
      connector,
      install,
      actsIn: usersOf(
        installs.filter((one) => connectorKey(one.key) === key),
        install,
      ),
      found: byDigest.get(`${key} ${connector.digest}`),
      pinned: byDigest.get(`${key} ${install?.digest}`),
      health: health.get(key),
      webhookUrl: webhookUrl(deps, scope, install),
    };
  });
}
