// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.

/** What the service may say of an error; codes of tomorrow are legal. */
export type ErrorCode = "credentials_missing" | "key_invalid" | "key_revoked" | "key_expired" | "signature_invalid" | "signature_required" | "timestamp_missing" | "timestamp_invalid" | "timestamp_out_of_range" | "sign_in_failed" | "totp_required" | "session_invalid" | "invitation_invalid" | "reset_link_invalid" | "setup_link_invalid" | "workspace_mismatch" | "environment_mismatch" | "action_blocked" | "key_read_only" | "role_not_allowed" | "scope_missing" | "surface_not_allowed" | "permission_required" | "self_approval_forbidden" | "human_approval_required" | "ip_not_allowed" | "csrf_token_invalid" | "origin_not_allowed" | "rate_limited" | "too_many_auth_failures" | "too_many_streams" | "malformed_json" | "query_invalid" | "cursor_invalid" | "idempotency_key_invalid" | "version_unknown" | "bad_request" | "payload_too_large" | "unsupported_media_type" | "method_not_allowed" | "route_not_found" | "not_found" | "action_unknown" | "validation_failed" | "url_blocked" | "action_endpoint_failed" | "action_endpoint_redirect" | "action_endpoint_timeout" | "secret_missing" | "idempotency_key_reused" | "idempotency_in_progress" | "already_decided" | "proposal_expired" | "proposal_changed" | "contract_changed" | "proposer_revoked" | "last_owner" | "conflict" | "inbound_inactive" | "inbound_processing_failed" | "internal_error" | "service_unavailable" | (string & {});

export type ActionApprovalApproverRole = "owner" | "admin" | "developer" | "operator" | "viewer" | (string & {});

export type ActionAuthType = "none" | "bearer" | "api_key" | "basic" | "hmac" | (string & {});

export type ActionContractDelivery = "sync" | "async" | (string & {});

export type ActionContractSurfaceItem = "api" | "console" | "mcp" | "assistant" | "rule" | "workflow" | "connector" | (string & {});

export type ActionFailedDataActorType = "user" | "service" | "ai" | (string & {});

export type ActionParameterType = "int" | "string" | "number" | "boolean" | (string & {});

export type ActivityKind = "inbound" | "event" | "action" | "note" | (string & {});

export type AiExchangeSource = "assistant" | "mcp" | "api" | (string & {});

export type AnalyticsAnomalyDataDirection = "above" | "below" | (string & {});

export type AnalyticsAnomalyDataSeverity = "low" | "medium" | "high" | "critical" | (string & {});

export type ApiKeyActorType = "user" | "service" | "ai" | (string & {});

export type ApiKeyPermissionMode = "all" | "read_only" | "restricted" | (string & {});

export type AskedConnectorStatus = "ok" | "failed" | (string & {});

export type AssistantProvider = "off" | "openai_compatible" | "scripted" | (string & {});

export type AssistantState = "off" | "incomplete" | "on" | (string & {});

export type AttemptErrorClass = "http_status" | "target_refused" | "dns" | "connect" | "tls" | "timeout" | "reset" | "protocol" | "redirect" | (string & {});

export type AttemptTrigger = "ladder" | "replay" | (string & {});

export type AttentionSelfTestFailedStep = "accepted" | "stored" | "dispatched" | "delivered" | "verified" | (string & {});

export type AttentionSelfTestStatus = "passed" | "failed" | (string & {});

export type AuditActorType = "user" | "service" | "ai" | "rule" | "workflow" | "connector" | "system" | (string & {});

export type AuditRowKind = "run" | "proposal" | "contract" | "ai" | "rule" | "workflow" | "connector" | "sign_in" | "account" | "session" | "member" | "key" | "secret" | "endpoint" | "source" | "contact" | "workspace" | "audit" | (string & {});

export type AuditVerificationReason = "changed" | "missing" | "cut" | "digest" | (string & {});

export type ConnectorFolderStatus = "verified" | "refused" | "absent" | (string & {});

export type ConnectorHealthStatus = "not_running" | "idle" | "ok" | "failing" | "quarantined" | (string & {});

export type ConnectorLogLineLevel = "debug" | "info" | "warning" | "error" | (string & {});

export type ConnectorRead = "activities" | "contacts" | "customers" | "tickets" | (string & {});

export type ConnectorReasonCode = "unreadable" | "symlink" | "special_file" | "too_large" | "too_many_files" | "too_deep" | "path_absolute" | "path_traversal" | "path_backslash" | "path_control" | "path_unicode" | "path_malformed" | "path_collision" | "unsigned" | "signature_malformed" | "manifest_edited" | "manifest_malformed" | "manifest_not_canonical" | "key_unknown" | "key_revoked" | "key_not_allowed" | "connector_key_malformed" | "connector_key_mismatch" | "connector_key_twice" | "version_mismatch" | "file_modified" | "file_unlisted" | "file_missing" | "class_missing" | "class_ambiguous" | "connector_malformed" | "actions_malformed" | "settings_malformed" | "crashed" | (string & {});

export type ConnectorRunHook = "subscriber" | "identity" | "context" | "webhook" | "action" | "test" | (string & {});

export type ConnectorRunOutcome = "ok" | "threw" | "deadline" | "memory" | "crashed" | "protocol" | "start" | "unavailable" | "skipped" | "refused" | (string & {});

export type ConnectorRuntime = "php" | "ts" | (string & {});

export type ConnectorSecretsValue = "set" | "unset" | (string & {});

export type ConnectorSignature = "valid" | "invalid" | "unsigned" | (string & {});

export type ConnectorState = "absent" | "refused" | "verified" | "configured" | "enabled" | "update_available" | "disabled" | "quarantined" | (string & {});

export type ConnectorWebhookStatus = "accepted" | "duplicate" | (string & {});

export type DeliveryLastErrorClass = "http_status" | "target_refused" | "dns" | "connect" | "tls" | "timeout" | "reset" | "protocol" | "redirect" | (string & {});

export type DeliveryLight = "green" | "amber" | "red" | (string & {});

export type DeliveryState = "pending" | "delivered" | "failed" | "cancelled" | (string & {});

export type Environment = "live" | "sandbox" | (string & {});

export type ExportAuditQueryActorType = "user" | "service" | "ai" | "rule" | "workflow" | "connector" | "system";

export type InboundEndpointPreset = "payment_processor" | "scheduling_tool" | "automation_relay" | "custom" | (string & {});

export type InboundPresetKey = "payment_processor" | "scheduling_tool" | "automation_relay" | "custom" | (string & {});

export type InboundPresetSignatureScheme = "service" | "standard_webhooks" | "stripe" | "github" | "calendly" | "slack" | (string & {});

export type InboundPresetValueUnit = "major" | "minor" | (string & {});

export type InboundPreviewStatus = "ok" | "unmapped" | (string & {});

export type InboundReceiptDetailRawPayloadEncoding = "utf8" | "base64" | (string & {});

export type InboundReceiptStatus = "ok" | "error" | "duplicate" | "unmapped" | (string & {});

export type InstallationOperatorDatabase = "embedded" | "external" | (string & {});

export type KeyTrialResultStep = "signature" | "permission" | "rate_limit" | "ip_allowlist" | (string & {});

export type ListRequestsQueryStatusClass = "2xx" | "3xx" | "4xx" | "5xx";

export type ListRunsQueryStatus = "queued" | "executing" | "executed" | "failed" | "undone" | "undo_failed";

export type LoggedRequestMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | (string & {});

export type MemberChangeRole = "owner" | "admin" | "developer" | "operator" | "viewer";

export type NewApiKeyRole = "admin" | "developer" | "operator" | "viewer" | "ai";

export type PreviewRisk = "low" | "medium" | "high" | (string & {});

export type ProposalApprovalKind = "inline" | "explicit" | (string & {});

export type ProposalState = "proposed" | "approved" | "executing" | "executed" | "failed" | "rejected" | "expired" | "cancelled" | "superseded" | "undone" | "undo_failed" | (string & {});

export type ReplayFilterState = "failed" | "delivered";

export type ReplayFilterStatusClass = "1xx" | "2xx" | "3xx" | "4xx" | "5xx";

export type ReplayState = "running" | "finished" | "cancelled" | (string & {});

export type RoleOperationAccess = "read" | "write" | (string & {});

export type RoleRole = "owner" | "admin" | "developer" | "operator" | "viewer" | "ai" | (string & {});

export type RuleActionType = "fire_event" | "post_webhook" | "adjust_score" | "add_tag" | "notify" | "run_action" | "start_workflow" | (string & {});

export type RuleAuthorKind = "key" | "member" | (string & {});

export type RuleLeafOp = "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "not_in" | "contains" | "starts_with" | "ends_with" | "exists" | (string & {});

export type RuleRunActionStatus = "done" | "failed" | "pending" | "simulated" | (string & {});

export type RuleRunStatus = "running" | "ok" | "failed" | "unmatched" | "skipped" | "limited" | "refused" | (string & {});

export type RunAcceptedStatus = "pending_confirmation" | "executing" | (string & {});

export type RunAnswerOutcome = "executed" | "pending_confirmation" | (string & {});

export type RunStatus = "queued" | "executing" | "executed" | "failed" | "undone" | "undo_failed" | "dry_run" | (string & {});

export type RunSurface = "api" | "console" | "mcp" | "assistant" | "rule" | "workflow" | "connector" | (string & {});

export type SubscriberRefKind = "projection" | "mirror" | "connector" | "rule" | "workflow" | "assistant" | "webhook" | (string & {});

export type SubscriptionCreatedDataSubscriptionInterval = "day" | "week" | "month" | "year" | (string & {});

export type TicketRepliedDataReplyAuthor = "customer" | "agent" | "bot" | (string & {});

export type WebhookEndpointHealth = "green" | "amber" | "red" | (string & {});

export type WebhookTestErrorClass = "target_refused" | "dns" | "connect" | "tls" | "timeout" | "reset" | "protocol" | "redirect" | "http_status" | (string & {});

export type WorkflowAuthorEnvironment = "live" | "sandbox" | (string & {});

export type WorkflowRunState = "running" | "waiting" | "completed" | "failed" | "cancelled" | (string & {});

export type WorkflowRunStepState = "waiting" | "completed" | "failed" | "cancelled" | (string & {});

export type WorkflowStepType = "condition" | "webhook" | "action" | "delay" | "wait_approval" | "fire_event" | (string & {});

export type WorkspaceSettingsAssistant = "off" | "openai_compatible" | "scripted" | (string & {});

export interface ActionActor {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface ActionApproval {
  /** Who may approve it. */
  approver_roles?: ActionApprovalApproverRole[] | undefined;
  /** Whoever asked for it, or edited it, may not approve it. Without it: whether it is destructive. */
  four_eyes?: boolean | undefined;
  /** How many people must approve it. By default 1. */
  required?: number | undefined;
  /** How long a proposal waits. By default 86400. */
  expires_in_seconds?: number | undefined;
  /** The rules that may approve it, each as `<rule id>@<version>`; its author must have a role that may approve. An id without a version, or a rule's name, allows it only while an owner is its last author. Only an owner writes a contract that names any. By default []. */
  allow_rule?: string[] | undefined;
}

export interface ActionAuth {
  /** Beside the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret. */
  type: ActionAuthType;
  /** The name of a secret (`PUT /v1/secrets/{name}`). `basic` takes `user:password`. */
  secret_ref?: string | null | undefined;
  /** The header that an `api_key` is sent in. */
  header?: string | null | undefined;
}

export interface ActionCall {
  /** The contract's key. */
  action: string;
  /** The parameters that the contract takes, by name. Values are never converted. */
  parameters?: object | undefined;
  /** The parameters that the contract takes, by name. Values are never converted. */
  params?: object | undefined;
  /** `true` stands for an approval where the contract and the workspace let it; never for an AI. By default false. */
  confirmed?: boolean | undefined;
  /** Narrows where the call counts as coming from: the contract must list both. */
  surface?: RunSurface | undefined;
  /** What led to the call, for the audit. Nobody who approves sees it in the preview. */
  prompt?: string | undefined;
  /** Shows what would come of the call, and calls nothing. By default false. */
  dry_run?: boolean | undefined;
}

export interface ActionContract {
  /** An id that begins with `ctr_`. */
  id: string;
  object: "action_contract";
  /** Its name, which no other contract of the workspace has. */
  key: string;
  /** What it does, for people. */
  label: string;
  /** Where it may be called from; how a call comes in says which that is. */
  surface: ActionContractSurfaceItem[];
  /** Who may run it, or ask for it. */
  roles: RoleRole[];
  /** A person sees a preview before anything happens. */
  requires_confirmation: boolean;
  /** Whether executions are written to the audit. */
  audit: boolean;
  /** Its parameters by name. A call with any other is refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs it: an https address on the internet. */
  endpoint: string;
  /** For people and models. */
  description: string;
  /** `high` needs confirmation by a person. */
  risk: PreviewRisk;
  /** It cannot be taken back. Needs confirmation by a person. By default false. */
  destructive: boolean;
  /** It can be undone, by `undo`. */
  reversible: boolean;
  undo: ActionContractUndo | null;
  /** A call may be repeated: the backend tells by `run_id`. By default false. */
  idempotent: boolean;
  /** What a key must hold. */
  scope: string | null;
  /** An operator permission that it needs. */
  permission: string | null;
  /** `sync`: the call waits for the backend and answers with the run that ended. `async`: it answers 202 at once, and the run ends later. */
  delivery: ActionContractDelivery;
  auth: ActionContractAuth;
  response: ActionContractResponse;
  /** For the whole call. By default 10000. */
  timeout_ms: number;
  approval: ActionContractApproval;
  /** Where sandbox runs go; without it they are simulated. */
  sandbox_endpoint: string | null;
  /** Counts changes, from 1. */
  version: number;
  /** Hex SHA-256 of the definition in its RFC 8785 form. */
  sha256: string;
  author: ActionContractAuthor;
  /** The connector that brought it. */
  connector_key: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
}

export interface ActionContractApproval {
  /** Who may approve it. */
  approver_roles: ActionApprovalApproverRole[];
  /** Whoever asked for it, or edited it, may not approve it. Without it: whether it is destructive. */
  four_eyes: boolean;
  /** How many people must approve it. By default 1. */
  required: number;
  /** How long a proposal waits. By default 86400. */
  expires_in_seconds: number;
  /** The rules that may approve it, each as `<rule id>@<version>`; its author must have a role that may approve. An id without a version, or a rule's name, allows it only while an owner is its last author. Only an owner writes a contract that names any. By default []. */
  allow_rule: string[];
}

export interface ActionContractAuth {
  /** Beside the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret. */
  type: ActionAuthType;
  /** The name of a secret (`PUT /v1/secrets/{name}`). `basic` takes `user:password`. */
  secret_ref: string | null;
  /** The header that an `api_key` is sent in. */
  header: string | null;
}

/** Who wrote this version. */
export interface ActionContractAuthor {
  kind: RuleAuthorKind;
  /** An id that begins with `key_`. */
  id: string;
}

export interface ActionContractChange {
  /** What it does, for people. */
  label?: string | undefined;
  /** Where it may be called from; how a call comes in says which that is. */
  surface?: ActionContractSurfaceItem[] | undefined;
  /** Who may run it, or ask for it. */
  roles?: RoleRole[] | undefined;
  /** A person sees a preview before anything happens. */
  requires_confirmation?: boolean | undefined;
  /** Whether executions are written to the audit. */
  audit?: boolean | undefined;
  /** Its parameters by name. A call with any other is refused. */
  params?: { [member: string]: ActionParameter } | undefined;
  /** The backend that performs it: an https address on the internet. */
  endpoint?: string | undefined;
  /** For people and models. */
  description?: string | undefined;
  /** `high` needs confirmation by a person. */
  risk?: PreviewRisk | undefined;
  /** It cannot be taken back. Needs confirmation by a person. By default false. */
  destructive?: boolean | undefined;
  /** It can be undone, by `undo`. */
  reversible?: boolean | undefined;
  undo?: ActionContractChangeUndo | null | undefined;
  /** A call may be repeated: the backend tells by `run_id`. By default false. */
  idempotent?: boolean | undefined;
  /** What a key must hold. */
  scope?: string | null | undefined;
  /** An operator permission that it needs. */
  permission?: string | null | undefined;
  /** `sync`: the call waits for the backend and answers with the run that ended. `async`: it answers 202 at once, and the run ends later. */
  delivery?: ActionContractDelivery | undefined;
  auth?: ActionAuth | undefined;
  response?: ActionResponse | undefined;
  /** For the whole call. By default 10000. */
  timeout_ms?: number | undefined;
  approval?: ActionApproval | undefined;
  /** Where sandbox runs go; without it they are simulated. */
  sandbox_endpoint?: string | null | undefined;
}

export interface ActionContractChangeUndo {
  /** What undoes it; called as `endpoint` is, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  /** For how long after its execution it can be undone. By default 86400. */
  window_seconds?: number | undefined;
}

export interface ActionContractList {
  object: "list";
  data: ActionContract[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ActionContractResponse {
  /** Whether a 2xx answer must be JSON for the run to be executed. With `false` any 2xx counts, and an answer that is not JSON has the result null. By default true. */
  json: boolean;
  success_when: ActionContractResponseSuccessWhen | null;
  /** Where the result stands in the answer; without it the whole answer is it. */
  result_path: string | null;
  /** Where a failed answer says why. */
  error_path: string | null;
  /** The members of the result that are shown; without it all are. */
  expose: string[] | null;
}

export interface ActionContractResponseSuccessWhen {
  /** Where to look in the answer. */
  path: string;
  /** A string, a number, a boolean or null. */
  equals: unknown;
}

export interface ActionContractUndo {
  /** What undoes it; called as `endpoint` is, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  window_seconds: number;
}

export interface ActionContractVersion {
  /** An id that begins with `ctr_`. */
  id: string;
  object: "action_contract_version";
  /** Its name, which no other contract of the workspace has. */
  key: string;
  /** What it does, for people. */
  label: string;
  /** Where it may be called from; how a call comes in says which that is. */
  surface: ActionContractSurfaceItem[];
  /** Who may run it, or ask for it. */
  roles: RoleRole[];
  /** A person sees a preview before anything happens. */
  requires_confirmation: boolean;
  /** Whether executions are written to the audit. */
  audit: boolean;
  /** Its parameters by name. A call with any other is refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs it: an https address on the internet. */
  endpoint: string;
  /** For people and models. */
  description: string;
  /** `high` needs confirmation by a person. */
  risk: PreviewRisk;
  /** It cannot be taken back. Needs confirmation by a person. By default false. */
  destructive: boolean;
  /** It can be undone, by `undo`. */
  reversible: boolean;
  undo: ActionContractVersionUndo | null;
  /** A call may be repeated: the backend tells by `run_id`. By default false. */
  idempotent: boolean;
  /** What a key must hold. */
  scope: string | null;
  /** An operator permission that it needs. */
  permission: string | null;
  /** `sync`: the call waits for the backend and answers with the run that ended. `async`: it answers 202 at once, and the run ends later. */
  delivery: ActionContractDelivery;
  auth: ActionContractVersionAuth;
  response: ActionContractVersionResponse;
  /** For the whole call. By default 10000. */
  timeout_ms: number;
  approval: ActionContractVersionApproval;
  /** Where sandbox runs go; without it they are simulated. */
  sandbox_endpoint: string | null;
  /** Counts changes, from 1. */
  version: number;
  /** Hex SHA-256 of the definition in its RFC 8785 form. */
  sha256: string;
  author: ActionContractAuthor;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface ActionContractVersionApproval {
  /** Who may approve it. */
  approver_roles: ActionApprovalApproverRole[];
  /** Whoever asked for it, or edited it, may not approve it. Without it: whether it is destructive. */
  four_eyes: boolean;
  /** How many people must approve it. By default 1. */
  required: number;
  /** How long a proposal waits. By default 86400. */
  expires_in_seconds: number;
  /** The rules that may approve it, each as `<rule id>@<version>`; its author must have a role that may approve. An id without a version, or a rule's name, allows it only while an owner is its last author. Only an owner writes a contract that names any. By default []. */
  allow_rule: string[];
}

export interface ActionContractVersionAuth {
  /** Beside the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret. */
  type: ActionAuthType;
  /** The name of a secret (`PUT /v1/secrets/{name}`). `basic` takes `user:password`. */
  secret_ref: string | null;
  /** The header that an `api_key` is sent in. */
  header: string | null;
}

export interface ActionContractVersionList {
  object: "list";
  data: ActionContractVersion[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ActionContractVersionResponse {
  /** Whether a 2xx answer must be JSON for the run to be executed. With `false` any 2xx counts, and an answer that is not JSON has the result null. By default true. */
  json: boolean;
  success_when: ActionContractVersionResponseSuccessWhen | null;
  /** Where the result stands in the answer; without it the whole answer is it. */
  result_path: string | null;
  /** Where a failed answer says why. */
  error_path: string | null;
  /** The members of the result that are shown; without it all are. */
  expose: string[] | null;
}

export interface ActionContractVersionResponseSuccessWhen {
  /** Where to look in the answer. */
  path: string;
  /** A string, a number, a boolean or null. */
  equals: unknown;
}

export interface ActionContractVersionUndo {
  /** What undoes it; called as `endpoint` is, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  window_seconds: number;
}

export interface ActionContractWithSecret {
  /** An id that begins with `ctr_`. */
  id: string;
  object: "action_contract";
  /** Its name, which no other contract of the workspace has. */
  key: string;
  /** What it does, for people. */
  label: string;
  /** Where it may be called from; how a call comes in says which that is. */
  surface: ActionContractSurfaceItem[];
  /** Who may run it, or ask for it. */
  roles: RoleRole[];
  /** A person sees a preview before anything happens. */
  requires_confirmation: boolean;
  /** Whether executions are written to the audit. */
  audit: boolean;
  /** Its parameters by name. A call with any other is refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs it: an https address on the internet. */
  endpoint: string;
  /** For people and models. */
  description: string;
  /** `high` needs confirmation by a person. */
  risk: PreviewRisk;
  /** It cannot be taken back. Needs confirmation by a person. By default false. */
  destructive: boolean;
  /** It can be undone, by `undo`. */
  reversible: boolean;
  undo: ActionContractWithSecretUndo | null;
  /** A call may be repeated: the backend tells by `run_id`. By default false. */
  idempotent: boolean;
  /** What a key must hold. */
  scope: string | null;
  /** An operator permission that it needs. */
  permission: string | null;
  /** `sync`: the call waits for the backend and answers with the run that ended. `async`: it answers 202 at once, and the run ends later. */
  delivery: ActionContractDelivery;
  auth: ActionContractWithSecretAuth;
  response: ActionContractWithSecretResponse;
  /** For the whole call. By default 10000. */
  timeout_ms: number;
  approval: ActionContractWithSecretApproval;
  /** Where sandbox runs go; without it they are simulated. */
  sandbox_endpoint: string | null;
  /** Counts changes, from 1. */
  version: number;
  /** Hex SHA-256 of the definition in its RFC 8785 form. */
  sha256: string;
  author: ActionContractAuthor;
  /** The connector that brought it. */
  connector_key: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
  /** What signs the calls to its backend. */
  signing_secret: string;
}

export interface ActionContractWithSecretApproval {
  /** Who may approve it. */
  approver_roles: ActionApprovalApproverRole[];
  /** Whoever asked for it, or edited it, may not approve it. Without it: whether it is destructive. */
  four_eyes: boolean;
  /** How many people must approve it. By default 1. */
  required: number;
  /** How long a proposal waits. By default 86400. */
  expires_in_seconds: number;
  /** The rules that may approve it, each as `<rule id>@<version>`; its author must have a role that may approve. An id without a version, or a rule's name, allows it only while an owner is its last author. Only an owner writes a contract that names any. By default []. */
  allow_rule: string[];
}

export interface ActionContractWithSecretAuth {
  /** Beside the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret. */
  type: ActionAuthType;
  /** The name of a secret (`PUT /v1/secrets/{name}`). `basic` takes `user:password`. */
  secret_ref: string | null;
  /** The header that an `api_key` is sent in. */
  header: string | null;
}

export interface ActionContractWithSecretResponse {
  /** Whether a 2xx answer must be JSON for the run to be executed. With `false` any 2xx counts, and an answer that is not JSON has the result null. By default true. */
  json: boolean;
  success_when: ActionContractWithSecretResponseSuccessWhen | null;
  /** Where the result stands in the answer; without it the whole answer is it. */
  result_path: string | null;
  /** Where a failed answer says why. */
  error_path: string | null;
  /** The members of the result that are shown; without it all are. */
  expose: string[] | null;
}

export interface ActionContractWithSecretResponseSuccessWhen {
  /** Where to look in the answer. */
  path: string;
  /** A string, a number, a boolean or null. */
  equals: unknown;
}

export interface ActionContractWithSecretUndo {
  /** What undoes it; called as `endpoint` is, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  window_seconds: number;
}

/** A registered action ran and its backend answered with success. Fired by the service. */
export interface ActionExecutedData {
  /** Key of the contract */
  action: string;
  /** Version of the contract that ran */
  contract_version?: number | undefined;
  /** The run */
  run_id: string;
  /** The proposal it came of, null when none was needed */
  proposal_id?: string | null | undefined;
  /** Its audit row, null when the contract is not audited */
  audit_id?: string | null | undefined;
  /** Who did it */
  actor?: ActionExecutedDataActor | undefined;
  /** Who did it */
  approver?: ActionExecutedDataApprover | null | undefined;
  /** Where it was asked for */
  surface?: string | undefined;
  /** Whether it can be undone */
  reversible?: boolean | undefined;
  /** How long the backend took, in milliseconds */
  duration_ms?: number | undefined;
  /** When */
  executed_at?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface ActionExecutedDataActor {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface ActionExecutedDataApprover {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

/** Nobody decided on a proposal in time; nothing ran. */
export interface ActionExpiredData {
  /** Key of the contract */
  action: string;
  /** The proposal */
  proposal_id: string;
  /** Who did it */
  proposer?: ActionExpiredDataProposer | undefined;
  /** When */
  expired_at?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface ActionExpiredDataProposer {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

/** An action's backend failed, or its outcome is unknown. */
export interface ActionFailedData {
  /** Key of the contract */
  action: string;
  /** The run */
  run_id: string;
  /** The proposal it came of, null when none was needed */
  proposal_id?: string | null | undefined;
  /** Who did it */
  actor?: ActionFailedDataActor | undefined;
  /** Such as action_endpoint_failed or outcome_unknown */
  error_code: string;
  /** HTTP status of the backend, null when it gave none */
  backend_status?: number | null | undefined;
  /** When */
  failed_at?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface ActionFailedDataActor {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

export interface ActionParameter {
  /** Values are never converted. */
  type: ActionParameterType;
  /** Whether a call without it is refused; without this member it is not. */
  required?: boolean | undefined;
  /** The least number, or the fewest characters of a string. */
  min?: number | undefined;
  /** The largest number, or the most characters (code points) of a string. */
  max?: number | undefined;
  enum?: unknown[] | undefined;
  /** Its values are kept out of audit rows and previews. */
  sensitive?: boolean | undefined;
  /** For people and models. */
  description?: string | undefined;
}

/** An action waits for a person's approval. */
export interface ActionProposedData {
  /** Key of the contract */
  action: string;
  /** The proposal */
  proposal_id: string;
  /** Who did it */
  proposer?: ActionProposedDataProposer | undefined;
  /** Where it was asked for */
  surface?: string | undefined;
  /** The contract's risk */
  risk?: PreviewRisk | undefined;
  /** Headline of the preview */
  title?: string | undefined;
  /** The preview in a sentence */
  summary?: string | undefined;
  /** Who may approve */
  approver_roles?: string[] | undefined;
  /** Where to decide */
  approve_url?: string | undefined;
  /** Until when */
  expires_at?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface ActionProposedDataProposer {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

/** A person declined a proposal; nothing ran. */
export interface ActionRejectedData {
  /** Key of the contract */
  action: string;
  /** The proposal */
  proposal_id: string;
  /** Who did it */
  proposer?: ActionRejectedDataProposer | undefined;
  /** Who did it */
  rejected_by?: ActionRejectedDataRejectedBy | undefined;
  /** Why, null without a word */
  reason?: string | null | undefined;
  /** When */
  rejected_at?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface ActionRejectedDataProposer {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface ActionRejectedDataRejectedBy {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

export interface ActionResponse {
  /** Whether a 2xx answer must be JSON for the run to be executed. With `false` any 2xx counts, and an answer that is not JSON has the result null. By default true. */
  json?: boolean | undefined;
  success_when?: ActionResponseSuccessWhen | null | undefined;
  /** Where the result stands in the answer; without it the whole answer is it. */
  result_path?: string | null | undefined;
  /** Where a failed answer says why. */
  error_path?: string | null | undefined;
  /** The members of the result that are shown; without it all are. */
  expose?: string[] | null | undefined;
}

export interface ActionResponseSuccessWhen {
  /** Where to look in the answer. */
  path: string;
  /** A string, a number, a boolean or null. */
  equals: unknown;
}

export interface ActionSigningSecret {
  /** What signs the calls to its backend. */
  signing_secret: string;
  /** What signs the calls to its backend. */
  previous_secret?: string;
  /** RFC 3339, UTC, milliseconds. */
  previous_expires_at?: string;
}

/** A reversible action was taken back. */
export interface ActionUndoneData {
  /** Key of the contract */
  action: string;
  /** The run that was taken back */
  run_id: string;
  /** Who did it */
  undone_by?: ActionUndoneDataUndoneBy | undefined;
  /** When */
  undone_at?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface ActionUndoneDataUndoneBy {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

export interface Activity {
  /** An id that begins with `act_`. */
  id: string;
  object: "activity";
  /** An id that begins with `con_`. */
  contact_id: string;
  /** What made it. */
  kind: ActivityKind;
  event_type: string;
  summary: string;
  /** Exact, with as many digits as it came with. */
  value: number | null;
  score_delta: number;
  /** RFC 3339, UTC, milliseconds. */
  occurred_at: string;
  /** An id that begins with `rcp_`. */
  receipt_id: string | null;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface ActivityList {
  object: "list";
  data: Activity[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

/** A person, or a rule that an owner allowed, approved what an AI proposed. Fired by the service. */
export interface AiActionApprovedData {
  /** Key of the contract */
  action: string;
  /** The proposal */
  proposal_id: string;
  /** SHA-256 of what was approved, hexadecimal */
  params_hash?: string | undefined;
  /** The contract's risk */
  risk?: PreviewRisk | undefined;
  /** Who did it */
  proposer?: AiActionApprovedDataProposer | undefined;
  /** Who did it */
  approver?: AiActionApprovedDataApprover | undefined;
  /** The approver's words, null without any */
  comment?: string | null | undefined;
  /** When */
  approved_at?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface AiActionApprovedDataApprover {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

/** Who did it */
export interface AiActionApprovedDataProposer {
  /** What kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Name to show */
  display?: string | undefined;
  [member: string]: unknown;
}

export interface AiActionResult {
  tool_call_id: string | null;
  action: string;
  /** An id that begins with `prop_`. */
  proposal_id: string | null;
  /** An id that begins with `run_`. */
  run_id: string | null;
  status: string;
  /** What the action answered, redacted. */
  result: unknown;
  error_code: string | null;
  /** RFC 3339, UTC, milliseconds. */
  occurred_at: string;
}

export interface AiExchange {
  /** An id that begins with `air_`. */
  id: string;
  object: "ai_exchange";
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** The built-in assistant, an MCP client, or an AI key on the API. Of the last two each call of an action is an exchange. */
  source: AiExchangeSource;
  /** What made the assistant ask: `event` or `console`. Of other callers it is their source. */
  trigger: string;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** On whose behalf. */
  actor: AiExchangeActor;
  /** `client` for callers that bring their own model. */
  provider: string;
  model: string | null;
  /** What the model was given, redacted. */
  prompt: string;
  response: string | null;
  /** As the model made them, redacted. */
  tool_calls: unknown[];
  /** What came of the tool calls, in the order in which it did. */
  results: AiActionResult[];
  /** `ok`, `failed` or `refused`. */
  status: string;
  error_code: string | null;
  usage: AiExchangeUsage;
  /** How long the model took. */
  duration_ms: number | null;
  /** An id that begins with `req_`. */
  request_id: string | null;
}

/** On whose behalf. */
export interface AiExchangeActor {
  type: AuditActorType;
  /** The person, or the key, rule or workflow. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface AiExchangeList {
  object: "list";
  data: AiExchange[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface AiExchangeUsage {
  /** Tokens of the prompt. */
  input_tokens: number | null;
  /** Tokens of the answer. */
  output_tokens: number | null;
}

/** A metric left the range that its past suggests. */
export interface AnalyticsAnomalyData {
  /** What is measured */
  metric: string;
  /** What was measured */
  value: number;
  /** What was expected */
  expected?: number | undefined;
  /** Distance from what was expected, in standard deviations */
  deviation?: number | undefined;
  /** Which way */
  direction?: AnalyticsAnomalyDataDirection | undefined;
  /** How bad */
  severity?: AnalyticsAnomalyDataSeverity | undefined;
  /** The part concerned, null for the whole */
  segment?: string | null | undefined;
  /** Begin of the period */
  period_start?: string | undefined;
  /** End of the period */
  period_end?: string | undefined;
  [member: string]: unknown;
}

/** A metric reached the goal that was set for it. */
export interface AnalyticsGoalReachedData {
  /** The goal */
  goal: AnalyticsGoalReachedDataGoal;
  /** What is measured */
  metric?: string | undefined;
  /** What was measured */
  value?: number | undefined;
  /** When */
  reached_at?: string | undefined;
  /** Begin of the period */
  period_start?: string | undefined;
  /** End of the period */
  period_end?: string | undefined;
  [member: string]: unknown;
}

/** The goal */
export interface AnalyticsGoalReachedDataGoal {
  /** Its id in your system */
  external_id: string;
  /** What it is called */
  name?: string | undefined;
  /** What was to be reached */
  target?: number | undefined;
  [member: string]: unknown;
}

/** A report was computed and can be fetched. */
export interface AnalyticsReportReadyData {
  /** The report */
  report: AnalyticsReportReadyDataReport;
  /** When */
  ready_at?: string | undefined;
  /** Begin of the period */
  period_start?: string | undefined;
  /** End of the period */
  period_end?: string | undefined;
  [member: string]: unknown;
}

/** The report */
export interface AnalyticsReportReadyDataReport {
  /** Its id in your system */
  external_id: string;
  /** What it is called */
  name?: string | undefined;
  /** Such as pdf, csv or html */
  format?: string | undefined;
  /** Where to fetch it */
  url?: string | undefined;
  /** How many rows it has */
  rows?: number | undefined;
  [member: string]: unknown;
}

/** A customer began to match a segment. */
export interface AnalyticsSegmentEnteredData {
  /** The segment */
  segment: AnalyticsSegmentEnteredDataSegment;
  /** Whom it concerns */
  customer: AnalyticsSegmentEnteredDataCustomer;
  /** When */
  entered_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface AnalyticsSegmentEnteredDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The segment */
export interface AnalyticsSegmentEnteredDataSegment {
  /** Its id in your system */
  external_id: string;
  /** What it is called */
  name?: string | undefined;
  [member: string]: unknown;
}

/** A metric rose above a fixed line, or fell below it. */
export interface AnalyticsThresholdCrossedData {
  /** What is measured */
  metric: string;
  /** What was measured */
  value: number;
  /** The line */
  threshold: number;
  /** Which way */
  direction?: AnalyticsAnomalyDataDirection | undefined;
  /** When */
  crossed_at?: string | undefined;
  [member: string]: unknown;
}

export interface ApiKey {
  /** An id that begins with `key_`. */
  id: string;
  object: "api_key";
  name: string;
  /** The first characters of the key, to know it by. */
  prefix_hint: string;
  /** `all` reads and writes; `read_only` is refused on every write (403 `key_read_only`); `restricted` may do all but what `blocked_actions` names (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Operations and actions that a `restricted` key may not call: an exact name, `prefix.*`, or `*`. It blocks operations with the same effect too (`x-does`). Other modes keep the list and do not obey it. */
  blocked_actions: string[];
  /** As whom it acts. A `user` key has its person's role of the moment. */
  role: RoleRole;
  /** `user` acts as the person who made it, `service` as a program, `ai` as an AI, whatever a body says. */
  actor_type: ApiKeyActorType;
  /** `<area>:read` or `<area>:write`, where the area is the first word of an operation's or action's name, and `write` covers `read`; null is every scope. */
  scopes: string[] | null;
  /** Operator permissions that action contracts can ask for. A key of role owner has every one without naming it. */
  permissions: string[];
  /** Calls in any 60 minutes, over all operations together; those of keys it was rolled from and into count too. */
  rate_limit_per_hour: number;
  /** IP addresses and CIDR ranges, IPv4 and IPv6, from which the key works; empty is from everywhere. */
  ip_allowlist: string[];
  /** Calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature: boolean;
  /** Whether the signature scheme `body` is taken beside `v1`. */
  accept_body_signature: boolean;
  /** Whether a secret of its own signs its requests instead of its text. */
  has_signing_secret: boolean;
  /** When the key stops working (401 `key_expired`); null is never. Seven days before, the event `key.expiring` is fired. */
  expires_at: string | null;
  /** Its last call with a good credential, a few seconds late at most. */
  last_used_at: string | null;
  /** Where that call came from. */
  last_used_ip: string | null;
  /** RFC 3339, UTC, milliseconds. */
  revoked_at: string | null;
  /** The key that a roll made in its place. */
  replaced_by: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

/** Obeyed by the next request, on every node. It may take rights away from any key, and give none that the caller lacks (403). */
export interface ApiKeyChange {
  /** What it is for; people read it. */
  name?: string | undefined;
  /** `all` reads and writes; `read_only` is refused on every write (403 `key_read_only`); `restricted` may do all but what `blocked_actions` names (403 `action_blocked`). */
  permission_mode?: ApiKeyPermissionMode | undefined;
  /** Operations and actions that a `restricted` key may not call: an exact name, `prefix.*`, or `*`. It blocks operations with the same effect too (`x-does`). Other modes keep the list and do not obey it. */
  blocked_actions?: string[] | undefined;
  /** At most the caller's own. A `user` key has its person's role and takes no other; the role `ai` goes with the actor type `ai`. */
  role?: NewApiKeyRole | undefined;
  /** `<area>:read` or `<area>:write`, where the area is the first word of an operation's or action's name, and `write` covers `read`; null is every scope. */
  scopes?: string[] | null | undefined;
  /** Operator permissions that action contracts can ask for. A key of role owner has every one without naming it. */
  permissions?: string[] | undefined;
  /** Calls in any 60 minutes, over all operations together; those of keys it was rolled from and into count too. */
  rate_limit_per_hour?: number | undefined;
  /** IP addresses and CIDR ranges, IPv4 and IPv6, from which the key works; empty is from everywhere. */
  ip_allowlist?: string[] | undefined;
  /** Calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature?: boolean | undefined;
  /** Whether the signature scheme `body` is taken beside `v1`. */
  accept_body_signature?: boolean | undefined;
  /** In the future. When the key stops working (401 `key_expired`); null is never. Seven days before, the event `key.expiring` is fired. */
  expires_at?: string | Date | null | undefined;
  /** True: a new secret, shown in the answer, signs from now on. False: the key's text does. */
  signing_secret?: boolean | undefined;
}

export interface ApiKeyList {
  object: "list";
  data: ApiKey[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ApiKeyWithText {
  /** An id that begins with `key_`. */
  id: string;
  object: "api_key";
  name: string;
  /** The first characters of the key, to know it by. */
  prefix_hint: string;
  /** `all` reads and writes; `read_only` is refused on every write (403 `key_read_only`); `restricted` may do all but what `blocked_actions` names (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Operations and actions that a `restricted` key may not call: an exact name, `prefix.*`, or `*`. It blocks operations with the same effect too (`x-does`). Other modes keep the list and do not obey it. */
  blocked_actions: string[];
  /** As whom it acts. A `user` key has its person's role of the moment. */
  role: RoleRole;
  /** `user` acts as the person who made it, `service` as a program, `ai` as an AI, whatever a body says. */
  actor_type: ApiKeyActorType;
  /** `<area>:read` or `<area>:write`, where the area is the first word of an operation's or action's name, and `write` covers `read`; null is every scope. */
  scopes: string[] | null;
  /** Operator permissions that action contracts can ask for. A key of role owner has every one without naming it. */
  permissions: string[];
  /** Calls in any 60 minutes, over all operations together; those of keys it was rolled from and into count too. */
  rate_limit_per_hour: number;
  /** IP addresses and CIDR ranges, IPv4 and IPv6, from which the key works; empty is from everywhere. */
  ip_allowlist: string[];
  /** Calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature: boolean;
  /** Whether the signature scheme `body` is taken beside `v1`. */
  accept_body_signature: boolean;
  /** Whether a secret of its own signs its requests instead of its text. */
  has_signing_secret: boolean;
  /** When the key stops working (401 `key_expired`); null is never. Seven days before, the event `key.expiring` is fired. */
  expires_at: string | null;
  /** Its last call with a good credential, a few seconds late at most. */
  last_used_at: string | null;
  /** Where that call came from. */
  last_used_ip: string | null;
  /** RFC 3339, UTC, milliseconds. */
  revoked_at: string | null;
  /** The key that a roll made in its place. */
  replaced_by: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** The key itself, shown this once. */
  key: string;
  /** `whsec_…`, with which this key's requests are signed instead of its text. Shown this once. */
  signing_secret?: string;
}

export interface ApproveProposal {
  /** Of the proposal as it was looked at. */
  params_hash: string;
  comment?: string | undefined;
}

export interface AskedConnector {
  connector: string;
  provider: string;
  status: AskedConnectorStatus;
  error: string | null;
}

export interface Assistant {
  object: "assistant";
  /** The workspace's setting `assistant`. */
  provider: AssistantProvider;
  /** Whether it hears of events. */
  state: AssistantState;
  /** What has to be set before it does. */
  missing: string[];
  /** Of a server that speaks the chat completions protocol: the path before `/chat/completions`. */
  base_url: string | null;
  /** As the provider names it. */
  model: string | null;
  /** The name of a secret (`PUT /v1/secrets/{name}`) that is sent as Bearer; null: none is. */
  secret_ref: string | null;
  /** The workspace's own words to the model, after the service's. */
  instructions: string;
  /** What it hears of: names, or `*` for all that is not the service's own. */
  events: string[];
  /** Questions a minute. */
  max_per_minute: number;
  /** Questions a day. */
  max_per_day: number;
  /** What the scripted provider says: a list of `{on?, say?, calls?: [{action, arguments}]}` of which the first whose `on` names the event answers, with `${$.data.x}` filled in; or `"hostile"`, which tries everything that a model gone bad would. */
  script: unknown;
  asked: AssistantAsked;
  /** Events of this environment that are to be told. */
  waiting: number;
  /** Events of the last day that could not be told. */
  failed: number;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string | null;
}

/** Questions of the workspace, in both environments. */
export interface AssistantAsked {
  last_minute: number;
  last_day: number;
}

export interface AssistantChange {
  /** Of a server that speaks the chat completions protocol: the path before `/chat/completions`. */
  base_url?: string | null | undefined;
  /** As the provider names it. */
  model?: string | null | undefined;
  /** The name of a secret (`PUT /v1/secrets/{name}`) that is sent as Bearer; null: none is. */
  secret_ref?: string | null | undefined;
  /** The workspace's own words to the model, after the service's. */
  instructions?: string | undefined;
  /** What it hears of: names, or `*` for all that is not the service's own. */
  events?: string[] | undefined;
  /** Questions a minute. */
  max_per_minute?: number | undefined;
  /** Questions a day. */
  max_per_day?: number | undefined;
  /** What the scripted provider says: a list of `{on?, say?, calls?: [{action, arguments}]}` of which the first whose `on` names the event answers, with `${$.data.x}` filled in; or `"hostile"`, which tries everything that a model gone bad would. */
  script?: unknown;
}

/** All that the model was told; secrets are gone. */
export interface AssistantPrompt {
  system: string;
  user: string;
  /** The actions that it was offered. */
  tools: string[];
}

export interface AssistantTest {
  event: string;
  data: object;
}

export interface AssistantTestCall {
  /** As the model named it. */
  action: string;
  /** As the model wrote them. */
  arguments: string;
  /** What would come of it: the preview that people would see, or the refusal. */
  outcome: unknown;
  error_code: string | null;
}

export interface AssistantTestResult {
  object: "assistant_test";
  provider: AssistantProvider;
  prompt: AssistantPrompt;
  status: AskedConnectorStatus;
  error_code: string | null;
  /** What the model said, or why it could not be asked. */
  response: string | null;
  calls: AssistantTestCall[];
  duration_ms: number;
  /** An id that begins with `air_`. */
  history_id: string;
}

export interface Attempt {
  /** An id that begins with `att_`. */
  id: string;
  object: "attempt";
  /** An id that begins with `dlv_`. */
  delivery_id: string;
  number: number;
  trigger: AttemptTrigger;
  /** RFC 3339, UTC, milliseconds. */
  started_at: string;
  status_code: number | null;
  /** What went wrong; null where nothing did. */
  error_class: AttemptErrorClass | null;
  error_detail: string | null;
  latency_ms: Latency;
  resolved_ip: string | null;
  /** Of the answer. */
  response_headers: { [member: string]: string } | null;
  /** The first KiB of the answer. */
  response_snippet: string | null;
  response_truncated: boolean;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface AttemptList {
  object: "list";
  data: Attempt[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface Attention {
  object: "attention";
  failing_endpoints: FailingEndpoints;
  parked_deliveries: CappedCount;
  proposals: OpenProposals;
  receipts: ReceiptsToSee;
  backlog: Backlog;
  /** An event that the process sent to its own inbox: accepted, stored, dispatched to a delivery, delivered over HTTP and verified. */
  self_test: AttentionSelfTest | null;
}

/** An event that the process sent to its own inbox: accepted, stored, dispatched to a delivery, delivered over HTTP and verified. */
export interface AttentionSelfTest {
  status: AttentionSelfTestStatus;
  /** RFC 3339, UTC, milliseconds. */
  finished_at: string;
  duration_ms: number;
  failed_step: AttentionSelfTestFailedStep | null;
  /** Why the step failed, as a code. Null when passed. */
  reason: string | null;
  /** Why the step failed, as a sentence. Null when passed. */
  detail: string | null;
}

/** Who did it. */
export interface AuditActor {
  type: AuditActorType;
  /** The person, or the key, rule or workflow. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface AuditDigest {
  /** An id that begins with `dig_`. */
  id: string;
  object: "audit_digest";
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** The last row that it covers. */
  seq: number;
  /** That row's hash. */
  hash: string;
  /** RFC 3339, UTC, milliseconds. */
  from: string;
  /** RFC 3339, UTC, milliseconds. */
  to: string;
  /** RFC 3339, UTC, milliseconds. */
  at: string;
  /** Ed25519, in base64, over the RFC 8785 form of this object without `signature`. */
  signature: string;
}

export interface AuditDigestList {
  object: "list";
  data: AuditDigest[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
  /** PEM. Of the key pair that this installation made once. */
  public_key: string;
}

export interface AuditRow {
  /** An id that begins with `aud_`. */
  id: string;
  object: "audit_row";
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** Its number in the chain. */
  seq: number;
  /** RFC 3339, UTC, milliseconds. */
  occurred_at: string;
  /** What it is about. */
  kind: AuditRowKind;
  /** The name of an operation, or a contract's key. */
  action: string;
  /** Of the contract. */
  contract_version: number | null;
  /** An id that begins with `prop_`. */
  proposal_id: string | null;
  /** An id that begins with `run_`. */
  run_id: string | null;
  actor: AuditActor;
  /** Who allowed it. */
  approver: AuditRowApprover | null;
  /** What an AI was asked, redacted. */
  prompt: string | null;
  /** The parameters, redacted. */
  params_redacted: unknown;
  /** What came of it, redacted. */
  result_redacted: unknown;
  /** How it ended: `ok`, `refused`, `failed`, or a state such as `executed`. */
  status: string;
  error_code: string | null;
  /** How long it took. */
  duration_ms: number | null;
  /** Where an action was executed, and the HTTP status. */
  backend: AuditRowBackend | null;
  /** What wrote the row. */
  deployment: AuditRowDeployment;
  /** An id that begins with `req_`. */
  request_id: string | null;
  /** The hash of the row before; zeros for the first. */
  prev_hash: string;
  /** SHA-256 of `prev_hash`, a newline, and the RFC 8785 form of this object without `hash`. */
  hash: string;
}

/** Who allowed it. */
export interface AuditRowApprover {
  type: AuditActorType;
  /** The person, or the key, rule or workflow. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

/** Where an action was executed, and the HTTP status. */
export interface AuditRowBackend {
  host: string;
  status: number | null;
}

/** What wrote the row. */
export interface AuditRowDeployment {
  version: string;
  git_sha: string | null;
  /** The process. */
  instance_id: string;
  /** Of the contract as it was executed. */
  contract_sha256: string | null;
}

export interface AuditRowList {
  object: "list";
  data: AuditRow[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface AuditVerification {
  object: "audit_verification";
  ok: boolean;
  /** Rows that are as they were written, before the first that is not. */
  checked: number;
  /** Where the chain breaks. */
  first_bad_seq: number | null;
  /** The row is not what was written; is not there; the chain ends too early; it is not what a signed digest says. */
  reason: AuditVerificationReason | null;
}

/** Deliveries that have not ended. */
export interface Backlog {
  count: number;
  /** Whether there are more than that. */
  capped: boolean;
  /** How long the delivery that waits longest is due; null where none is. */
  oldest_due_age_seconds: number | null;
}

export interface Caller {
  object: "caller";
  /** Null for a console session. */
  key: CallerKey | null;
  /** The person as whom the caller acts; null for keys that are nobody's. */
  member_id: string | null;
  workspace: CallerWorkspace;
  environment: Environment;
  role: RoleRole;
  actor_type: ApiKeyActorType;
  scopes: string[] | null;
  permissions: string[];
  limits: CallerLimits;
}

/** Null for a console session. */
export interface CallerKey {
  /** An id that begins with `key_`. */
  id: string;
  object: "api_key";
  name: string;
  /** The first characters of the key, to know it by. */
  prefix_hint: string;
  /** `all` reads and writes; `read_only` is refused on every write (403 `key_read_only`); `restricted` may do all but what `blocked_actions` names (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Operations and actions that a `restricted` key may not call: an exact name, `prefix.*`, or `*`. It blocks operations with the same effect too (`x-does`). Other modes keep the list and do not obey it. */
  blocked_actions: string[];
  /** As whom it acts. A `user` key has its person's role of the moment. */
  role: RoleRole;
  /** `user` acts as the person who made it, `service` as a program, `ai` as an AI, whatever a body says. */
  actor_type: ApiKeyActorType;
  /** `<area>:read` or `<area>:write`, where the area is the first word of an operation's or action's name, and `write` covers `read`; null is every scope. */
  scopes: string[] | null;
  /** Operator permissions that action contracts can ask for. A key of role owner has every one without naming it. */
  permissions: string[];
  /** Calls in any 60 minutes, over all operations together; those of keys it was rolled from and into count too. */
  rate_limit_per_hour: number;
  /** IP addresses and CIDR ranges, IPv4 and IPv6, from which the key works; empty is from everywhere. */
  ip_allowlist: string[];
  /** Calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature: boolean;
  /** Whether the signature scheme `body` is taken beside `v1`. */
  accept_body_signature: boolean;
  /** Whether a secret of its own signs its requests instead of its text. */
  has_signing_secret: boolean;
  /** When the key stops working (401 `key_expired`); null is never. Seven days before, the event `key.expiring` is fired. */
  expires_at: string | null;
  /** Its last call with a good credential, a few seconds late at most. */
  last_used_at: string | null;
  /** Where that call came from. */
  last_used_ip: string | null;
  /** RFC 3339, UTC, milliseconds. */
  revoked_at: string | null;
  /** The key that a roll made in its place. */
  replaced_by: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface CallerLimits {
  /** The key's own limit: the last 60 minutes, all operations together. */
  hour: CallerLimitsHour;
  /** The limits of operations: the last 60 seconds. */
  minute: CallerLimitsMinuteItem[];
}

/** The key's own limit: the last 60 minutes, all operations together. */
export interface CallerLimitsHour {
  limit: number;
  /** Calls in the window that ends now; exact, over all nodes. */
  used: number;
  remaining: number;
}

export interface CallerLimitsMinuteItem {
  /** The limit's name; all that has none of its own shares `management.read` and `management.write`. */
  operation: string;
  limit: number;
  /** Calls in the window that ends now; exact, over all nodes. */
  used: number;
  remaining: number;
}

export interface CallerWorkspace {
  /** An id that begins with `ws_`. */
  id: string;
  object: "workspace";
  name: string;
}

export interface CappedCount {
  count: number;
  /** Whether there are more than that. */
  capped: boolean;
}

/** A filled cart has not been touched for as long as your shop waits. */
export interface CartAbandonedData {
  /** The cart */
  cart: CartAbandonedDataCart;
  /** Whom it concerns */
  customer?: CartAbandonedDataCustomer | null | undefined;
  /** When it was last touched */
  last_active_at?: string | undefined;
  [member: string]: unknown;
}

/** The cart */
export interface CartAbandonedDataCart {
  /** Its id in your system */
  external_id: string;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its worth, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What is in it */
  items?: CartAbandonedDataCartItem[] | undefined;
  /** Where to resume it */
  url?: string | undefined;
  [member: string]: unknown;
}

/** One line */
export interface CartAbandonedDataCartItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CartAbandonedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface ChangedApiKey {
  /** An id that begins with `key_`. */
  id: string;
  object: "api_key";
  name: string;
  /** The first characters of the key, to know it by. */
  prefix_hint: string;
  /** `all` reads and writes; `read_only` is refused on every write (403 `key_read_only`); `restricted` may do all but what `blocked_actions` names (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Operations and actions that a `restricted` key may not call: an exact name, `prefix.*`, or `*`. It blocks operations with the same effect too (`x-does`). Other modes keep the list and do not obey it. */
  blocked_actions: string[];
  /** As whom it acts. A `user` key has its person's role of the moment. */
  role: RoleRole;
  /** `user` acts as the person who made it, `service` as a program, `ai` as an AI, whatever a body says. */
  actor_type: ApiKeyActorType;
  /** `<area>:read` or `<area>:write`, where the area is the first word of an operation's or action's name, and `write` covers `read`; null is every scope. */
  scopes: string[] | null;
  /** Operator permissions that action contracts can ask for. A key of role owner has every one without naming it. */
  permissions: string[];
  /** Calls in any 60 minutes, over all operations together; those of keys it was rolled from and into count too. */
  rate_limit_per_hour: number;
  /** IP addresses and CIDR ranges, IPv4 and IPv6, from which the key works; empty is from everywhere. */
  ip_allowlist: string[];
  /** Calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature: boolean;
  /** Whether the signature scheme `body` is taken beside `v1`. */
  accept_body_signature: boolean;
  /** Whether a secret of its own signs its requests instead of its text. */
  has_signing_secret: boolean;
  /** When the key stops working (401 `key_expired`); null is never. Seven days before, the event `key.expiring` is fired. */
  expires_at: string | null;
  /** Its last call with a good credential, a few seconds late at most. */
  last_used_at: string | null;
  /** Where that call came from. */
  last_used_ip: string | null;
  /** RFC 3339, UTC, milliseconds. */
  revoked_at: string | null;
  /** The key that a roll made in its place. */
  replaced_by: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** `whsec_…`, with which this key's requests are signed instead of its text. Shown this once. */
  signing_secret?: string;
}

/** A customer went through the checkout to its end. */
export interface CheckoutCompletedData {
  /** The checkout */
  checkout: CheckoutCompletedDataCheckout;
  /** The order that came of it */
  order_external_id?: string | undefined;
  /** Whom it concerns */
  customer?: CheckoutCompletedDataCustomer | undefined;
  /** When */
  completed_at?: string | undefined;
  [member: string]: unknown;
}

/** The checkout */
export interface CheckoutCompletedDataCheckout {
  /** Its id in your system */
  external_id: string;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What was agreed, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Coupon code, null without one */
  coupon?: string | null | undefined;
  /** Such as card, sepa_debit or invoice */
  payment_method?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CheckoutCompletedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** A group of nodes, or a leaf. Groups are five deep at most, with at most 100 of them and 100 leaves. */
export interface Condition {
  /** Holds where each of its nodes does. */
  all?: { [member: string]: unknown }[] | undefined;
  /** Holds where one of its nodes does. */
  any?: { [member: string]: unknown }[] | undefined;
  /** Holds where none of its nodes does. */
  not?: { [member: string]: unknown }[] | undefined;
  /** A leaf's path: event, data.order.total, contact.score; in workflows also input.x and steps.<id>.x. */
  field?: string | undefined;
  op?: RuleLeafOp | undefined;
  /** What the field is compared with, without any conversion. */
  value?: unknown;
  [member: string]: unknown;
}

export interface Connector {
  object: "connector";
  /** Its name, and its folder's. */
  key: string;
  /** For people; null where nothing of the folder is believed. */
  name: string | null;
  /** As its author numbered it. */
  version: string | null;
  /** Hex SHA-256 of MANIFEST.json: it names a version to the byte. */
  digest: string | null;
  /** `update_available` is enabled, with another version in its folder that may be enabled here; `quarantined` was enabled, and is stopped: nobody trusted signs for it any more, or its code crashed again and again; `absent` was configured, and its folder is gone. */
  state: ConnectorState;
  reason: ConnectorReason | null;
  /** Its actions can be run. */
  enabled: boolean;
  /** It counts in the sandbox only: a sandbox credential enabled it, or a development key signed it. */
  sandbox_only: boolean;
  runtime: ConnectorRuntime | null;
  /** As keys are trusted at this moment. */
  signature: ConnectorSignature;
  description: string | null;
  /** Its place among what hears of an event; the lowest is first. */
  priority: number | null;
  /** The events that it asks to hear of; `*` is all of them. */
  events: string[];
  /** The events that it may fire. */
  fires: string[];
  /** What of the workspace's data it may read. */
  reads: ConnectorRead[];
  /** The hosts that it may call; `settings.<name>` is the host of that setting. */
  egress: string[];
  /** Whether it may send mail by the operator's server. */
  mail: boolean | null;
  /** The actions that it brings, by their contracts' keys. */
  actions: string[];
  /** What it can find a contact by. */
  identity_providers: string[];
  /** What it can tell of a customer. */
  context_providers: string[];
  /** A JSON Schema: strings, integers, booleans, `enum`, `format: uri`, and `writeOnly` for secrets; with `groups` for a form, and `test`. */
  settings_schema: { [member: string]: unknown } | null;
  /** What is set, without the secrets. */
  settings: { [member: string]: unknown };
  /** The secrets, which are never shown. */
  secrets: { [member: string]: ConnectorSecretsValue };
  folder: ConnectorFolder;
  /** The version in the folder, where that is not the pinned one. */
  update: ConnectorUpdate | null;
  /** Where the other service sends its webhooks: one address for each environment. Null where the connector takes none, or was never enabled. */
  webhook_url: string | null;
  health: ConnectorHealth;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface ConnectorChange {
  /** Its settings by name, as `settings_schema` has them. What is left out stays; null takes a value back. */
  settings: object;
}

/** A connector threw, hung or crashed while it handled something. */
export interface ConnectorFailedData {
  /** The connector */
  connector: ConnectorFailedDataConnector;
  /** What it was doing */
  during?: string | undefined;
  /** What it said, shortened */
  error?: string | undefined;
  /** When */
  failed_at?: string | undefined;
  [member: string]: unknown;
}

/** The connector */
export interface ConnectorFailedDataConnector {
  /** Its key */
  key: string;
  /** Its version */
  version?: string | undefined;
  [member: string]: unknown;
}

/** What the last scan found in its folder. */
export interface ConnectorFolder {
  status: ConnectorFolderStatus;
  /** As its author numbered it. */
  version: string | null;
  /** Hex SHA-256 of MANIFEST.json: it names a version to the byte. */
  digest: string | null;
  reason: ConnectorFolderReason | null;
  /** RFC 3339, UTC, milliseconds. */
  scanned_at: string;
}

export interface ConnectorFolderReason {
  /** What to branch on. */
  code: ConnectorReasonCode;
  /** The file that it is about. */
  path: string | null;
  /** What is wrong. */
  message: string;
}

export interface ConnectorHealth {
  /** `not_running` is not enabled; `idle` has not run yet; `failing` failed when it ran last; `quarantined` was stopped. */
  status: ConnectorHealthStatus;
  /** RFC 3339, UTC, milliseconds. */
  last_run_at: string | null;
  /** Why the last call failed; null after a call that succeeded. */
  last_error: string | null;
}

export interface ConnectorList {
  object: "list";
  data: Connector[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ConnectorLogLine {
  level: ConnectorLogLineLevel;
  message: string;
  fields?: { [member: string]: unknown };
}

export interface ConnectorReason {
  /** What to branch on. */
  code: ConnectorReasonCode;
  /** The file that it is about. */
  path: string | null;
  /** What is wrong. */
  message: string;
}

export interface ConnectorRun {
  /** An id that begins with `crun_`. */
  id: string;
  object: "connector_run";
  connector: string;
  version: string;
  /** What was called. */
  hook: ConnectorRunHook;
  /** The handler, provider or action; empty where the hook has no names. */
  name: string;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** `threw` by the code itself; `deadline`, `memory`, `crashed`, `protocol` with the end of its process; `start` and `unavailable` without having begun; `skipped`, since it would have gone on in a circle; `refused`, a webhook that nobody signed. */
  outcome: ConnectorRunOutcome;
  error: string | null;
  duration_ms: number;
  /** What it asked of the service, the first hundred. */
  services: ConnectorServiceCall[];
  /** What it logged, at most 32 KiB. */
  log: ConnectorLogLine[];
  /** RFC 3339, UTC, milliseconds. */
  started_at: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface ConnectorRunList {
  object: "list";
  data: ConnectorRun[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ConnectorScan {
  object: "connector_scan";
  /** Folders that hold a connector. */
  verified: number;
  /** Folders that are refused; the list says why. */
  refused: number;
  /** Enabled connectors that were stopped, since nobody trusted signs for them any more. */
  quarantined: number;
}

export interface ConnectorServiceCall {
  /** `http`, `fire`, `kv.set` and so on. */
  service: string;
  duration_ms: number;
  error: ConnectorServiceCallError | null;
  /** Of `http`; neither path nor body are kept. */
  host?: string;
  method?: string;
  status?: number | null;
}

export interface ConnectorServiceCallError {
  code: string;
  message: string;
}

export interface ConnectorTest {
  object: "connector_test";
  /** Whether the settings work. */
  ok: boolean;
  /** In the connector's words. */
  message: string;
}

/** The version in the folder, where that is not the pinned one. */
export interface ConnectorUpdate {
  /** As its author numbered it. */
  version: string;
  /** Hex SHA-256 of MANIFEST.json: it names a version to the byte. */
  digest: string;
  /** It is older than the pinned one: an update needs `allow_downgrade`. */
  downgrade: boolean;
  adds: ConnectorWidening;
}

export interface ConnectorWebhook {
  /** An id that begins with `cwh_`. */
  id: string;
  object: "connector_webhook";
  /** `duplicate` was kept before, and has no second effect. */
  status: ConnectorWebhookStatus;
}

/** What it may do that the pinned version may not. */
export interface ConnectorWidening {
  /** The hosts that it may call; `settings.<name>` is the host of that setting. */
  egress: string[];
  /** The events that it asks to hear of; `*` is all of them. */
  events: string[];
  /** The events that it may fire. */
  fires: string[];
  /** What of the workspace's data it may read. */
  reads: ConnectorRead[];
  mail: boolean;
  /** The actions that it brings, by their contracts' keys. */
  actions: string[];
  /** Actions of both whose contracts differ. */
  changed_actions: string[];
}

export interface Contact {
  /** An id that begins with `con_`. */
  id: string;
  email: string | null;
  email_aliases: string[];
  name: string | null;
  external_ids: string[];
  lifecycle_stage: string | null;
  score: number;
  tags: string[];
  /** Tickets that are not resolved or closed. */
  tickets_open: number;
  /** RFC 3339, UTC, milliseconds. */
  last_activity_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
  object: "contact";
}

export interface ContactChange {
  /** Compared and kept case-folded. */
  email?: string | undefined;
  name?: string | null | undefined;
  /** Where the person stands, such as lead, trial, customer or churned; any word will do. */
  lifecycle_stage?: string | null | undefined;
  score?: number | undefined;
  tags?: string[] | undefined;
  external_ids?: string[] | undefined;
  /** Further addresses that lead to the contact; all of them. */
  email_aliases?: string[] | undefined;
}

/** A person became known, as a lead or otherwise, with an account or without. */
export interface ContactCreatedData {
  /** Whom it concerns */
  customer: ContactCreatedDataCustomer;
  /** The company */
  company?: ContactCreatedDataCompany | undefined;
  /** Where they came from */
  source?: string | undefined;
  /** When */
  created_at?: string | undefined;
  [member: string]: unknown;
}

/** The company */
export interface ContactCreatedDataCompany {
  /** Its id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface ContactCreatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** Everything kept of a person. */
export interface ContactExport {
  object: "contact_export";
  /** RFC 3339, UTC, milliseconds. */
  exported_at: string;
  contact: Contact;
  merged_ids: string[];
  activities: Activity[];
}

/** A contact moved to another lifecycle stage; `customer.lifecycle_stage` is the new one. */
export interface ContactLifecycleChangedData {
  /** Whom it concerns */
  customer: ContactLifecycleChangedDataCustomer;
  /** The stage before, null at the first */
  previous_stage?: string | null | undefined;
  /** Why */
  reason?: string | undefined;
  /** When */
  changed_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface ContactLifecycleChangedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface ContactList {
  object: "list";
  data: Contact[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ContactMerge {
  /** An id that begins with `con_`. */
  into: string;
}

/** What is known of a person changed. */
export interface ContactUpdatedData {
  /** Whom it concerns */
  customer: ContactUpdatedDataCustomer;
  /** The company */
  company?: ContactUpdatedDataCompany | undefined;
  /** Names of the changed fields */
  changed?: string[] | undefined;
  [member: string]: unknown;
}

/** The company */
export interface ContactUpdatedDataCompany {
  /** Its id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface ContactUpdatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface CreateResetLinkBody {
  /** Whether the link also removes the second factor. By default false. */
  clear_totp?: boolean | undefined;
}

/** A deal was opened in the CRM. */
export interface CrmDealCreatedData {
  /** The deal as it is after the event */
  deal: CrmDealCreatedDataDeal;
  /** Whom it concerns */
  customer?: CrmDealCreatedDataCustomer | undefined;
  /** The company */
  company?: CrmDealCreatedDataCompany | undefined;
  /** Who looks after it */
  owner?: CrmDealCreatedDataOwner | undefined;
  [member: string]: unknown;
}

/** The company */
export interface CrmDealCreatedDataCompany {
  /** Its id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CrmDealCreatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The deal as it is after the event */
export interface CrmDealCreatedDataDeal {
  /** Its id in your system */
  external_id: string;
  /** What it is called */
  name?: string | undefined;
  /** Which pipeline */
  pipeline?: string | undefined;
  /** Where it stands */
  stage?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Expected or agreed worth, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Chance of winning, 0 to 1 */
  probability?: number | undefined;
  /** Expected day of closing, null when unknown */
  close_on?: string | null | undefined;
  [member: string]: unknown;
}

/** Who looks after it */
export interface CrmDealCreatedDataOwner {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** A deal was closed without success. */
export interface CrmDealLostData {
  /** The deal as it is after the event */
  deal: CrmDealLostDataDeal;
  /** Whom it concerns */
  customer?: CrmDealLostDataCustomer | undefined;
  /** The company */
  company?: CrmDealLostDataCompany | undefined;
  /** Who looks after it */
  owner?: CrmDealLostDataOwner | undefined;
  /** Why */
  reason?: string | undefined;
  /** Who won it, null when nobody or unknown */
  competitor?: string | null | undefined;
  /** Whether it is worth another try */
  recoverable?: boolean | undefined;
  /** When */
  lost_at?: string | undefined;
  [member: string]: unknown;
}

/** The company */
export interface CrmDealLostDataCompany {
  /** Its id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CrmDealLostDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The deal as it is after the event */
export interface CrmDealLostDataDeal {
  /** Its id in your system */
  external_id: string;
  /** What it is called */
  name?: string | undefined;
  /** Which pipeline */
  pipeline?: string | undefined;
  /** Where it stands */
  stage?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Expected or agreed worth, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Chance of winning, 0 to 1 */
  probability?: number | undefined;
  /** Expected day of closing, null when unknown */
  close_on?: string | null | undefined;
  [member: string]: unknown;
}

/** Who looks after it */
export interface CrmDealLostDataOwner {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** A deal moved to another stage of its pipeline; `deal.stage` is the new one. */
export interface CrmDealStageChangedData {
  /** The deal as it is after the event */
  deal: CrmDealStageChangedDataDeal;
  /** Whom it concerns */
  customer?: CrmDealStageChangedDataCustomer | undefined;
  /** The company */
  company?: CrmDealStageChangedDataCompany | undefined;
  /** Who looks after it */
  owner?: CrmDealStageChangedDataOwner | undefined;
  /** The stage before */
  previous_stage?: string | undefined;
  /** When */
  changed_at?: string | undefined;
  [member: string]: unknown;
}

/** The company */
export interface CrmDealStageChangedDataCompany {
  /** Its id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CrmDealStageChangedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The deal as it is after the event */
export interface CrmDealStageChangedDataDeal {
  /** Its id in your system */
  external_id: string;
  /** What it is called */
  name?: string | undefined;
  /** Which pipeline */
  pipeline?: string | undefined;
  /** Where it stands */
  stage?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Expected or agreed worth, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Chance of winning, 0 to 1 */
  probability?: number | undefined;
  /** Expected day of closing, null when unknown */
  close_on?: string | null | undefined;
  [member: string]: unknown;
}

/** Who looks after it */
export interface CrmDealStageChangedDataOwner {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** A deal was closed with success. */
export interface CrmDealWonData {
  /** The deal as it is after the event */
  deal: CrmDealWonDataDeal;
  /** Whom it concerns */
  customer?: CrmDealWonDataCustomer | undefined;
  /** The company */
  company?: CrmDealWonDataCompany | undefined;
  /** Who looks after it */
  owner?: CrmDealWonDataOwner | undefined;
  /** Days from opening to closing */
  days_open?: number | undefined;
  /** When */
  won_at?: string | undefined;
  [member: string]: unknown;
}

/** The company */
export interface CrmDealWonDataCompany {
  /** Its id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CrmDealWonDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The deal as it is after the event */
export interface CrmDealWonDataDeal {
  /** Its id in your system */
  external_id: string;
  /** What it is called */
  name?: string | undefined;
  /** Which pipeline */
  pipeline?: string | undefined;
  /** Where it stands */
  stage?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Expected or agreed worth, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Chance of winning, 0 to 1 */
  probability?: number | undefined;
  /** Expected day of closing, null when unknown */
  close_on?: string | null | undefined;
  [member: string]: unknown;
}

/** Who looks after it */
export interface CrmDealWonDataOwner {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** A customer rated the support. */
export interface CsatReceivedData {
  /** The rating */
  rating: CsatReceivedDataRating;
  /** The ticket as it is after the event */
  ticket?: CsatReceivedDataTicket | undefined;
  /** Whom it concerns */
  customer?: CsatReceivedDataCustomer | undefined;
  /** When */
  received_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CsatReceivedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The rating */
export interface CsatReceivedDataRating {
  /** What the customer gave */
  score: number;
  /** The best there is */
  max_score?: number | undefined;
  /** Their words, null without any */
  comment?: string | null | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface CsatReceivedDataTicket {
  /** Its id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Such as low, normal, high or urgent */
  priority?: string | undefined;
  /** E-mail or name of who works on it; null when nobody does */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

export interface Customer {
  /** An id that begins with `con_`. */
  id: string;
  email: string | null;
  email_aliases: string[];
  name: string | null;
  external_ids: string[];
  lifecycle_stage: string | null;
  score: number;
  tags: string[];
  /** Tickets that are not resolved or closed. */
  tickets_open: number;
  /** RFC 3339, UTC, milliseconds. */
  last_activity_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
  object: "customer";
  /** What connectors know of the customer: `context.<connector>.<provider>`. `{error: {code, message}}` stands in the place of what one could not tell within 800 ms. */
  context: { [member: string]: unknown };
}

export interface CustomerChange {
  /** Compared and kept case-folded. */
  email?: string | undefined;
  name?: string | null | undefined;
  /** Where the person stands, such as lead, trial, customer or churned; any word will do. */
  lifecycle_stage?: string | null | undefined;
  score?: number | undefined;
  tags?: string[] | undefined;
}

/** A customer's account was removed. */
export interface CustomerDeletedData {
  /** Whom it concerns */
  customer: CustomerDeletedDataCustomer;
  /** Why */
  reason?: string | undefined;
  /** When */
  deleted_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CustomerDeletedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface CustomerList {
  object: "list";
  data: Customer[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
  /** The connectors that were asked; what one that failed knows may be missing. */
  connectors?: AskedConnector[];
}

/** Somebody made an account. */
export interface CustomerSignedUpData {
  /** Whom it concerns */
  customer: CustomerSignedUpDataCustomer;
  /** Plan chosen */
  plan?: string | undefined;
  /** Where they came from */
  source?: string | undefined;
  /** When */
  signed_up_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CustomerSignedUpDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** Name, e-mail, stage or another field of a customer changed. */
export interface CustomerUpdatedData {
  /** Whom it concerns */
  customer: CustomerUpdatedDataCustomer;
  /** Names of the changed fields */
  changed?: string[] | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface CustomerUpdatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface Delivery {
  /** An id that begins with `dlv_`. */
  id: string;
  object: "delivery";
  /** The event's name. */
  event: string;
  /** An id that begins with `evt_`. */
  event_id: string;
  /** An id that begins with `ep_`. */
  endpoint_id: string;
  state: DeliveryState;
  /** Green delivered, amber retrying, red failed; null before the first attempt and when cancelled. */
  light: DeliveryLight | null;
  attempt_count: number;
  /** RFC 3339, UTC, milliseconds. */
  next_attempt_at: string | null;
  last_status_code: number | null;
  /** What went wrong; null where nothing did. */
  last_error_class: DeliveryLastErrorClass | null;
  /** RFC 3339, UTC, milliseconds. */
  completed_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface DeliveryDetail {
  /** An id that begins with `dlv_`. */
  id: string;
  object: "delivery";
  /** The event's name. */
  event: string;
  /** An id that begins with `evt_`. */
  event_id: string;
  /** An id that begins with `ep_`. */
  endpoint_id: string;
  state: DeliveryState;
  /** Green delivered, amber retrying, red failed; null before the first attempt and when cancelled. */
  light: DeliveryLight | null;
  attempt_count: number;
  /** RFC 3339, UTC, milliseconds. */
  next_attempt_at: string | null;
  last_status_code: number | null;
  /** What went wrong; null where nothing did. */
  last_error_class: DeliveryLastErrorClass | null;
  /** RFC 3339, UTC, milliseconds. */
  completed_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  request: DeliveryDetailRequest | null;
  /** The waits after the attempts of the ladder; one attempt more than these, and it is parked. */
  ladder_seconds: number[];
}

export interface DeliveryDetailRequest {
  method: "POST";
  url: string;
  /** As sent, with the secrets' values left out. */
  headers: { [member: string]: string };
  /** The exact bytes, as text. */
  body: string;
}

export interface DeliveryList {
  object: "list";
  data: Delivery[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface DeliveryRef {
  /** An id that begins with `dlv_`. */
  id: string;
  /** An id that begins with `ep_`. */
  endpoint_id: string;
  state: string;
}

/** A customer's bank disputes a payment. */
export interface DisputeOpenedData {
  /** The dispute */
  dispute: DisputeOpenedDataDispute;
  /** The payment as it is after the event */
  payment?: DisputeOpenedDataPayment | undefined;
  /** Whom it concerns */
  customer?: DisputeOpenedDataCustomer | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface DisputeOpenedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The dispute */
export interface DisputeOpenedDataDispute {
  /** Its id in your system */
  external_id: string;
  /** The bank's reason */
  reason?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What is disputed, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Until when to answer */
  evidence_due_at?: string | undefined;
  [member: string]: unknown;
}

/** The payment as it is after the event */
export interface DisputeOpenedDataPayment {
  /** Its id in your system */
  external_id: string;
  /** Such as pending, completed, failed or refunded */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Such as card, sepa_debit or bank_transfer */
  method?: string | undefined;
  /** The invoice it pays, null without one */
  invoice_external_id?: string | null | undefined;
  /** The order it pays, null without one */
  order_external_id?: string | null | undefined;
  [member: string]: unknown;
}

export interface EnableConnectorBody {
  /** Its settings by name, as `settings_schema` has them. What is left out stays; null takes a value back. */
  settings?: object | undefined;
  /** The version to run. Without it the pinned one is, or, the first time, the one in the folder. An update is enabled by naming `update.digest`. */
  digest?: string | undefined;
  /** Whether the version may be older than the pinned one. By default false. */
  allow_downgrade?: boolean | undefined;
}

export interface EndpointHour {
  /** RFC 3339, UTC, milliseconds. */
  hour: string;
  delivered: number;
  failed: number;
}

export interface Event {
  /** An id that begins with `evt_`. */
  id: string;
  object: "event";
  /** A canonical name, or a custom one. */
  event: string;
  /** Whether it is one of the 52. */
  canonical: boolean;
  /** RFC 3339, UTC, milliseconds. */
  occurred_at: string;
  subject: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** Passed on byte for byte. */
  data: { [member: string]: unknown };
}

/** As the delivery log shows it. */
export interface EventDelivery {
  /** An id that begins with `dlv_`. */
  id: string;
  /** An id that begins with `ep_`. */
  endpoint_id: string;
  state: string;
}

export interface EventDetail {
  /** An id that begins with `evt_`. */
  id: string;
  object: "event";
  /** A canonical name, or a custom one. */
  event: string;
  /** Whether it is one of the 52. */
  canonical: boolean;
  /** RFC 3339, UTC, milliseconds. */
  occurred_at: string;
  subject: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  stages: Stage[];
  deliveries: EventDelivery[];
  /** Passed on byte for byte. */
  data: { [member: string]: unknown };
}

export interface EventList {
  object: "list";
  data: Event[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface EventType {
  object: "event_type";
  name: string;
  domain: string;
  title: string;
  description: string;
  canonical: boolean;
  system: boolean;
  /** JSON Schema of `data`. */
  schema: { [member: string]: unknown };
  /** Passed on byte for byte. */
  example: { [member: string]: unknown };
}

export interface EventTypeDetail {
  object: "event_type";
  name: string;
  domain: string;
  title: string;
  description: string;
  canonical: boolean;
  system: boolean;
  /** JSON Schema of `data`. */
  schema: { [member: string]: unknown };
  /** Passed on byte for byte. */
  example: { [member: string]: unknown };
  /** Who would react now, in order. */
  reacts: SubscriberRef[];
}

export interface EventTypeList {
  object: "list";
  data: EventType[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface EventUsage {
  object: "event_usage";
  /** Its name; `(other)` stands for those beyond 500 different ones in an hour. */
  event: string;
  /** How often it happened. */
  count: number;
  /** RFC 3339, UTC, milliseconds. */
  last_hour: string;
}

export interface EventUsageList {
  object: "list";
  data: EventUsage[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ExtractedFields {
  contact_email: string | null;
  contact_name: string | null;
  event_type: string | null;
  idempotency_key: string | null;
  /** Exact, with as many digits as it has; in major units. */
  value: number | null;
  currency: string | null;
  summary: string | null;
  score_delta: number;
  warnings: MappingWarning[];
}

export interface FailedReplay {
  /** Deliveries created from here on. RFC 3339, with a zone. */
  since: string | Date;
  /** Deliveries created before this. RFC 3339, with a zone. */
  until: string | Date;
  /** Only count them. */
  dry_run?: boolean | undefined;
}

/** Whose attempts fail, or that the service deactivated for it. */
export interface FailingEndpoints {
  count: number;
  /** At most 10, those that fail for longest first. */
  ids: string[];
}

export interface FiredEvent {
  /** An id that begins with `evt_`. */
  id: string;
  object: "event";
  /** A canonical name, or a custom one. */
  event: string;
  /** Whether it is one of the 52. */
  canonical: boolean;
  /** RFC 3339, UTC, milliseconds. */
  occurred_at: string;
  status: "accepted";
  /** Who reacts, in order. */
  subscribers: SubscriberRef[];
  /** At most 1000 in one answer; the delivery log has them all. */
  deliveries: DeliveryRef[];
  /** Deliveries beyond those that the answer lists. */
  deliveries_omitted?: number;
}

export interface FiredEvents {
  object: "list";
  data: FiredEvent[];
}

export interface InboundEndpoint {
  /** An id that begins with `src_`. */
  id: string;
  object: "inbound_endpoint";
  name: string;
  description: string;
  preset: InboundEndpointPreset;
  /** Where the sender posts; its token names the source. */
  url: string;
  active: boolean;
  signature_scheme: InboundPresetSignatureScheme;
  signature_header: string;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's e-mail address; without it every event is `unmapped`. */
  contact_email_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The event's type; without it every type is `event`. */
  event_type_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The sender's id of the event; a repeat is a `duplicate`. */
  idempotency_key_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's name. */
  contact_name_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. An amount or another number. */
  value_path: string | null;
  /** Whether amounts count euros or cents; minor ones are shown as major ones. */
  value_unit: InboundPresetValueUnit;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The amount's currency: it says how many minor units make a major one. */
  currency_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. A ready summary. */
  summary_path: string | null;
  /** Instead of `summary_path`: text with ${$.a.b} or ${a.b} tokens. */
  summary_template: string | null;
  /** Takes an event with the same bytes for a repeat. */
  dedupe_by_body: boolean;
  score: InboundEndpointScore;
  event_name: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface InboundEndpointChange {
  name?: string | undefined;
  description?: string | undefined;
  /** By default true. */
  active?: boolean | undefined;
  /** How the sender signs; X-Service-Inbound-Signature is good besides. */
  signature_scheme?: InboundPresetSignatureScheme | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's e-mail address; without it every event is `unmapped`. */
  contact_email_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The event's type; without it every type is `event`. */
  event_type_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The sender's id of the event; a repeat is a `duplicate`. */
  idempotency_key_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's name. */
  contact_name_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. An amount or another number. */
  value_path?: string | null | undefined;
  /** Whether amounts count euros or cents; minor ones are shown as major ones. */
  value_unit?: InboundPresetValueUnit | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The amount's currency: it says how many minor units make a major one. */
  currency_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. A ready summary. */
  summary_path?: string | null | undefined;
  /** Instead of `summary_path`: text with ${$.a.b} or ${a.b} tokens. */
  summary_template?: string | null | undefined;
  /** Takes an event with the same bytes for a repeat. */
  dedupe_by_body?: boolean | undefined;
  score?: InboundEndpointChangeScore | undefined;
  /** Fired for each event; by default inbound.<type>. */
  event_name?: string | null | undefined;
}

export interface InboundEndpointChangeScore {
  default?: number | undefined;
  by_event_type?: { [member: string]: number } | undefined;
  /** Points for each unit of the value, besides; the sum is cut to a whole number. */
  per_value?: number | undefined;
}

export interface InboundEndpointList {
  object: "list";
  data: InboundEndpoint[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface InboundEndpointScore {
  default: number;
  by_event_type: { [member: string]: number };
  /** Points for each unit of the value, besides; the sum is cut to a whole number. */
  per_value: number;
}

export interface InboundEndpointWithSecret {
  /** An id that begins with `src_`. */
  id: string;
  object: "inbound_endpoint";
  name: string;
  description: string;
  preset: InboundEndpointPreset;
  /** Where the sender posts; its token names the source. */
  url: string;
  active: boolean;
  signature_scheme: InboundPresetSignatureScheme;
  signature_header: string;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's e-mail address; without it every event is `unmapped`. */
  contact_email_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The event's type; without it every type is `event`. */
  event_type_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The sender's id of the event; a repeat is a `duplicate`. */
  idempotency_key_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's name. */
  contact_name_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. An amount or another number. */
  value_path: string | null;
  /** Whether amounts count euros or cents; minor ones are shown as major ones. */
  value_unit: InboundPresetValueUnit;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The amount's currency: it says how many minor units make a major one. */
  currency_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. A ready summary. */
  summary_path: string | null;
  /** Instead of `summary_path`: text with ${$.a.b} or ${a.b} tokens. */
  summary_template: string | null;
  /** Takes an event with the same bytes for a repeat. */
  dedupe_by_body: boolean;
  score: InboundEndpointWithSecretScore;
  event_name: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** Shown in this answer only. */
  secret: string;
}

export interface InboundEndpointWithSecretScore {
  default: number;
  by_event_type: { [member: string]: number };
  /** Points for each unit of the value, besides; the sum is cut to a whole number. */
  per_value: number;
}

export interface InboundPreset {
  object: "inbound_preset";
  key: InboundPresetKey;
  name: string;
  description: string;
  signature_scheme: InboundPresetSignatureScheme;
  signature_header: string;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's e-mail address; without it every event is `unmapped`. */
  contact_email_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The event's type; without it every type is `event`. */
  event_type_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The sender's id of the event; a repeat is a `duplicate`. */
  idempotency_key_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's name. */
  contact_name_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. An amount or another number. */
  value_path: string | null;
  /** Whether amounts count euros or cents; minor ones are shown as major ones. */
  value_unit: InboundPresetValueUnit;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The amount's currency: it says how many minor units make a major one. */
  currency_path: string | null;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. A ready summary. */
  summary_path: string | null;
  /** Instead of `summary_path`: text with ${$.a.b} or ${a.b} tokens. */
  summary_template: string | null;
  /** Takes an event with the same bytes for a repeat. */
  dedupe_by_body: boolean;
  score: InboundPresetScore;
}

export interface InboundPresetList {
  object: "list";
  data: InboundPreset[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface InboundPresetScore {
  default: number;
  by_event_type: { [member: string]: number };
  /** Points for each unit of the value, besides; the sum is cut to a whole number. */
  per_value: number;
}

export interface InboundPreview {
  object: "inbound_preview";
  status: InboundPreviewStatus;
  /** Why it is not ok, for programs. */
  reason_code: string | null;
  reason: string | null;
  /** What would be fired. */
  event: string | null;
  extracted: ExtractedFields;
}

export interface InboundReceipt {
  /** An id that begins with `rcp_`. */
  id: string;
  object: "inbound_receipt";
  /** An id that begins with `src_`. */
  source_id: string;
  /** What became of it. */
  status: InboundReceiptStatus;
  /** Why it is not ok, for programs. */
  reason_code: string | null;
  reason: string | null;
  /** Whether the signature held. */
  signed: boolean;
  event_type: string | null;
  /** An id that begins with `con_`. */
  contact_id: string | null;
  /** An id that begins with `act_`. */
  activity_id: string | null;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** An id that begins with `rcp_`. */
  duplicate_of: string | null;
  payload_bytes: number;
  /** RFC 3339, UTC, milliseconds. */
  reprocessed_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  extracted: ReceiptFields;
}

export interface InboundReceiptDetail {
  /** An id that begins with `rcp_`. */
  id: string;
  object: "inbound_receipt";
  /** An id that begins with `src_`. */
  source_id: string;
  /** What became of it. */
  status: InboundReceiptStatus;
  /** Why it is not ok, for programs. */
  reason_code: string | null;
  reason: string | null;
  /** Whether the signature held. */
  signed: boolean;
  event_type: string | null;
  /** An id that begins with `con_`. */
  contact_id: string | null;
  /** An id that begins with `act_`. */
  activity_id: string | null;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** An id that begins with `rcp_`. */
  duplicate_of: string | null;
  payload_bytes: number;
  /** RFC 3339, UTC, milliseconds. */
  reprocessed_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  extracted: ReceiptFields;
  raw_payload: string;
  raw_payload_encoding: InboundReceiptDetailRawPayloadEncoding;
  /** Of what was not signed only 4 KiB are kept. */
  raw_payload_truncated: boolean;
}

export interface InboundReceiptList {
  object: "list";
  data: InboundReceipt[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

/** A rightly signed inbound request could not be mapped onto a contact. */
export interface InboundReceiptUnmappedData {
  /** The receipt */
  receipt_id: string;
  /** The inbound endpoint */
  source_id: string;
  /** What could not be read */
  reason: string;
  /** The source's event type, null when it could not be read */
  event_type?: string | null | undefined;
  [member: string]: unknown;
}

export interface InboundTrial {
  /** A body as the sender would send it: JSON, or a text of it. */
  payload: unknown;
  /** Tried in place of what is saved. */
  mapping?: InboundTrialMapping | undefined;
}

/** Tried in place of what is saved. */
export interface InboundTrialMapping {
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's e-mail address; without it every event is `unmapped`. */
  contact_email_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The event's type; without it every type is `event`. */
  event_type_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The sender's id of the event; a repeat is a `duplicate`. */
  idempotency_key_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's name. */
  contact_name_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. An amount or another number. */
  value_path?: string | null | undefined;
  /** Whether amounts count euros or cents; minor ones are shown as major ones. */
  value_unit?: InboundPresetValueUnit | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The amount's currency: it says how many minor units make a major one. */
  currency_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. A ready summary. */
  summary_path?: string | null | undefined;
  /** Instead of `summary_path`: text with ${$.a.b} or ${a.b} tokens. */
  summary_template?: string | null | undefined;
  /** Takes an event with the same bytes for a repeat. */
  dedupe_by_body?: boolean | undefined;
  score?: InboundTrialMappingScore | undefined;
}

export interface InboundTrialMappingScore {
  default?: number | undefined;
  by_event_type?: { [member: string]: number } | undefined;
  /** Points for each unit of the value, besides; the sum is cut to a whole number. */
  per_value?: number | undefined;
}

export interface InboxMessage {
  /** An id that begins with `inb_`. */
  id: string;
  /** RFC 3339, UTC, milliseconds. */
  received_at: string;
  /** An id that begins with `dlv_`. */
  delivery_id: string | null;
  event: string | null;
  signature: ConnectorSignature;
  headers: { [member: string]: string };
  body: string;
  /** The status of our answer. */
  answered: number;
}

export interface InboxMessageList {
  object: "list";
  data: InboxMessage[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface Installation {
  object: "installation";
  /** `JUNCTION_BASE_URL`: links, inboxes and inbound addresses begin with it. */
  base_url: string;
  version: string;
  /** Where the data lies, for the installation's operator. */
  operator: InstallationOperator | null;
}

/** Where the data lies, for the installation's operator. */
export interface InstallationOperator {
  /** `external`: the database of `DATABASE_URL`. */
  database: InstallationOperatorDatabase;
  /** Of the node that answers. */
  data_folder: string;
  /** Where the embedded database lies; another folder than `data_folder` if PostgreSQL's user cannot enter that. Null for an external database. */
  database_folder: string | null;
  /** For a shell on the machine of the node that answers, with the service's settings. */
  backup_command: string;
  /** The newest backup that was completed. */
  last_backup: InstallationOperatorLastBackup | null;
}

/** The newest backup that was completed. */
export interface InstallationOperatorLastBackup {
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** Without its folder. */
  file_name: string;
}

export interface Invitation {
  /** An id that begins with `inv_`. */
  id: string;
  object: "invitation";
  email: string;
  role: string;
  /** An id that begins with `mem_`. */
  invited_by: string | null;
  /** RFC 3339, UTC, milliseconds. */
  expires_at: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface InvitationList {
  object: "list";
  data: Invitation[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface InvitationRequest {
  email: string;
  role: MemberChangeRole;
}

/** An invoice was issued to a customer. */
export interface InvoiceCreatedData {
  /** The invoice as it is after the event */
  invoice: InvoiceCreatedDataInvoice;
  /** Whom it concerns */
  customer?: InvoiceCreatedDataCustomer | undefined;
  /** What it charges */
  lines?: InvoiceCreatedDataLine[] | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface InvoiceCreatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The invoice as it is after the event */
export interface InvoiceCreatedDataInvoice {
  /** Its id in your system */
  external_id: string;
  /** Number printed on it */
  number?: string | undefined;
  /** Such as draft, open, paid, overdue or void */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its total, taxes included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What is still to be paid, in the currency's smallest unit (cents for EUR) */
  amount_due_minor?: number | undefined;
  /** Last day to pay */
  due_on?: string | undefined;
  /** The subscription it belongs to, null without one */
  subscription_external_id?: string | null | undefined;
  /** Where to read it */
  url?: string | undefined;
  [member: string]: unknown;
}

/** One line */
export interface InvoiceCreatedDataLine {
  /** What for */
  description?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Sum of the line, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  [member: string]: unknown;
}

/** An invoice passed its due day with something left to pay. */
export interface InvoiceOverdueData {
  /** The invoice as it is after the event */
  invoice: InvoiceOverdueDataInvoice;
  /** Whom it concerns */
  customer?: InvoiceOverdueDataCustomer | undefined;
  /** Days since the due day */
  days_overdue?: number | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface InvoiceOverdueDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The invoice as it is after the event */
export interface InvoiceOverdueDataInvoice {
  /** Its id in your system */
  external_id: string;
  /** Number printed on it */
  number?: string | undefined;
  /** Such as draft, open, paid, overdue or void */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its total, taxes included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What is still to be paid, in the currency's smallest unit (cents for EUR) */
  amount_due_minor?: number | undefined;
  /** Last day to pay */
  due_on?: string | undefined;
  /** The subscription it belongs to, null without one */
  subscription_external_id?: string | null | undefined;
  /** Where to read it */
  url?: string | undefined;
  [member: string]: unknown;
}

/** Nothing is left to pay on an invoice. */
export interface InvoicePaidData {
  /** The invoice as it is after the event */
  invoice: InvoicePaidDataInvoice;
  /** Whom it concerns */
  customer?: InvoicePaidDataCustomer | undefined;
  /** The payment that settled it */
  payment_external_id?: string | undefined;
  /** When */
  paid_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface InvoicePaidDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The invoice as it is after the event */
export interface InvoicePaidDataInvoice {
  /** Its id in your system */
  external_id: string;
  /** Number printed on it */
  number?: string | undefined;
  /** Such as draft, open, paid, overdue or void */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its total, taxes included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What is still to be paid, in the currency's smallest unit (cents for EUR) */
  amount_due_minor?: number | undefined;
  /** Last day to pay */
  due_on?: string | undefined;
  /** The subscription it belongs to, null without one */
  subscription_external_id?: string | null | undefined;
  /** Where to read it */
  url?: string | undefined;
  [member: string]: unknown;
}

/** An attempt to collect an invoice failed. More may follow. */
export interface InvoicePaymentFailedData {
  /** The invoice as it is after the event */
  invoice: InvoicePaymentFailedDataInvoice;
  /** Whom it concerns */
  customer?: InvoicePaymentFailedDataCustomer | undefined;
  /** The processor's code */
  failure_code?: string | undefined;
  /** The processor's words */
  failure_message?: string | undefined;
  /** Which attempt this was, from 1 */
  attempt?: number | undefined;
  /** When the next attempt is made, null when none is */
  next_attempt_at?: string | null | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface InvoicePaymentFailedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The invoice as it is after the event */
export interface InvoicePaymentFailedDataInvoice {
  /** Its id in your system */
  external_id: string;
  /** Number printed on it */
  number?: string | undefined;
  /** Such as draft, open, paid, overdue or void */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its total, taxes included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What is still to be paid, in the currency's smallest unit (cents for EUR) */
  amount_due_minor?: number | undefined;
  /** Last day to pay */
  due_on?: string | undefined;
  /** The subscription it belongs to, null without one */
  subscription_external_id?: string | null | undefined;
  /** Where to read it */
  url?: string | undefined;
  [member: string]: unknown;
}

/** An API key of this workspace is about to expire. */
export interface KeyExpiringData {
  /** The key */
  key_id: string;
  /** What it is called */
  name?: string | undefined;
  /** Its first characters */
  prefix_hint?: string | undefined;
  /** When */
  expires_at: string;
  [member: string]: unknown;
}

export interface KeyTrial {
  /** Its dotted name, such as `events.fire`. */
  operation: string;
  /** Where the call comes from. Without it the allowlist is not asked. */
  ip?: string | undefined;
}

export interface KeyTrialResult {
  object: "key_test";
  /** An id that begins with `key_`. */
  key_id: string;
  operation: string;
  allowed: boolean;
  /** The gate's step that would refuse the call. */
  step?: KeyTrialResultStep;
  /** The refusal's error code. */
  code?: string;
  /** Why, in a sentence. */
  detail?: string;
}

export interface KeyUsage {
  object: "key_usage";
  /** An id that begins with `key_`. */
  key_id: string;
  /** The key's own limit: the last 60 minutes, all operations together. */
  hour: KeyUsageHour;
  /** The limits of operations: the last 60 seconds. */
  minute: KeyUsageMinuteItem[];
  /** Calls with a good credential of this key, of those it was rolled from and of those it was rolled into; a few seconds late at most. */
  last_24_hours: KeyUsageLast24Hours;
}

/** The key's own limit: the last 60 minutes, all operations together. */
export interface KeyUsageHour {
  limit: number;
  /** Calls in the window that ends now; exact, over all nodes. */
  used: number;
  remaining: number;
}

/** Calls with a good credential of this key, of those it was rolled from and of those it was rolled into; a few seconds late at most. */
export interface KeyUsageLast24Hours {
  /** RFC 3339, UTC, milliseconds. */
  from: string;
  /** RFC 3339, UTC, milliseconds. */
  to: string;
  by_outcome: KeyUsageLast24HoursByOutcome;
  /** 24 entries, the oldest first; the last is the hour that runs. */
  by_hour: KeyUsageLast24HoursByHourItem[];
  /** The busiest first. */
  by_operation: KeyUsageLast24HoursByOperationItem[];
}

export interface KeyUsageLast24HoursByHourItem {
  /** RFC 3339, UTC, milliseconds. */
  hour: string;
  total: number;
  /** Answered below 400. */
  succeeded: number;
  /** Answered 4xx, 429 apart. */
  refused: number;
  /** Answered 429. */
  rate_limited: number;
  /** Answered 5xx. */
  failed: number;
}

export interface KeyUsageLast24HoursByOperationItem {
  operation: string;
  total: number;
  /** Answered below 400. */
  succeeded: number;
  /** Answered 4xx, 429 apart. */
  refused: number;
  /** Answered 429. */
  rate_limited: number;
  /** Answered 5xx. */
  failed: number;
}

export interface KeyUsageLast24HoursByOutcome {
  total: number;
  /** Answered below 400. */
  succeeded: number;
  /** Answered 4xx, 429 apart. */
  refused: number;
  /** Answered 429. */
  rate_limited: number;
  /** Answered 5xx. */
  failed: number;
}

export interface KeyUsageMinuteItem {
  /** The limit's name; all that has none of its own shares `management.read` and `management.write`. */
  operation: string;
  limit: number;
  /** Calls in the window that ends now; exact, over all nodes. */
  used: number;
  remaining: number;
}

/** Milliseconds. */
export interface Latency {
  dns: number;
  connect: number;
  tls: number;
  first_byte: number;
  total: number;
}

export interface ListedWebhookEndpoint {
  /** An id that begins with `ep_`. */
  id: string;
  object: "webhook_endpoint";
  url: string;
  events: string[];
  active: boolean;
  description: string;
  /** The endpoint's own headers. The values are `[redacted]`. */
  headers: { [member: string]: string };
  rate_limit_per_second: number | null;
  max_in_flight: number;
  /** Amber while attempts fail, red once the service deactivated it. */
  health: WebhookEndpointHealth;
  /** RFC 3339, UTC, milliseconds. */
  failing_since: string | null;
  /** `gone` after a 410, `failing_for_days` after five days of failures. */
  disabled_reason: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  stats?: WebhookEndpointSummary;
}

export interface ListedWebhookEndpointList {
  object: "list";
  data: ListedWebhookEndpoint[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface LoggedRequest {
  /** An id that begins with `req_`. */
  id: string;
  object: "request";
  /** The dotted name of what was asked for. */
  operation: string;
  /** The HTTP method. */
  method: LoggedRequestMethod;
  /** Its template, without the arguments. */
  path: string;
  /** Of the answer. */
  status: number;
  /** The code of the refusal. */
  error_code: string | null;
  /** Until the answer was sent. */
  duration_ms: number;
  /** An id that begins with `key_`. */
  key_id: string | null;
  /** An id that begins with `mem_`. */
  member_id: string | null;
  /** The address that the request came from. */
  ip: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface LoggedRequestList {
  object: "list";
  data: LoggedRequest[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface MappingWarning {
  field: string;
  message: string;
}

export interface Member {
  /** An id that begins with `mem_`. */
  id: string;
  object: "member";
  name: string;
  email: string;
  role: string;
  /** Operator permissions that actions may ask for. */
  permissions: string[];
  /** Whether signing in takes a second factor. */
  totp_active: boolean;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface MemberChange {
  role?: MemberChangeRole | undefined;
  permissions?: string[] | undefined;
}

export interface MemberList {
  object: "list";
  data: Member[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface Membership {
  /** An id that begins with `ws_`. */
  workspace_id: string;
  name: string;
  role: string;
}

export interface NamedInbox {
  object: "named_inbox";
  name: string;
  /** For the `url` of a webhook endpoint. */
  url: string;
  /** How many messages wait to be taken. */
  waiting: number;
}

export interface NamedInboxList {
  object: "list";
  data: NamedInbox[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface NewActionContract {
  key: string;
  /** What it does, for people. */
  label: string;
  /** Where it may be called from; how a call comes in says which that is. */
  surface: ActionContractSurfaceItem[];
  /** Who may run it, or ask for it. */
  roles: RoleRole[];
  /** A person sees a preview before anything happens. */
  requires_confirmation: boolean;
  /** Whether executions are written to the audit. */
  audit: boolean;
  /** Its parameters by name. A call with any other is refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs it: an https address on the internet. */
  endpoint: string;
  /** For people and models. */
  description?: string | undefined;
  /** `high` needs confirmation by a person. */
  risk?: PreviewRisk | undefined;
  /** It cannot be taken back. Needs confirmation by a person. By default false. */
  destructive?: boolean | undefined;
  /** It can be undone, by `undo`. */
  reversible?: boolean | undefined;
  undo?: NewActionContractUndo | null | undefined;
  /** A call may be repeated: the backend tells by `run_id`. By default false. */
  idempotent?: boolean | undefined;
  /** What a key must hold. */
  scope?: string | null | undefined;
  /** An operator permission that it needs. */
  permission?: string | null | undefined;
  /** `sync`: the call waits for the backend and answers with the run that ended. `async`: it answers 202 at once, and the run ends later. */
  delivery?: ActionContractDelivery | undefined;
  auth?: ActionAuth | undefined;
  response?: ActionResponse | undefined;
  /** For the whole call. By default 10000. */
  timeout_ms?: number | undefined;
  approval?: ActionApproval | undefined;
  /** Where sandbox runs go; without it they are simulated. */
  sandbox_endpoint?: string | null | undefined;
}

export interface NewActionContractUndo {
  /** What undoes it; called as `endpoint` is, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  /** For how long after its execution it can be undone. By default 86400. */
  window_seconds?: number | undefined;
}

export interface NewActivity {
  summary: string;
  event_type?: string | undefined;
  /** Exact, with as many digits as it came with. */
  value?: number | null | undefined;
  score_delta?: number | undefined;
  /** RFC 3339, UTC, milliseconds. */
  occurred_at?: string | Date | undefined;
}

/** What is left out is the caller's own; nothing may go beyond it (403). */
export interface NewApiKey {
  /** What it is for; people read it. */
  name: string;
  /** `all` reads and writes; `read_only` is refused on every write (403 `key_read_only`); `restricted` may do all but what `blocked_actions` names (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Cannot be changed later. `user` is for keys that a person's own key or session makes; `service` unless told. */
  actor_type?: ApiKeyActorType | undefined;
  /** Operations and actions that a `restricted` key may not call: an exact name, `prefix.*`, or `*`. It blocks operations with the same effect too (`x-does`). Other modes keep the list and do not obey it. */
  blocked_actions?: string[] | undefined;
  /** At most the caller's own. A `user` key has its person's role and takes no other; the role `ai` goes with the actor type `ai`. */
  role?: NewApiKeyRole | undefined;
  /** `<area>:read` or `<area>:write`, where the area is the first word of an operation's or action's name, and `write` covers `read`; null is every scope. */
  scopes?: string[] | null | undefined;
  /** Operator permissions that action contracts can ask for. A key of role owner has every one without naming it. */
  permissions?: string[] | undefined;
  /** Calls in any 60 minutes, over all operations together; those of keys it was rolled from and into count too. */
  rate_limit_per_hour?: number | undefined;
  /** IP addresses and CIDR ranges, IPv4 and IPv6, from which the key works; empty is from everywhere. */
  ip_allowlist?: string[] | undefined;
  /** Calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature?: boolean | undefined;
  /** Whether the signature scheme `body` is taken beside `v1`. */
  accept_body_signature?: boolean | undefined;
  /** In the future. When the key stops working (401 `key_expired`); null is never. Seven days before, the event `key.expiring` is fired. */
  expires_at?: string | Date | null | undefined;
  /** True: the answer shows a secret that signs this key's requests; then only that one does. */
  signing_secret?: boolean | undefined;
}

export interface NewContact {
  /** Compared and kept case-folded. */
  email?: string | undefined;
  name?: string | null | undefined;
  /** Where the person stands, such as lead, trial, customer or churned; any word will do. */
  lifecycle_stage?: string | null | undefined;
  score?: number | undefined;
  tags?: string[] | undefined;
  external_ids?: string[] | undefined;
}

export interface NewEvent {
  /** A canonical name, or a custom one. */
  event: string;
  /** Passed on byte for byte. */
  data: object;
  /** When it happened, at most a day ahead; now, unless given. RFC 3339, with a zone. */
  occurred_at?: string | Date | undefined;
  /** What the event is about; a filter of the event list. */
  subject?: string | undefined;
}

export interface NewEvents {
  events: NewEvent[];
}

export interface NewInboundEndpoint {
  preset?: InboundEndpointPreset | undefined;
  /** For senders that dictate it; made when absent. */
  secret?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  /** By default true. */
  active?: boolean | undefined;
  /** How the sender signs; X-Service-Inbound-Signature is good besides. */
  signature_scheme?: InboundPresetSignatureScheme | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's e-mail address; without it every event is `unmapped`. */
  contact_email_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The event's type; without it every type is `event`. */
  event_type_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The sender's id of the event; a repeat is a `duplicate`. */
  idempotency_key_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The contact's name. */
  contact_name_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. An amount or another number. */
  value_path?: string | null | undefined;
  /** Whether amounts count euros or cents; minor ones are shown as major ones. */
  value_unit?: InboundPresetValueUnit | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. The amount's currency: it says how many minor units make a major one. */
  currency_path?: string | null | undefined;
  /** An RFC 9535 singular query, such as $.a.b or $.a[0]. A ready summary. */
  summary_path?: string | null | undefined;
  /** Instead of `summary_path`: text with ${$.a.b} or ${a.b} tokens. */
  summary_template?: string | null | undefined;
  /** Takes an event with the same bytes for a repeat. */
  dedupe_by_body?: boolean | undefined;
  score?: NewInboundEndpointScore | undefined;
  /** Fired for each event; by default inbound.<type>. */
  event_name?: string | null | undefined;
}

export interface NewInboundEndpointScore {
  default?: number | undefined;
  by_event_type?: { [member: string]: number } | undefined;
  /** Points for each unit of the value, besides; the sum is cut to a whole number. */
  per_value?: number | undefined;
}

export interface NewInvitation {
  /** An id that begins with `inv_`. */
  id: string;
  object: "invitation";
  email: string;
  role: string;
  /** An id that begins with `mem_`. */
  invited_by: string | null;
  /** RFC 3339, UTC, milliseconds. */
  expires_at: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** To be passed on to the invited person, shown this once. Works once, for 7 days. */
  invite_url: string;
}

export interface NewReplay {
  filter?: ReplayFilter | undefined;
  delivery_ids?: string[] | undefined;
  /** Only count them. */
  dry_run?: boolean | undefined;
}

export interface NewRule {
  name: string;
  /** Event names; `*` is every event but those that the service fires about itself. */
  on: string[];
  /** `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, `notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, done in order. Texts may hold `${$.data.x}`. A webhook is a delivery of the event; with a `body`, of the event `rule.webhook` with the body as its `data`. `notify` fires the event `notification.created` and sends nothing itself. */
  then: RuleAction[];
  when?: Condition | undefined;
  /** Lower ones run first. By default 100. */
  priority?: number | undefined;
  /** By default true. */
  enabled?: boolean | undefined;
  /** Further runs are `limited` and do nothing. By default 600. */
  max_runs_per_minute?: number | undefined;
}

export interface NewWebhookEndpoint {
  /** An https address on the public internet. */
  url: string;
  /** ["*"] for every event, or event names. */
  events: string[];
  /** Whether events are delivered to it. By default true. */
  active?: boolean | undefined;
  /** For people. */
  description?: string | undefined;
  /** Sent with each delivery, in addition to the service's own. The values are sealed. In a change, `[redacted]` keeps the value of a header as long as the URL stays the same. */
  headers?: { [member: string]: string } | undefined;
  /** Attempts a second; null: no limit. */
  rate_limit_per_second?: number | null | undefined;
  /** Attempts under way at the same time. By default 16. */
  max_in_flight?: number | undefined;
}

export interface NewWorkflow {
  name: string;
  trigger: WorkflowTrigger;
  /** The steps in order, each with an `id` and a `type`. A run begins with the first and goes through each at most once. */
  steps: WorkflowStep[];
  /** By default true. */
  enabled?: boolean | undefined;
}

export interface NewWorkspace {
  name: string;
}

export interface OpenProposals {
  count: number;
  /** Whether there are more than that. */
  capped: boolean;
  low: number;
  medium: number;
  high: number;
}

/** An order was called off before it was delivered. */
export interface OrderCancelledData {
  /** The order as it is after the event */
  order: OrderCancelledDataOrder;
  /** Whom it concerns */
  customer?: OrderCancelledDataCustomer | undefined;
  /** Why */
  reason?: string | undefined;
  /** Such as customer, merchant or system */
  cancelled_by?: string | undefined;
  /** When */
  cancelled_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface OrderCancelledDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderCancelledDataOrder {
  /** Its id in your system */
  external_id: string;
  /** Number shown to the customer */
  number?: string | undefined;
  /** Such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What the customer pays, taxes and shipping included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What was ordered */
  items?: OrderCancelledDataOrderItem[] | undefined;
  /** Where to */
  shipping_address?: OrderCancelledDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One line */
export interface OrderCancelledDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Where to */
export interface OrderCancelledDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Anything more */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** A customer placed an order. It need not be paid yet. */
export interface OrderCreatedData {
  /** The order as it is after the event */
  order: OrderCreatedDataOrder;
  /** Whom it concerns */
  customer?: OrderCreatedDataCustomer | undefined;
  /** When it was placed */
  placed_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface OrderCreatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderCreatedDataOrder {
  /** Its id in your system */
  external_id: string;
  /** Number shown to the customer */
  number?: string | undefined;
  /** Such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What the customer pays, taxes and shipping included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What was ordered */
  items?: OrderCreatedDataOrderItem[] | undefined;
  /** Where to */
  shipping_address?: OrderCreatedDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One line */
export interface OrderCreatedDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Where to */
export interface OrderCreatedDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Anything more */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** The carrier handed the order over. */
export interface OrderDeliveredData {
  /** The order as it is after the event */
  order: OrderDeliveredDataOrder;
  /** Whom it concerns */
  customer?: OrderDeliveredDataCustomer | undefined;
  /** Who carries it */
  carrier?: string | undefined;
  /** The carrier's number */
  tracking_number?: string | undefined;
  /** Where to follow it */
  tracking_url?: string | undefined;
  /** When it was handed over */
  delivered_at?: string | undefined;
  /** Who took it */
  signed_by?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface OrderDeliveredDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderDeliveredDataOrder {
  /** Its id in your system */
  external_id: string;
  /** Number shown to the customer */
  number?: string | undefined;
  /** Such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What the customer pays, taxes and shipping included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What was ordered */
  items?: OrderDeliveredDataOrderItem[] | undefined;
  /** Where to */
  shipping_address?: OrderDeliveredDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One line */
export interface OrderDeliveredDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Where to */
export interface OrderDeliveredDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Anything more */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** The whole amount of an order has been paid. */
export interface OrderPaidData {
  /** The order as it is after the event */
  order: OrderPaidDataOrder;
  /** Whom it concerns */
  customer?: OrderPaidDataCustomer | undefined;
  /** The payment that settled it */
  payment_external_id?: string | undefined;
  /** When it was paid */
  paid_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface OrderPaidDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderPaidDataOrder {
  /** Its id in your system */
  external_id: string;
  /** Number shown to the customer */
  number?: string | undefined;
  /** Such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What the customer pays, taxes and shipping included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What was ordered */
  items?: OrderPaidDataOrderItem[] | undefined;
  /** Where to */
  shipping_address?: OrderPaidDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One line */
export interface OrderPaidDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Where to */
export interface OrderPaidDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Anything more */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** Goods of an order came back, all of them or some. */
export interface OrderReturnedData {
  /** The order as it is after the event */
  order: OrderReturnedDataOrder;
  /** Whom it concerns */
  customer?: OrderReturnedDataCustomer | undefined;
  /** What came back */
  items?: OrderReturnedDataItem[] | undefined;
  /** Why */
  reason?: string | undefined;
  /** What is paid back, in the currency's smallest unit (cents for EUR) */
  refund_minor?: number | undefined;
  /** When the goods arrived */
  returned_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface OrderReturnedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** One line */
export interface OrderReturnedDataItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderReturnedDataOrder {
  /** Its id in your system */
  external_id: string;
  /** Number shown to the customer */
  number?: string | undefined;
  /** Such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What the customer pays, taxes and shipping included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What was ordered */
  items?: OrderReturnedDataOrderItem[] | undefined;
  /** Where to */
  shipping_address?: OrderReturnedDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One line */
export interface OrderReturnedDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Where to */
export interface OrderReturnedDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Anything more */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** An order, or the last part of it, left the warehouse. */
export interface OrderShippedData {
  /** The order as it is after the event */
  order: OrderShippedDataOrder;
  /** Whom it concerns */
  customer?: OrderShippedDataCustomer | undefined;
  /** Who carries it */
  carrier?: string | undefined;
  /** The carrier's number */
  tracking_number?: string | undefined;
  /** Where to follow it */
  tracking_url?: string | undefined;
  /** When it left */
  shipped_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface OrderShippedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderShippedDataOrder {
  /** Its id in your system */
  external_id: string;
  /** Number shown to the customer */
  number?: string | undefined;
  /** Such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What the customer pays, taxes and shipping included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What was ordered */
  items?: OrderShippedDataOrderItem[] | undefined;
  /** Where to */
  shipping_address?: OrderShippedDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One line */
export interface OrderShippedDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Where to */
export interface OrderShippedDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Anything more */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** Lines, address or amounts of an order changed after it was placed. */
export interface OrderUpdatedData {
  /** The order as it is after the event */
  order: OrderUpdatedDataOrder;
  /** Whom it concerns */
  customer?: OrderUpdatedDataCustomer | undefined;
  /** Names of the changed fields */
  changed?: string[] | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface OrderUpdatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderUpdatedDataOrder {
  /** Its id in your system */
  external_id: string;
  /** Number shown to the customer */
  number?: string | undefined;
  /** Such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** What the customer pays, taxes and shipping included, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** What was ordered */
  items?: OrderUpdatedDataOrderItem[] | undefined;
  /** Where to */
  shipping_address?: OrderUpdatedDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One line */
export interface OrderUpdatedDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** How many */
  quantity?: number | undefined;
  /** Price of one, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Where to */
export interface OrderUpdatedDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Anything more */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

export interface PasswordChange {
  current: string;
  /** At least 12 characters, and not the e-mail address. */
  new: string;
}

/** Money arrived from a customer. */
export interface PaymentCompletedData {
  /** The payment as it is after the event */
  payment: PaymentCompletedDataPayment;
  /** Whom it concerns */
  customer?: PaymentCompletedDataCustomer | undefined;
  /** When */
  completed_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface PaymentCompletedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The payment as it is after the event */
export interface PaymentCompletedDataPayment {
  /** Its id in your system */
  external_id: string;
  /** Such as pending, completed, failed or refunded */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Such as card, sepa_debit or bank_transfer */
  method?: string | undefined;
  /** The invoice it pays, null without one */
  invoice_external_id?: string | null | undefined;
  /** The order it pays, null without one */
  order_external_id?: string | null | undefined;
  [member: string]: unknown;
}

/** A payment was declined or broke off. */
export interface PaymentFailedData {
  /** The payment as it is after the event */
  payment: PaymentFailedDataPayment;
  /** Whom it concerns */
  customer?: PaymentFailedDataCustomer | undefined;
  /** The processor's code */
  failure_code?: string | undefined;
  /** The processor's words */
  failure_message?: string | undefined;
  /** Which attempt this was, from 1 */
  attempt?: number | undefined;
  /** When the next attempt is made, null when none is */
  next_attempt_at?: string | null | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface PaymentFailedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The payment as it is after the event */
export interface PaymentFailedDataPayment {
  /** Its id in your system */
  external_id: string;
  /** Such as pending, completed, failed or refunded */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Such as card, sepa_debit or bank_transfer */
  method?: string | undefined;
  /** The invoice it pays, null without one */
  invoice_external_id?: string | null | undefined;
  /** The order it pays, null without one */
  order_external_id?: string | null | undefined;
  [member: string]: unknown;
}

/** A payment was paid back, all of it or a part. */
export interface PaymentRefundedData {
  /** The payment as it is after the event */
  payment: PaymentRefundedDataPayment;
  /** Whom it concerns */
  customer?: PaymentRefundedDataCustomer | undefined;
  /** The refund */
  refund: PaymentRefundedDataRefund;
  /** When */
  refunded_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface PaymentRefundedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The payment as it is after the event */
export interface PaymentRefundedDataPayment {
  /** Its id in your system */
  external_id: string;
  /** Such as pending, completed, failed or refunded */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Its amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Such as card, sepa_debit or bank_transfer */
  method?: string | undefined;
  /** The invoice it pays, null without one */
  invoice_external_id?: string | null | undefined;
  /** The order it pays, null without one */
  order_external_id?: string | null | undefined;
  [member: string]: unknown;
}

/** The refund */
export interface PaymentRefundedDataRefund {
  /** Its id in your system */
  external_id: string;
  /** What was paid back, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Why */
  reason?: string | undefined;
  /** Whether nothing of the payment is left */
  full?: boolean | undefined;
  [member: string]: unknown;
}

/** Made by the service of the contract and the parameters alone. Characters that cannot be seen are spelled out. */
export interface Preview {
  title: string;
  summary: string;
  fields: PreviewField[];
  risk: PreviewRisk;
  /** Where the call goes; null: nothing is called. */
  target_host: string | null;
  reversible: boolean;
}

export interface PreviewField {
  name: string;
  description: string;
  value: string;
  /** The value is sensitive and not shown. */
  masked: boolean;
}

/** A product was added to the catalogue. */
export interface ProductCreatedData {
  /** The product */
  product: ProductCreatedDataProduct;
  /** When */
  created_at?: string | undefined;
  [member: string]: unknown;
}

/** The product */
export interface ProductCreatedDataProduct {
  /** Its id in your system */
  external_id: string;
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** List price, in the currency's smallest unit (cents for EUR) */
  price_minor?: number | undefined;
  /** Its page */
  url?: string | undefined;
  [member: string]: unknown;
}

/** The last piece of a product was sold or reserved. */
export interface ProductOutOfStockData {
  /** The product */
  product: ProductOutOfStockDataProduct;
  /** Which stock ran out */
  warehouse?: string | undefined;
  /** When more is expected, null when unknown */
  restock_expected_at?: string | null | undefined;
  [member: string]: unknown;
}

/** The product */
export interface ProductOutOfStockDataProduct {
  /** Its id in your system */
  external_id: string;
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** List price, in the currency's smallest unit (cents for EUR) */
  price_minor?: number | undefined;
  /** Its page */
  url?: string | undefined;
  [member: string]: unknown;
}

export interface Proposal {
  /** An id that begins with `prop_`. */
  id: string;
  object: "proposal";
  /** The contract's key. */
  action: string;
  contract_version: number;
  state: ProposalState;
  /** Where it was asked for. */
  surface: RunSurface;
  proposer: ActionActor;
  edited_by: ProposalEditedBy | null;
  preview: Preview;
  /** Redacted: what is a secret by its name, its form or its contract is not shown. */
  parameters: { [member: string]: unknown };
  /** Hex SHA-256 of the RFC 8785 form of `{action, contract_version, parameters}`: what an approval is of. */
  params_hash: string;
  prompt: string | null;
  /** Who may decide. */
  approver_roles: string[];
  /** Whoever asked for it, or edited it, cannot approve it. */
  four_eyes: boolean;
  /** How many people must approve. */
  approvals_required: number;
  approvals: ProposalApproval[];
  /** Who ended it without a run, and why. */
  decision: ProposalDecision | null;
  /** The page on which people decide. To open it changes nothing. */
  approve_url: string;
  /** An id that begins with `run_`. */
  run_id: string | null;
  /** An id that begins with `prop_`. */
  supersedes: string | null;
  /** An id that begins with `prop_`. */
  superseded_by: string | null;
  /** RFC 3339, UTC, milliseconds. */
  expires_at: string;
  /** RFC 3339, UTC, milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  run?: Run;
}

export interface ProposalApproval {
  by: ActionActor;
  /** RFC 3339, UTC, milliseconds. */
  at: string;
  comment: string | null;
  /** `inline`: the call confirmed itself. */
  kind: ProposalApprovalKind;
}

/** Who ended it without a run, and why. */
export interface ProposalDecision {
  by: ActionActor;
  /** RFC 3339, UTC, milliseconds. */
  at: string;
  reason: string | null;
}

export interface ProposalEdit {
  /** The parameters that the contract takes, by name. Values are never converted. */
  parameters: object;
}

export interface ProposalEditedBy {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface ProposalList {
  object: "list";
  data: Proposal[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

/** What the mapping read; empty where it did not come to it. */
export interface ReceiptFields {
  contact_email?: string | null;
  contact_name?: string | null;
  event_type?: string | null;
  idempotency_key?: string | null;
  /** Exact, with as many digits as it has; in major units. */
  value?: number | null;
  currency?: string | null;
  summary?: string | null;
  score_delta?: number;
  warnings?: MappingWarning[];
}

export interface ReceiptsToSee {
  error: CappedCount;
  unmapped: CappedCount;
}

export interface RecoveryCodes {
  /** Each signs in once in the app's place; shown this once. */
  recovery_codes: string[];
}

export interface RegenerateActionSigningSecretBody {
  /** How long the old secret signs too. By default 0. */
  overlap_seconds?: number | undefined;
}

export interface RegenerateInboundSecretBody {
  /** For senders that dictate it; made when absent. */
  secret?: string | undefined;
  /** How long the old secret is good beside it. By default 0. */
  overlap_seconds?: number | undefined;
}

export interface RegenerateRuleSecretBody {
  /** How long the old secret signs too. By default 0. */
  overlap_seconds?: number | undefined;
}

export interface RegenerateWebhookSecretBody {
  /** How long the old secret signs too. By default 0. */
  overlap_seconds?: number | undefined;
}

export interface RegenerateWorkflowSecretBody {
  /** How long the old secret signs too. By default 0. */
  overlap_seconds?: number | undefined;
}

export interface RejectProposalBody {
  reason?: string | undefined;
}

export interface Replay {
  /** An id that begins with `job_`. */
  id: string;
  object: "replay";
  state: ReplayState;
  /** How many there were to replay. */
  total: number;
  /** Whether there were more. */
  total_capped: boolean;
  /** How many were set going again so far. */
  done: number;
  /** An id that begins with `ep_`. */
  endpoint_id: string | null;
  /** RFC 3339, UTC, milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface ReplayCount {
  /** How many deliveries. */
  count: number;
}

export interface ReplayFilter {
  /** Without it, failed ones. */
  state?: ReplayFilterState | undefined;
  /** An id that begins with `ep_`. */
  endpoint_id?: string | undefined;
  /** The event's name. */
  event?: string | undefined;
  /** Of the last attempt. */
  status_code?: number | undefined;
  /** Of the last attempt's status. */
  status_class?: ReplayFilterStatusClass | undefined;
  /** What went wrong with the last attempt. */
  error_class?: AttemptErrorClass | undefined;
  /** So many attempts were made. */
  attempt_count?: number | undefined;
  /** Created from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
}

export interface ReplayJob {
  /** How many deliveries. */
  count: number;
  /** An id that begins with `job_`. */
  job_id: string;
}

export interface ReplayList {
  object: "list";
  data: Replay[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ReplayTally {
  /** How many deliveries. */
  count: number;
  /** Whether there are more than 100 000. */
  capped: boolean;
}

export interface ResetLink {
  /** Shown this once. Works once, for a day. */
  reset_url: string;
  /** RFC 3339, UTC, milliseconds. */
  expires_at: string;
}

export interface RevealedHeaders {
  /** The headers with their values. */
  headers: { [member: string]: string };
}

export interface RevealedWebhook {
  /** Where the webhook stands, an RFC 6901 pointer. */
  path: string;
  url: string;
  /** The headers with their values. */
  headers: { [member: string]: string };
}

export interface RevealedWebhooks {
  /** The webhooks that have headers of their own. */
  webhooks: RevealedWebhook[];
}

export interface Role {
  object: "role";
  role: RoleRole;
  /** The roles that it may give to members. */
  may_give: string[];
  operations: RoleOperation[];
}

export interface RoleList {
  object: "list";
  data: Role[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface RoleOperation {
  name: string;
  access: RoleOperationAccess;
}

export interface RollKeyBody {
  /** How long the old key works on; with 0 it is revoked at once. By default 0. */
  overlap_seconds?: number | undefined;
}

export interface Rule {
  /** An id that begins with `rule_`. */
  id: string;
  object: "rule";
  name: string;
  on: string[];
  when: Condition;
  /** `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, `notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, done in order. Texts may hold `${$.data.x}`. A webhook is a delivery of the event; with a `body`, of the event `rule.webhook` with the body as its `data`. `notify` fires the event `notification.created` and sends nothing itself. */
  then: RuleAction[];
  priority: number;
  enabled: boolean;
  max_runs_per_minute: number;
  /** Counts changes. */
  version: number;
  author: RuleAuthor;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
}

export interface RuleAction {
  type: RuleActionType;
  [member: string]: unknown;
}

/** Who wrote it last. The rule acts with the rights that this key or member has at that moment. */
export interface RuleAuthor {
  kind: RuleAuthorKind;
  /** An id that begins with `key_`. */
  id: string;
  environment: Environment;
}

export interface RuleChange {
  name?: string | undefined;
  /** Event names; `*` is every event but those that the service fires about itself. */
  on?: string[] | undefined;
  /** `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, `notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, done in order. Texts may hold `${$.data.x}`. A webhook is a delivery of the event; with a `body`, of the event `rule.webhook` with the body as its `data`. `notify` fires the event `notification.created` and sends nothing itself. */
  then?: RuleAction[] | undefined;
  when?: Condition | undefined;
  /** Lower ones run first. By default 100. */
  priority?: number | undefined;
  /** By default true. */
  enabled?: boolean | undefined;
  /** Further runs are `limited` and do nothing. By default 600. */
  max_runs_per_minute?: number | undefined;
}

export interface RuleLeaf {
  /** Where the leaf stands, an RFC 6901 pointer into `when`. */
  path: string;
  field: string;
  op: RuleLeafOp;
  /** The leaf's value, as it was written. */
  expected: unknown;
  /** Whether the field was there. */
  found: boolean;
  /** What the field held, as it was written; beyond 500 characters a text of its beginning. */
  actual: unknown;
  truth: boolean;
}

export interface RuleList {
  object: "list";
  data: Rule[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface RuleRun {
  /** An id that begins with `rrun_`. */
  id: string;
  object: "rule_run";
  /** An id that begins with `rule_`. */
  rule_id: string;
  rule_version: number;
  /** An id that begins with `evt_`. */
  event_id: string;
  event: string;
  /** An id that begins with `con_`. */
  contact_id: string | null;
  status: RuleRunStatus;
  /** Why, for programs. */
  reason_code: string | null;
  reason: string | null;
  leaves: RuleLeaf[];
  actions: RuleRunAction[];
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  started_at: string;
  /** RFC 3339, UTC, milliseconds. */
  ended_at: string | null;
}

export interface RuleRunAction {
  type: RuleActionType;
  status: RuleRunActionStatus;
}

export interface RuleRunList {
  object: "list";
  data: RuleRun[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

/** An event with its data, or `event_id` of a past one. */
export interface RuleTest {
  event?: string | undefined;
  data?: object | undefined;
  /** An id that begins with `evt_`. */
  event_id?: string | undefined;
}

export interface RuleTrial {
  object: "rule_test";
  /** An id that begins with `rule_`. */
  rule_id: string;
  event: string;
  /** An id that begins with `con_`. */
  contact_id: string | null;
  /** Whether it is enabled and listens to the event. */
  listens: boolean;
  /** Whether its condition holds. */
  matched: boolean;
  would_run: boolean;
  actions: RuleTrialAction[];
  leaves: RuleLeaf[];
}

/** `run_action` and `start_workflow` as they would be asked for, with the `foresight` of what comes of it. */
export interface RuleTrialAction {
  type: RuleActionType;
}

export interface RuleWithSecret {
  /** An id that begins with `rule_`. */
  id: string;
  object: "rule";
  name: string;
  on: string[];
  when: Condition;
  /** `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, `notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, done in order. Texts may hold `${$.data.x}`. A webhook is a delivery of the event; with a `body`, of the event `rule.webhook` with the body as its `data`. `notify` fires the event `notification.created` and sends nothing itself. */
  then: RuleAction[];
  priority: number;
  enabled: boolean;
  max_runs_per_minute: number;
  /** Counts changes. */
  version: number;
  author: RuleAuthor;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
  /** `whsec_` and 32 bytes in base64. Shown when it is made, and to an owner on reveal. */
  signing_secret: string;
}

export interface Run {
  /** An id that begins with `run_`. */
  id: string;
  object: "run";
  /** The contract's key. */
  action: string;
  contract_version: number;
  /** `queued` and `executing` are under way; the others are ends. */
  status: RunStatus;
  /** Where it was asked for. */
  surface: RunSurface;
  actor: ActionActor;
  approver: RunApprover | null;
  /** An id that begins with `prop_`. */
  proposal_id: string | null;
  /** Redacted: what is a secret by its name, its form or its contract is not shown. */
  parameters: { [member: string]: unknown };
  prompt: string | null;
  /** What the backend answered, as far as the contract exposes it. Whoever ran it sees it as it came, others redacted. */
  result: unknown;
  /** A sandbox run of a contract without a sandbox_endpoint: nothing was called. */
  simulated: boolean;
  error: RunError | null;
  backend: RunBackend | null;
  /** An id that begins with `aud_`. */
  audit_id: string | null;
  /** Whether it can still be undone. */
  reversible: boolean;
  /** RFC 3339, UTC, milliseconds. */
  undo_until: string | null;
  /** RFC 3339, UTC, milliseconds. */
  undone_at: string | null;
  undone_by: RunUndoneBy | null;
  duration_ms: number | null;
  /** RFC 3339, UTC, milliseconds. */
  started_at: string;
  /** RFC 3339, UTC, milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface RunAccepted {
  /** An id that begins with `run_`. */
  id?: string;
  object?: "run";
  /** The contract's key. */
  action: string;
  contract_version?: number;
  status: RunAcceptedStatus;
  /** Where it was asked for. */
  surface?: RunSurface;
  actor?: ActionActor;
  approver?: RunAcceptedApprover | null;
  /** An id that begins with `prop_`. */
  proposal_id?: string | null;
  /** Redacted: what is a secret by its name, its form or its contract is not shown. */
  parameters?: { [member: string]: unknown };
  prompt?: string | null;
  /** What the backend answered, as far as the contract exposes it. Whoever ran it sees it as it came, others redacted. */
  result?: unknown;
  /** A sandbox run of a contract without a sandbox_endpoint: nothing was called. */
  simulated?: boolean;
  error?: RunAcceptedError | null;
  backend?: RunAcceptedBackend | null;
  /** An id that begins with `aud_`. */
  audit_id?: string | null;
  /** Whether it can still be undone. */
  reversible?: boolean;
  /** RFC 3339, UTC, milliseconds. */
  undo_until?: string | null;
  /** RFC 3339, UTC, milliseconds. */
  undone_at?: string | null;
  undone_by?: RunAcceptedUndoneBy | null;
  duration_ms?: number | null;
  /** RFC 3339, UTC, milliseconds. */
  started_at?: string;
  /** RFC 3339, UTC, milliseconds. */
  ended_at?: string | null;
  scope_kind?: "workspace";
  /** An id that begins with `ws_`. */
  scope_key?: string;
  environment?: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at?: string;
  /** It was confirmed, and needs an approval all the same. */
  code?: "approval_required";
  /** What became of `confirmed`. */
  confirmation?: RunAcceptedConfirmation;
  proposal?: Proposal;
}

export interface RunAcceptedApprover {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface RunAcceptedBackend {
  host: string;
  status: number | null;
}

/** What became of `confirmed`. */
export interface RunAcceptedConfirmation {
  accepted: boolean;
  reason: string;
}

export interface RunAcceptedError {
  /** `outcome_unknown`: nobody knows whether the backend acted. */
  code: string;
  detail: string | null;
  /** The backend may have done it all the same. */
  outcome_unknown: boolean;
}

export interface RunAcceptedUndoneBy {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface RunAnswer {
  /** An id that begins with `run_`. */
  id?: string;
  object?: "run";
  /** The contract's key. */
  action: string;
  contract_version?: number;
  /** `queued` and `executing` are under way; the others are ends. */
  status: RunStatus;
  /** Where it was asked for. */
  surface?: RunSurface;
  actor?: ActionActor;
  approver?: RunAnswerApprover | null;
  /** An id that begins with `prop_`. */
  proposal_id?: string | null;
  /** Redacted: what is a secret by its name, its form or its contract is not shown. */
  parameters?: { [member: string]: unknown };
  prompt?: string | null;
  /** What the backend answered, as far as the contract exposes it. Whoever ran it sees it as it came, others redacted. */
  result?: unknown;
  /** A sandbox run of a contract without a sandbox_endpoint: nothing was called. */
  simulated?: boolean;
  error?: RunAnswerError | null;
  backend?: RunAnswerBackend | null;
  /** An id that begins with `aud_`. */
  audit_id?: string | null;
  /** Whether it can still be undone. */
  reversible?: boolean;
  /** RFC 3339, UTC, milliseconds. */
  undo_until?: string | null;
  /** RFC 3339, UTC, milliseconds. */
  undone_at?: string | null;
  undone_by?: RunAnswerUndoneBy | null;
  duration_ms?: number | null;
  /** RFC 3339, UTC, milliseconds. */
  started_at?: string;
  /** RFC 3339, UTC, milliseconds. */
  ended_at?: string | null;
  scope_kind?: "workspace";
  /** An id that begins with `ws_`. */
  scope_key?: string;
  environment?: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at?: string;
  /** Of a dry run: what would come of the call. */
  outcome?: RunAnswerOutcome;
  code?: "approval_required";
  /** What became of `confirmed`. */
  confirmation?: RunAnswerConfirmation;
  preview?: Preview;
}

export interface RunAnswerApprover {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface RunAnswerBackend {
  host: string;
  status: number | null;
}

/** What became of `confirmed`. */
export interface RunAnswerConfirmation {
  accepted: boolean;
  reason: string;
}

export interface RunAnswerError {
  /** `outcome_unknown`: nobody knows whether the backend acted. */
  code: string;
  detail: string | null;
  /** The backend may have done it all the same. */
  outcome_unknown: boolean;
}

export interface RunAnswerUndoneBy {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface RunApprover {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface RunBackend {
  host: string;
  status: number | null;
}

export interface RunError {
  /** `outcome_unknown`: nobody knows whether the backend acted. */
  code: string;
  detail: string | null;
  /** The backend may have done it all the same. */
  outcome_unknown: boolean;
}

export interface RunList {
  object: "list";
  data: Run[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface RunUndoneBy {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface Secret {
  object: "secret";
  name: string;
  /** The contracts that name it. */
  used_by: string[];
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
}

export interface SecretList {
  object: "list";
  data: Secret[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface SecretValue {
  /** One line. Never shown again. */
  value: string;
}

/** A key of your platform was withdrawn. */
export interface SecurityApiKeyRevokedData {
  /** The key */
  key: SecurityApiKeyRevokedDataKey;
  /** Whom it concerns */
  customer?: SecurityApiKeyRevokedDataCustomer | null | undefined;
  /** Who withdrew it */
  revoked_by?: string | undefined;
  /** Why */
  reason?: string | undefined;
  /** When */
  revoked_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface SecurityApiKeyRevokedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The key */
export interface SecurityApiKeyRevokedDataKey {
  /** Its id in your system */
  external_id: string;
  /** What it is called */
  name?: string | undefined;
  /** Its first characters, never more */
  hint?: string | undefined;
  [member: string]: unknown;
}

/** Somebody could not sign in to your platform. */
export interface SecurityLoginFailedData {
  /** The address that was tried */
  email: string;
  /** Whom it concerns */
  customer?: SecurityLoginFailedDataCustomer | null | undefined;
  /** Such as wrong_password or mfa_failed */
  reason?: string | undefined;
  /** Failures in a row */
  failures?: number | undefined;
  /** Address of the client */
  ip?: string | undefined;
  /** What the client calls itself */
  user_agent?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface SecurityLoginFailedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** Somebody was given rights, or lost them. */
export interface SecurityPermissionChangedData {
  /** Whose rights */
  member: SecurityPermissionChangedDataMember;
  /** Rights gained */
  granted?: string[] | undefined;
  /** Rights lost */
  revoked?: string[] | undefined;
  /** Who changed them */
  changed_by?: string | undefined;
  /** When */
  changed_at?: string | undefined;
  [member: string]: unknown;
}

/** Whose rights */
export interface SecurityPermissionChangedDataMember {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** Something happened that a person should look at. */
export interface SecuritySuspiciousActivityData {
  /** Such as impossible_travel, credential_stuffing or mass_export */
  kind: string;
  /** How bad */
  severity?: AnalyticsAnomalyDataSeverity | undefined;
  /** The detector's score */
  score?: number | undefined;
  /** What was seen */
  details?: string | undefined;
  /** Whom it concerns */
  customer?: SecuritySuspiciousActivityDataCustomer | null | undefined;
  /** When */
  detected_at?: string | undefined;
  /** Address of the client */
  ip?: string | undefined;
  /** What the client calls itself */
  user_agent?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface SecuritySuspiciousActivityDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface Session {
  /** An id that begins with `ses_`. */
  id: string;
  object: "session";
  current: boolean;
  ip: string;
  user_agent: string;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  last_used_at: string;
  /** RFC 3339, UTC, milliseconds. */
  expires_at: string;
}

export interface SessionList {
  object: "list";
  data: Session[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface SignedIn {
  object: "sign_in";
  /** Sent back as X-CSRF-Token with every request that changes something. */
  csrf_token: string;
  member: Member;
  /** Where the person belongs; X-Service-Workspace names one of them for a request. */
  workspaces: Membership[];
}

export interface SigningSecret {
  /** `whsec_` and 32 bytes in base64. Shown when it is made, and to an owner on reveal. */
  secret: string;
  /** `whsec_` and 32 bytes in base64. Shown when it is made, and to an owner on reveal. */
  previous_secret?: string;
  /** RFC 3339, UTC, milliseconds. */
  previous_expires_at?: string;
}

export interface Stage {
  kind: string;
  key: string;
  priority: number;
  state: string;
  /** Whether the next stage began before this one ended. */
  late: boolean;
  /** RFC 3339, UTC, milliseconds. */
  started_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  ended_at: string | null;
  error: string | null;
}

export interface SubscriberRef {
  kind: SubscriberRefKind;
  /** Which one of its kind. */
  key: string;
  /** Lower ones come first. */
  priority: number;
}

/** A subscription was cancelled; it may run on to the end of its period. */
export interface SubscriptionCancelledData {
  /** The subscription as it is after the event */
  subscription: SubscriptionCancelledDataSubscription;
  /** Whom it concerns */
  customer?: SubscriptionCancelledDataCustomer | undefined;
  /** Why */
  reason?: string | undefined;
  /** Whether it runs to the end of the paid period */
  at_period_end?: boolean | undefined;
  /** When it was cancelled */
  cancelled_at?: string | undefined;
  /** When access ends */
  ends_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface SubscriptionCancelledDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The subscription as it is after the event */
export interface SubscriptionCancelledDataSubscription {
  /** Its id in your system */
  external_id: string;
  /** Key or name of the plan */
  plan?: string | undefined;
  /** Such as trialing, active, past_due or cancelled */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Price of one period, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Length of a period */
  interval?: SubscriptionCreatedDataSubscriptionInterval | undefined;
  /** Seats or units */
  quantity?: number | undefined;
  /** When the period began */
  current_period_start?: string | undefined;
  /** When the period ends */
  current_period_end?: string | undefined;
  [member: string]: unknown;
}

/** A customer subscribed to a plan, with a trial or without. */
export interface SubscriptionCreatedData {
  /** The subscription as it is after the event */
  subscription: SubscriptionCreatedDataSubscription;
  /** Whom it concerns */
  customer?: SubscriptionCreatedDataCustomer | undefined;
  /** When the trial ends, null without one */
  trial_ends_at?: string | null | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface SubscriptionCreatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The subscription as it is after the event */
export interface SubscriptionCreatedDataSubscription {
  /** Its id in your system */
  external_id: string;
  /** Key or name of the plan */
  plan?: string | undefined;
  /** Such as trialing, active, past_due or cancelled */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Price of one period, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Length of a period */
  interval?: SubscriptionCreatedDataSubscriptionInterval | undefined;
  /** Seats or units */
  quantity?: number | undefined;
  /** When the period began */
  current_period_start?: string | undefined;
  /** When the period ends */
  current_period_end?: string | undefined;
  [member: string]: unknown;
}

/** A new period of a subscription began. */
export interface SubscriptionRenewedData {
  /** The subscription as it is after the event */
  subscription: SubscriptionRenewedDataSubscription;
  /** Whom it concerns */
  customer?: SubscriptionRenewedDataCustomer | undefined;
  /** The invoice for the new period */
  invoice_external_id?: string | undefined;
  /** When */
  renewed_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface SubscriptionRenewedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The subscription as it is after the event */
export interface SubscriptionRenewedDataSubscription {
  /** Its id in your system */
  external_id: string;
  /** Key or name of the plan */
  plan?: string | undefined;
  /** Such as trialing, active, past_due or cancelled */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Price of one period, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Length of a period */
  interval?: SubscriptionCreatedDataSubscriptionInterval | undefined;
  /** Seats or units */
  quantity?: number | undefined;
  /** When the period began */
  current_period_start?: string | undefined;
  /** When the period ends */
  current_period_end?: string | undefined;
  [member: string]: unknown;
}

/** A trial is about to end, usually three days ahead. */
export interface SubscriptionTrialEndingData {
  /** The subscription as it is after the event */
  subscription: SubscriptionTrialEndingDataSubscription;
  /** Whom it concerns */
  customer?: SubscriptionTrialEndingDataCustomer | undefined;
  /** When */
  trial_ends_at: string;
  /** Whether the first payment can be made */
  has_payment_method?: boolean | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface SubscriptionTrialEndingDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The subscription as it is after the event */
export interface SubscriptionTrialEndingDataSubscription {
  /** Its id in your system */
  external_id: string;
  /** Key or name of the plan */
  plan?: string | undefined;
  /** Such as trialing, active, past_due or cancelled */
  status?: string | undefined;
  /** ISO 4217 code */
  currency?: string | undefined;
  /** Price of one period, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Length of a period */
  interval?: SubscriptionCreatedDataSubscriptionInterval | undefined;
  /** Seats or units */
  quantity?: number | undefined;
  /** When the period began */
  current_period_start?: string | undefined;
  /** When the period ends */
  current_period_end?: string | undefined;
  [member: string]: unknown;
}

export interface TakeMessages {
  /** Of messages that need not be kept. */
  ids: string[];
}

export interface TakenMessages {
  /** How many of them waited until now. */
  taken: number;
}

export interface TestedRequest {
  method: "POST";
  url: string;
  headers: { [member: string]: string };
  /** The exact bytes, as text. */
  body: string;
}

export interface Ticket {
  /** An id that begins with `tkt_`. */
  id: string;
  object: "ticket";
  external_id: string;
  /** An id that begins with `con_`. */
  customer_id: string | null;
  subject: string | null;
  status: string;
  priority: string | null;
  assignee: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
}

/** A ticket got an assignee, or another one. */
export interface TicketAssignedData {
  /** The ticket as it is after the event */
  ticket: TicketAssignedDataTicket;
  /** Whom it concerns */
  customer?: TicketAssignedDataCustomer | undefined;
  /** Who works on it */
  agent?: TicketAssignedDataAgent | undefined;
  /** Who had it before, null when nobody did */
  previous_assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** Who works on it */
export interface TicketAssignedDataAgent {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface TicketAssignedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketAssignedDataTicket {
  /** Its id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Such as low, normal, high or urgent */
  priority?: string | undefined;
  /** E-mail or name of who works on it; null when nobody does */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

export interface TicketChange {
  subject?: string | null | undefined;
  /** Such as open, pending, on_hold, resolved or closed; the last two count as ended. */
  status?: string | undefined;
  /** Such as low, normal, high or urgent. */
  priority?: string | null | undefined;
  /** E-mail or name of who works on it. */
  assignee?: string | null | undefined;
  /** An id that begins with `con_`. */
  customer_id?: string | null | undefined;
  /** An id of yours. */
  customer_external_id?: string | undefined;
}

/** A customer, or someone on a customer's behalf, opened a ticket. */
export interface TicketCreatedData {
  /** The ticket as it is after the event */
  ticket: TicketCreatedDataTicket;
  /** Whom it concerns */
  customer?: TicketCreatedDataCustomer | undefined;
  /** Such as email, chat, phone or web */
  channel?: string | undefined;
  /** The first message */
  message?: string | undefined;
  /** Labels */
  tags?: string[] | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface TicketCreatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketCreatedDataTicket {
  /** Its id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Such as low, normal, high or urgent */
  priority?: string | undefined;
  /** E-mail or name of who works on it; null when nobody does */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** A ticket was handed to a higher level, by hand or because time ran out. */
export interface TicketEscalatedData {
  /** The ticket as it is after the event */
  ticket: TicketEscalatedDataTicket;
  /** Whom it concerns */
  customer?: TicketEscalatedDataCustomer | undefined;
  /** Level it is on now */
  level?: number | undefined;
  /** Why */
  reason?: string | undefined;
  /** Team or person */
  escalated_to?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface TicketEscalatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketEscalatedDataTicket {
  /** Its id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Such as low, normal, high or urgent */
  priority?: string | undefined;
  /** E-mail or name of who works on it; null when nobody does */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

export interface TicketList {
  object: "list";
  data: Ticket[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
  /** The connectors that were asked; what one that failed knows may be missing. */
  connectors?: AskedConnector[];
}

/** A resolved or closed ticket became active again. */
export interface TicketReopenedData {
  /** The ticket as it is after the event */
  ticket: TicketReopenedDataTicket;
  /** Whom it concerns */
  customer?: TicketReopenedDataCustomer | undefined;
  /** Why */
  reason?: string | undefined;
  /** When */
  reopened_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface TicketReopenedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketReopenedDataTicket {
  /** Its id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Such as low, normal, high or urgent */
  priority?: string | undefined;
  /** E-mail or name of who works on it; null when nobody does */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** The customer or an agent wrote on a ticket. */
export interface TicketRepliedData {
  /** The ticket as it is after the event */
  ticket: TicketRepliedDataTicket;
  /** Whom it concerns */
  customer?: TicketRepliedDataCustomer | undefined;
  /** The message */
  reply: TicketRepliedDataReply;
  /** When */
  replied_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface TicketRepliedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The message */
export interface TicketRepliedDataReply {
  /** Its id in your system */
  external_id?: string | undefined;
  /** Who wrote it */
  author?: TicketRepliedDataReplyAuthor | undefined;
  /** What it says */
  body?: string | undefined;
  /** Whether the customer sees it */
  public?: boolean | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketRepliedDataTicket {
  /** Its id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Such as low, normal, high or urgent */
  priority?: string | undefined;
  /** E-mail or name of who works on it; null when nobody does */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** A ticket was marked as solved. */
export interface TicketResolvedData {
  /** The ticket as it is after the event */
  ticket: TicketResolvedDataTicket;
  /** Whom it concerns */
  customer?: TicketResolvedDataCustomer | undefined;
  /** What solved it */
  resolution?: string | undefined;
  /** Seconds since it was opened */
  seconds_to_resolve?: number | undefined;
  /** When */
  resolved_at?: string | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface TicketResolvedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketResolvedDataTicket {
  /** Its id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Such as low, normal, high or urgent */
  priority?: string | undefined;
  /** E-mail or name of who works on it; null when nobody does */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** Status, priority, subject or another field of a ticket changed. */
export interface TicketUpdatedData {
  /** The ticket as it is after the event */
  ticket: TicketUpdatedDataTicket;
  /** Whom it concerns */
  customer?: TicketUpdatedDataCustomer | undefined;
  /** Names of the changed fields */
  changed?: string[] | undefined;
  [member: string]: unknown;
}

/** Whom it concerns */
export interface TicketUpdatedDataCustomer {
  /** Its id in your system */
  external_id: string;
  /** E-mail address; contacts are matched by it */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Where the customer stands, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketUpdatedDataTicket {
  /** Its id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Such as low, normal, high or urgent */
  priority?: string | undefined;
  /** E-mail or name of who works on it; null when nobody does */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

export interface TotpCode {
  /** Six digits of the app, or a recovery code. */
  code: string;
}

export interface TotpEnrolment {
  password: string;
}

export interface TotpSecret {
  secret: string;
  otpauth_url: string;
}

export interface Usage {
  object: "usage";
  time_zone: "UTC";
  /** A day of UTC. */
  from: string;
  /** A day of UTC. */
  to: string;
  total: UsageTotals;
  data: UsageDay[];
}

export interface UsageDay {
  /** A day of UTC. */
  day: string;
  /** Events accepted. */
  events: number;
  /** Deliveries made of them. */
  deliveries: number;
  /** Deliveries that ended delivered. */
  delivered: number;
  /** Deliveries that ended failed. */
  failed: number;
  /** Deliveries that were cancelled as they were to be sent. */
  cancelled: number;
  /** Attempts. */
  attempts: number;
  /** Attempts that failed. */
  failed_attempts: number;
  /** Inbound requests that were recorded. */
  receipts: number;
  /** Runs of actions that ended. */
  runs: number;
  /** Requests that the log of requests had no room for. */
  unlogged_requests: number;
}

export interface UsageHour {
  /** RFC 3339, UTC, milliseconds. */
  hour: string;
  /** Events accepted. */
  events: number;
  /** Deliveries made of them. */
  deliveries: number;
  /** Deliveries that ended delivered. */
  delivered: number;
  /** Deliveries that ended failed. */
  failed: number;
  /** Deliveries that were cancelled as they were to be sent. */
  cancelled: number;
  /** Attempts. */
  attempts: number;
  /** Attempts that failed. */
  failed_attempts: number;
  /** Inbound requests that were recorded. */
  receipts: number;
  /** Runs of actions that ended. */
  runs: number;
  /** Requests that the log of requests had no room for. */
  unlogged_requests: number;
  /** Of the attempts; null where none was made. */
  success_rate: number | null;
  /** From an event's acceptance to the receiver's 2xx, of first attempts: the median. Milliseconds, within 6 percent. */
  ack_p50_ms: number | null;
  /** The 95th percentile. Milliseconds, within 6 percent. */
  ack_p95_ms: number | null;
  /** The 99th percentile. Milliseconds, within 6 percent. */
  ack_p99_ms: number | null;
}

export interface UsageSeries {
  object: "usage_series";
  /** RFC 3339, UTC, milliseconds. */
  from: string;
  /** RFC 3339, UTC, milliseconds. */
  to: string;
  /** Oldest first, without a gap. */
  data: UsageHour[];
}

export interface UsageTotals {
  /** Events accepted. */
  events: number;
  /** Deliveries made of them. */
  deliveries: number;
  /** Deliveries that ended delivered. */
  delivered: number;
  /** Deliveries that ended failed. */
  failed: number;
  /** Deliveries that were cancelled as they were to be sent. */
  cancelled: number;
  /** Attempts. */
  attempts: number;
  /** Attempts that failed. */
  failed_attempts: number;
  /** Inbound requests that were recorded. */
  receipts: number;
  /** Runs of actions that ended. */
  runs: number;
  /** Requests that the log of requests had no room for. */
  unlogged_requests: number;
}

/** The last attempt of a delivery failed, and it can be replayed; or its event was deleted by retention while it waited (`event_expired`). */
export interface WebhookDeliveryFailedData {
  /** The delivery */
  delivery_id: string;
  /** The endpoint */
  endpoint_id: string;
  /** The event */
  event_id: string;
  /** Name of the event */
  event: string;
  /** How many attempts were made */
  attempt_count?: number | undefined;
  /** HTTP status of the last attempt, null when there was none */
  last_status_code?: number | null | undefined;
  /** What went wrong */
  error_class?: string | null | undefined;
  /** When it was parked */
  failed_at?: string | undefined;
  [member: string]: unknown;
}

export interface WebhookEndpoint {
  /** An id that begins with `ep_`. */
  id: string;
  object: "webhook_endpoint";
  url: string;
  events: string[];
  active: boolean;
  description: string;
  /** The endpoint's own headers. The values are `[redacted]`. */
  headers: { [member: string]: string };
  rate_limit_per_second: number | null;
  max_in_flight: number;
  /** Amber while attempts fail, red once the service deactivated it. */
  health: WebhookEndpointHealth;
  /** RFC 3339, UTC, milliseconds. */
  failing_since: string | null;
  /** `gone` after a 410, `failing_for_days` after five days of failures. */
  disabled_reason: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface WebhookEndpointChange {
  /** An https address on the public internet. */
  url?: string | undefined;
  /** ["*"] for every event, or event names. */
  events?: string[] | undefined;
  /** Whether events are delivered to it. By default true. */
  active?: boolean | undefined;
  /** For people. */
  description?: string | undefined;
  /** Sent with each delivery, in addition to the service's own. The values are sealed. In a change, `[redacted]` keeps the value of a header as long as the URL stays the same. */
  headers?: { [member: string]: string } | undefined;
  /** Attempts a second; null: no limit. */
  rate_limit_per_second?: number | null | undefined;
  /** Attempts under way at the same time. By default 16. */
  max_in_flight?: number | undefined;
}

/** An endpoint was deactivated by the service: it failed for five days, or answered 410. */
export interface WebhookEndpointDisabledData {
  /** The endpoint */
  endpoint_id: string;
  /** Its address */
  url?: string | undefined;
  /** Why */
  disabled_reason: string;
  /** When its failures began */
  failing_since?: string | null | undefined;
  /** When */
  disabled_at?: string | undefined;
  [member: string]: unknown;
}

export interface WebhookEndpointStats {
  delivered: number;
  failed: number;
  cancelled: number;
  pending: number;
  /** Median of the attempts' time. */
  p50_ms: number | null;
  /** 95th percentile. */
  p95_ms: number | null;
  /** Attempts by hour, oldest first: 24 of them, the one that runs included. */
  hours: EndpointHour[];
  /** Of the attempts of these hours. */
  success_rate: number | null;
  /** RFC 3339, UTC, milliseconds. */
  next_attempt_at: string | null;
}

export interface WebhookEndpointSummary {
  /** Attempts by hour, oldest first: 24 of them, the one that runs included. */
  hours: EndpointHour[];
  /** Of the attempts of these hours. */
  success_rate: number | null;
  /** RFC 3339, UTC, milliseconds. */
  next_attempt_at: string | null;
  /** Median of the attempts' time. */
  p50_ms: number | null;
  /** 95th percentile, within 6 percent. */
  p95_ms: number | null;
  /** Counted to 1000. */
  pending: number;
  /** Whether there are more. */
  pending_capped: boolean;
}

export interface WebhookEndpointWithSecret {
  /** An id that begins with `ep_`. */
  id: string;
  object: "webhook_endpoint";
  url: string;
  events: string[];
  active: boolean;
  description: string;
  /** The endpoint's own headers. The values are `[redacted]`. */
  headers: { [member: string]: string };
  rate_limit_per_second: number | null;
  max_in_flight: number;
  /** Amber while attempts fail, red once the service deactivated it. */
  health: WebhookEndpointHealth;
  /** RFC 3339, UTC, milliseconds. */
  failing_since: string | null;
  /** `gone` after a 410, `failing_for_days` after five days of failures. */
  disabled_reason: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** `whsec_` and 32 bytes in base64. Shown when it is made, and to an owner on reveal. */
  secret: string;
}

/** The body of a delivery: the same bytes on every attempt. */
export interface WebhookMessage {
  /** The event's name. */
  event: string;
  /** The delivery's id. */
  delivery_id: string;
  /** The same on every attempt of the delivery. */
  idempotency_key: string;
  /** The event's id. */
  id: string;
  /** The event's name again, where Standard Webhooks looks for it. */
  type: string;
  /** When the event happened. */
  timestamp: string;
  /** Whose event it is. */
  scope_kind: "workspace";
  /** The workspace's id. */
  scope_key: string;
  /** Where it happened. */
  environment: Environment;
  /** As it was fired, byte for byte. */
  data: { [member: string]: unknown };
  /** `sha256=` and the hex HMAC-SHA256 of the body with this value empty. */
  signature: string;
}

export interface WebhookTest {
  object: "webhook_test";
  dry_run: boolean;
  /** An id that begins with `dlv_`. */
  delivery_id: string;
  request: TestedRequest;
  /** The value of `X-Service-Signature`. */
  signature: string;
  /** What `signature` covers: the body. */
  string_to_sign: string;
  response: WebhookTestResponse | null;
  error: WebhookTestError | null;
  /** The throw-away secret of a bare `url`. */
  secret?: string;
}

export interface WebhookTestError {
  class: WebhookTestErrorClass;
  detail: string;
}

export interface WebhookTestRequest {
  /** An id that begins with `ep_`. */
  endpoint_id?: string | undefined;
  /** In place of `endpoint_id`; signed with a throw-away secret. */
  url?: string | undefined;
  /** By default the first that the endpoint names, or `order.created`. */
  event?: string | undefined;
  /** Sent byte for byte; by default the event's example. */
  data?: object | undefined;
  /** Sign and show it, post nothing. */
  dry_run?: boolean | undefined;
}

export interface WebhookTestResponse {
  status: number;
  headers: { [member: string]: string };
  /** The first KiB. */
  body_snippet: string;
  /** From the look-up of the name to the end of the answer. */
  latency_ms: number;
}

/** One definition for both environments. */
export interface Workflow {
  /** An id that begins with `wf_`. */
  id: string;
  object: "workflow";
  name: string;
  enabled: boolean;
  /** One more with every other trigger or steps. */
  version: number;
  /** What a sandbox credential wrote acts in the sandbox alone. */
  author_environment: WorkflowAuthorEnvironment;
  trigger: WorkflowTrigger;
  steps: WorkflowStep[];
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
}

export interface WorkflowChange {
  name?: string | undefined;
  trigger?: WorkflowTrigger | undefined;
  /** The steps in order, each with an `id` and a `type`. A run begins with the first and goes through each at most once. */
  steps?: WorkflowStep[] | undefined;
  enabled?: boolean | undefined;
}

export interface WorkflowList {
  object: "list";
  data: Workflow[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface WorkflowRun {
  /** An id that begins with `wfr_`. */
  id: string;
  object: "workflow_run";
  /** An id that begins with `wf_`. */
  workflow_id: string;
  workflow_version: number;
  event: string;
  /** An id that begins with `evt_`. */
  event_id: string;
  /** The rule that started it; null: its trigger. */
  started_by: string | null;
  state: WorkflowRunState;
  /** Where it is, or where it ended early. */
  step: string | null;
  error: string | null;
  /** When the delay that it waits for is over. */
  continues_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface WorkflowRunList {
  object: "list";
  data: WorkflowRun[];
  /** Whether there is a further page. */
  has_more: boolean;
  /** `cursor` of the next page. */
  next_cursor: string | null;
}

export interface WorkflowRunStep {
  id: string;
  type: WorkflowStepType;
  state: WorkflowRunStepState;
  error: string | null;
  /** RFC 3339, UTC, milliseconds. */
  started_at: string;
  /** RFC 3339, UTC, milliseconds. */
  ended_at: string | null;
  /** What later steps see as `steps.<id>`: `{result}` of a condition, `{delivery_id, state, status_code}` of a webhook, `{seconds}` of a delay, `{event_id}` of a fired event, the run of an action, the proposal of an approval. */
  output: { [member: string]: unknown } | null;
}

export interface WorkflowRunWithSteps {
  /** An id that begins with `wfr_`. */
  id: string;
  object: "workflow_run";
  /** An id that begins with `wf_`. */
  workflow_id: string;
  workflow_version: number;
  event: string;
  /** An id that begins with `evt_`. */
  event_id: string;
  /** The rule that started it; null: its trigger. */
  started_by: string | null;
  state: WorkflowRunState;
  /** Where it is, or where it ended early. */
  step: string | null;
  error: string | null;
  /** When the delay that it waits for is over. */
  continues_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** What the rule gave it, seen as `input` by conditions and templates. */
  input: { [member: string]: unknown } | null;
  steps: WorkflowRunStep[];
}

/** What a step takes depends on its `type`: `condition {when, then, else?}`, `webhook {url, headers?, body?, on_failure?}`, `delay {seconds}`, `fire_event {event, data?}`, `action {action, parameters?}`, `wait_approval {approver_roles, expires_in_seconds?}`. All but `condition` also take `next`. */
export interface WorkflowStep {
  /** A letter, then letters, digits, _ and -; unique in the workflow. */
  id: string;
  type: WorkflowStepType;
  /** The step that follows; by default the one below. A step's id, or null for the end. */
  next?: string | null | undefined;
  when?: Condition | undefined;
  /** The step that follows when the condition holds. A step's id, or null for the end. */
  then?: string | null | undefined;
  /** The step that follows when the condition does not hold; by default the end. A step's id, or null for the end. */
  else?: string | null | undefined;
  /** Where a webhook goes. */
  url?: string | undefined;
  /** A webhook's own headers. */
  headers?: { [member: string]: string } | undefined;
  /** The `data` of what a webhook sends, with the event `workflow.webhook`; by default the trigger's data. Texts may hold `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`; one such token alone is the value itself. */
  body?: { [member: string]: unknown } | undefined;
  /** The step that follows when all attempts of a webhook have failed. Without it the run fails, as it does after other steps that fail. A step's id, or null for the end. */
  on_failure?: string | null | undefined;
  /** How long a delay waits: up to 366 days. */
  seconds?: number | undefined;
  /** The event that `fire_event` fires. */
  event?: string | undefined;
  /** The data of the fired event; by default the trigger's. Texts may hold `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`; one such token alone is the value itself. */
  data?: { [member: string]: unknown } | undefined;
  /** The key of an action contract whose `surface` has `workflow`. The run fails when the action does. */
  action?: string | undefined;
  /** The parameters of the action. Texts may hold `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`; one such token alone is the value itself. */
  parameters?: { [member: string]: unknown } | undefined;
  /** Roles of the people who may approve. The run fails when they reject. */
  approver_roles?: string[] | undefined;
  /** How long the approval may take, by default a day. The run fails when it expires. */
  expires_in_seconds?: number | undefined;
}

export interface WorkflowTest {
  event: string;
  data: object;
}

export interface WorkflowTestStep {
  id: string;
  type: WorkflowStepType;
  /** What later steps see as `steps.<id>`: `{result}` of a condition, `{delivery_id, state, status_code}` of a webhook, `{seconds}` of a delay, `{event_id}` of a fired event, the run of an action, the proposal of an approval. */
  output: { [member: string]: unknown } | null;
}

export interface WorkflowTrial {
  object: "workflow_test";
  /** Whether the event starts a run. */
  matches: boolean;
  steps: WorkflowTestStep[];
}

/** The event that starts a run, and the condition that it has to meet. */
export interface WorkflowTrigger {
  /** The event that starts a run. */
  event: string;
  /** A group of nodes, or a leaf. Groups are five deep at most, with at most 100 of them and 100 leaves. */
  when?: WorkflowTriggerWhen | null | undefined;
}

/** A group of nodes, or a leaf. Groups are five deep at most, with at most 100 of them and 100 leaves. */
export interface WorkflowTriggerWhen {
  /** Holds where each of its nodes does. */
  all?: { [member: string]: unknown }[] | undefined;
  /** Holds where one of its nodes does. */
  any?: { [member: string]: unknown }[] | undefined;
  /** Holds where none of its nodes does. */
  not?: { [member: string]: unknown }[] | undefined;
  /** A leaf's path: event, data.order.total, contact.score; in workflows also input.x and steps.<id>.x. */
  field?: string | undefined;
  op?: RuleLeafOp | undefined;
  /** What the field is compared with, without any conversion. */
  value?: unknown;
  [member: string]: unknown;
}

export interface WorkflowWithSecret {
  /** An id that begins with `wf_`. */
  id: string;
  object: "workflow";
  name: string;
  enabled: boolean;
  /** One more with every other trigger or steps. */
  version: number;
  /** What a sandbox credential wrote acts in the sandbox alone. */
  author_environment: WorkflowAuthorEnvironment;
  trigger: WorkflowTrigger;
  steps: WorkflowStep[];
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
  /** `whsec_` and 32 bytes in base64. Shown when it is made, and to an owner on reveal. */
  signing_secret: string;
}

export interface Workspace {
  /** An id that begins with `ws_`. */
  id: string;
  object: "workspace";
  name: string;
  settings: WorkspaceSettings;
  /** RFC 3339, UTC, milliseconds. */
  deletion_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
}

export interface WorkspaceChange {
  name?: string | undefined;
  settings?: WorkspaceSettingsChange | undefined;
}

export interface WorkspaceDeletion {
  /** The workspace's name, typed. */
  name: string;
}

export interface WorkspaceKeys {
  /** An id that begins with `ws_`. */
  workspace_id: string;
  name: string;
  /** The owner's live key, shown this once. */
  api_key: string;
  /** Shown this once. */
  sandbox_key: string;
}

export interface WorkspaceSettings {
  /** Days that the logs are kept; null: as long as the installation keeps them. */
  retention_days: number | null;
  /** Whether `confirmed: true` in a call may stand for the approval, where the action is neither destructive nor of high risk and wants one approval without four eyes. */
  inline_confirmation: boolean;
  /** Whether the only member of the workspace may approve what that member asked for, in spite of `four_eyes`. Without effect once there are two. */
  solo_approval: boolean;
  /** The provider behind the assistant; while it is `off`, the assistant is shown nothing. `PATCH /v1/assistant` sets the rest. */
  assistant: WorkspaceSettingsAssistant;
  /** An IANA name, such as Europe/Berlin. */
  time_zone: string;
}

export interface WorkspaceSettingsChange {
  /** Days that the logs are kept; null: as long as the installation keeps them. */
  retention_days?: number | null | undefined;
  /** Whether `confirmed: true` in a call may stand for the approval, where the action is neither destructive nor of high risk and wants one approval without four eyes. */
  inline_confirmation?: boolean | undefined;
  /** Whether the only member of the workspace may approve what that member asked for, in spite of `four_eyes`. Without effect once there are two. */
  solo_approval?: boolean | undefined;
  /** The provider behind the assistant; while it is `off`, the assistant is shown nothing. `PATCH /v1/assistant` sets the rest. */
  assistant?: WorkspaceSettingsAssistant | undefined;
  /** An IANA name, such as Europe/Berlin. */
  time_zone?: string | undefined;
}

/** Of `action_contracts.list`. */
export interface ListActionContractsQuery {
  /** Those alone that the caller may run from here. */
  runnable?: boolean | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `action_contracts.versions`. */
export interface ListActionContractVersionsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `ai_history.list`. */
export interface ListAiHistoryQuery {
  /** The built-in assistant, an MCP client, or an AI key on the API. Of the last two each call of an action is an exchange. */
  source?: AiExchangeSource | undefined;
  /** How it ended. */
  status?: string | undefined;
  /** An id that begins with `evt_`. */
  event_id?: string | undefined;
  /** Written from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Written before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `audit.digests.list`. */
export interface ListAuditDigestsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `audit.export`. */
export interface ExportAuditQuery {
  /** What it is about. */
  kind?: AuditRowKind | undefined;
  /** An operation, or a contract's key. */
  action?: string | undefined;
  /** What kind of actor did it. */
  actor_type?: ExportAuditQueryActorType | undefined;
  /** Who did it. */
  actor_id?: string | undefined;
  /** How it ended. */
  status?: string | undefined;
  /** An id that begins with `prop_`. */
  proposal_id?: string | undefined;
  /** An id that begins with `run_`. */
  run_id?: string | undefined;
  /** Written from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Written before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
}

/** Of `audit.list`. */
export interface ListAuditRowsQuery {
  /** What it is about. */
  kind?: AuditRowKind | undefined;
  /** An operation, or a contract's key. */
  action?: string | undefined;
  /** What kind of actor did it. */
  actor_type?: ExportAuditQueryActorType | undefined;
  /** Who did it. */
  actor_id?: string | undefined;
  /** How it ended. */
  status?: string | undefined;
  /** An id that begins with `prop_`. */
  proposal_id?: string | undefined;
  /** An id that begins with `run_`. */
  run_id?: string | undefined;
  /** Written from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Written before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `audit.verify`. */
export interface VerifyAuditQuery {
  /** The first row to check; 1 unless told. */
  from_seq?: number | undefined;
  /** The last one; the end unless told. */
  to_seq?: number | undefined;
}

/** Of `auth.sessions.list`. */
export interface ListSessionsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `connectors.list`. */
export interface ListConnectorsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `connectors.runs.list`. */
export interface ListConnectorRunsQuery {
  /** What was called. */
  hook?: ConnectorRunHook | undefined;
  /** How it ended. */
  outcome?: ConnectorRunOutcome | undefined;
  /** An id that begins with `evt_`. */
  event_id?: string | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `contacts.activities.list`. */
export interface ListActivitiesQuery {
  /** What made it. */
  kind?: ActivityKind | undefined;
  /** Happened from here on. RFC 3339, with a zone. */
  occurred_after?: string | Date | undefined;
  /** Happened before this. RFC 3339, with a zone. */
  occurred_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `contacts.list`. */
export interface ListContactsQuery {
  /** Compared and kept case-folded. */
  email?: string | undefined;
  /** An id of yours. */
  external_id?: string | undefined;
  /** Contacts that have it. */
  tag?: string | undefined;
  /** Where the person stands, such as lead, trial, customer or churned; any word will do. */
  lifecycle_stage?: string | undefined;
  /** Created from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `customers.list`. */
export interface ListCustomersQuery {
  /** Compared and kept case-folded. */
  email?: string | undefined;
  /** An id of yours. */
  external_id?: string | undefined;
  /** Contacts that have it. */
  tag?: string | undefined;
  /** Where the person stands, such as lead, trial, customer or churned; any word will do. */
  lifecycle_stage?: string | undefined;
  /** Created from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** `<provider>:<identifier>`: whom a connector's identity provider knows by it. Other filters do not count beside it. */
  identity?: string | undefined;
}

/** Of `deliveries.attempts`. */
export interface ListDeliveryAttemptsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `deliveries.list`. */
export interface ListDeliveriesQuery {
  /** Where the delivery stands. */
  state?: DeliveryState | undefined;
  /** An id that begins with `ep_`. */
  endpoint_id?: string | undefined;
  /** The event's name. */
  event?: string | undefined;
  /** Of the last attempt. */
  status_code?: number | undefined;
  /** Of the last attempt's status. */
  status_class?: ReplayFilterStatusClass | undefined;
  /** What went wrong with the last attempt. */
  error_class?: AttemptErrorClass | undefined;
  /** So many attempts were made. */
  attempt_count?: number | undefined;
  /** Created from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** A path into the event's data and the value there, as it is written. A page looks into 5000 deliveries at most: it may be short and have a next one all the same. */
  payload?: string | undefined;
  /** A delivery's id, an event's id, or an event name. */
  q?: string | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `event_types.list`. */
export interface ListEventTypesQuery {
  /** How many objects a page holds; without it, all of them. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `events.list`. */
export interface ListEventsQuery {
  /** The event's name. */
  event?: string | undefined;
  /** What the event is about. */
  subject?: string | undefined;
  /** Created from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `inbound_endpoints.list`. */
export interface ListInboundEndpointsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `inbound_presets.list`. */
export interface ListInboundPresetsQuery {
  /** How many objects a page holds; without it, all of them. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `inbound_receipts.list`. */
export interface ListInboundReceiptsQuery {
  /** What became of it. */
  status?: InboundReceiptStatus | undefined;
  /** An id that begins with `src_`. */
  source_id?: string | undefined;
  /** An id that begins with `con_`. */
  contact_id?: string | undefined;
  /** Created from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `inboxes.list`. */
export interface ListInboxesQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `inboxes.messages`. */
export interface ListInboxMessagesQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `keys.list`. */
export interface ListKeysQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `members.invitations.list`. */
export interface ListInvitationsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `members.list`. */
export interface ListMembersQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `proposals.list`. */
export interface ListProposalsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Where it stands. */
  state?: ProposalState | undefined;
  /** The contract's key. */
  action?: string | undefined;
  /** How it was asked for. */
  surface?: RunSurface | undefined;
  /** Proposed at this moment or later. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Proposed before this moment. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
}

/** Of `replays.list`. */
export interface ListReplaysQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `requests.list`. */
export interface ListRequestsQuery {
  /** The dotted name of what was asked for. */
  operation?: string | undefined;
  /** The HTTP method. */
  method?: LoggedRequestMethod | undefined;
  /** Of the answer. */
  status?: number | undefined;
  /** Of the answer; `status` goes before it. */
  status_class?: ListRequestsQueryStatusClass | undefined;
  /** The code of the refusal. */
  error_code?: string | undefined;
  /** An id that begins with `key_`. */
  key_id?: string | undefined;
  /** The address that the request came from. */
  ip?: string | undefined;
  /** Received from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Received before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `roles.list`. */
export interface ListRolesQuery {
  /** How many objects a page holds; without it, all of them. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `rules.list`. */
export interface ListRulesQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `rules.runs`. */
export interface ListRuleRunsQuery {
  /** How the run ended. */
  status?: RuleRunStatus | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `runs.list`. */
export interface ListRunsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Where it stands. */
  status?: ListRunsQueryStatus | undefined;
  /** The contract's key. */
  action?: string | undefined;
  /** How it was asked for. */
  surface?: RunSurface | undefined;
  /** Begun at this moment or later. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Begun before this moment. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
}

/** Of `secrets.list`. */
export interface ListSecretsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `tickets.list`. */
export interface ListTicketsQuery {
  /** Such as open, pending, on_hold, resolved or closed; the last two count as ended. */
  status?: string | undefined;
  /** An id that begins with `con_`. */
  customer_id?: string | undefined;
  /** Such as low, normal, high or urgent. */
  priority?: string | undefined;
  /** E-mail or name of who works on it. */
  assignee?: string | undefined;
  /** An id of yours. */
  external_id?: string | undefined;
  /** Created from here on. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `usage.events`. */
export interface ListEventUsageQuery {
  /** So many, the one that runs included. By default 720. */
  hours?: number | undefined;
  /** How many objects a page holds; without it, all of them. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `usage.get`. */
export interface GetUsageQuery {
  /** The first day, of UTC; without, 30 days before `to`. */
  from?: string | undefined;
  /** The last day; without, today. */
  to?: string | undefined;
}

/** Of `usage.series`. */
export interface GetUsageSeriesQuery {
  /** So many, the one that runs included. By default 24. */
  hours?: number | undefined;
}

/** Of `webhook_endpoints.list`. */
export interface ListWebhookEndpointsQuery {
  /** `stats`: each endpoint's last 24 hours. */
  with?: "stats" | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `workflows.list`. */
export interface ListWorkflowsQuery {
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Of `workflows.runs.list`. */
export interface ListWorkflowRunsQuery {
  /** Runs in this state. */
  state?: WorkflowRunState | undefined;
  /** How many objects a page holds. By default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}
