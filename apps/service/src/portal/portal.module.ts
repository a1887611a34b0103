import { access } from "../access/access.module.ts";
import { accounts } from "../accounts/accounts.module.ts";
import { createPortalKeys } from "../accounts/accounts.ts";
import { audit } from "../audit/audit.module.ts";
import { defineModule } from "../composition/module.ts";
import { platform } from "../platform/platform.module.ts";
import { createSweep } from "../platform/tasks/tasks.ts";
import { mcpTokenRoutes } from "./mcp-tokens.routes.ts";
import { createMcpTokens } from "./mcp-tokens.ts";
import type { McpTokensDeps } from "./mcp-tokens.ts";
import { portalRoutes } from "./sessions.routes.ts";
import { createPortalSessions } from "./sessions.ts";

/** The portal, where the customers of a workspace manage their own webhook endpoints. */
export const portal = defineModule({
  name: "portal",
  needs: { platform, accounts, access, audit },
  create({ platform: base, accounts: { people }, access: { accessChecks }, audit: { telling } }) {
    const deps: McpTokensDeps = {
      ...base,
      keys: createPortalKeys(base),
      mayCall: (key, operation) => accessChecks.mayCall(key, operation),
    };
    const sessions = createPortalSessions({
      ...base,
      ...deps,
      note: telling.note,
      settings: people.current.settings,
    });
    return { sessions, tokens: createMcpTokens(deps) };
  },
  provides: ({ sessions, tokens }, { platform: { log } }) => ({
    routes: [(app) => portalRoutes(app, sessions), (app) => mcpTokenRoutes(app, tokens)],
    workers: [
      {
        name: "portal sessions",
        phase: "effects",
        workerOnly: true,
        ...createSweep(log, {
          to: "delete expired portal sessions",
          everyMs: 10 * 60_000,
          run: async () => ((await sessions.forget()) ? { pauseMs: 0 } : undefined),
        }),
      },
    ],
  }),
});
