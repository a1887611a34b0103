import { addressOf } from "./address.ts";
import { connectedTo } from "./connection.store.ts";
import type { Shard } from "./layout.store.ts";
import { DistributeError } from "./distribute-error.ts";
import { schemaOf } from "./prepare.store.ts";

/** Two tenants of the check; no workspace has these names. */
const TENANTS = ["canary_a", "canary_b"] as const;

/**
 * Checks row-level security on every shard: a row of each of two tenants is written, and each tenant must see its own
 * alone. Everything is rolled back. Throws with the shard's machine if a tenant sees nothing, or too much.
 */
export async function assertWall(databaseUrl: string, shards: readonly Shard[]): Promise<void> {
  for (const shard of shards) await assertShardWall(databaseUrl, shard);
}

async function assertShardWall(databaseUrl: string, shard: Shard): Promise<void> {
  await connectedTo(addressOf(databaseUrl, shard), async (client) => {
    // The end of the connection rolls everything back.
    await client.query("begin");
    await client.query(`set local search_path to ${schemaOf(shard)}, public`);
    await client.query("set local role junction_service");
    const bucket = shard.buckets[0];
    for (const tag of TENANTS)
      await client.query(
        "insert into connector_value (bucket, tag, key, name, value, bytes) values ($1, $2, 'canary', 'canary', '', 0)",
        [bucket, tag],
      );
    for (const tag of TENANTS) {
      await client.query("select set_config('role', 'junction_tenant', true), set_config('junction.tag', $1, true)", [
        tag,
      ]);
      const { rows } = await client.query<{ tag: string }>("select tag from connector_value where key = 'canary'");
      const seen = rows.map((row) => row.tag);
      if (seen.length !== 1 || seen[0] !== tag)
        throw new DistributeError(
          `Row-level security does not hold on ${shard.host}:${shard.port}, shard ${shard.id}: a tenant sees ${seen.length} rows instead of its own one.`,
        );
    }
  });
}
