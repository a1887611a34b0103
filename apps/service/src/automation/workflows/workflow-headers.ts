import type { Db } from "../../platform/db/db.ts";
import type { DocumentKind, SealedBefore } from "../../webhooks/webhooks.ts";
import { sealedColumn } from "../../lib/lib.ts";
import type { Sealer } from "../../lib/lib.ts";
import { sealPlainHeaders } from "../definitions/sealed-headers.ts";
import { writtenLists } from "./nested.ts";
import { plainVersions, putSealedSteps } from "./workflows.store.ts";
import type { VersionRow, WorkflowRow } from "./workflows.store.ts";

/** Finds the webhooks in `steps`, and in the steps inside them, by their ids. */
export const WORKFLOW_WEBHOOKS: DocumentKind = {
  type: "webhook",
  key: "id",
  pointer: "/steps",
  inner: writtenLists,
};

export const sealedByWorkflows = [
  sealedColumn({
    table: "workflow_version",
    column: "headers_sealed",
    by: ["workflow_id", "version"],
    place: ({ workflow_id: id, version }) => versionPlace(id, version),
  }),
];

/** Returns the place that the sealed values of a version's headers are bound to. */
export function versionPlace(workflowId: string, version: number | string): string {
  return `workflow:${workflowId}:${version}:headers`;
}

export function sealedSteps(row: Pick<WorkflowRow, "id" | "version" | "steps" | "headers_sealed">): SealedBefore {
  return { place: versionPlace(row.id, row.version), text: row.steps, sealed: row.headers_sealed };
}

/** Seals the headers of versions that an earlier version of the service wrote. Returns their number. */
export async function sealPlainWorkflows(deps: { readonly db: Db; readonly sealer: Sealer }): Promise<number> {
  const { query } = deps.db;
  return await sealPlainHeaders<VersionRow>(deps, WORKFLOW_WEBHOOKS, {
    read: async (last, limit) => await plainVersions(query, last, limit),
    sealedOf: (row) => sealedSteps({ ...row, id: row.workflow_id }),
    put: async (row, { text, sealed }) => await putSealedSteps(query, row, { steps: text, headers_sealed: sealed }),
  });
}
