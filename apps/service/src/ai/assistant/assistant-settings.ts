import type { Db } from "../../platform/db/db.ts";
import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { parseJson, ServiceError, timeText } from "../../lib/lib.ts";
import type { Violation, t } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Scope, WorkspaceSettings } from "../../accounts/accounts.ts";
import * as store from "./assistant.store.ts";
import type { SettingsRow } from "./assistant.store.ts";
import { HOSTILE } from "./scripted-provider.ts";
import type * as shapes from "./assistant.schemas.ts";

export type ProviderKind = WorkspaceSettings["assistant"];

/** The workspace's settings of its assistant. The provider itself is a setting of the workspace. */
export type AssistantInput = t.Static<typeof shapes.AssistantPatch>;

export interface AssistantView {
  readonly object: "assistant";
  readonly provider: ProviderKind;
  /** `on` if the assistant receives events. `incomplete` if settings are missing, which `missing` names. */
  readonly state: "off" | "incomplete" | "on";
  readonly missing: string[];
  readonly base_url: string | null;
  readonly model: string | null;
  readonly secret_ref: string | null;
  readonly instructions: string;
  readonly events: string[];
  readonly max_per_minute: number;
  readonly max_per_day: number;
  readonly script: unknown;
  /** The model requests of the workspace, in both environments together. */
  readonly asked: { readonly last_minute: number; readonly last_day: number };
  /** The events of this environment that wait for the assistant, and those of the last day that it failed to process. */
  readonly waiting: number;
  readonly failed: number;
  readonly updated_at: string | null;
}

export const DEFAULT_PER_MINUTE = 10;
export const DEFAULT_PER_DAY = 500;

export interface SettingsDeps {
  readonly db: Db;
  readonly net: Pick<Net, "vet">;
  /** Returns the current settings. */
  readonly workspaceSettings: (scope: Scope) => Promise<WorkspaceSettings>;
}

/** The current settings that processing an event needs: the provider and the workspace's instructions. */
export interface Configured extends Settings {
  readonly provider: ProviderKind;
}

/** `updated_at` is null if nothing was ever saved. */
type Settings = Omit<SettingsRow, "updated_at"> & { readonly updated_at: Date | null };

export async function configured(
  deps: Pick<SettingsDeps, "db" | "workspaceSettings">,
  scope: Scope,
): Promise<Configured> {
  const [row, settings] = await Promise.all([store.findSettings(deps.db.query, scope), deps.workspaceSettings(scope)]);
  return { ...(row ?? blank(scope)), provider: settings.assistant };
}

/** Returns the names of the settings that the assistant needs and lacks. */
export function missingOf({ provider, base_url: baseUrl, model, script, events }: Configured): string[] {
  if (provider === "off") return [];
  const wanted: readonly (readonly [string, unknown])[] =
    provider === "scripted"
      ? [["script", script]]
      : [
          ["base_url", baseUrl],
          ["model", model],
        ];
  const lacking = wanted.filter(([, value]) => value === null).map(([name]) => name);
  return events.length === 0 ? [...lacking, "events"] : lacking;
}

export async function showSettings(deps: SettingsDeps, scope: Scope): Promise<AssistantView> {
  const row = await configured(deps, scope);
  const [spent, tasks] = await Promise.all([
    store.spentOf(deps.db.query, scope, { perMinute: row.max_per_minute, perDay: MAX_PER_DAY }),
    store.countTasks(deps.db.query, scope),
  ]);
  const missing = missingOf(row);
  const state = row.provider === "off" ? "off" : missing.length > 0 ? "incomplete" : "on";
  return {
    object: "assistant",
    provider: row.provider,
    state,
    missing,
    base_url: row.base_url,
    model: row.model,
    secret_ref: row.secret_ref,
    instructions: row.instructions,
    events: row.events,
    max_per_minute: row.max_per_minute,
    max_per_day: row.max_per_day,
    script: shownScript(row.script),
    asked: { last_minute: spent.in_minute, last_day: spent.in_day },
    waiting: tasks.waiting,
    failed: tasks.failed,
    updated_at: timeText(row.updated_at),
  };
}

/** Changes only the given members. Throws 422 with all errors, or `url_blocked`. */
export async function changeSettings(deps: SettingsDeps, scope: Scope, input: AssistantInput): Promise<AssistantView> {
  const errors = faultsOf(input);
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  if (typeof input.base_url === "string") await deps.net.vet(input.base_url);
  await deps.db.transaction(async (tx) => {
    const before = (await store.holdSettings(tx, scope)) ?? blank(scope);
    const { updated_at: _at, ...row } = before;
    const { script, events, ...plain } = input;
    await store.saveSettings(tx.query, {
      ...row,
      ...plain,
      ...(events === undefined ? {} : { events: [...new Set(events)] }),
      ...(script === undefined ? {} : { script: keptScript(script) }),
    });
  });
  return await showSettings(deps, scope);
}

export const MAX_PER_DAY = 100_000;

function blank({ bucket, workspaceId }: Scope): Settings {
  return {
    bucket,
    workspace_id: workspaceId,
    base_url: null,
    model: null,
    secret_ref: null,
    instructions: "",
    events: [],
    max_per_minute: DEFAULT_PER_MINUTE,
    max_per_day: DEFAULT_PER_DAY,
    script: null,
    updated_at: null,
  };
}

function faultsOf({ events = [], script }: AssistantInput): Violation[] {
  const bad = events.flatMap((name, at) =>
    isEventPattern(name) ? [] : [{ pointer: `/events/${at}`, code: "event_name", message: EVENT_PATTERN_FAULT }],
  );
  return script === undefined || script === null ? bad : [...bad, ...scriptFaults(script)];
}

function keptScript(script: unknown): string | null {
  if (script === null) return null;
  return script === HOSTILE ? HOSTILE : JSON.stringify(script);
}

function shownScript(script: string | null): unknown {
  return script === null || script === HOSTILE ? script : parseJson(script);
}
