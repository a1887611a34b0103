import { t } from "../../lib/lib.ts";
import { route } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import type { Workspaces } from "./workspaces.ts";

const SetupBody = t.Object(
  {
    token: t.StringExample("q3vZ8wL5xYb2NcRk", {
      minLength: 1,
      maxLength: 100,
      description: "The token from the link that the first start printed.",
      ...t.secret,
    }),
    email: t.StringExample("ines.costa@example.com", { minLength: 3, maxLength: 254, pattern: "^[^@\\s]+@[^@\\s]+$" }),
    name: t.StringExample("Ines Costa", { minLength: 1, maxLength: 100 }),
    password: t.StringExample("correct horse battery staple", { minLength: 12, maxLength: 256, ...t.secret }),
  },
  { ...t.strict, title: "Claim" },
);
const SetupView = t.Object(
  {
    workspace_id: t.WireId("ws"),
    api_key: t.StringExample("jn_live_…", "The owner's live key, shown only once."),
  },
  { title: "Claimed" },
);

/** Mounts the route that claims the workspace for its owner with the one-time link. */
export function setupRoutes(app: App, workspaces: Workspaces): void {
  route(app, "POST /v1/auth/setup", {
    config: { callers: "public", errors: ["setup_link_invalid", "sign_in_failed"] },
    operationId: "claimWorkspace",
    summary: "Claim the installation",
    description:
      "Works once, within 30 minutes, with the link that the first start printed. If the email address has an account on this installation, send its password.",
    body: SetupBody,
    response: { 201: SetupView },
    handler: async (request) => {
      const { token, ...owner } = request.body;
      const claimed = await workspaces.claim(token, owner, { ip: request.ip, requestId: request.id });
      return { workspace_id: claimed.workspaceId, api_key: claimed.apiKey };
    },
  });
}
