import { audit } from "../audit/audit.module.ts";
import { defineModule } from "../composition/module.ts";
import { platform } from "../platform/platform.module.ts";
import {
  createKeyUsage,
  createPeople,
  createSessions,
  createSweep,
  createWorkspaces,
  sealedByWorkspaces,
} from "./accounts.ts";
import { keyRoutes } from "./api-keys/keys.routes.ts";
import { peopleRoutes } from "./identity/people.routes.ts";
import { setupRoutes } from "./workspaces/setup.routes.ts";

/** Workspaces, the people in them, and their API keys. */
export const accounts = defineModule({
  name: "accounts",
  needs: { platform, audit },
  encryptedColumns: sealedByWorkspaces,
  create({ platform: base, audit: { telling } }) {
    const { note } = telling;
    const workspaces = createWorkspaces({ ...base, note });
    const sessions = createSessions(base);
    const people = createPeople({ ...base, ...base.config, sessions, workspaces, note });
    return { workspaces, sessions, people, keyUsage: createKeyUsage(base) };
  },
  provides: ({ workspaces, people, keyUsage }, { platform: { log } }) => ({
    routes: [(app) => keyRoutes(app, workspaces), (app) => peopleRoutes(app, people)],
    innerRoutes: [(app) => setupRoutes(app, workspaces)],
    workers: [
      { name: "key usage", phase: "records", ...keyUsage },
      {
        name: "ended workspaces",
        phase: "effects",
        workerOnly: true,
        ...createSweep({ current: people.current, log }),
      },
    ],
    redactionSources: [workspaces.keys.secrets],
  }),
});
