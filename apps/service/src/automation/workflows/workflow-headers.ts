import type { SecretSource } from "../../audit/audit.ts";
import type { Db } from "../../platform/db/db.ts";
import { credentialsIn, documentValues, revealDocument, sealPlainDocument, sealRows } from "../../webhooks/webhooks.ts";
import type { DocumentKind, RevealedWebhook, SealedBefore } from "../../webhooks/webhooks.ts";
import { sealedColumn } from "../../lib/lib.ts";
import type { Sealer } from "../../lib/lib.ts";
import { writtenLists } from "./nested.ts";
import { plainVersions, putSealedSteps, sealedVersions } from "./workflows.store.ts";
import type { VersionRow, WorkflowRow } from "./workflows.store.ts";

/** Finds the webhooks in `steps`, and in the steps inside them, by their ids. */
export const WORKFLOW: DocumentKind = { type: "webhook", key: "id", pointer: "/steps", inner: writtenLists };

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

export function keptBy({
  id,
  version,
  steps,
  headers_sealed: sealed,
}: Pick<WorkflowRow, "id" | "version" | "steps" | "headers_sealed">): SealedBefore {
  return { place: versionPlace(id, version), text: steps, sealed };
}

export function revealedOf(sealer: Sealer, row: WorkflowRow): { readonly webhooks: RevealedWebhook[] } {
  return { webhooks: revealDocument(sealer, WORKFLOW, keptBy(row)) };
}

/** Returns the credentials in the headers of workflows, including earlier versions, for redaction. */
export function workflowSecretSource(sealer: Sealer): SecretSource {
  return async (reader, { workspaceId }) => {
    const rows = await sealedVersions(reader, workspaceId);
    return rows.flatMap(({ workflow_id: id, version, headers_sealed: bytes }) =>
      documentValues(sealer, versionPlace(id, version), bytes).flatMap(credentialsIn),
    );
  };
}

/** Seals the headers of versions that an earlier version of the service wrote. Returns their number. */
export async function sealPlainWorkflows({
  db,
  sealer,
}: {
  readonly db: Db;
  readonly sealer: Sealer;
}): Promise<number> {
  return await sealRows<VersionRow>(
    db,
    async (last, limit) => await plainVersions(db.query, last, limit),
    async (row) => {
      const fresh = sealPlainDocument(sealer, WORKFLOW, keptBy({ ...row, id: row.workflow_id }));
      if (fresh === undefined) return false;
      return await putSealedSteps(db.query, row, { steps: fresh.text, headers_sealed: fresh.sealed });
    },
  );
}
