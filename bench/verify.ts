import type { Client } from "pg";
import type { Generated } from "./generator.ts";
import { REMINDER, SCORE } from "./reactions.ts";
import { RULE_EVENT, WORKFLOW_EVENT } from "./workload.ts";

/** The events that were fired at a service since its start. */
export interface Fired {
  readonly names: readonly string[];
  readonly accepted: number;
  /** Refused or unanswered requests, whose events the service may have kept. */
  readonly doubtful: number;
  /** True if the workspaces have the rule and the workflow. */
  readonly hasReactions: boolean;
}

/** Returns the number of events that were not accepted. */
export function refusals({ refused, shed }: Generated): number {
  return Object.values(refused).reduce((sum, count) => sum + count, shed);
}

/** Violations by name, as counts. */
type Violations = Readonly<Record<string, number>>;

/** Throws when an accepted event or one of its effects is missing. Call it when nothing is pending. Returns the number of checked events. */
export async function verify(sql: Client, { names, accepted, doubtful, hasReactions }: Fired): Promise<number> {
  const { rows } = await sql.query<{ kept: number; violations: Violations }>(AUDIT, [
    names,
    RULE_EVENT,
    WORKFLOW_EVENT,
    REMINDER,
    SCORE,
    hasReactions,
  ]);
  const { kept, violations } = rows[0] ?? { kept: 0, violations: {} };
  const found = Object.entries(violations).filter(([, count]) => count !== 0);
  if (kept < accepted) found.push(["accepted events that are not in the database", accepted - kept]);
  if (kept > accepted + doubtful) found.push(["events that were never accepted", kept - accepted]);
  if (found.length === 0) return kept;
  throw new Error(`the service broke its promises: ${found.map(([what, count]) => `${count} ${what}`).join("; ")}`);
}

/**
 * A canonical event has an activity with its id, on the contact that both identities in its data lead to. An activity of kind "action" is
 * written with each change of a score, so that the scores tell whether a rule acted once.
 */
const AUDIT = `with fired as materialized (
    select bucket, tag, id, name, canonical, case when canonical then data::jsonb end as data from event where name = any($1) and chain is null
  ), people as materialized (
    select f.bucket, f.tag, f.id, x.contact_id, f.data #>> '{ticket,external_id}' as ticket,
      x.contact_id is not distinct from m.contact_id and c.id is not null and a.contact_id is not distinct from x.contact_id as is_right
    from fired f
      left join contact_identity x on x.bucket = f.bucket and x.tag = f.tag and x.kind = 'external_id' and x.value = f.data #>> '{customer,external_id}'
      left join contact_identity m on m.bucket = f.bucket and m.tag = f.tag and m.kind = 'email' and m.value = f.data #>> '{customer,email}'
      left join contact c on c.bucket = f.bucket and c.tag = f.tag and c.id = x.contact_id
      left join activity a on a.bucket = f.bucket and a.tag = f.tag and a.id = f.id and a.kind = 'event'
    where f.canonical
  )
  select (select count(*) from fired)::float8 as kept, json_build_object(
    'events without a delivery that arrived', (select count(*) from fired f where not exists (select from delivery d
      where d.bucket = f.bucket and d.tag = f.tag and d.event_id = f.id and d.event_name = f.name and d.state = 'delivered')),
    'deliveries still pending', (select count(*) from pending_delivery),
    'events without an activity on their contact', (select count(*) from people where not is_right),
    'events without their ticket', (select count(*) from people p where ticket is not null and not exists (select from ticket t
      where t.bucket = p.bucket and t.tag = p.tag and t.external_id = p.ticket and t.customer_id = p.contact_id)),
    'stages that have not ended', (select count(*) from dispatch_stage where state in ('waiting', 'running')),
    'stages that failed', (select count(*) from dispatch_stage where state = 'failed'),
    'events without a run of the rule', (select count(*) from fired f where $6 and canonical and name = $2 and not exists (select from rule_run r
      where r.bucket = f.bucket and r.tag = f.tag and r.event_id = f.id and r.status in ('ok', 'limited'))),
    'points of score too many or too few', (select abs(coalesce((select sum(score) from contact), 0)
      - $5::int * (select count(*) from rule_run where status = 'ok' and event_name = $2))),
    'events without a completed run of the workflow', (select count(*) from fired f where $6 and canonical and name = $3 and not exists (
      select from workflow_run r where r.bucket = f.bucket and r.tag = f.tag and r.event_id = f.id and r.state = 'completed')),
    'events of the workflow too many or too few', (select abs((select count(*) from event where name = $4)
      - (select count(*) from workflow_run where state = 'completed' and event_name = $3)))
  ) as violations`;
