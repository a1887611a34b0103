import { authRoutes } from "./auth.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import { currentWorkspaceRoutes } from "../workspaces/workspace-settings.routes.ts";
import { passkeyRoutes } from "../proofs/passkeys.routes.ts";
import { memberRoutes } from "./members.routes.ts";
import type { People } from "./people.ts";

export function peopleRoutes(app: App, people: People): void {
  authRoutes(app, people);
  passkeyRoutes(app, people.passkeys);
  memberRoutes(app, people);
  currentWorkspaceRoutes(app, people.current);
}
