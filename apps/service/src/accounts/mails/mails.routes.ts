import { timeText, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import { MAX_ATTEMPTS } from "../../platform/mail/mail.ts";
import type { Mail, MailRow } from "../../platform/mail/mail.ts";
import { callerOf, route } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import { anyMember, keepers, live } from "../callers/callers.ts";
import { memberWireId } from "../people/member-view.ts";
import { scopeFields } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import type { MailPreferences } from "./mail-preferences.ts";
import * as shapes from "./mails.schemas.ts";

export function mailRoutes(app: App, { mail, preferences }: MailRouteDeps): void {
  preferenceRoutes(app, preferences);
  route(app, "GET /v1/mails", {
    config: { operation: "mails.list", callers: keepers },
    operationId: "listMails",
    summary: "List e-mail",
    description:
      "Returns the service's e-mail of the workspace, newest first, without its text. Mail of connectors is in their run log. Mail about an account, such as a new password, belongs to no workspace. The list stays empty if the operator has set no mail server.",
    querystring: shapes.MailListQuery,
    response: { 200: shapes.MailList },
    handler: async (request) => {
      const { scope } = callerOf(request);
      const page = await mail.list(scope, request.query);
      return { ...page, data: page.data.map((row) => mailView(scope, row)) };
    },
  });
}

interface MailRouteDeps {
  readonly mail: Mail;
  readonly preferences: MailPreferences;
}

function preferenceRoutes(app: App, preferences: MailPreferences): void {
  route(app, "GET /v1/mails/preferences", {
    config: {
      operation: "mails.preferences.get",
      callers: anyMember,
      allWorkspaces: true,
      errors: ["surface_not_allowed"],
    },
    operationId: "getMailPreferences",
    summary: "Show your e-mail preferences",
    description: "Returns which e-mail of this workspace the person of the session or key gets.",
    response: { 200: shapes.PreferencesView },
    handler: async (request) => await preferences.get(callerOf(request).key),
  });

  route(app, "PATCH /v1/mails/preferences", {
    config: {
      operation: "mails.preferences.update",
      callers: live(anyMember),
      allWorkspaces: true,
      errors: ["surface_not_allowed"],
    },
    operationId: "updateMailPreferences",
    summary: "Change your e-mail preferences",
    description:
      "Turns e-mail of this workspace on or off, for the person of the session or key. Mail about your account is always sent.",
    body: shapes.PreferencesBody,
    response: { 200: shapes.PreferencesView },
    handler: async (request) => await preferences.change(callerOf(request).key, request.body),
  });
}

function mailView(scope: Scope, row: MailRow) {
  // While a mail is leased, `due_at` is the end of the lease.
  const next = row.lease_id === null ? row.due_at : null;
  return {
    id: wireId("mail", scope.tag, row.id),
    object: "mail" as const,
    purpose: row.purpose,
    member_id: row.member_id === null ? null : memberWireId(scope, row.member_id),
    recipient: row.recipient === null ? null : masked(row.recipient),
    state: row.state as "waiting",
    attempts: row.attempts,
    max_attempts: MAX_ATTEMPTS,
    error_class: row.error_class,
    error: row.error,
    next_attempt_at: timeText(next),
    ended_at: timeText(row.ended_at),
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
  };
}

/** Returns the address with the first letter of its name alone. */
function masked(address: string): string {
  const at = address.lastIndexOf("@");
  return `${String.fromCodePoint(address.codePointAt(0) ?? 0x2022)}•••${address.slice(at)}`;
}
