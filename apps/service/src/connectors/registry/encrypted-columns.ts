import { sealedColumn } from "../../lib/lib.ts";
import { hookPlace } from "./hook-token.ts";
import { settingsPlace } from "./connector-settings.ts";

const by = ["workspace_id", "key"] as const;

export const sealedByConnectors = [
  sealedColumn({
    table: "connector_install",
    column: "secrets_sealed",
    by,
    place: ({ workspace_id: workspaceId, key }) => settingsPlace(workspaceId, key),
  }),
  sealedColumn({
    table: "connector_install",
    column: "hook_seed_sealed",
    by,
    place: ({ workspace_id: workspaceId, key }) => hookPlace(workspaceId, key),
  }),
];
