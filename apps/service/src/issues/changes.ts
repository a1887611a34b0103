import { after, fromDate, toDate, toRfc3339 } from "../lib/lib.ts";
import type { IdMaker, Instant, TenantKey } from "../lib/lib.ts";
import type { Db, Tx } from "../platform/db/db.ts";
import type { Events } from "../events/events.ts";
import { queueObjectMail, scopeOf, sendsMail } from "../accounts/accounts.ts";
import type { Mail } from "../platform/mail/mail.ts";
import type { Change, IssueKind, Tracked } from "./issue.ts";
import { issueId, objectId } from "./objects.ts";
import type { IssueObjects } from "./objects.ts";
import { isTenantDeleted } from "./issues.store.ts";
import type { IssueHead } from "./issue-row.ts";

export interface Announced {
  readonly head: IssueHead;
  readonly tracked: Tracked;
  readonly change: Change;
}

/** Ends the issues of an object in the transaction that deletes it. */
export type EndIssues = (tx: Tx, place: TenantKey, object: string) => Promise<void>;

/** The e-mails that people got about an issue. */
export type Mailed = Pick<IssueHead, "mailed" | "mailed_at">;

export interface ChangesDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly events: Pick<Events, "announce">;
  readonly mail: Mail;
  readonly objects: (kind: IssueKind) => IssueObjects | undefined;
}

/** A reopening within this time after the last e-mail is not one. */
const REOPENING_SPACING_MS = 3_600_000;
/** An e-mail waits a minute. An issue that ends before is in none. */
const MAIL_DELAY_MS = 60_000;

/** Announces changes of issues. */
export type Changes = ReturnType<typeof createChanges>;

export function createChanges(deps: ChangesDeps) {
  const fire = async (tx: Tx, announced: Announced): Promise<void> => {
    // Nothing is left of a deleted tenant, so its deletion leaves no event either.
    if (await isTenantDeleted(tx, announced.head)) return;
    await deps.events.announce(tx, await eventOf(deps, tx, announced));
  };
  return {
    /** Fires the event of a change that a person or a deletion made, but none of a tenant that is being deleted. */
    fire,
    /** Fires the event of a change that the service made, and queues its e-mail. Returns what people know now. */
    async announce(tx: Tx, announced: Announced): Promise<Mailed> {
      await fire(tx, announced);
      return await tell(deps, tx, announced);
    },
  };
}

async function eventOf(
  { ids, objects }: ChangesDeps,
  tx: Tx,
  { head, tracked, change }: Announced,
): Promise<Parameters<Events["announce"]>[1]> {
  const { kind, object, tag } = head;
  const scope = scopeOf(head.workspace_id, tag);
  const names = await objects(kind)?.names(tx.query, scope, [object]);
  const subject = objectId(head, kind, object);
  return {
    scope,
    id: ids.uuid(),
    name: change === "resolved" ? "issue.resolved" : "issue.opened",
    // An endpoint gets no event whose subject it is.
    subject,
    tenant: head.tenant,
    data: {
      issue_id: issueId(head),
      kind,
      object_id: subject,
      object_name: names?.get(object) ?? null,
      count: tracked.count,
      first_seen_at: toRfc3339(tracked.firstSeenAt),
      last_seen_at: toRfc3339(tracked.lastSeenAt),
      reopened_count: tracked.reopenedCount,
      ...(change === "resolved" ? endOf(tracked) : causeOf(tracked)),
    },
  };
}

function endOf({ resolvedBy, resolvedAt }: Tracked): object {
  return resolvedAt === null ? {} : { resolved_by: resolvedBy, resolved_at: toRfc3339(resolvedAt) };
}

function causeOf({ fingerprints: [last] }: Tracked): object {
  return { code: last?.code ?? null, message: last?.message ?? null };
}

async function tell({ db, mail }: ChangesDeps, tx: Tx, { head, tracked, change }: Announced): Promise<Mailed> {
  const { mailed, mailed_at: mailedAt } = head;
  if (!sendsMail(mail, head)) return { mailed, mailed_at: mailedAt };
  const now = await db.now();
  const sinceMailMs = mailedAt === null ? Infinity : now - fromDate(mailedAt);
  const scope = scopeOf(head.workspace_id, head.tag);
  if (change === "resolved") {
    if (mailed && sinceMailMs > MAIL_DELAY_MS)
      await queueObjectMail(mail, tx, scope, {
        purpose: "issue_resolved",
        digest: "resolved",
        tenant: head.tenant,
        facts: factsAt(tracked.resolvedAt ?? now),
      });
    return { mailed: false, mailed_at: mailedAt };
  }
  if (change === "reopened" && sinceMailMs < REOPENING_SPACING_MS) return { mailed: false, mailed_at: mailedAt };
  await queueObjectMail(mail, tx, scope, {
    purpose: "issue_opened",
    digest: "issues",
    tenant: head.tenant,
    facts: factsAt(now),
  });
  return { mailed: true, mailed_at: toDate(now) };
}

/** Changes of one moment are announced in any order, and the mail has the facts of the first one. Less than the delay of a mail. */
const SLACK_MS = 10_000;

function factsAt(at: Instant): { readonly since: string } {
  return { since: toRfc3339(after(at, -SLACK_MS)) };
}
