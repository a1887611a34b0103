import type { Tables } from "./tables.generated.ts";

/**
 * How long the rows of a table are kept.
 * `retention`: a log by day, dropped with its day after JUNCTION_RETENTION_DAYS (at most 365), or earlier if its
 * workspace says so.
 * `days`: a log by day, dropped after this many days, regardless of the retention.
 * `ended`: rows are deleted some time after they ended or became useless; `by` says when, and which code does it.
 * `owned`: rows that a caller or the operator creates and deletes, or that belong to such a row.
 * `evidence`: the audit log and its keys, kept until the workspace is deleted.
 */
type TableRetention =
  | { readonly kind: "retention" }
  | { readonly kind: "days"; readonly days: number }
  | { readonly kind: "ended"; readonly by: string }
  | { readonly kind: "owned" }
  | { readonly kind: "evidence" };

const RETENTION = { kind: "retention" } as const;
const INSIGHT = { kind: "days", days: 30 } as const;
const OWNED = { kind: "owned" } as const;
const EVIDENCE = { kind: "evidence" } as const;
const ended = (by: string): TableRetention => ({ kind: "ended", by });

/** Lists every table and how long its rows are kept. A new table does not compile without an entry. */
export const KEPT: Readonly<Record<keyof Tables, TableRetention>> = {
  event: RETENTION,
  dispatch_stage: RETENTION,
  delivery: RETENTION,
  attempt: RETENTION,
  delivery_request: RETENTION,
  inbound_receipt: RETENTION,
  rule_run: RETENTION,
  connector_run: RETENTION,
  usage_hour: INSIGHT,
  request_log: INSIGHT,

  action_proposal: ended("the retention after its end, with its run (maintenance)"),
  action_run: ended("the retention after its end, or when it can no longer be undone (maintenance)"),
  ai_activity: ended("the retention (maintenance)"),
  approval_announcement: ended("the retention after its end (maintenance)"),
  assistant_ask: ended("a day (assistant)"),
  assistant_task: ended("7 days after its end (assistant)"),
  configuration_plan: ended("a day after its expiry (maintenance)"),
  connector_crash: ended("an hour (maintenance)"),
  connector_effect: ended("the retention, at least 7 days (maintenance)"),
  connector_webhook: ended("the retention after its end, at least 7 days (maintenance)"),
  event_label: ended("the retention, with its event (maintenance)"),
  delivery_outcome: ended("when its workflow has read it (workflows)"),
  http_call: ended("the retention after its end (maintenance)"),
  idempotency: ended("7 days (maintenance)"),
  inbound_seen: ended("the retention, at least 7 days (maintenance)"),
  inbox_message: ended("beyond the newest messages of its inbox (tester)"),
  invitation: ended("its expiry (workspaces)"),
  issue: ended(
    "the retention after its last failure, or ten minutes after a failure that opened none (maintenance, issues)",
  ),
  issue_hour: ended("with its issue, or the retention (maintenance)"),
  issue_report: ended("when it was judged (issues)"),
  issue_tenant: ended("with its issue (maintenance)"),
  key_usage: ended("30 days (maintenance)"),
  lane: ended("the retention after it last held a delivery (maintenance)"),
  mail: ended("the retention after its end (maintenance)"),
  news: ended("when it has been read, or an hour (news, maintenance)"),
  news_interest: ended("its expiry (maintenance)"),
  notification: ended("the retention (maintenance)"),
  oauth_client: ended("a day without a consent, or 90 days after its last one (oauth)"),
  oauth_token: ended("its expiry (oauth)"),
  outbox: ended("when it has been fired (events)"),
  oidc_use: ended("its expiry (workspaces)"),
  passkey_challenge: ended("its answer, or a month after its expiry (workspaces)"),
  pending_delivery: ended("its end, when it moves to `delivery` (deliver)"),
  pull_consumer: ended("a year without a pull, after people were informed (webhooks), or with its log (maintenance)"),
  pull_log: ended("with its endpoint (maintenance)"),
  pull_message: ended("the retention after it got its offset (maintenance)"),
  rate_window: ended("when it counts no call (maintenance)"),
  replay_job: ended("the retention after its end (maintenance)"),
  portal_session: ended("a day after its expiry (portal)"),
  tenant_deletion: ended("the retention after its end (maintenance)"),
  reset_link: ended("its expiry (workspaces)"),
  scheduled_event: ended("its delivery, or the retention after it was cancelled (events, maintenance)"),
  session: ended("its end (workspaces)"),
  setup_link: ended("its expiry (workspaces)"),
  step_up: ended("its decision, or five minutes after its expiry (workspaces)"),
  standing_approval: ended("the retention after its end (maintenance)"),
  usage_day: ended("400 days (maintenance)"),
  workflow_run: ended("the retention after its end; a branch or an item with the run that started it (maintenance)"),
  workflow_step: ended("with its run"),
  workflow_wait: ended("when its event arrives or its time ends (workflows)"),

  ai_history: EVIDENCE,
  ai_history_result: EVIDENCE,
  audit_digest: EVIDENCE,
  audit_head: EVIDENCE,
  audit_row: EVIDENCE,
  audit_signing_key: EVIDENCE,

  action_contract: OWNED,
  action_contract_version: OWNED,
  activity: OWNED,
  api_key: OWNED,
  approval_channel: OWNED,
  assistant: OWNED,
  channel: OWNED,
  channel_endpoint: OWNED,
  connector: OWNED,
  connector_install: OWNED,
  connector_key: OWNED,
  connector_listener: OWNED,
  connector_quota: OWNED,
  connector_value: OWNED,
  connector_version: OWNED,
  contact: OWNED,
  contact_identity: OWNED,
  contact_merge: OWNED,
  endpoint: OWNED,
  endpoint_transform: OWNED,
  event_type: OWNED,
  event_type_lock: OWNED,
  event_type_version: OWNED,
  inbound_source: OWNED,
  inbox: OWNED,
  key_use: OWNED,
  last_backup: OWNED,
  oauth_grant: OWNED,
  member: OWNED,
  ordered_endpoint: OWNED,
  person: OWNED,
  person_identity: OWNED,
  passkey: OWNED,
  recovery_code: OWNED,
  rule: OWNED,
  rule_listener: OWNED,
  svix_event_type: OWNED,
  tenant_contact: OWNED,
  tenant_profile: OWNED,
  secret: OWNED,
  secret_version: OWNED,
  shard_trigger: OWNED,
  slack_app: OWNED,
  slack_link: OWNED,
  ticket: OWNED,
  workflow: OWNED,
  workflow_schedule: OWNED,
  workflow_version: OWNED,
  workspace: OWNED,
};

/** Returns the tables by day, with the number of days that each is kept. */
export function daysKept(retentionDays: number): readonly (readonly [table: string, days: number])[] {
  return Object.entries(KEPT).flatMap(([table, kept]) => {
    if (kept.kind === "retention") return [[table, retentionDays] as const];
    return kept.kind === "days" ? [[table, kept.days] as const] : [];
  });
}
