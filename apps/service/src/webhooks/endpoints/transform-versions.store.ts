import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, pageRows } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables } from "../../platform/db/db.ts";

export type TransformVersionRow = Selectable<Tables["endpoint_transform"]>;

/** Older versions are deleted. */
const MOST_VERSIONS = 50;

export interface NewTransformVersion extends TenantKey {
  readonly endpoint_id: Uuid;
  readonly version: number;
  readonly transform: string | null;
  readonly author_kind: "key" | "member" | null;
  readonly author_id: Uuid | null;
  readonly author_name: string | null;
  readonly author_tenant: string | null;
}

export async function insertTransformVersion(query: Query, row: NewTransformVersion): Promise<void> {
  await query.insertInto("endpoint_transform").values(row).execute();
  await query
    .deleteFrom("endpoint_transform")
    .$call(ofTenant(row))
    .where("endpoint_id", "=", row.endpoint_id)
    .where("version", "<=", row.version - MOST_VERSIONS)
    .execute();
}

/** Lists the versions before a number, newest first. */
export async function listTransformVersions(
  query: Query,
  place: TenantKey,
  page: { readonly endpointId: Uuid; readonly before: number | undefined; readonly limit: number },
): Promise<TransformVersionRow[]> {
  const rows = query
    .selectFrom("endpoint_transform")
    .selectAll()
    .$call(ofTenant(place))
    .where("endpoint_id", "=", page.endpointId)
    .orderBy("version", "desc");
  const older = page.before === undefined ? rows : rows.where("version", "<", page.before);
  return await pageRows(query, older, { limit: page.limit, large: ["transform"] });
}
