import { settingsOf } from "../../accounts/accounts.ts";
import type { People } from "../../accounts/accounts.ts";
import { pick } from "./documents.ts";
import type { Kind } from "./kind.ts";

/** The settings of the workspace are one object without a name. */
export const SETTINGS_NAME = "settings";

export function settingsKind({ current }: Pick<People, "current">): Kind {
  return {
    section: "settings",
    identity: "name",
    subject: "workspace",
    operations: {
      read: "workspaces.get",
      create: "workspaces.update",
      update: "workspaces.update",
      delete: "workspaces.update",
    },
    isShared: true,
    required: [],
    base: [],
    resolve: (document) => pick({ ...settingsOf({}), ...document }, Object.keys(settingsOf({}))),
    async read({ scope }) {
      const document = { ...(await current.settings(scope.workspaceId)) };
      return [{ id: SETTINGS_NAME, name: SETTINGS_NAME, document }];
    },
    // They always exist.
    create: async () => await Promise.resolve(),
    async change(caller, { document, changed }) {
      await current.update(caller, { settings: pick(document, [...changed]) });
    },
  };
}
