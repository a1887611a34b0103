import { lockName, newestFirst } from "../platform/db/db.ts";
import type { Query, Tx } from "../platform/db/db.ts";
import type { Tag, Uuid } from "../lib/lib.ts";

/** The tokens that a caller sees: those of an environment, or of one tenant. */
interface TokenPlace {
  readonly tag: Tag;
  readonly tenant?: string | null | undefined;
}

export type TokenRow = NonNullable<Awaited<ReturnType<typeof findToken>>>;

export async function listTokens(query: Query, place: TokenPlace, before: Uuid | undefined, limit: number) {
  return await tokens(query, place).$call(newestFirst({ before }, "s.id")).limit(limit).execute();
}

/** Finds a token by the id of its key. */
export async function findToken(query: Query, place: TokenPlace, keyId: Uuid) {
  return await tokens(query, place).where("k.id", "=", keyId).executeTakeFirst();
}

/**
 * Returns the number of a tenant's tokens that neither expired nor were revoked. Holds a lock, so that tokens that are created at the
 * same time count each other.
 */
export async function countTokens(
  tx: Tx,
  { tag, tenant, now }: { readonly tag: Tag; readonly tenant: string; readonly now: Date },
): Promise<number> {
  await lockName(tx, `mcp tokens ${tag} ${tenant}`);
  const row = await tokens(tx.query, { tag, tenant })
    .clearSelect()
    .select(({ fn }) => fn.countAll<string>().as("n"))
    .where("k.revoked_at", "is", null)
    .where("s.expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

function tokens(query: Query, { tag, tenant }: TokenPlace) {
  const all = query
    .selectFrom("portal_session as s")
    .innerJoin("api_key as k", "k.portal_session_id", "s.id")
    .leftJoin("key_use as u", (on) =>
      on.onRef("u.bucket", "=", "k.bucket").onRef("u.tag", "=", "k.tag").onRef("u.key_id", "=", "k.id"),
    )
    .select(["s.id", "s.workspace_id", "s.tag", "s.tenant", "s.capabilities", "s.expires_at", "s.created_at"])
    .select(["k.id as key_id", "k.prefix_hint", "k.revoked_at", "u.used_at"])
    .select(({ fn, val }) => fn.coalesce("s.name", val("")).as("name"))
    .where("s.tag", "=", tag)
    .where("s.name", "is not", null);
  return tenant === undefined || tenant === null ? all : all.where("s.tenant", "=", tenant);
}
