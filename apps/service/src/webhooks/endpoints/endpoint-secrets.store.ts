import type { HotReader, HotStatement } from "../../platform/db/db.ts";
import type { EndpointRow } from "./endpoints.store.ts";

const SECRETS: HotStatement = {
  name: "endpoint_secrets",
  text: `select id, secret_sealed, previous_secret_sealed, headers, headers_sealed, ed25519_sealed, previous_ed25519_sealed from endpoint
    where bucket = $1 and tag = any($2::text[]) and deleted_at is null`,
};

type SecretsRow = Pick<
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
