// Made by tools/generate-tables.ts from the migrations; do not edit.
import type { ColumnType, Generated } from "kysely";
import type { Tag, Uuid } from "../../lib/lib.ts";

export interface Tables {
  action_contract: ActionContractTable;
  action_contract_version: ActionContractVersionTable;
  action_proposal: ActionProposalTable;
  action_run: ActionRunTable;
  activity: ActivityTable;
  ai_activity: AiActivityTable;
  ai_history: AiHistoryTable;
  ai_history_result: AiHistoryResultTable;
  api_key: ApiKeyTable;
  approval_announcement: ApprovalAnnouncementTable;
  approval_channel: ApprovalChannelTable;
  assistant: AssistantTable;
  assistant_ask: AssistantAskTable;
  assistant_task: AssistantTaskTable;
  attempt: AttemptTable;
  audit_digest: AuditDigestTable;
  audit_head: AuditHeadTable;
  audit_row: AuditRowTable;
  audit_signing_key: AuditSigningKeyTable;
  channel: ChannelTable;
  channel_endpoint: ChannelEndpointTable;
  configuration_plan: ConfigurationPlanTable;
  connector: ConnectorTable;
  connector_crash: ConnectorCrashTable;
  connector_effect: ConnectorEffectTable;
  connector_install: ConnectorInstallTable;
  connector_key: ConnectorKeyTable;
  connector_listener: ConnectorListenerTable;
  connector_quota: ConnectorQuotaTable;
  connector_run: ConnectorRunTable;
  connector_value: ConnectorValueTable;
  connector_version: ConnectorVersionTable;
  connector_webhook: ConnectorWebhookTable;
  contact: ContactTable;
  contact_identity: ContactIdentityTable;
  contact_merge: ContactMergeTable;
  delivery: DeliveryTable;
  delivery_outcome: DeliveryOutcomeTable;
  delivery_request: DeliveryRequestTable;
  dispatch_stage: DispatchStageTable;
  endpoint: EndpointTable;
  endpoint_transform: EndpointTransformTable;
  event: EventTable;
  event_label: EventLabelTable;
  event_type: EventTypeTable;
  event_type_lock: EventTypeLockTable;
  event_type_version: EventTypeVersionTable;
  http_call: HttpCallTable;
  idempotency: IdempotencyTable;
  inbound_receipt: InboundReceiptTable;
  inbound_seen: InboundSeenTable;
  inbound_source: InboundSourceTable;
  inbox: InboxTable;
  inbox_message: InboxMessageTable;
  invitation: InvitationTable;
  issue: IssueTable;
  issue_hour: IssueHourTable;
  issue_report: IssueReportTable;
  issue_tenant: IssueTenantTable;
  key_usage: KeyUsageTable;
  key_use: KeyUseTable;
  lane: LaneTable;
  last_backup: LastBackupTable;
  mail: MailTable;
  member: MemberTable;
  news: NewsTable;
  news_interest: NewsInterestTable;
  notification: NotificationTable;
  oauth_client: OauthClientTable;
  oauth_grant: OauthGrantTable;
  oauth_token: OauthTokenTable;
  oidc_use: OidcUseTable;
  ordered_endpoint: OrderedEndpointTable;
  outbox: OutboxTable;
  passkey: PasskeyTable;
  passkey_challenge: PasskeyChallengeTable;
  pending_delivery: PendingDeliveryTable;
  person: PersonTable;
  person_identity: PersonIdentityTable;
  portal_session: PortalSessionTable;
  pull_consumer: PullConsumerTable;
  pull_log: PullLogTable;
  pull_message: PullMessageTable;
  rate_window: RateWindowTable;
  recovery_code: RecoveryCodeTable;
  replay_job: ReplayJobTable;
  request_log: RequestLogTable;
  reset_link: ResetLinkTable;
  rule: RuleTable;
  rule_listener: RuleListenerTable;
  rule_run: RuleRunTable;
  scheduled_event: ScheduledEventTable;
  secret: SecretTable;
  secret_version: SecretVersionTable;
  session: SessionTable;
  setup_link: SetupLinkTable;
  shard_trigger: ShardTriggerTable;
  slack_app: SlackAppTable;
  slack_link: SlackLinkTable;
  standing_approval: StandingApprovalTable;
  step_up: StepUpTable;
  svix_event_type: SvixEventTypeTable;
  tenant_contact: TenantContactTable;
  tenant_deletion: TenantDeletionTable;
  tenant_profile: TenantProfileTable;
  ticket: TicketTable;
  usage_day: UsageDayTable;
  usage_hour: UsageHourTable;
  workflow: WorkflowTable;
  workflow_run: WorkflowRunTable;
  workflow_schedule: WorkflowScheduleTable;
  workflow_step: WorkflowStepTable;
  workflow_version: WorkflowVersionTable;
  workflow_wait: WorkflowWaitTable;
  workspace: WorkspaceTable;
}

interface ActionContractTable {
  bucket: number;
  workspace_id: Uuid;
  key: string;
  id: Uuid;
  version: number;
  author_environment: string;
  signing_secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  previous_expires_at: Date | null;
  connector_key: string | null;
  secret_ref: string | null;
  updated_at: Generated<Date>;
  deleted_at: Date | null;
}

interface ActionContractVersionTable {
  bucket: number;
  workspace_id: Uuid;
  key: string;
  version: number;
  contract_id: Uuid;
  definition: string;
  sha256: Buffer;
  author_kind: string;
  author_id: Uuid;
  author_environment: string;
  created_at: Generated<Date>;
  promoted_from: Uuid | null;
  promoted_version: number | null;
}

interface ActionProposalTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  action: string;
  contract_version: number;
  state: string;
  surface: string;
  proposer: string;
  proposer_key_id: Uuid | null;
  proposer_author_kind: string | null;
  proposer_author_id: Uuid | null;
  involved: Uuid[];
  parameters_sealed: Buffer;
  parameters_redacted: string;
  params_hash: Buffer;
  prompt: string | null;
  preview: string;
  approver_roles: string[];
  four_eyes: boolean;
  approvals_required: number;
  approver_ids: Generated<Uuid[]>;
  approvals: ColumnType<Record<string, unknown>, string | undefined, string>;
  decision: string | null;
  chain: Uuid[] | null;
  waiter: string | null;
  expires_at: Date;
  run_id: Uuid | null;
  supersedes: Uuid | null;
  superseded_by: Uuid | null;
  ended_at: Date | null;
  edited_by: string | null;
  workflow: string | null;
  standing_approval_id: Uuid | null;
  tenant: string | null;
}

interface ActionRunTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  action: string;
  contract_version: number;
  proposal_id: Uuid | null;
  status: string;
  surface: string;
  actor: string;
  approver: string | null;
  parameters_sealed: Buffer | null;
  parameters_redacted: string;
  prompt: string | null;
  chain: Uuid[] | null;
  waiter: string | null;
  simulated: Generated<boolean>;
  result_redacted: string | null;
  result_sealed: Buffer | null;
  error_code: string | null;
  error_detail: string | null;
  outcome_unknown: Generated<boolean>;
  backend_status: number | null;
  backend_host: string | null;
  duration_ms: number | null;
  audit_id: Uuid | null;
  lineage_id: Uuid | null;
  idempotency_key: string | null;
  reply: string | null;
  request_id: string | null;
  attempts: Generated<number>;
  lease_id: Uuid | null;
  due_at: Date | null;
  undo_until: Date | null;
  undo_actor: string | null;
  undone_at: Date | null;
  started_at: Date;
  ended_at: Date | null;
  tenant: string | null;
}

interface ActivityTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  contact_id: Uuid;
  kind: string;
  event_type: string;
  summary: string;
  value: string | null;
  score_delta: ColumnType<string, number | string, number | string>;
  occurred_at: Date;
  position: Uuid;
  receipt_id: Uuid | null;
}

interface AiActivityTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  tenant: string | null;
  source: string;
  kind: string;
  name: string | null;
  target_id: string | null;
  target_name: string | null;
  actor: string;
  key_id: Uuid | null;
  client: string | null;
  status: string;
  error_code: string | null;
  request_id: string | null;
  at: Date;
  last_at: Date;
  count: number;
}

interface AiHistoryTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  trigger: string;
  event_id: Uuid | null;
  actor: string;
  provider: string;
  model: string | null;
  prompt: string;
  response: string | null;
  tool_calls: string;
  status: string;
  error_code: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  duration_ms: number | null;
  request_id: string | null;
  key_id: Uuid | null;
  client: string | null;
  target_id: string | null;
  target_name: string | null;
}

interface AiHistoryResultTable {
  bucket: number;
  tag: Tag;
  history_id: Uuid;
  id: Uuid;
  workspace_id: Uuid;
  tool_call_id: string | null;
  action: string;
  proposal_id: Uuid | null;
  run_id: Uuid | null;
  status: string;
  result: string | null;
  error_code: string | null;
}

interface ApiKeyTable {
  id: Uuid;
  workspace_id: Uuid;
  bucket: number;
  tag: Tag;
  key_hash: Buffer;
  lineage_id: Uuid;
  name: string;
  prefix_hint: string;
  permission_mode: string;
  blocked_actions: Generated<string[]>;
  role: string;
  actor_type: string;
  member_id: Uuid | null;
  scopes: string[] | null;
  permissions: Generated<string[]>;
  rate_limit_per_hour: Generated<number>;
  ip_allowlist: Generated<string[]>;
  require_signature: Generated<boolean>;
  accept_body_signature: Generated<boolean>;
  signing_secret_sealed: Buffer | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  last_used_ip: string | null;
  revoked_at: Date | null;
  created_at: Generated<Date>;
  replaced_by: Uuid | null;
  expiry_warned_at: Date | null;
  made_by: Generated<Uuid[]>;
  tenant: string | null;
  own_permission_mode: string | null;
  own_blocked_actions: string[] | null;
  portal_session_id: Uuid | null;
  maker_lineage_id: Uuid | null;
  maker_member_id: Uuid | null;
  maker_rights: string | null;
  granted_by: Uuid | null;
}

interface ApprovalAnnouncementTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  channel_id: Uuid;
  proposal_id: Uuid;
  state: Generated<string>;
  shown_state: string | null;
  shown_approvals: number | null;
  slack_channel_id: string | null;
  slack_ts: string | null;
  reminders: Generated<number>;
  attempts: Generated<number>;
  due_at: Date | null;
  lease_id: Uuid | null;
  error_class: string | null;
  error: string | null;
  announced_at: Date | null;
  ended_at: Date | null;
}

interface ApprovalChannelTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  kind: string;
  name: string;
  slack_channel_id: string | null;
  recipients: Generated<string[]>;
  risks: string[] | null;
  actions: string[] | null;
  after_minutes: number;
  remind_every_minutes: number | null;
  decides: boolean;
  active: boolean;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface AssistantTable {
  bucket: number;
  workspace_id: Uuid;
  base_url: string | null;
  model: string | null;
  secret_ref: string | null;
  instructions: string;
  events: string[];
  max_per_minute: number;
  max_per_day: number;
  script: string | null;
  updated_at: Generated<Date>;
}

interface AssistantAskTable {
  bucket: number;
  workspace_id: Uuid;
  id: Uuid;
  asked_at: Generated<Date>;
}

interface AssistantTaskTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  event_id: Uuid;
  chain: Uuid[];
  state: Generated<string>;
  answer_sealed: Buffer | null;
  history_id: Uuid | null;
  attempts: Generated<number>;
  due_at: Date | null;
  lease_id: Uuid | null;
  ended_at: Date | null;
}

interface AttemptTable {
  bucket: number;
  tag: Tag;
  delivery_id: Uuid;
  number: number;
  id: Uuid;
  trigger: string;
  started_at: Date;
  status_code: number | null;
  error_class: string | null;
  error_detail: string | null;
  latency: number[];
  resolved_ip: string | null;
  response_headers: string | null;
  response_snippet: string | null;
  response_truncated: boolean;
  request_timestamp: ColumnType<string, number | string, number | string>;
}

interface AuditDigestTable {
  bucket: number;
  tag: Tag;
  workspace_id: Uuid;
  hour: Date;
  id: Uuid;
  seq: ColumnType<string, number | string, number | string>;
  hash: Buffer;
  signed_at: Date;
  signature: Buffer;
}

interface AuditHeadTable {
  bucket: number;
  tag: Tag;
  workspace_id: Uuid;
  seq: ColumnType<string, number | string, number | string>;
  hash: Buffer;
  created_at: Date;
}

interface AuditRowTable {
  bucket: number;
  tag: Tag;
  seq: ColumnType<string, number | string, number | string>;
  id: Uuid;
  workspace_id: Uuid;
  occurred_at: Date;
  kind: string;
  action: string;
  contract_version: number | null;
  proposal_id: Uuid | null;
  run_id: Uuid | null;
  actor_type: string;
  actor_id: string | null;
  actor_display: string | null;
  actor_key_id: string | null;
  actor_ip: string | null;
  approver: string | null;
  prompt: string | null;
  params_redacted: string | null;
  result_redacted: string | null;
  status: string;
  error_code: string | null;
  duration_ms: number | null;
  backend: string | null;
  deployment: string;
  request_id: string | null;
  prev_hash: Buffer;
  hash: Buffer;
  created_at: Date;
  tenant: string | null;
}

interface AuditSigningKeyTable {
  singleton: Generated<boolean>;
  public_key: Buffer;
  private_sealed: Buffer;
  created_at: Generated<Date>;
}

interface ChannelTable {
  workspace_id: Uuid;
  id: Uuid;
  owner: string;
  awaits: boolean;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  previous_expires_at: Date | null;
}

interface ChannelEndpointTable {
  bucket: number;
  tag: Tag;
  channel_id: Uuid;
  fingerprint: Buffer;
  endpoint_id: Uuid;
}

interface ConfigurationPlanTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  configuration: string;
  prune: boolean;
  digest: Buffer;
  expires_at: Date;
  applied_at: Date | null;
  answer: string | null;
  proposal_id: Uuid | null;
}

interface ConnectorTable {
  key: string;
  id: Uuid;
  state: string;
  digest: string | null;
  reason: string | null;
  scanned_at: Date;
}

interface ConnectorCrashTable {
  bucket: number;
  workspace_id: Uuid;
  key: string;
  at: Generated<Date>;
  kind: string;
}

interface ConnectorEffectTable {
  bucket: number;
  tag: Tag;
  key: string;
  cause: string;
  name: string;
  answer: string;
  created_at: Generated<Date>;
}

interface ConnectorInstallTable {
  bucket: number;
  workspace_id: Uuid;
  key: string;
  environment: string;
  digest: string | null;
  enabled: boolean;
  quarantine: string | null;
  settings: string;
  secret_names: string[];
  secrets_sealed: Buffer | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  hook_seed_sealed: Buffer | null;
}

interface ConnectorKeyTable {
  key_id: string;
  public_key: Buffer;
  name: string;
  connectors: string[] | null;
  development: boolean;
  created_at: Generated<Date>;
  revoked_at: Date | null;
}

interface ConnectorListenerTable {
  bucket: number;
  workspace_id: Uuid;
  event: string;
  key: string;
  priority: number;
  handlers: string[];
  sandbox_only: boolean;
}

interface ConnectorQuotaTable {
  bucket: number;
  tag: Tag;
  key: string;
  entries: number;
  bytes: ColumnType<string, number | string, number | string>;
}

interface ConnectorRunTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  key: string;
  version: string;
  hook: string;
  name: string;
  event_id: Uuid | null;
  outcome: string;
  error: string | null;
  duration_ms: number;
  services: string;
  lines: string;
  tenant: string | null;
}

interface ConnectorValueTable {
  bucket: number;
  tag: Tag;
  key: string;
  name: string;
  value: string;
  bytes: number;
  expires_at: Date | null;
}

interface ConnectorVersionTable {
  key: string;
  digest: string;
  version: string;
  manifest: string;
  description: string;
  actions: string;
  settings: string;
  signers: string[];
  created_at: Generated<Date>;
}

interface ConnectorWebhookTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  key: string;
  dedupe: Buffer;
  body: string | null;
  request: string | null;
  state: string;
  attempts: Generated<number>;
  due_at: Date;
  lease_id: Uuid | null;
  error: string | null;
  created_at: Generated<Date>;
}

interface ContactTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  email: string | null;
  name: string | null;
  lifecycle_stage: string | null;
  told_stage: string | null;
  implied_stage: string | null;
  stamps: ColumnType<Record<string, unknown>, string | undefined, string>;
  score: ColumnType<string, number | string | undefined, number | string>;
  tags: Generated<string[]>;
  last_activity_at: Date | null;
  updated_at: Generated<Date>;
}

interface ContactIdentityTable {
  bucket: number;
  tag: Tag;
  kind: string;
  value: string;
  contact_id: Uuid;
}

interface ContactMergeTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  into_id: Uuid;
}

interface DeliveryTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  event_id: Uuid;
  event_name: string;
  endpoint_id: Uuid;
  state: string;
  attempt_count: number;
  last_status_code: number | null;
  last_error_class: string | null;
  completed_at: Generated<Date>;
  transformed: boolean | null;
  leased_until: Date | null;
  lane: string | null;
  lane_sequence: ColumnType<string | null, number | string | null, number | string | null>;
  pull_offset: ColumnType<string | null, number | string | null, number | string | null>;
}

interface DeliveryOutcomeTable {
  bucket: number;
  tag: Tag;
  delivery_id: Uuid;
  state: string;
  status_code: number | null;
}

interface DeliveryRequestTable {
  bucket: number;
  tag: Tag;
  delivery_id: Uuid;
  version: number;
  method: string;
  headers: string;
  body: string;
  log: string;
}

interface DispatchStageTable {
  bucket: number;
  tag: Tag;
  event_id: Uuid;
  priority: number;
  kind: string;
  key: string;
  state: Generated<string>;
  late: Generated<boolean>;
  attempts: Generated<number>;
  due_at: Date;
  lease_id: Uuid | null;
  started_at: Date | null;
  ended_at: Date | null;
  error: string | null;
}

interface EndpointTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  url: string;
  events: string[];
  active: Generated<boolean>;
  description: Generated<string>;
  secret_sealed: Buffer | null;
  previous_secret_sealed: Buffer | null;
  previous_expires_at: Date | null;
  headers: ColumnType<Record<string, unknown>, string | undefined, string>;
  rate_limit_per_second: number | null;
  max_in_flight: Generated<number>;
  paced_until: Date | null;
  failing_since: Date | null;
  disabled_reason: string | null;
  deleted_at: Date | null;
  created_at: Generated<Date>;
  channel_id: Uuid | null;
  secret_maker_kind: string | null;
  secret_maker_id: Uuid | null;
  headers_sealed: Buffer | null;
  filter: string | null;
  failing_noticed_at: Date | null;
  event_versions: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  transform: string | null;
  transform_version: number | null;
  tenant: string | null;
  subscriber_key_id: Uuid | null;
  ends_at: Date | null;
  inactive_since: Date | null;
  ordering_key: string | null;
  on_failed: string | null;
  kind: Generated<string>;
  wire: string | null;
  channels: string[] | null;
  metadata: string | null;
  uid: string | null;
  external_ref: string | null;
  retry_schedule: number[] | null;
  auth: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  auth_author_kind: string | null;
  auth_author_id: Uuid | null;
  certificate_expires_at: Date | null;
  certificate_noticed_at: Date | null;
  signatures: string[] | null;
  ed25519_sealed: Buffer | null;
  ed25519_public: string | null;
  previous_ed25519_sealed: Buffer | null;
  previous_ed25519_public: string | null;
  subscription_id: string | null;
  subscription_arguments: string | null;
  callback_verified_at: Date | null;
  subscriber_lineage_id: Uuid | null;
  name: string | null;
  destination: ColumnType<Record<string, unknown> | null, string | null, string | null>;
}

interface EndpointTransformTable {
  bucket: number;
  tag: Tag;
  endpoint_id: Uuid;
  version: number;
  transform: string | null;
  author_kind: string | null;
  author_id: Uuid | null;
  created_at: Generated<Date>;
  author_name: string | null;
  author_tenant: string | null;
}

interface EventTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  name: string;
  canonical: boolean;
  data: string;
  occurred_at: Date;
  subject: string | null;
  chain: Uuid[] | null;
  traceparent: string | null;
  type_version: number | null;
  schema_errors: string | null;
  tenant: string | null;
  internal: Generated<boolean>;
  late_xact: string | null;
  fired_by: Uuid[] | null;
}

interface EventLabelTable {
  bucket: number;
  tag: Tag;
  event_id: Uuid;
  tenant: string | null;
  uid: string | null;
  channels: string[] | null;
  tags: string[] | null;
  metadata: string | null;
}

interface EventTypeTable {
  bucket: number;
  workspace_id: Uuid;
  name: string;
  title: string;
  description: string;
  enforcement: string;
  visibility: string;
  version: number;
  revision: number;
  deprecated_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  archived_at: Date | null;
  visibility_chosen: Generated<boolean>;
}

interface EventTypeLockTable {
  bucket: number;
  workspace_id: Uuid;
  changes: ColumnType<string, number | string, number | string>;
}

interface EventTypeVersionTable {
  bucket: number;
  workspace_id: Uuid;
  name: string;
  version: number;
  schema: string | null;
  examples: string;
  created_at: Generated<Date>;
}

interface HttpCallTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  owner_kind: string;
  owner_id: Uuid;
  owner_name: string;
  run_id: Uuid;
  step: string;
  event_id: Uuid | null;
  contact_id: Uuid | null;
  replay_of: Uuid | null;
  request: string;
  host: string;
  state: Generated<string>;
  attempts: Generated<number>;
  due_at: Date | null;
  lease_id: Uuid | null;
  status_code: number | null;
  response: string | null;
  error_class: string | null;
  error: string | null;
  duration_ms: number | null;
  ended_at: Date | null;
  tenant: string | null;
  author_kind: string | null;
  author_id: Uuid | null;
}

interface IdempotencyTable {
  bucket: number;
  tag: Tag;
  lineage_id: Uuid;
  key: string;
  request_hash: Buffer;
  status: number | null;
  response_sealed: Buffer | null;
  created_at: Generated<Date>;
  owner: Uuid | null;
  leased_until: Date | null;
  response_short_sealed: Buffer | null;
}

interface InboundReceiptTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  source_id: Uuid;
  status: string;
  reason_code: string | null;
  reason: string | null;
  extracted: string;
  event_type: string | null;
  contact_id: Uuid | null;
  activity_id: Uuid | null;
  event_id: Uuid | null;
  duplicate_of: Uuid | null;
  signed: boolean;
  body: Buffer;
  body_bytes: number;
  reprocessed_at: Date | null;
  headers: Generated<string>;
  read_as: string | null;
  items: string | null;
  refs: Uuid[] | null;
  proof: Buffer | null;
}

interface InboundSeenTable {
  bucket: number;
  tag: Tag;
  source_id: Uuid;
  key_hash: Buffer;
  receipt_id: Uuid;
  seen_at: Generated<Date>;
  item: Generated<number>;
}

interface InboundSourceTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  name: string;
  description: string;
  preset: string;
  active: Generated<boolean>;
  token_hash: Buffer;
  token_sealed: Buffer;
  signature_scheme: string;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  previous_expires_at: Date | null;
  contact_email_path: string | null;
  event_type_path: string | null;
  idempotency_key_path: string | null;
  contact_name_path: string | null;
  value_path: string | null;
  value_unit: string;
  currency_path: string | null;
  summary_path: string | null;
  summary_template: string | null;
  dedupe_by_body: boolean;
  score: ColumnType<Record<string, unknown>, string, string>;
  event_name: string | null;
  deleted_at: Date | null;
  created_at: Generated<Date>;
  sender: string | null;
  scheme: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  contact: Generated<string>;
  event_type_header: string | null;
  idempotency_key_header: string | null;
  respond: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  tenant: string | null;
  charset: string | null;
  each: string | null;
  event_type_default: string | null;
  idempotency_key_template: string | null;
  dedupe_ignore: Generated<string[]>;
  handshakes: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  signed_for_strangers: Generated<boolean>;
}

interface InboxTable {
  token: string;
  workspace_id: Uuid;
  bucket: number;
  tag: Tag;
  secret_sealed: Buffer | null;
  behaviour: ColumnType<Record<string, unknown>, string | undefined, string>;
  created_at: Generated<Date>;
  name: string | null;
  id: Uuid | null;
  token_sealed: Buffer | null;
}

interface InboxMessageTable {
  bucket: number;
  token: string;
  id: Uuid;
  delivery_id: string | null;
  event: string | null;
  headers: ColumnType<Record<string, unknown>, string, string>;
  body: string;
  signature: string;
  answered: number;
  waiting: Generated<boolean>;
}

interface InvitationTable {
  id: Uuid;
  workspace_id: Uuid;
  email: string;
  role: string;
  token_hash: Buffer;
  invited_by: Uuid | null;
  created_at: Generated<Date>;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
  invited_with: Uuid | null;
}

interface IssueTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  kind: string;
  object: string;
  tenant: string | null;
  state: string;
  current: Generated<boolean>;
  watched: Generated<boolean>;
  recent: string;
  streak: number;
  count: number;
  first_seen_at: Date;
  last_seen_at: Date;
  opened_at: Date | null;
  resolved_at: Date | null;
  resolved_by: string | null;
  reopened_count: Generated<number>;
  fingerprints: string;
  samples: string;
  owner: Uuid | null;
  ignored_until: Date | null;
  mailed_at: Date | null;
  mailed: Generated<boolean>;
}

interface IssueHourTable {
  bucket: number;
  tag: Tag;
  issue_id: Uuid;
  hour: Date;
  count: number;
}

interface IssueReportTable {
  bucket: number;
  tag: Tag;
  kind: string;
  object: string;
  id: Uuid;
  at: Generated<Date>;
  failed: boolean;
  workspace_id: Uuid | null;
  tenant: string | null;
  code: string | null;
  detail: string | null;
  sample: string | null;
  event_id: Uuid | null;
}

interface IssueTenantTable {
  bucket: number;
  tag: Tag;
  issue_id: Uuid;
  tenant: string;
  count: number;
  last_seen_at: Date;
}

interface KeyUsageTable {
  bucket: number;
  tag: Tag;
  lineage_id: Uuid;
  hour: Date;
  operation: string;
  outcome: string;
  calls: number;
}

interface KeyUseTable {
  bucket: number;
  tag: Tag;
  key_id: Uuid;
  used_at: Date;
  used_ip: string;
}

interface LaneTable {
  bucket: number;
  tag: Tag;
  endpoint_id: Uuid;
  key: string;
  sequence: ColumnType<string, number | string | undefined, number | string>;
  head_id: Uuid | null;
  head_holds: Generated<boolean>;
  blocked_at: Date | null;
  used_at: Generated<Date>;
}

interface LastBackupTable {
  singleton: Generated<boolean>;
  created_at: Date;
  file_name: string;
}

interface MailTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid | null;
  purpose: string;
  member_id: Uuid | null;
  recipient: string | null;
  facts: string | null;
  digest: string | null;
  state: Generated<string>;
  attempts: Generated<number>;
  due_at: Date | null;
  lease_id: Uuid | null;
  error_class: string | null;
  error: string | null;
  ended_at: Date | null;
  tenant: string | null;
}

interface MemberTable {
  id: Uuid;
  workspace_id: Uuid;
  role: string;
  created_at: Generated<Date>;
  person_id: Uuid;
  permissions: Generated<string[]>;
  removed_at: Date | null;
  mail_off: Generated<string[]>;
  by_groups: string | null;
  recovered_at: Date | null;
  grants_ended_at: Date | null;
}

interface NewsTable {
  bucket: number;
  tag: Tag;
  xid: ColumnType<string, number | string | undefined, number | string>;
  kind: string;
  id: Uuid;
  at: Generated<Date>;
}

interface NewsInterestTable {
  bucket: number;
  tag: Tag;
  node: Uuid;
  listeners: number;
  since_xid: ColumnType<string, number | string, number | string>;
  expires_at: Date;
}

interface NotificationTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  member_id: Uuid;
  rule_id: Uuid;
  rule_name: string;
  event_id: Uuid;
  contact_id: Uuid | null;
  message: string;
  created_at: Generated<Date>;
  read_at: Date | null;
  tenant: string | null;
}

interface OauthClientTable {
  id: string;
  name: string;
  redirect_uris: string[];
  created_at: Date;
  used_at: Date | null;
  network: string | null;
}

interface OauthGrantTable {
  key_id: Uuid;
  workspace_id: Uuid;
  member_id: Uuid;
  client_id: string;
  client_name: string;
  redirect_uri: string;
  code_hash: Buffer;
  code_challenge: string;
  code_expires_at: Date;
  code_used_at: Date | null;
  created_at: Date;
}

interface OauthTokenTable {
  token_hash: Buffer;
  key_id: Uuid;
  kind: string;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

interface OidcUseTable {
  hash: Buffer;
  expires_at: Date;
}

interface OrderedEndpointTable {
  bucket: number;
  tag: Tag;
  endpoint_id: Uuid;
  noticed_at: Date | null;
}

interface OutboxTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  name: string;
  subject: string;
  data: string;
  chain: Uuid[] | null;
  tenant: string | null;
}

interface PasskeyTable {
  id: Uuid;
  person_id: Uuid;
  credential_id: Buffer;
  public_key: Buffer;
  sign_count: ColumnType<string, number | string, number | string>;
  transports: string[];
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

interface PasskeyChallengeTable {
  challenge_hash: Buffer;
  person_id: Uuid;
  purpose: string;
  session_id: Uuid | null;
  expires_at: Date;
}

interface PendingDeliveryTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  event_id: Uuid;
  event_name: string;
  endpoint_id: Uuid;
  attempt_count: Generated<number>;
  due_at: Date;
  next_attempt_at: Date | null;
  lease_id: Uuid | null;
  trigger: Generated<string>;
  resting_state: string | null;
  last_status_code: number | null;
  last_error_class: string | null;
  transformed: boolean | null;
  lane: string | null;
  lane_xact: string | null;
  lane_since: Date | null;
  lane_at: number | null;
  lane_place: ColumnType<string | null, number | string | null, number | string | null>;
  lane_sequence: ColumnType<string | null, number | string | null, number | string | null>;
  lane_head: boolean | null;
  xact: string | null;
}

interface PersonTable {
  id: Uuid;
  email: string;
  name: string;
  password_hash: string;
  totp_pending_sealed: Buffer | null;
  totp_sealed: Buffer | null;
  totp_step: ColumnType<string, number | string | undefined, number | string>;
  created_at: Generated<Date>;
}

interface PersonIdentityTable {
  issuer: string;
  subject: string;
  person_id: Uuid;
  created_at: Date;
}

interface PortalSessionTable {
  id: Uuid;
  workspace_id: Uuid;
  tag: Tag;
  tenant: string;
  token_hash: Buffer;
  capabilities: string[];
  theme: ColumnType<Record<string, unknown>, string, string>;
  role: string;
  blocked_actions: string[];
  rate_limit_per_hour: number;
  made_by: Uuid[];
  maker_lineage_id: Uuid | null;
  maker_member_id: Uuid | null;
  maker_rights: string;
  created_at: Generated<Date>;
  token_expires_at: Date;
  expires_at: Date;
  exchanged_at: Date | null;
  revoked_at: Date | null;
  name: string | null;
  parent_id: Uuid | null;
}

interface PullConsumerTable {
  bucket: number;
  tag: Tag;
  endpoint_id: Uuid;
  name: string;
  position: ColumnType<string, number | string, number | string>;
  lease_id: Uuid | null;
  lease_last: ColumnType<string | null, number | string | null, number | string | null>;
  lease_seconds: number | null;
  lease_expires_at: Date | null;
  lease_key: Buffer | null;
  lease_skipped: ColumnType<string | null, number | string | null, number | string | null>;
  created_at: Generated<Date>;
  last_pulled_at: Generated<Date>;
  noticed_at: Date | null;
}

interface PullLogTable {
  bucket: number;
  tag: Tag;
  endpoint_id: Uuid;
  first_offset: ColumnType<string, number | string | undefined, number | string>;
  last_offset: ColumnType<string, number | string | undefined, number | string>;
  last_at: Generated<Date>;
  epoch: Generated<Uuid>;
}

interface PullMessageTable {
  bucket: number;
  tag: Tag;
  endpoint_id: Uuid;
  pull_offset: ColumnType<string, number | string, number | string>;
  id: Uuid;
  event_id: Uuid;
  event_name: string;
  attempt_count: number;
  last_error_class: string | null;
  transformed: boolean | null;
  at: Date;
}

interface RateWindowTable {
  bucket: number;
  subject: string;
  operation: string;
  head: ColumnType<string, number | string, number | string>;
  slots: number[];
  updates: ColumnType<string, number | string | undefined, number | string>;
  generation: ColumnType<string, number | string | undefined, number | string>;
}

interface RecoveryCodeTable {
  person_id: Uuid;
  code_hash: Buffer;
  used_at: Date | null;
}

interface ReplayJobTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  endpoint_id: Uuid | null;
  since: Date;
  until: Date;
  total: number;
  done: Generated<number>;
  finished_at: Date | null;
  filter: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  ids: Uuid[] | null;
  position: Uuid | null;
  cancelled_at: Date | null;
  retransform: boolean | null;
  tenant: string | null;
  backfill: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  sweep_from: Uuid | null;
  due_at: Generated<Date | null>;
  lease_id: Uuid | null;
  attempts: Generated<number>;
}

interface RequestLogTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  operation: string;
  method: string;
  path: string;
  status: number;
  error_code: string | null;
  duration_ms: number;
  key_id: Uuid | null;
  member_id: Uuid | null;
  ip: string;
}

interface ResetLinkTable {
  token_hash: Buffer;
  person_id: Uuid;
  clear_totp: boolean;
  expires_at: Date;
  used_at: Date | null;
  created_at: Generated<Date>;
  made_by: Uuid | null;
  made_with: Uuid | null;
}

interface RuleTable {
  bucket: number;
  workspace_id: Uuid;
  id: Uuid;
  name: string;
  events: string[];
  condition: string;
  actions: string;
  priority: number;
  enabled: boolean;
  max_runs_per_minute: number;
  version: Generated<number>;
  author_kind: string;
  author_id: Uuid;
  author_environment: string;
  updated_at: Generated<Date>;
  headers_sealed: Buffer | null;
  promotes_to: Uuid | null;
  promoted_from: Uuid | null;
  promoted_version: number | null;
}

interface RuleListenerTable {
  bucket: number;
  workspace_id: Uuid;
  event: string;
  rule_id: Uuid;
  sandbox_only: boolean;
}

interface RuleRunTable {
  bucket: number;
  tag: Tag;
  event_id: Uuid;
  rule_id: Uuid;
  id: Uuid;
  rule_version: number;
  event_name: string;
  status: string;
  reason_code: string | null;
  reason: string | null;
  contact_id: Uuid | null;
  leaves: string;
  actions: string;
  pending: string | null;
  started_at: Date;
  ended_at: Date | null;
}

interface ScheduledEventTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  name: string;
  data: string;
  occurred_at: Date | null;
  subject: string | null;
  traceparent: string | null;
  accepted_at: Generated<Date>;
  due_at: Date | null;
  ended_at: Date | null;
  type_version: number | null;
  tenant: string | null;
  labels: string | null;
  fired_by: Uuid[] | null;
}

interface SecretTable {
  bucket: number;
  tag: Tag;
  workspace_id: Uuid;
  name: string;
  id: Uuid;
  value_sealed: Buffer;
  updated_at: Generated<Date>;
  hosts: string[] | null;
  any_host: Generated<boolean>;
}

interface SecretVersionTable {
  workspace_id: Uuid;
  version: ColumnType<string, number | string, number | string>;
}

interface SessionTable {
  id: Uuid;
  token_hash: Buffer;
  person_id: Uuid;
  workspace_id: Uuid;
  ip: string;
  user_agent: string;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
  ended_at: Date | null;
  oidc_subject: string | null;
  oidc_sid: string | null;
}

interface SetupLinkTable {
  token_hash: Buffer;
  workspace_id: Uuid;
  expires_at: Date;
  used_at: Date | null;
}

interface ShardTriggerTable {
  relation: string;
  name: string;
  definition: string;
}

interface SlackAppTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  team_id: string;
  updated_at: Generated<Date>;
}

interface SlackLinkTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  member_id: Uuid;
  code_hash: Buffer | null;
  code_expires_at: Date | null;
  team_id: string | null;
  slack_user_id: string | null;
  linked_at: Date | null;
}

interface StandingApprovalTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  name: string;
  action: string;
  contract_version: number;
  agents: string;
  conditions: string | null;
  per: string;
  time_zone: string;
  max_count: number;
  sum_parameter: string | null;
  max_sum: ColumnType<string | null, number | string | null, number | string | null>;
  expires_at: Date;
  writer_member_id: Uuid;
  created_by: string;
  window_start: Date | null;
  used_count: Generated<number>;
  used_sum: ColumnType<string, number | string | undefined, number | string>;
  uses: Generated<number>;
  last_used_at: Date | null;
  ended_at: Date | null;
  ended_by: string | null;
  end_reason: string | null;
}

interface StepUpTable {
  id: Uuid;
  subject: Buffer;
  workspace_id: Uuid;
  person_id: Uuid;
  session_id: Uuid;
  method: string;
  challenge_hash: Buffer | null;
  proved_at: Date | null;
  expires_at: Date;
}

interface SvixEventTypeTable {
  bucket: number;
  workspace_id: Uuid;
  name: string;
  group_name: string | null;
  feature_flags: string[] | null;
}

interface TenantContactTable {
  workspace_id: Uuid;
  tag: Tag;
  tenant: string;
  email: string;
  updated_at: Generated<Date>;
}

interface TenantDeletionTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  tenant: string;
  phase: Generated<string>;
  position: Uuid | null;
  sub_position: Uuid | null;
  removed: ColumnType<Record<string, unknown>, string | undefined, string>;
  due_at: Generated<Date | null>;
  finished_at: Date | null;
  lease_id: Uuid | null;
  attempts: Generated<number>;
}

interface TenantProfileTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  tenant: string;
  uid: string | null;
  name: string;
  metadata: string;
  rate_limit_per_second: number | null;
  external_ref: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface TicketTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  external_id: string;
  customer_id: Uuid | null;
  subject: string | null;
  status: string;
  priority: string | null;
  assignee: string | null;
  stamps: ColumnType<Record<string, unknown>, string | undefined, string>;
  updated_at: Generated<Date>;
}

interface UsageDayTable {
  bucket: number;
  tag: Tag;
  day: Date;
  kind: string;
  count: ColumnType<string, number | string, number | string>;
}

interface UsageHourTable {
  bucket: number;
  tag: Tag;
  kind: string;
  id: Uuid;
  subject: string;
  count: ColumnType<string, number | string, number | string>;
}

interface WorkflowTable {
  workspace_id: Uuid;
  id: Uuid;
  name: string;
  enabled: boolean;
  version: number;
  event: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  deleted_at: Date | null;
  promotes_to: Uuid | null;
  promoted_from: Uuid | null;
  promoted_version: number | null;
  max_runs_per_minute: Generated<number>;
}

interface WorkflowRunTable {
  bucket: number;
  tag: Tag;
  id: Uuid;
  workspace_id: Uuid;
  workflow_id: Uuid;
  version: number;
  event_id: Uuid;
  event_name: string;
  data: string;
  occurred_at: Date;
  chain: Uuid[];
  state: Generated<string>;
  step: string | null;
  position: Generated<number>;
  delivery_id: Uuid | null;
  outcome: string | null;
  status_code: number | null;
  due_at: Date | null;
  lease_id: Uuid | null;
  attempts: Generated<number>;
  error: string | null;
  ended_at: Date | null;
  input: string | null;
  cause: Generated<string>;
  started_by: string | null;
  contact_id: Uuid | null;
  parent_id: Uuid | null;
  parent_position: number | null;
  child_index: number | null;
  item: string | null;
  queued: Generated<boolean>;
  tenant: string | null;
}

interface WorkflowScheduleTable {
  bucket: number;
  workspace_id: Uuid;
  workflow_id: Uuid;
  environment: string;
  cron: string;
  time_zone: string;
  missed: string;
  next_at: Date | null;
  due_at: Date | null;
  fired_at: Date | null;
  fired_event: Uuid | null;
  skipped: Generated<number>;
  skipped_from: Date | null;
  skipped_until: Date | null;
}

interface WorkflowStepTable {
  bucket: number;
  tag: Tag;
  run_id: Uuid;
  position: number;
  step_id: string;
  type: string;
  state: string;
  output: string | null;
  error: string | null;
  started_at: Date;
  ended_at: Date | null;
}

interface WorkflowVersionTable {
  workspace_id: Uuid;
  workflow_id: Uuid;
  version: number;
  trigger: string;
  steps: string;
  author_environment: string;
  author_kind: string;
  author_id: Uuid;
  created_at: Generated<Date>;
  headers_sealed: Buffer | null;
}

interface WorkflowWaitTable {
  bucket: number;
  tag: Tag;
  run_id: Uuid;
  position: number;
  event: string;
  condition: string | null;
  key_path: Generated<string>;
  key_value: Generated<string>;
  began: Uuid;
  armed: Uuid | null;
  checks: Generated<number>;
  expires_at: Date;
  shared: Generated<boolean>;
}

interface WorkspaceTable {
  id: Uuid;
  tag: Tag;
  bucket: number;
  name: string;
  settings: ColumnType<Record<string, unknown>, string | undefined, string>;
  created_at: Generated<Date>;
  deletion_at: Date | null;
  closed_at: Date | null;
  is_operators: Generated<boolean>;
}
