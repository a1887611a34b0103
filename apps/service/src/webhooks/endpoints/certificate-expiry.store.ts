import type { Db, HotStatement, Tx } from "../../platform/db/db.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

/** An endpoint whose client certificate expires soon. */
export interface ExpiringCertificate extends Record<string, unknown> {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly url: string;
  readonly tenant: string | null;
  readonly certificate_expires_at: Date;
}

const EXPIRING: HotStatement = {
  name: "endpoint_certificates_expiring",
  text: `select bucket, tag, id, workspace_id, url, tenant, certificate_expires_at from endpoint
    where certificate_expires_at <= $1 and certificate_noticed_at is null and deleted_at is null
    order by certificate_expires_at limit $2`,
};

export async function expiringCertificates(db: Db, until: Date, limit: number): Promise<ExpiringCertificate[]> {
  return await db.onEachShard(async () => await db.hot<ExpiringCertificate>(EXPIRING, [until, limit]));
}

/** Notes that people are informed. Returns false if another node was first, or the certificate was replaced. */
export async function noticeCertificate(
  tx: Tx,
  { id, certificate_expires_at: expiresAt, ...place }: ExpiringCertificate,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable("endpoint")
    .set({ certificate_noticed_at: sql<Date>`now()` })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("certificate_expires_at", "=", expiresAt)
    .where("certificate_noticed_at", "is", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
