import { after, timeText, toDate, wireId } from "../../lib/lib.ts";
import type { Clock, IdMaker, Loop } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import { createSweep } from "../../platform/tasks/tasks.ts";
import type { Events } from "../../events/events.ts";
import { expiringCertificates, noticeCertificate } from "./certificate-expiry.store.ts";
import type { ExpiringCertificate } from "./certificate-expiry.store.ts";
import { withoutInboxToken } from "./own-inboxes.ts";

export interface CertificateExpiryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: { warn(fields: object, message: string): void };
  readonly events: Pick<Events, "announce">;
}

/** Fires `endpoint.certificate_expiring` once for each client certificate of an endpoint before it expires. */
export interface CertificateExpiry extends Pick<Loop, "start" | "stop"> {
  /** Runs one round. The loop runs it at the start and then every ten minutes. */
  sweep(): Promise<void>;
}

const WARN_MS = 30 * 86_400_000;
const SWEEP_MS = 600_000;
const AT_ONCE = 200;

export function createCertificateExpiry(deps: CertificateExpiryDeps): CertificateExpiry {
  const { db, clock, log } = deps;

  async function sweep(): Promise<void> {
    const until = toDate(after(clock.now(), WARN_MS));
    for (;;) {
      const found = await expiringCertificates(db, until, AT_ONCE);
      for (const endpoint of found) await db.at(endpoint.bucket, async () => await warn(deps, endpoint));
      if (found.length < AT_ONCE) return;
    }
  }

  const loop = createSweep(log, {
    to: "send warnings about client certificates",
    everyMs: SWEEP_MS,
    retryMs: SWEEP_MS / 10,
    run: sweep,
  });
  return { ...loop, sweep };
}

async function warn({ db, ids, events }: CertificateExpiryDeps, endpoint: ExpiringCertificate): Promise<void> {
  const { bucket, tag, id, workspace_id: workspaceId, tenant } = endpoint;
  const subject = wireId("ep", tag, id);
  await db.transaction(async (tx) => {
    if (!(await noticeCertificate(tx, endpoint))) return;
    await events.announce(tx, {
      scope: { workspaceId, bucket, tag },
      id: ids.uuid(),
      name: "endpoint.certificate_expiring",
      subject,
      tenant,
      data: {
        endpoint_id: subject,
        url: withoutInboxToken(endpoint.url),
        expires_at: timeText(endpoint.certificate_expires_at),
      },
    });
  });
}
