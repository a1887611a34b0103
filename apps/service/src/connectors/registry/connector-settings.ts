import { hide, parseJson, pointerOf, ServiceError } from "../../lib/lib.ts";
import type { Hidden, Sealer, Violation } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { InstallRow } from "./connectors.store.ts";
import { isSecret, isUrl, valueFault } from "./settings-form.ts";
import type { SettingsForm, SettingValue } from "./settings-form.ts";

/** A connector's stored settings, separated into values that are shown and secrets. */
export interface Values {
  readonly shown: Readonly<Record<string, SettingValue>>;
  readonly secrets: Readonly<Record<string, Hidden>>;
}

/** Settings as sent in a body. Null removes a value. */
export type SettingsInput = Readonly<Record<string, unknown>>;

/** Returns the place to which the secrets of an install are sealed. `key` is the stored one, so that each environment has its own. */
export function settingsPlace(workspaceId: string, key: string): string {
  return `connector_settings:${workspaceId}:${key}`;
}

export function openValues(sealer: Sealer, install: InstallRow): Values {
  return {
    shown: parseJson(install.settings) as Values["shown"],
    secrets: install.secrets_sealed === null ? {} : openSecretSettings(sealer, install, install.secrets_sealed),
  };
}

function openSecretSettings(sealer: Sealer, { workspace_id, key }: InstallRow, sealed: Buffer): Values["secrets"] {
  const texts = parseJson(sealer.open(sealed, settingsPlace(workspace_id, key)).reveal()) as Record<string, string>;
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, hide(text)]));
}

/** Returns the settings or their defaults by name, without the secrets. */
export function shownSettings({ properties }: SettingsForm, { shown }: Values): Record<string, SettingValue> {
  const values = Object.entries(properties).flatMap(([name, setting]) => {
    const value = Object.hasOwn(shown, name) ? shown[name] : setting.default;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/** Returns the database columns for these values, sealed for the install. */
export function sealValues(
  sealer: Sealer,
  { workspace_id, key }: Pick<InstallRow, "workspace_id" | "key">,
  { shown, secrets }: Values,
): Pick<InstallRow, "settings" | "secret_names" | "secrets_sealed"> {
  const names = Object.keys(secrets).toSorted();
  const texts = Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]));
  return {
    settings: JSON.stringify(shown),
    secret_names: names,
    secrets_sealed: names.length === 0 ? null : sealer.seal(JSON.stringify(texts), settingsPlace(workspace_id, key)),
  };
}

/**
 * Returns the current settings with the given changes. Settings of another version that the form no longer has are left
 * out.
 */
export function mergeValues(form: SettingsForm, before: Values, given: SettingsInput): Values {
  const shown: Record<string, SettingValue> = {};
  const secrets: Record<string, Hidden> = {};
  for (const [name, setting] of Object.entries(form.properties)) {
    const kept = Object.hasOwn(before.shown, name) ? before.shown[name] : ownSecret(before.secrets, name);
    const value = Object.hasOwn(given, name) ? given[name] : kept;
    if (value === null || value === undefined || valueFault(setting, value) !== undefined) continue;
    if (isSecret(setting)) secrets[name] = hide(value as string);
    else shown[name] = value as SettingValue;
  }
  return { shown, secrets };
}

/** Throws 422 with every fault of the given settings. */
export function assertValidSettings(form: SettingsForm, given: SettingsInput): void {
  const errors = Object.entries(given).flatMap(([name, value]): Violation[] => {
    const pointer = pointerOf(["settings", name]);
    const setting = Object.hasOwn(form.properties, name) ? form.properties[name] : undefined;
    if (setting === undefined) return [{ pointer, code: "unknown", message: "is not a setting of the connector" }];
    const fault = value === null ? undefined : valueFault(setting, value);
    return fault === undefined ? [] : [{ pointer, ...fault }];
  });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

/** Returns the required settings that are not set and have no default. */
export function missingOf(form: SettingsForm, isSet: (name: string) => boolean): string[] {
  return (form.required ?? []).filter((name) => !isSet(name) && form.properties[name]?.default === undefined);
}

/** Throws 422 if a required setting is not set. */
export function assertSettingsComplete(form: SettingsForm, { shown, secrets }: Values): void {
  const missing = missingOf(form, (name) => Object.hasOwn(shown, name) || Object.hasOwn(secrets, name));
  if (missing.length === 0) return;
  const errors = missing.map((name) => ({
    pointer: pointerOf(["settings", name]),
    code: "required",
    message: "is required",
  }));
  throw new ServiceError("validation_failed", { errors });
}

/**
 * Checks every given URL for safety. Throws 422 `url_blocked` at its pointer. Call it outside of a transaction, because
 * it uses the network.
 */
export async function vetUrls(net: Pick<Net, "vet">, form: SettingsForm, given: SettingsInput): Promise<void> {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string" || !isUrl(form.properties[name])) continue;
    try {
      await net.vet(value);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { detail = "The service does not send requests to this URL." } = error.details;
      const errors = [{ pointer: pointerOf(["settings", name]), code: error.code, message: detail }];
      throw new ServiceError(error.code, { ...error.details, errors });
    }
  }
}

function ownSecret(secrets: Values["secrets"], name: string): string | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name]?.reveal() : undefined;
}
