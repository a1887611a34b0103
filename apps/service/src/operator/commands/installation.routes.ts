import { Nullable, OneOf, Sample, Timestamp, Type } from "../../lib/lib.ts";
import { callerOf, keepers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import type { Installation } from "./installation.ts";

const LastBackup = Type.Object(
  {
    created_at: Timestamp,
    file_name: Sample("junction-2026-11-23T02-00-00-000Z.tar", { description: "Without its folder." }),
  },
  { title: "LastBackup", description: "The newest backup that was completed." },
);

const Operator = Type.Object(
  {
    database: OneOf(["embedded", "external"], "`external`: the database of `DATABASE_URL`."),
    data_folder: Sample("/srv/junction/data", { description: "Of the node that answers." }),
    database_folder: Nullable(
      Sample("/srv/junction/data", {
        description:
          "Where the embedded database lies; another folder than `data_folder` if PostgreSQL's user cannot enter that. Null for an external database.",
      }),
    ),
    backup_command: Sample("cd /srv/junction && node_modules/.bin/junction backup", {
      description: "For a shell on the machine of the node that answers, with the service's settings.",
    }),
    last_backup: Nullable(LastBackup),
  },
  { title: "OperatorFacts", description: "Where the data lies, for the installation's operator." },
);

const InstallationShape = Type.Object(
  {
    object: OneOf(["installation"]),
    base_url: Sample("https://junction.example.com", {
      description: "`JUNCTION_BASE_URL`: links, inboxes and inbound addresses begin with it.",
    }),
    version: Sample("0.1.0"),
    operator: Nullable(Operator),
  },
  { title: "Installation" },
);

export function installationRoutes(app: App, installation: Installation): void {
  app.get(
    "/v1/installation",
    {
      // Backups are of no workspace.
      config: { operation: "installation.get", callers: keepers, allWorkspaces: true },
      schema: {
        operationId: "getInstallation",
        summary: "Show the installation",
        description:
          "The address and version of this installation. In the workspace that its first start made, which is the operator's, also where the data lies and when the last backup was made; in every other workspace `operator` is null.",
        response: { 200: InstallationShape },
      },
    },
    async (request) => await installation.viewFor(callerOf(request).scope),
  );
}
