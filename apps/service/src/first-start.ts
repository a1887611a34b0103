import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { Service } from "./app.ts";
import type { Config } from "./config.ts";

/** On an empty database: the first workspace, by bootstrap file or with a set-up link to print. Undefined when there is nothing to say. */
export async function firstStart(service: Service, config: Config): Promise<string | undefined> {
  if (config.bootstrapPath !== null) return await bootstrap(service, config, config.bootstrapPath);
  const inbox: { url?: string } = {};
  const made = await service.workspaces.createFirst("My workspace", async (tx, workspace) => {
    const opened = await service.tester.createInbox(tx, workspace.sandboxScope);
    inbox.url = opened.url;
  });
  if (made !== undefined && inbox.url !== undefined) {
    await service.deliver.endpoints.create(made.sandboxScope, { url: inbox.url, events: ["*"], description: "The built-in inbox" });
  }
  const token = await service.workspaces.newSetupToken();
  if (token === undefined) return undefined;
  return announcement(config, { token, sandboxKey: made?.sandboxKey, inboxUrl: inbox.url });
}

async function bootstrap(service: Service, config: Config, path: string): Promise<string | undefined> {
  const owner = { email: "owner@junction.local", name: "Owner", password: randomBytes(18).toString("base64url") };
  const keys: { api?: string } = {};
  const made = await service.workspaces.createFirst("My workspace", async (tx, workspace) => {
    keys.api = await service.workspaces.addOwner(tx, workspace.scope, owner);
    const file = {
      base_url: config.baseUrl,
      workspace_id: workspace.workspaceId,
      owner: { email: owner.email, password: owner.password },
      api_key: keys.api,
      sandbox_key: workspace.sandboxKey,
    };
    // Written before the commit: a file without a workspace can be written again, keys that nobody saw cannot be shown again.
    await writeFile(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  });
  return made === undefined ? undefined : `\n  Workspace ${made.workspaceId} was made; its keys are in ${path}\n\n`;
}

interface Announced {
  readonly token: string;
  readonly sandboxKey: string | undefined;
  readonly inboxUrl: string | undefined;
}

function announcement(config: Config, { token, sandboxKey, inboxUrl }: Announced): string {
  const lines = ["", `  Claim this installation within 30 minutes, once:  ${config.baseUrl}/setup?token=${token}`, ""];
  if (sandboxKey !== undefined && inboxUrl !== undefined) {
    lines.push(
      `  Sandbox key (shown this once):  ${sandboxKey}`,
      "",
      "  Fire an event:",
      `    curl -X POST ${config.baseUrl}/v1/events/fire -H "Authorization: Bearer ${sandboxKey}" -H "Content-Type: application/json" -d '{"event":"order.created","data":{"order":{"id":"ord_1","total":"10.50"}}}'`,
      "",
      "  and see it delivered, signed:",
      `    curl ${inboxUrl}`,
      "",
    );
  }
  return `${lines.join("\n")}\n`;
}
