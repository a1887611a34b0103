import type { Db } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ApiKey } from "../callers/api-key.ts";
import { MAIL_KINDS, mailOff, setMailOff } from "../identity/mail-recipients.store.ts";
import type { MailKind } from "../identity/mail-recipients.store.ts";

export type MailPreferencesView = { readonly object: "mail_preferences" } & { readonly [Kind in MailKind]: boolean };

/** Which e-mail a member of a workspace wants. */
export type MailPreferences = ReturnType<typeof createMailPreferences>;

export function createMailPreferences({ db }: { readonly db: Db }) {
  return {
    /** Throws surface_not_allowed for a key without a person. */
    async get(caller: ApiKey): Promise<MailPreferencesView> {
      const off = await mailOff(db.query, caller.workspaceId, memberOf(caller));
      return mailPreferencesView(off ?? []);
    },
    async change(caller: ApiKey, change: { readonly [Kind in MailKind]?: boolean }): Promise<MailPreferencesView> {
      const memberId = memberOf(caller);
      return await db.transaction(async (tx) => {
        const view = mailPreferencesView((await mailOff(tx.query, caller.workspaceId, memberId)) ?? []);
        const changed = { ...view, ...change };
        await setMailOff(
          tx,
          memberId,
          MAIL_KINDS.filter((kind) => !changed[kind]),
        );
        return changed;
      });
    },
  };
}

function memberOf({ memberId }: ApiKey): Uuid {
  if (memberId !== null) return memberId;
  throw new ServiceError("surface_not_allowed", {
    detail: "The key belongs to no person. Use a session, or a key that is bound to a person.",
  });
}

function mailPreferencesView(off: readonly string[]): MailPreferencesView {
  return {
    object: "mail_preferences",
    notifications: !off.includes("notifications"),
    approvals: !off.includes("approvals"),
    endpoint_failures: !off.includes("endpoint_failures"),
  };
}
