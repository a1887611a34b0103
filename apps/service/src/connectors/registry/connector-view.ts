import { parseJson, timeText, toRfc3339, uuidTime } from "../../lib/lib.ts";
import type { Environment, t } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { ConnectorRow, InstallRow } from "./connectors.store.ts";
import type { Description } from "./description.ts";
import type { Health } from "./health.ts";
import type { Reason } from "./version-refusal.ts";
import { distrust } from "./scan-folders.ts";
import { missingOf } from "./connector-settings.ts";
import { isSecret } from "./settings-form.ts";
import type { SettingsForm } from "./settings-form.ts";
import { standingOf } from "./trust.ts";
import type { Trust } from "./trust.ts";
import { isOlder, wideningOf } from "./version.ts";
import type { Version } from "./version.ts";
import type * as shapes from "./connectors.schemas.ts";

export type State = (typeof shapes.STATES)[number];

/** Everything known about a connector in one workspace. */
export interface KnownConnector {
  readonly connector: ConnectorRow;
  /** The version in the folder; undefined unless verified. */
  readonly found: Version | undefined;
  readonly install: InstallRow | undefined;
  /** The environments that use the install. */
  readonly actsIn: Environment[];
  /** The version that the workspace runs, or ran last. */
  readonly pinned: Version | undefined;
  /** Undefined if the connector is not enabled. */
  readonly health: Health | undefined;
  /** The URL for the other service's webhooks; null if it cannot send any. */
  readonly webhookUrl: string | null;
}

type Described = Pick<
  Description,
  "events" | "fires" | "reads" | "egress" | "identity_providers" | "context_providers"
> & {
  readonly actions: string[];
  readonly settings_schema: SettingsForm | null;
} & { readonly [Name in "name" | "description" | "runtime" | "priority" | "mail"]: Description[Name] | null };

/** The description of an untrusted connector, which shows nothing of its contents. */
const UNKNOWN: Described = {
  name: null,
  description: null,
  runtime: null,
  priority: null,
  mail: null,
  events: [],
  fires: [],
  reads: [],
  egress: [],
  identity_providers: [],
  context_providers: [],
  actions: [],
  settings_schema: null,
};

export type ConnectorView = t.Static<typeof shapes.ConnectorView>;

const NOT_RUNNING = { status: "not_running", last_run_at: null, last_error: null } as const;
const IDLE = { status: "idle", last_run_at: null, last_error: null } as const;

export function connectorView(scope: Scope, trust: Trust, known: KnownConnector): ConnectorView {
  const { connector, found, install, pinned } = known;
  const version = pinned ?? found;
  const folderReason = connector.reason === null ? null : (parseJson(connector.reason) as Reason);
  const trouble = troubleOf(trust, known, folderReason);
  const update = updateIn(trust, scope, known);
  const state = stateOf(known, trouble, update);
  return {
    object: "connector",
    key: connector.key,
    ...namedOf(version),
    state,
    reason: trouble,
    // A quarantined connector is not enabled in effect, even if the workspace enabled it.
    enabled: state === "enabled" || state === "update_available",
    sandbox_only: isSandboxOnly(trust, version, install),
    installed_in: (install?.environment ?? null) as Environment | null,
    acts_in: known.actsIn,
    signature: signatureOf(trust, version, folderReason),
    ...describedOf(version),
    ...settingsOf(version, install),
    folder: {
      status: connector.state as ConnectorView["folder"]["status"],
      ...namedOf(found),
      reason: folderReason,
      scanned_at: timeText(connector.scanned_at),
    },
    update: update === undefined || pinned === undefined ? null : updateView(pinned, update),
    webhook_url: version?.description.webhook == null ? null : known.webhookUrl,
    health: healthOf(state, known.health),
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(connector.id)),
  };
}

function healthOf(state: State, health: Health | undefined): ConnectorView["health"] {
  if (state === "quarantined") return { ...(health ?? IDLE), status: "quarantined" };
  return state === "enabled" || state === "update_available" ? (health ?? IDLE) : NOT_RUNNING;
}

/**
 * Returns the reason why the connector is quarantined or refused. Trust is read on each call, so that a revocation
 * takes effect at once.
 */
function troubleOf(
  trust: Trust,
  { install, pinned, found, connector }: KnownConnector,
  folder: Reason | null,
): Reason | null {
  if (install?.enabled === true && pinned !== undefined) {
    if (install.quarantine !== null) return parseJson(install.quarantine) as Reason;
    return distrust(trust, install, pinned.signers) ?? null;
  }
  if (pinned !== undefined) return null;
  if (folder !== null || found === undefined) return folder;
  const standing = standingOf(trust, connector.key, found.signers);
  return standing.kind === "trusted" ? null : { code: standing.code, path: null, message: standing.message };
}

function stateOf(known: KnownConnector, trouble: Reason | null, update: Version | undefined): State {
  const { install, pinned, found } = known;
  if (install !== undefined && pinned !== undefined) {
    if (!install.enabled) return "disabled";
    if (trouble !== null) return "quarantined";
    return update === undefined ? "enabled" : "update_available";
  }
  if (trouble !== null) return "refused";
  if (found === undefined) return "absent";
  return install !== undefined && isConfigured(found, install) ? "configured" : "verified";
}

/**
 * Returns the folder's version if it differs from the pinned one and the caller's environment may enable it. Production
 * refuses a version that a development key signed.
 */
function updateIn(trust: Trust, scope: Scope, { found, pinned, install }: KnownConnector): Version | undefined {
  if (found === undefined || pinned === undefined || install === undefined) return undefined;
  if (found.digest === pinned.digest) return undefined;
  const environment = scope.environment === "sandbox" ? "sandbox" : install.environment;
  return distrust(trust, { key: install.key, environment }, found.signers) === undefined ? found : undefined;
}

function isConfigured(found: Version, install: InstallRow): boolean {
  const set = new Set([...Object.keys(parseJson(install.settings) as object), ...install.secret_names]);
  return set.size > 0 && missingOf(found.settings, (name) => set.has(name)).length === 0;
}

function isSandboxOnly(trust: Trust, version: Version | undefined, install: InstallRow | undefined): boolean {
  if (version === undefined) return false;
  if (install?.digest != null && install.enabled) return install.environment === "sandbox";
  const standing = standingOf(trust, version.key, version.signers);
  return standing.kind === "trusted" && standing.development;
}

function signatureOf(trust: Trust, version: Version | undefined, folder: Reason | null): ConnectorView["signature"] {
  if (version === undefined) return folder?.code === "unsigned" ? "unsigned" : "invalid";
  return standingOf(trust, version.key, version.signers).kind === "trusted" ? "valid" : "invalid";
}

function namedOf(version: Version | undefined): Pick<ConnectorView, "version" | "digest"> {
  return version === undefined ? { version: null, digest: null } : { version: version.version, digest: version.digest };
}

function describedOf(version: Version | undefined): Described {
  if (version === undefined) return UNKNOWN;
  const { version: _number, webhook: _webhook, verified_against: _against, ...told } = version.description;
  return { ...told, actions: version.actions.map(({ key }) => key), settings_schema: version.settings };
}

function settingsOf(
  version: Version | undefined,
  install: InstallRow | undefined,
): Pick<ConnectorView, "settings" | "secrets"> {
  const properties = Object.entries(version?.settings.properties ?? {});
  const secrets = properties
    .filter(([, setting]) => isSecret(setting))
    .map(([name]) => [name, install?.secret_names.includes(name) === true ? "set" : "unset"] as const);
  return {
    settings: install === undefined ? {} : (parseJson(install.settings) as ConnectorView["settings"]),
    secrets: Object.fromEntries(secrets),
  };
}

function updateView(pinned: Version, found: Version): ConnectorView["update"] {
  return {
    version: found.version,
    digest: found.digest,
    downgrade: isOlder(found, pinned),
    adds: wideningOf(pinned, found),
  };
}
