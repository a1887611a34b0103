import { createHmac } from "node:crypto";
import { bucketOf, environmentOf, isTag, randomText, tagOf, timingSafeEqualText } from "../../lib/lib.ts";
import type { Hidden, Sealer, Tag } from "../../lib/lib.ts";
import type { Query } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { hookSeeds } from "./connectors.store.ts";
import type { InstallRow } from "./connectors.store.ts";
import { connectorKey, usedInstall } from "./stored-install.ts";

const TOKEN = /^[0-9a-z]{8}[0-9a-f]{64}$/;
const TAG_LENGTH = 8;

/** Returns a new encrypted seed for the webhook URLs of a workspace and connector. */
export function newHookSeed(sealer: Sealer, install: Pick<InstallRow, "workspace_id" | "key">): Buffer {
  return sealer.seal(randomText(43), hookPlace(install.workspace_id, install.key));
}

/**
 * Returns the URL for the other service's webhooks, or null if the connector was never enabled. Each environment has
 * its own URL. A sandbox installation receives webhooks only in the sandbox.
 */
export function webhookUrl(
  { sealer, baseUrl }: { readonly sealer: Sealer; readonly baseUrl: string },
  { tag }: Pick<Scope, "tag">,
  install: InstallRow | undefined,
): string | null {
  const seed = install === undefined ? null : openSeed(sealer, install);
  if (install === undefined || seed === null) return null;
  const receiver = install.environment === "sandbox" ? tagOf(tag, "sandbox") : tag;
  return `${baseUrl}/v1/connectors/${connectorKey(install.key)}/webhook/${tokenOf(seed, receiver)}`;
}

/** Returns the scope whose webhook URL contains the token, or undefined for an invalid token. */
export async function scopeOfToken(
  { query, sealer }: { readonly query: Query; readonly sealer: Sealer },
  key: string,
  token: string,
): Promise<Scope | undefined> {
  const tag = token.slice(0, TAG_LENGTH);
  if (!TOKEN.test(token) || !isTag(tag)) return undefined;
  const rows = await hookSeeds(query, tagOf(tag, "live"), key);
  // An earlier version made live addresses of a sandbox installation. They are known, and receive nothing.
  const install = usedInstall(rows, key, environmentOf(tag)) ?? rows.find((row) => row.key === key);
  const seed = install === undefined ? null : openSeed(sealer, install);
  if (install === undefined || seed === null || !timingSafeEqualText(tokenOf(seed, tag), token)) return undefined;
  return { workspaceId: install.workspace_id, bucket: bucketOf(tag), tag, environment: environmentOf(tag) };
}

export function openSeed(
  sealer: Sealer,
  { hook_seed_sealed: sealed, workspace_id, key }: Pick<InstallRow, "hook_seed_sealed" | "workspace_id" | "key">,
): Hidden | null {
  return sealed === null ? null : sealer.open(sealed, hookPlace(workspace_id, key));
}

/** Returns the tenant id, which gives the shard for the look-up, and 256 bits. */
function tokenOf(seed: Hidden, tag: Tag): string {
  return tag + createHmac("sha256", seed.reveal()).update(tag).digest("hex");
}

export function hookPlace(workspaceId: string, key: string): string {
  return `connector_webhook:${workspaceId}:${key}`;
}
