import { defineModule } from "../composition/module.ts";
import { only } from "../composition/points.ts";
import type { Tx } from "../platform/db/db.ts";
import { mail } from "../platform/mail/mail.module.ts";
import { platform } from "../platform/platform.module.ts";
import { createSweep } from "../platform/tasks/tasks.ts";
import {
  createKeyExpiry,
  createKeyUsage,
  createOidc,
  createPeople,
  createSessions,
  createWorkspaces,
  sealedByWorkspaces,
} from "./accounts.ts";
import type { AuditNote, Scope } from "./accounts.ts";
import { keyRoutes } from "./api-keys/keys.routes.ts";
import { authRoutes } from "./identity/auth.routes.ts";
import { memberRoutes } from "./identity/members.routes.ts";
import { createMailPreferences } from "./mails/mail-preferences.ts";
import { oidcRoutes } from "./oidc/oidc.routes.ts";
import { mailRoutes } from "./mails/mails.routes.ts";
import { findKeys, findMembers } from "./identity/account-search.store.ts";
import { passkeyRoutes } from "./proofs/passkeys.routes.ts";
import { setupRoutes } from "./workspaces/setup.routes.ts";
import { currentWorkspaceRoutes } from "./workspaces/workspace-settings.routes.ts";

/** Workspaces, the people in them, and their API keys. */
export const accounts = defineModule({
  name: "accounts",
  needs: { platform, mail },
  encryptedColumns: sealedByWorkspaces,
  create({ platform: base, mail: mails }, { points }) {
    const note = (tx: Tx, scope: Scope, entry: AuditNote): void =>
      only("auditPorts", points.auditPorts()).note(tx, scope, entry);
    const workspaces = createWorkspaces({ ...base, note });
    const sessions = createSessions(base);
    const people = createPeople({ ...base, ...base.config, mail: mails, sessions, workspaces, note });
    const { oidc: settings, dnsServers, egress } = base.config;
    const oidc = settings === null ? null : createOidc({ ...base, ...people, settings, dnsServers, egress, note });
    return {
      workspaces,
      sessions,
      people,
      oidc,
      keyUsage: createKeyUsage(base),
      keyExpiry: createKeyExpiry({
        ...base,
        announce: async (tx, warning) => await only("announcers", points.announcers())(tx, warning),
      }),
      preferences: createMailPreferences(base),
    };
  },
  provides: (
    { workspaces, people, oidc, keyUsage, keyExpiry, preferences },
    { platform: { db, log }, mail: mails },
  ) => ({
    routes: [
      (app) => keyRoutes(app, workspaces.keys),
      (app) => authRoutes(app, people),
      (app) => passkeyRoutes(app, people.passkeys),
      (app) => memberRoutes(app, people),
      (app) => currentWorkspaceRoutes(app, people.current),
      (app) => oidcRoutes(app, oidc),
      (app) => mailRoutes(app, { mail: mails, preferences }),
    ],
    innerRoutes: [(app) => setupRoutes(app, workspaces)],
    workers: [
      ...(oidc === null ? [] : [{ name: "OIDC", phase: "base" as const, stop: oidc.close }]),
      { name: "key usage", phase: "records", ...keyUsage },
      { name: "key expiry", phase: "effects", workerOnly: true, ...keyExpiry },
      {
        name: "ended workspaces",
        phase: "effects",
        workerOnly: true,
        ...createSweep(log, {
          to: "delete expired workspaces and sessions",
          everyMs: 10 * 60_000,
          run: people.current.sweep,
        }),
      },
    ],
    gauges: [{ unwrittenKeyUsage: keyUsage.waiting }],
    mailComposers: [people.mails],
    searchables: [
      {
        kind: "api_key",
        operation: "keys.list",
        find: async (scope, sought) => await findKeys(db, scope, sought),
      },
      {
        kind: "member",
        operation: "members.list",
        find: async (scope, sought) => await findMembers(db, scope, sought),
      },
    ],
    redactionSources: [workspaces.keys.secrets],
  }),
});
