import { t } from "../../lib/lib.ts";
import { callerOf, keepers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Installation } from "./installation.ts";

const LastBackup = t.Object(
  {
    created_at: t.Timestamp,
    file_name: t.StringExample("junction-2026-11-23T02-00-00-000Z.tar", "The file name, without the folder."),
  },
  { title: "LastBackup", description: "The newest backup that was completed." },
);

const Operator = t.Object(
  {
    database: t.OneOf(["embedded", "external"], "`external`: the database of `DATABASE_URL`."),
    data_folder: t.StringExample("/srv/junction/data", "The data folder of the node that responds."),
    database_folder: t.Nullable(
      t.StringExample(
        "/srv/junction/data",
        "The folder of the embedded database. It differs from `data_folder` if PostgreSQL's user cannot access that folder. Null for an external database.",
      ),
    ),
    backup_command: t.StringExample(
      "cd /srv/junction && node_modules/.bin/junction backup",
      "A shell command for the machine of the node that responds, with the service's settings.",
    ),
    last_backup: t.Nullable(LastBackup),
  },
  { title: "OperatorFacts", description: "Where the data is stored, for the installation's operator." },
);

const InstallationShape = t.Object(
  {
    object: t.OneOf(["installation"]),
    base_url: t.StringExample(
      "https://junction.example.com",
      "`JUNCTION_BASE_URL`, which is the start of links and of the URLs of inboxes and sources.",
    ),
    version: t.StringExample("0.1.0"),
    operator: t.Nullable(Operator),
  },
  { title: "Installation" },
);

export function installationRoutes(app: App, installation: Installation): void {
  route(app, "GET /v1/installation", {
    config: { operation: "installation.get", callers: keepers, allWorkspaces: true },
    operationId: "getInstallation",
    summary: "Show the installation",
    description:
      "The address and version of this installation. In the workspace that the first start created, which is the operator's workspace, the response also contains where the data is stored and when the last backup was completed. In every other workspace, `operator` is null.",
    response: { 200: InstallationShape },
    handler: async (request) => await installation.viewFor(callerOf(request).scope),
  });
}
