import { describe, expect, test } from "vitest";
import { needOf, SETTING_GUARDS } from "./guarded-settings.ts";
import type { Need } from "./guarded-settings.ts";
import { settingsOf } from "./workspace-defaults.ts";
import type { WorkspaceSettings } from "./workspace-defaults.ts";

type Value = WorkspaceSettings[keyof WorkspaceSettings];
type Change = readonly [before: Value, after: Value];

/** For each setting: the change that weakens its guard, and what it needs. Null: the setting guards nothing. */
const SETTINGS: Readonly<Record<keyof WorkspaceSettings, { readonly weaker: Change; readonly needs: Need } | null>> = {
  retention_days: null,
  inline_confirmation: { weaker: [false, true], needs: "owner" },
  solo_approval: { weaker: [false, true], needs: "owner" },
  require_step_up: { weaker: [true, false], needs: "step_up" },
  require_approval_for_configuration: { weaker: [true, false], needs: "owner" },
  password_sign_in: { weaker: [false, true], needs: "owner" },
  assistant: null,
  time_zone: null,
  portal_name: null,
  portal_logo: null,
  portal_origins: { weaker: [[], ["https://shop.example"]], needs: "keepers" },
};

test("each setting of a workspace says whether it guards, and what its weakening needs", () => {
  expect(Object.keys(settingsOf({})).toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
  expect(Object.keys(SETTING_GUARDS).toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
});

describe.each(Object.entries(SETTINGS))("the setting %s", (text, guard) => {
  const name = text as keyof WorkspaceSettings;
  test("needs more for what weakens, and for nothing else", () => {
    if (guard === null) return expect(SETTING_GUARDS[name]).toBeNull();
    const [before, after] = guard.weaker;
    expect(needOf(name, settingsOf({ [name]: before }), { [name]: after })).toBe(guard.needs);
    expect(needOf(name, settingsOf({ [name]: after }), { [name]: before })).toBeUndefined();
    expect(needOf(name, settingsOf({ [name]: after }), { [name]: after })).toBeUndefined();
    expect(needOf(name, settingsOf({ [name]: before }), {})).toBeUndefined();
  });
});
