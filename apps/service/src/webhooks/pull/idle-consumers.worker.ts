import { queueObjectMail, scopeOf, sendsMail } from "../../accounts/accounts.ts";
import type { Audit } from "../../audit/audit.ts";
import { wireId } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import { createSweep } from "../../platform/tasks/tasks.ts";
import { endIdle, noticeIdle, overdueConsumers, untoldConsumers } from "./idle-consumers.store.ts";
import type { IdleConsumer } from "./idle-consumers.store.ts";

export interface IdleConsumersDeps {
  readonly db: Db;
  readonly log: { warn(fields: object, message: string): void };
  readonly mail: Mail;
  readonly audit: Pick<Audit, "record">;
}

const HOUR_MS = 3_600_000;
const AT_ONCE = 200;
const SYSTEM = { type: "system", id: null, display: null, keyId: null, ip: null } as const;

/**
 * Tells people once of each consumer that has not pulled for eleven months, and ends it after a year without a pull. A
 * sandbox tells no one.
 */
export function createIdleConsumers(deps: IdleConsumersDeps): Loop {
  const { db, log } = deps;
  return createSweep(log, {
    to: "end idle consumers of pull endpoints",
    everyMs: HOUR_MS,
    retryMs: HOUR_MS / 60,
    async run(stopping) {
      await each(db, untoldConsumers, async (tx, consumer) => await tell(deps, tx, consumer), stopping);
      await each(db, overdueConsumers, async (tx, consumer) => await end(deps, tx, consumer), stopping);
    },
  });
}

async function each(
  db: Db,
  find: (db: Db, limit: number) => Promise<IdleConsumer[]>,
  run: (tx: Tx, consumer: IdleConsumer) => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  for (let isMore = true; isMore;) {
    const found = await find(db, AT_ONCE);
    for (const consumer of found)
      await db.at(consumer.bucket, async () => await db.transaction(async (tx) => await run(tx, consumer)));
    isMore = found.length >= AT_ONCE && !stopping.aborted;
  }
}

async function tell({ mail }: IdleConsumersDeps, tx: Tx, consumer: IdleConsumer): Promise<void> {
  const { bucket, tag, workspace_id: workspaceId, tenant } = consumer;
  if (!(await noticeIdle(tx, consumer)) || !sendsMail(mail, consumer)) return;
  const about = { purpose: "consumer_idle", digest: "consumers", tenant } as const;
  await queueObjectMail(mail, tx, { bucket, tag, workspaceId }, about);
}

async function end({ audit }: IdleConsumersDeps, tx: Tx, consumer: IdleConsumer): Promise<void> {
  const { tag, name, endpoint_id: endpointId, workspace_id: workspaceId, tenant } = consumer;
  const position = await endIdle(tx, consumer);
  if (position === undefined) return;
  audit.record(tx, scopeOf(workspaceId, tag), {
    kind: "endpoint",
    action: "webhooks.consumers.end",
    status: "ok",
    actor: SYSTEM,
    parameters: { id: wireId("ep", tag, endpointId), consumer: name },
    result: { reason: "idle", position },
    tenant,
  });
}
