import type { Tx } from "../../platform/db/db.ts";
import { assertPromotable, ServiceError } from "../../lib/lib.ts";
import type { t } from "../../lib/lib.ts";
import type { Caller } from "../../accounts/accounts.ts";
import * as store from "./connectors.store.ts";
import type { InstallRow } from "./connectors.store.ts";
import { assertFilesPresent, assertTrusted, enableVersion, valuesOf, wantedVersion } from "./enabling.ts";
import type { EnableInput, EnablingDeps } from "./enabling.ts";
import { existing } from "./installs.ts";
import { assertValidSettings, mergeValues, missingOf } from "./connector-settings.ts";
import { ownInstall } from "./stored-install.ts";
import { readTrust } from "./trusted.ts";
import { isOlder, NOTHING, readVersion, wideningOf } from "./version.ts";
import type { Version } from "./version.ts";
import type * as shapes from "./connectors.schemas.ts";

export interface ConnectorPromotionRequest extends Omit<EnableInput, "digest"> {
  readonly dry_run?: boolean;
  /** The versions that the caller has seen. */
  readonly source_digest?: string;
  readonly live_digest?: string | null;
}

export type ConnectorPromotion = t.Static<typeof shapes.PromotionView>;

interface Pair {
  readonly source: InstallRow;
  readonly live: InstallRow | undefined;
}

/**
 * Enables in live the version that the sandbox runs. Live keeps its own settings and secrets: none of the sandbox's are
 * copied. Throws 409 if the sandbox runs no version of its own, or if one of the versions was changed since, and
 * otherwise what enabling the version in live throws.
 */
export async function promoteConnector(
  deps: EnablingDeps,
  caller: Caller,
  key: string,
  request: ConnectorPromotionRequest,
): Promise<ConnectorPromotion> {
  const { scope } = caller;
  await existing(deps.db.query, scope, key);
  const seen = pairOf(await store.installsOf(deps.db.query, scope, [key]), key);
  assertExpected(request, seen);
  const wanted = await wantedVersion(deps, scope, key, seen.source.digest ?? undefined);
  assertTrusted(await readTrust(deps.db.query, deps.trusted), scope, wanted);
  await assertFilesPresent(deps, wanted);
  const before = await pinnedVersion(deps, seen.live);
  const plan = planOf(deps, { wanted, before, live: seen.live, request });
  if (request.dry_run === true || plan.effect === "none") return plan;
  const { dry_run: _run, source_digest: _source, live_digest: _live, ...input } = request;
  const check = async (tx: Tx): Promise<void> => {
    const pair = pairOf(await store.heldInstalls(tx, scope, key), key);
    assertExpected({ source_digest: wanted.digest, live_digest: seen.live?.digest ?? null }, pair);
  };
  const enabling = { wanted, input: { ...input, digest: wanted.digest }, check };
  await enableVersion(deps, caller, enabling, async () => {});
  return { ...plan, live_version: wanted.version, live_digest: wanted.digest, missing_settings: [] };
}

/** Throws 409 unless the sandbox runs a version of its own. */
function pairOf(rows: readonly InstallRow[], key: string): Pair {
  const source = ownInstall(rows, key, "sandbox");
  const live = ownInstall(rows, key, "live");
  if (source === undefined && live !== undefined) assertPromotable("live", "connector");
  if (source === undefined || !source.enabled || source.quarantine !== null)
    throw new ServiceError("conflict", {
      detail: `The sandbox does not run ${key}. Enable it with a sandbox credential first.`,
      extra: { reason: "not_running" },
    });
  return { source, live };
}

function assertExpected({ source_digest: source, live_digest: live }: ConnectorPromotionRequest, found: Pair): void {
  const isSame =
    (source === undefined || source === found.source.digest) &&
    (live === undefined || live === (found.live?.digest ?? null));
  if (isSame) return;
  throw new ServiceError("conflict", {
    detail:
      "The version of the sandbox or of live was changed since you saw the difference. Request it again with dry_run.",
    extra: { reason: "version_changed" },
  });
}

async function pinnedVersion({ db }: EnablingDeps, live: InstallRow | undefined): Promise<Version | undefined> {
  if (live === undefined || live.digest === null) return undefined;
  const [row] = await store.findVersions(db.query, [live.key], [live.digest]);
  return row === undefined ? undefined : readVersion(row);
}

interface Planned {
  readonly wanted: Version;
  /** The version that live pinned. */
  readonly before: Version | undefined;
  readonly live: InstallRow | undefined;
  readonly request: ConnectorPromotionRequest;
}

function planOf(deps: EnablingDeps, { wanted, before, live, request }: Planned): ConnectorPromotion {
  const given = request.settings ?? {};
  assertValidSettings(wanted.settings, given);
  const kept = valuesOf(deps.sealer, live);
  const { shown, secrets } = mergeValues(wanted.settings, kept, given);
  const isSet = (name: string): boolean => Object.hasOwn(shown, name) || Object.hasOwn(secrets, name);
  const dropped = [...Object.keys(kept.shown), ...Object.keys(kept.secrets)].filter((name) => !isSet(name));
  return {
    object: "connector_promotion",
    key: wanted.key,
    dry_run: request.dry_run === true,
    effect: effectOf({ wanted, before, live, request }),
    source_version: wanted.version,
    source_digest: wanted.digest,
    live_version: before?.version ?? null,
    live_digest: before?.digest ?? null,
    downgrade: before !== undefined && isOlder(wanted, before),
    adds: wideningOf(before ?? NOTHING, wanted),
    missing_settings: missingOf(wanted.settings, isSet),
    warnings: warningsOf(live, dropped),
  };
}

function effectOf({ wanted, before, live, request }: Planned): ConnectorPromotion["effect"] {
  if (live === undefined || before === undefined) return "create";
  const isRunning = live.enabled && live.quarantine === null && before.digest === wanted.digest;
  return isRunning && Object.keys(request.settings ?? {}).length === 0 ? "none" : "update";
}

function warningsOf(live: InstallRow | undefined, dropped: readonly string[]): string[] {
  const warnings: string[] = [];
  if (live !== undefined && live.digest !== null && (!live.enabled || live.quarantine !== null))
    warnings.push("The connector does not run in live. The promotion enables it.");
  if (dropped.length > 0)
    warnings.push(`Live loses the values of these settings, which the version does not accept: ${dropped.join(", ")}.`);
  return warnings;
}
