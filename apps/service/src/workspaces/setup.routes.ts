import { closed, Type, WireId } from "../kernel/kernel.ts";
import type { App } from "./caller.routes.ts";
import type { Workspaces } from "./workspaces.ts";

const SetupBody = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 100, description: "From the link that the first start printed." }),
    email: Type.String({ minLength: 3, maxLength: 254, pattern: "^[^@\\s]+@[^@\\s]+$" }),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    password: Type.String({ minLength: 12, maxLength: 256 }),
  },
  closed,
);
const SetupView = Type.Object({
  workspace_id: WireId("ws"),
  api_key: Type.String({ description: "The owner's live key, shown this once." }),
});

/** The one-time link claims the workspace for its owner. */
export function setupRoutes(app: App, workspaces: Workspaces): void {
  app.post(
    "/v1/auth/setup",
    {
      config: { refusals: [401] },
      schema: {
        operationId: "claimWorkspace",
        summary: "Claim the workspace with the one-time link",
        body: SetupBody,
        response: { 201: SetupView },
      },
    },
    async (request, reply) => {
      const { token, ...owner } = request.body;
      const claimed = await workspaces.claim(token, owner);
      return await reply.code(201).send({ workspace_id: claimed.workspaceId, api_key: claimed.apiKey });
    },
  );
}
