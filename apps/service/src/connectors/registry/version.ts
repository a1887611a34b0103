import { coversEvents } from "../../events/events.ts";
import type { ContractInput } from "../../actions/actions.ts";
import { canonicalJson, parseJson } from "../../lib/lib.ts";
import type { VersionRow } from "./connectors.store.ts";
import type { Description } from "./description.ts";
import type { Manifest } from "./manifest.ts";
import type { Contents } from "./package.ts";
import { compareVersions } from "./semver.ts";
import type { SettingsForm } from "./settings-form.ts";

/** A verified version, as stored. */
export interface Version extends Contents {
  readonly key: string;
  readonly digest: string;
  readonly version: string;
  readonly manifest: Manifest;
  readonly signers: readonly string[];
}

/** Permissions of one version that another does not have. An administrator reviews them before the update. */
export interface Widening {
  readonly egress: string[];
  readonly events: string[];
  readonly fires: string[];
  readonly reads: Description["reads"];
  readonly mail: boolean;
  readonly actions: string[];
  /** Actions of both versions whose contracts differ. */
  readonly changed_actions: string[];
}

export function readVersion(row: VersionRow): Version {
  return {
    key: row.key,
    digest: row.digest,
    version: row.version,
    signers: row.signers,
    manifest: parseJson(row.manifest) as Manifest,
    description: parseJson(row.description) as Description,
    actions: parseJson(row.actions) as ContractInput[],
    settings: parseJson(row.settings) as SettingsForm,
  };
}

export function isOlder(version: Version, than: Version): boolean {
  return compareVersions(version.version, than.version) < 0;
}

type Permissions = Pick<Version, "actions"> & {
  readonly description: Pick<Description, "egress" | "events" | "fires" | "reads" | "mail">;
};

/** The permissions of no version, to show those of a first one. */
export const NOTHING: Permissions = {
  actions: [],
  description: { egress: [], events: [], fires: [], reads: [], mail: false },
};

export function wideningOf(from: Permissions, to: Permissions): Widening {
  const [before, after] = [from.description, to.description];
  const contracts = new Map(from.actions.map((one) => [one.key, canonicalJson(one)]));
  const others = to.actions.filter((one) => contracts.get(one.key) !== canonicalJson(one)).map(({ key }) => key);
  return {
    egress: added(before.egress, after.egress),
    events: after.events.filter((pattern) => !coversEvents(before.events, pattern)),
    fires: added(before.fires, after.fires),
    reads: added(before.reads, after.reads),
    mail: after.mail && !before.mail,
    actions: others.filter((key) => !contracts.has(key)),
    changed_actions: others.filter((key) => contracts.has(key)),
  };
}

function added<Text extends string>(before: readonly Text[], after: readonly Text[]): Text[] {
  return after.filter((one) => !before.includes(one));
}
