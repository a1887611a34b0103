import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Endpoints, Tester } from "../../webhooks/webhooks.ts";
import type { Workspaces } from "../../accounts/accounts.ts";

export { createInstallation } from "./installation.ts";
export type {
  ConnectorAuthorEnvironment,
  Command,
  Host,
  CommandResult,
  DatabaseLocation,
  InstallationServices,
} from "./command.ts";

export interface SetupDeps {
  readonly workspaces: Workspaces;
  readonly tester: Tester;
  readonly endpoints: Endpoints;
  readonly baseUrl: string;
  /** The file for the keys of the first workspace. Null if a link is printed instead. */
  readonly bootstrapPath: string | null;
}

/**
 * Creates the first workspace on an empty database. Returns the text to print, such as the setup link, or undefined.
 */
export async function firstStart(deps: SetupDeps): Promise<string | undefined> {
  if (deps.bootstrapPath !== null) return await bootstrap(deps, deps.bootstrapPath);
  const inbox: { url?: string } = {};
  const made = await deps.workspaces.createFirst("My workspace", async (tx, workspace) => {
    const opened = await deps.tester.createInbox(tx, workspace.sandboxScope);
    inbox.url = opened.url;
  });
  if (made !== undefined && inbox.url !== undefined) {
    await deps.endpoints.create(made.sandboxScope, {
      url: inbox.url,
      events: ["*"],
      description: "The built-in inbox",
    });
  }
  const token = await deps.workspaces.newSetupToken();
  if (token === undefined) return undefined;
  return announcement(deps.baseUrl, { token, sandboxKey: made?.sandboxKey, inboxUrl: inbox.url });
}

async function bootstrap(deps: SetupDeps, path: string): Promise<string | undefined> {
  const owner = { email: "owner@junction.local", name: "Owner", password: randomBytes(18).toString("base64url") };
  const keys: { api?: string } = {};
  const made = await deps.workspaces.createFirst("My workspace", async (tx, workspace) => {
    keys.api = await deps.workspaces.addOwner(tx, workspace.scope, owner);
    const file = {
      base_url: deps.baseUrl,
      workspace_id: workspace.workspaceId,
      owner: { email: owner.email, password: owner.password },
      api_key: keys.api,
      sandbox_key: workspace.sandboxKey,
    };
    // The file is written before the commit: a file without a workspace can be replaced, but lost keys cannot be shown
    // again.
    await mkdir(dirname(path), { recursive: true });
    await writePrivately(path, `${JSON.stringify(file, null, 2)}\n`);
  });
  return made === undefined ? undefined : `\n  Workspace ${made.workspaceId} was created. Its keys are in ${path}\n\n`;
}

/**
 * Writes a new file and renames it, because an existing file would keep its mode, and a symbolic link would lead
 * elsewhere.
 */
async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

interface Announced {
  readonly token: string;
  readonly sandboxKey: string | undefined;
  readonly inboxUrl: string | undefined;
}

function announcement(baseUrl: string, { token, sandboxKey, inboxUrl }: Announced): string {
  const lines = ["", `  Claim this installation within 30 minutes, once:  ${baseUrl}/setup?token=${token}`, ""];
  if (sandboxKey !== undefined && inboxUrl !== undefined) {
    lines.push(
      `  Sandbox key (shown this once):  ${sandboxKey}`,
      "",
      "  Fire an event:",
      `    curl -X POST ${baseUrl}/v1/events/fire -H "Authorization: Bearer ${sandboxKey}" -H "Content-Type: application/json" -d '{"event":"order.created","data":{"order":{"external_id":"ord_1","currency":"EUR","total_minor":1050}}}'`,
      "",
      "  and see it delivered, signed:",
      `    curl ${inboxUrl}`,
      "",
    );
  }
  return `${lines.join("\n")}\n`;
}
