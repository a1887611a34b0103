import type { HotReader, HotStatement } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { EndpointRow } from "./endpoints.store.ts";

const COLUMNS =
  "e.id, e.secret_sealed, e.previous_secret_sealed, e.headers, e.headers_sealed, e.ed25519_sealed, e.previous_ed25519_sealed";

const SECRETS: HotStatement = {
  name: "endpoint_secrets",
  text: `select ${COLUMNS} from endpoint e
    where bucket = $1 and tag = any($2::text[]) and deleted_at is null`,
};

/** Reads the count of changes in the same snapshot, so that a change that the rows do not show is not counted. */
const ADDED: HotStatement = {
  name: "endpoint_secrets_added",
  text: `select v.version, ${COLUMNS} from secret_version v
    left join endpoint e on e.bucket = $1 and e.tag = any($2::text[]) and e.id >= $3 and e.id not in (select unnest($4::uuid[])) and e.deleted_at is null
    where v.workspace_id = $5`,
};

export type SecretsRow = Pick<
  EndpointRow,
  | "id"
  | "secret_sealed"
  | "previous_secret_sealed"
  | "headers"
  | "headers_sealed"
  | "ed25519_sealed"
  | "previous_ed25519_sealed"
>;

/** Returns the secrets of a workspace's endpoints in both environments. */
export async function endpointSecrets(
  reader: HotReader,
  home: { readonly bucket: number; readonly tags: readonly string[] },
): Promise<SecretsRow[]> {
  return await reader.hot<EndpointRow>(SECRETS, [home.bucket, home.tags]);
}

/** Returns the secrets of the endpoints whose ids are not before `from` and not in `known`, and the count of changes of the workspace's secrets. */
export async function addedEndpoints(
  reader: HotReader,
  {
    workspaceId,
    bucket,
    tags,
  }: { readonly workspaceId: Uuid; readonly bucket: number; readonly tags: readonly string[] },
  { from, known }: { readonly from: Uuid; readonly known: readonly Uuid[] },
): Promise<{ readonly changes: string | null; readonly rows: readonly SecretsRow[] }> {
  const found = await reader.hot<{ version: string } & (EndpointRow | { id: null })>(ADDED, [
    bucket,
    tags,
    from,
    known,
    workspaceId,
  ]);
  return { changes: found[0]?.version ?? null, rows: found.filter((row) => row.id !== null) };
}
