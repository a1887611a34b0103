// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.

/** What the service may say of an error; codes of tomorrow are legal. */
export type ErrorCode = "credentials_missing" | "key_invalid" | "key_revoked" | "key_expired" | "signature_invalid" | "signature_required" | "timestamp_missing" | "timestamp_invalid" | "timestamp_out_of_range" | "sign_in_failed" | "totp_required" | "password_sign_in_off" | "session_invalid" | "invitation_invalid" | "reset_link_invalid" | "setup_link_invalid" | "portal_token_invalid" | "workspace_mismatch" | "environment_mismatch" | "tenant_mismatch" | "action_blocked" | "key_read_only" | "role_not_allowed" | "scope_missing" | "surface_not_allowed" | "permission_required" | "self_approval_forbidden" | "step_up_required" | "human_approval_required" | "ip_not_allowed" | "csrf_token_invalid" | "origin_not_allowed" | "rate_limited" | "too_many_auth_failures" | "too_many_streams" | "malformed_json" | "query_invalid" | "cursor_invalid" | "idempotency_key_invalid" | "version_unknown" | "bad_request" | "payload_too_large" | "unsupported_media_type" | "method_not_allowed" | "route_not_found" | "not_found" | "action_unknown" | "validation_failed" | "event_data_invalid" | "plan_stale" | "schema_incompatible" | "url_blocked" | "action_endpoint_failed" | "action_endpoint_redirect" | "action_endpoint_timeout" | "secret_missing" | "secret_host_refused" | "idempotency_key_reused" | "idempotency_in_progress" | "already_decided" | "proposal_expired" | "proposal_changed" | "contract_changed" | "proposer_revoked" | "last_owner" | "event_already_fired" | "transform_cases_failed" | "conflict" | "consumer_busy" | "lease_lost" | "inbound_inactive" | "inbound_processing_failed" | "internal_error" | "service_unavailable" | (string & {});

export type ActionApprovalApproverRole = "owner" | "admin" | "developer" | "operator" | "viewer" | (string & {});

export type ActionAuthType = "none" | "bearer" | "api_key" | "basic" | "hmac" | (string & {});

export type ActionContractDelivery = "sync" | "async" | (string & {});

export type ActionContractSurfaceItem = "api" | "console" | "mcp" | "assistant" | "rule" | "workflow" | "connector" | (string & {});

export type ActionFailedDataActorType = "user" | "service" | "ai" | (string & {});

export type ActionParameterType = "int" | "string" | "number" | "boolean" | (string & {});

export type ActivityKind = "inbound" | "event" | "action" | "note" | (string & {});

export type AiExchangeKind = "question" | "call" | "dry_run" | "poll" | (string & {});

export type AiExchangeSource = "assistant" | "mcp" | "api" | (string & {});

export type AnalyticsAnomalyDataDirection = "above" | "below" | (string & {});

export type AnalyticsAnomalyDataSeverity = "low" | "medium" | "high" | "critical" | (string & {});

export type ApiKeyActorType = "user" | "service" | "ai" | (string & {});

export type ApiKeyPermissionMode = "all" | "read_only" | "restricted" | (string & {});

export type ApprovalAnnouncementState = "waiting" | "announced" | "closed" | "skipped" | "failed" | (string & {});

export type ApprovalChannelKind = "slack" | "email" | (string & {});

export type AskedConnectorStatus = "ok" | "failed" | (string & {});

export type AssistantProvider = "off" | "openai_compatible" | "scripted" | (string & {});

export type AssistantState = "off" | "incomplete" | "on" | (string & {});

export type AttemptErrorClass = "http_status" | "target_refused" | "dns" | "connect" | "tls" | "timeout" | "reset" | "protocol" | "redirect" | "transform" | "too_expensive" | "auth" | "proxy" | "broker" | (string & {});

export type AttemptTrigger = "ladder" | "replay" | (string & {});

export type AttentionSelfTestFailedStep = "accepted" | "stored" | "dispatched" | "delivered" | "verified" | (string & {});

export type AttentionSelfTestStatus = "passed" | "failed" | (string & {});

export type AuditActorType = "user" | "service" | "ai" | "rule" | "workflow" | "connector" | "standing_approval" | "system" | (string & {});

export type AuditRowKind = "run" | "proposal" | "contract" | "ai" | "rule" | "workflow" | "connector" | "sign_in" | "account" | "session" | "member" | "key" | "secret" | "endpoint" | "issue" | "event" | "source" | "channel" | "tenant" | "contact" | "workspace" | "configuration" | "audit" | (string & {});

export type AuditVerificationReason = "changed" | "missing" | "cut" | "digest" | (string & {});

export type ConfigurationObjectKind = "event_type" | "inbox" | "contract" | "workflow" | "rule" | "source" | "endpoint" | "channel" | "settings" | (string & {});

export type ConnectionTestStepState = "passed" | "failed" | "not_reached" | (string & {});

export type ConnectionTestStepStep = "resolve" | "guard" | "connect" | "tls" | "sign_in" | "proxy" | "send" | "confirm" | (string & {});

export type ConnectorFolderStatus = "verified" | "refused" | "absent" | (string & {});

export type ConnectorHealthStatus = "not_running" | "idle" | "ok" | "failing" | "quarantined" | (string & {});

export type ConnectorInstalledIn = "live" | "sandbox" | (string & {});

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

export type DeliveryLastErrorClass = "http_status" | "target_refused" | "dns" | "connect" | "tls" | "timeout" | "reset" | "protocol" | "redirect" | "transform" | "too_expensive" | "auth" | "proxy" | "broker" | (string & {});

export type DeliveryLight = "green" | "amber" | "red" | (string & {});

export type DeliveryState = "pending" | "delivered" | "failed" | "cancelled" | "filtered" | (string & {});

export type EndpointCheckCheck = "active" | "tenant" | "events" | "version" | "channels" | "filter" | (string & {});

export type Environment = "live" | "sandbox" | (string & {});

export type EventStatus = "accepted" | "scheduled" | "cancelled" | (string & {});

export type EventTypeEnforcement = "off" | "warn" | "refuse" | (string & {});

export type EventTypeOrigin = "canonical" | "custom" | "system" | (string & {});

export type EventTypeVisibility = "public" | "private" | (string & {});

export type ExportAuditQueryActorType = "user" | "service" | "ai" | "rule" | "workflow" | "connector" | "standing_approval" | "system";

export type FiredEventStatus = "accepted" | "scheduled" | (string & {});

export type HandshakeAnswerContentType = "application/json" | "text/plain" | (string & {});

export type HandshakeMethod = "GET" | "HEAD" | "OPTIONS" | "POST" | (string & {});

export type HandshakeSignatureEncoding = "hex" | "base64" | (string & {});

export type HttpCallRequestAuthIn = "header" | "query" | (string & {});

export type HttpCallRequestAuthType = "bearer" | "basic" | "api_key" | "oauth2_client_credentials" | (string & {});

export type HttpCallState = "waiting" | "succeeded" | "failed" | "cancelled" | (string & {});

export type ImportSource = "svix" | "convoy" | "outpost" | "csv" | (string & {});

export type ImportedEndpointWire = "service" | "svix" | (string & {});

export type InboundEndpointPreset = "payment_processor" | "scheduling_tool" | "automation_relay" | "custom" | (string & {});

export type InboundEndpointSignatureScheme = "service" | "standard_webhooks" | "stripe" | "github" | "calendly" | "slack" | "sender" | "custom" | (string & {});

export type InboundPresetContact = "required" | "if_present" | "none" | (string & {});

export type InboundPresetKey = "payment_processor" | "scheduling_tool" | "automation_relay" | "custom" | (string & {});

export type InboundPresetSignatureScheme = "service" | "standard_webhooks" | "stripe" | "github" | "calendly" | "slack" | (string & {});

export type InboundPresetValueUnit = "major" | "minor" | (string & {});

export type InboundPreviewComparedByItem = "id" | "body" | (string & {});

export type InboundPreviewReadKind = "empty" | "json" | "form" | "multipart" | "xml" | "text" | (string & {});

export type InboundPreviewStatus = "ok" | "unmapped" | (string & {});

export type InboundReceiptDetailRawPayloadEncoding = "utf8" | "base64" | (string & {});

export type InboundReceiptItemStatus = "ok" | "duplicate" | "unmapped" | (string & {});

export type InboundReceiptStatus = "ok" | "error" | "duplicate" | "unmapped" | (string & {});

export type InstallationOperatorDatabase = "embedded" | "external" | (string & {});

export type IssueKind = "delivery" | "transform" | "source" | "connection" | "broker" | "action" | (string & {});

export type IssueResolvedBy = "service" | "member" | "deletion" | (string & {});

export type IssueState = "open" | "acknowledged" | "resolved" | "ignored" | (string & {});

export type KeyTrialResultStep = "signature" | "permission" | "rate_limit" | "ip_allowlist" | (string & {});

export type LeftOutObjectKind = "event_type" | "tenant" | "endpoint" | (string & {});

export type ListMailsQueryPurpose = "notification" | "invitation" | "password_reset" | "password_changed" | "account_changed" | "approvals" | "approval_channel" | "endpoint_disabled" | "issue_opened" | "issue_resolved" | "lane_blocked" | "consumer_idle";

export type ListRequestsQueryStatusClass = "2xx" | "3xx" | "4xx" | "5xx";

export type ListRunsQueryStatus = "queued" | "executing" | "executed" | "failed" | "undone" | "undo_failed";

export type MailState = "waiting" | "sent" | "failed" | "skipped" | (string & {});

export type McpTokenCapability = "endpoints" | "deliveries" | "replay" | "tester" | "secrets" | "filters" | "transforms" | "event_types" | (string & {});

export type McpTokenState = "active" | "expired" | "revoked" | (string & {});

export type MemberChangeRole = "owner" | "admin" | "developer" | "operator" | "viewer";

export type NewApiKeyRole = "admin" | "developer" | "operator" | "viewer" | "ai";

export type NotificationCreatedDataEmail = "queued" | "off" | "sandbox" | (string & {});

export type PasskeySelectionUserVerification = "required" | "preferred" | (string & {});

export type PortalSessionCapability = "endpoints" | "deliveries" | "replay" | "tester" | "secrets" | "filters" | "transforms" | "event_types" | "mcp_tokens" | (string & {});

export type PortalSessionState = "waiting" | "active" | "expired" | "revoked" | (string & {});

export type PortalThemeMode = "light" | "dark" | "auto" | (string & {});

export type PreviewRisk = "low" | "medium" | "high" | (string & {});

export type PromotionEffect = "create" | "update" | "none" | (string & {});

export type ProposalApprovalKind = "inline" | "explicit" | "standing" | (string & {});

export type ProposalApprovalStepUp = "webauthn" | "totp" | (string & {});

export type ProposalState = "proposed" | "approved" | "executing" | "executed" | "failed" | "rejected" | "expired" | "cancelled" | "superseded" | "undone" | "undo_failed" | (string & {});

export type PullSeekTo1 = "start" | "end";

export type PullStart = "start" | "end";

export type ReplayFilterState = "failed" | "delivered" | "filtered" | "cancelled" | "pending";

export type ReplayFilterStatusClass = "1xx" | "2xx" | "3xx" | "4xx" | "5xx";

export type ReplayKind = "replay" | "backfill" | (string & {});

export type ReplayState = "running" | "finished" | "cancelled" | (string & {});

export type RoleOperationAccess = "read" | "write" | (string & {});

export type RoleRole = "owner" | "admin" | "developer" | "operator" | "viewer" | "ai" | (string & {});

export type RuleActionType = "fire_event" | "post_webhook" | "adjust_score" | "add_tag" | "notify" | "run_action" | "start_workflow" | "http" | (string & {});

export type RuleActsInItem = "live" | "sandbox" | (string & {});

export type RuleAuthorKind = "key" | "member" | (string & {});

export type RuleLeafOp = "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "not_in" | "contains" | "starts_with" | "ends_with" | "exists" | (string & {});

export type RuleRunActionStatus = "done" | "failed" | "pending" | "simulated" | (string & {});

export type RuleRunStatus = "running" | "ok" | "failed" | "unmatched" | "skipped" | "limited" | "refused" | (string & {});

export type RunAcceptedStatus = "pending_confirmation" | "executing" | (string & {});

export type RunAnswerOutcome = "executed" | "pending_confirmation" | (string & {});

export type RunStatus = "queued" | "executing" | "executed" | "failed" | "undone" | "undo_failed" | "dry_run" | (string & {});

export type RunSurface = "api" | "console" | "mcp" | "assistant" | "rule" | "workflow" | "connector" | (string & {});

export type SearchResultKind = "webhook_endpoint" | "inbound_endpoint" | "event_type" | "event" | "rule" | "workflow" | "action_contract" | "contact" | "ticket" | "api_key" | "member" | (string & {});

export type SenderCategory = "payments" | "code" | "chat" | "crm" | "commerce" | "mail" | "monitoring" | "forms" | "identity" | "telephony" | "storage" | "other" | (string & {});

export type SenderRespondContentType = "application/json" | "text/plain" | "text/xml" | (string & {});

export type SenderSecretGivenBy = "you" | "sender" | (string & {});

export type SignatureSchemeAlgorithm = "sha1" | "sha256" | "sha384" | "sha512" | (string & {});

export type SignatureSchemeAlgorithmItem = "HS256" | "HS384" | "HS512" | "RS256" | "RS384" | "RS512" | "PS256" | "ES256" | "ES384" | "EdDSA" | (string & {});

export type SignatureSchemeBodyHashAlgorithm = "sha256" | "sha512" | (string & {});

export type SignatureSchemeEncoding = "hex" | "base64" | "base64url" | (string & {});

export type SignatureSchemeFormat = "plain" | "list" | "pairs" | (string & {});

export type SignatureSchemeKind = "hmac" | "ed25519" | "ecdsa_p256" | "basic" | "token" | "jwt" | "sns" | (string & {});

export type SignatureSchemeOver = "sent" | "plain" | (string & {});

export type SignatureSchemeSecretEncoding = "text" | "base64" | "hex" | "pem" | (string & {});

export type SignatureSchemeSignatureForm = "der" | "p1363" | (string & {});

export type SignatureSchemeTimestampUnit = "seconds" | "milliseconds" | "rfc3339" | (string & {});

export type StandingApprovalAgentType = "key" | "member" | (string & {});

export type StandingApprovalBudgetPer = "hour" | "day" | (string & {});

export type StandingApprovalEndReason = "ended" | "expired" | "contract_changed" | "writer_not_owner" | (string & {});

export type StandingApprovalState = "active" | "ended" | (string & {});

export type StepUpChangeOperation = "workspaces.update" | "runs.undo" | "action_contracts.create" | "action_contracts.update" | "action_contracts.promote" | "auth.password" | "auth.totp.enrol" | "auth.passkeys.begin" | "auth.passkeys.delete" | "slack_links.create";

export type StepUpMethod = "webauthn" | "totp" | (string & {});

export type SubscriberRefKind = "projection" | "mirror" | "connector" | "rule" | "workflow" | "assistant" | "webhook" | (string & {});

export type SubscriptionCreatedDataSubscriptionInterval = "day" | "week" | "month" | "year" | (string & {});

export type TenantDeletionPhase = "keys" | "endpoints" | "sources" | "scheduled_events" | "deliveries" | "receipts" | "events" | (string & {});

export type TenantDeletionState = "running" | "finished" | (string & {});

export type TicketRepliedDataReplyAuthor = "customer" | "agent" | "bot" | (string & {});

export type TransformKind = "template" | "script" | (string & {});

export type TransformMethod = "POST" | "PUT" | "PATCH" | (string & {});

export type WebhookEndpointAuthType = "bearer" | "basic" | "api_key" | "oauth2_client_credentials" | "mtls" | (string & {});

export type WebhookEndpointDestinationSaslMechanism = "plain" | "scram-sha-256" | "scram-sha-512" | (string & {});

export type WebhookEndpointHealth = "green" | "amber" | "red" | (string & {});

export type WebhookEndpointKind = "webhook" | "pull" | "kafka" | "rabbitmq" | "nats" | "sqs" | "sns" | "eventbridge" | "s3" | (string & {});

export type WebhookEndpointOrderingOnFailed = "block" | "skip" | (string & {});

export type WebhookEndpointSignature = "service" | "standard" | "ed25519" | (string & {});

export type WebhookEndpointWire = "service" | "svix" | "mcp" | (string & {});

export type WebhookTestErrorClass = "target_refused" | "dns" | "connect" | "tls" | "timeout" | "reset" | "protocol" | "redirect" | "http_status" | "transform" | "auth" | "proxy" | "broker" | (string & {});

export type WorkflowAuthorEnvironment = "live" | "sandbox" | (string & {});

export type WorkflowInnerStepType = "condition" | "webhook" | "http" | "action" | "delay" | "wait_approval" | "wait_event" | "set" | "fire_event" | (string & {});

export type WorkflowRunState = "running" | "waiting" | "completed" | "failed" | "cancelled" | "limited" | (string & {});

export type WorkflowRunStepState = "waiting" | "completed" | "failed" | "cancelled" | (string & {});

export type WorkflowScheduleMissed = "skip" | "once" | (string & {});

export type WorkflowStepMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | (string & {});

export type WorkflowStepOnItemFailure = "fail" | "continue" | (string & {});

export type WorkflowStepTenants = "own" | "shared" | (string & {});

export type WorkflowStepType = "condition" | "webhook" | "http" | "action" | "delay" | "wait_approval" | "wait_event" | "set" | "fire_event" | "parallel" | "for_each" | (string & {});

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
  /** The roles whose members may approve the action. */
  approver_roles?: ActionApprovalApproverRole[] | undefined;
  /** Whether requesters and editors are prevented from approving the action. Default: true for destructive actions. */
  four_eyes?: boolean | undefined;
  /** The number of people who must approve the action. Default: 1. */
  required?: number | undefined;
  /** How long a proposal waits for a decision, in seconds. Default: 86400. */
  expires_in_seconds?: number | undefined;
  /** The rules that may approve the action, each as `<rule id>@<version>`. The author of the rule must have a role that may approve. A rule id without a version, or a rule name, applies only while the rule's last author is an owner. Only owners can write a contract that contains rules. Default: []. */
  allow_rule?: string[] | undefined;
}

export interface ActionAuth {
  /** The authentication in addition to the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret. */
  type: ActionAuthType;
  /** The name of a secret (`PUT /v1/secrets/{name}`). For `basic`, the secret is `user:password`. */
  secret_ref?: string | null | undefined;
  /** The header that contains the `api_key`. */
  header?: string | null | undefined;
}

export interface ActionCall {
  /** The key of the contract. */
  action: string;
  /** The parameters of the contract, by name. Values are never converted. */
  parameters?: object | undefined;
  /** The parameters of the contract, by name. Values are never converted. */
  params?: object | undefined;
  /** `true` replaces an approval if the contract and the workspace allow it. Ignored for calls by an AI. Default: false. */
  confirmed?: boolean | undefined;
  /** Narrows the surface of the call. The contract must list both this surface and the actual one. */
  surface?: RunSurface | undefined;
  /** The reason for the call, for the audit log. Approvers do not see it in the preview. */
  prompt?: string | undefined;
  /** Whether to return only what the call would do. Nothing is called. Default: false. */
  dry_run?: boolean | undefined;
}

export interface ActionContract {
  /** An id that begins with `ctr_`. */
  id: string;
  object: "action_contract";
  /** The key of the contract, unique in its environment. */
  key: string;
  /** The display name of the action. */
  label: string;
  /** The surfaces from which the action can be requested. The service determines the surface of each call. */
  surface: ActionContractSurfaceItem[];
  /** The roles that may run or request the action. */
  roles: RoleRole[];
  /** Whether a person reviews a preview before the action runs. */
  requires_confirmation: boolean;
  /** Whether runs are recorded in the audit log. */
  audit: boolean;
  /** The parameters by name. Calls with other parameters are refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs the action: an https URL on the public internet. */
  endpoint: string;
  /** The description for people and AI models. */
  description: string;
  /** The risk of the action. `high` requires confirmation by a person. */
  risk: PreviewRisk;
  /** Whether the effect cannot be reversed. Requires confirmation by a person. Default: false. */
  destructive: boolean;
  /** Whether the action can be undone through `undo`. */
  reversible: boolean;
  undo: ActionContractUndo | null;
  /** Whether a call can be repeated safely. The backend recognises repeated calls by `run_id`. Default: false. */
  idempotent: boolean;
  /** The scope that a key must have. */
  scope: string | null;
  /** The operator permission that the action requires. */
  permission: string | null;
  /** `sync`: the call waits for the backend, and returns the completed run. `async`: the call returns 202 at once, and the run ends later. */
  delivery: ActionContractDelivery;
  auth: ActionContractAuth;
  response: ActionContractResponse;
  /** The timeout of the whole call, in milliseconds. Default: 10000. */
  timeout_ms: number;
  approval: ActionContractApproval;
  /** The URL for sandbox runs. Without it, sandbox runs are simulated. */
  sandbox_endpoint: string | null;
  /** The number of the version, counted from 1. */
  version: number;
  /** Hex SHA-256 of the definition in its RFC 8785 form. */
  sha256: string;
  author: ActionContractAuthor;
  /** The connector that the contract belongs to. */
  connector_key: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  /** The environment of the credential that made the object. Only credentials of this environment can change it. */
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The environments in which the object acts. A live object also acts in the sandbox, unless the sandbox has its own instead. */
  acts_in: RuleActsInItem[];
  /** The sandbox contract, and its version, that was last promoted to this contract. */
  promoted_from: ActionContractPromotedFrom | null;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
}

export interface ActionContractApproval {
  /** The roles whose members may approve the action. */
  approver_roles: ActionApprovalApproverRole[];
  /** Whether requesters and editors are prevented from approving the action. Default: true for destructive actions. */
  four_eyes: boolean;
  /** The number of people who must approve the action. Default: 1. */
  required: number;
  /** How long a proposal waits for a decision, in seconds. Default: 86400. */
  expires_in_seconds: number;
  /** The rules that may approve the action, each as `<rule id>@<version>`. The author of the rule must have a role that may approve. A rule id without a version, or a rule name, applies only while the rule's last author is an owner. Only owners can write a contract that contains rules. Default: []. */
  allow_rule: string[];
}

export interface ActionContractAuth {
  /** The authentication in addition to the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret. */
  type: ActionAuthType;
  /** The name of a secret (`PUT /v1/secrets/{name}`). For `basic`, the secret is `user:password`. */
  secret_ref: string | null;
  /** The header that contains the `api_key`. */
  header: string | null;
}

/** The author of this version. */
export interface ActionContractAuthor {
  kind: RuleAuthorKind;
  /** An id that begins with `key_`. */
  id: string;
}

export interface ActionContractChange {
  /** The display name of the action. */
  label?: string | undefined;
  /** The surfaces from which the action can be requested. The service determines the surface of each call. */
  surface?: ActionContractSurfaceItem[] | undefined;
  /** The roles that may run or request the action. */
  roles?: RoleRole[] | undefined;
  /** Whether a person reviews a preview before the action runs. */
  requires_confirmation?: boolean | undefined;
  /** Whether runs are recorded in the audit log. */
  audit?: boolean | undefined;
  /** The parameters by name. Calls with other parameters are refused. */
  params?: { [member: string]: ActionParameter } | undefined;
  /** The backend that performs the action: an https URL on the public internet. */
  endpoint?: string | undefined;
  /** The description for people and AI models. */
  description?: string | undefined;
  /** The risk of the action. `high` requires confirmation by a person. */
  risk?: PreviewRisk | undefined;
  /** Whether the effect cannot be reversed. Requires confirmation by a person. Default: false. */
  destructive?: boolean | undefined;
  /** Whether the action can be undone through `undo`. */
  reversible?: boolean | undefined;
  undo?: ActionContractChangeUndo | null | undefined;
  /** Whether a call can be repeated safely. The backend recognises repeated calls by `run_id`. Default: false. */
  idempotent?: boolean | undefined;
  /** The scope that a key must have. */
  scope?: string | null | undefined;
  /** The operator permission that the action requires. */
  permission?: string | null | undefined;
  /** `sync`: the call waits for the backend, and returns the completed run. `async`: the call returns 202 at once, and the run ends later. */
  delivery?: ActionContractDelivery | undefined;
  auth?: ActionAuth | undefined;
  response?: ActionResponse | undefined;
  /** The timeout of the whole call, in milliseconds. Default: 10000. */
  timeout_ms?: number | undefined;
  approval?: ActionApproval | undefined;
  /** The URL for sandbox runs. Without it, sandbox runs are simulated. */
  sandbox_endpoint?: string | null | undefined;
}

export interface ActionContractChangeUndo {
  /** The URL that undoes a run. It is called like `endpoint`, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  /** How long after its execution a run can be undone, in seconds. Default: 86400. */
  window_seconds?: number | undefined;
}

export interface ActionContractList {
  object: "list";
  data: ActionContract[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** The sandbox contract, and its version, that was last promoted to this contract. */
export interface ActionContractPromotedFrom {
  /** An id that begins with `ctr_`. */
  id: string;
  version: number;
}

export interface ActionContractResponse {
  /** Whether a run is executed only if the 2xx response is JSON. With `false`, any 2xx response counts, and the result of a response that is not JSON is null. Default: true. */
  json: boolean;
  success_when: ActionContractResponseSuccessWhen | null;
  /** The path of the result in the backend's response. Default: the whole response. */
  result_path: string | null;
  /** The path of the error message in a failed response. */
  error_path: string | null;
  /** The members of the result that are shown. Default: all members. */
  expose: string[] | null;
}

export interface ActionContractResponseSuccessWhen {
  /** The path of the checked value in the backend's response. */
  path: string;
  /** The expected value: a string, a number, a boolean or null. */
  equals: unknown;
}

export interface ActionContractUndo {
  /** The URL that undoes a run. It is called like `endpoint`, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  window_seconds: number;
}

export interface ActionContractVersion {
  /** An id that begins with `ctr_`. */
  id: string;
  object: "action_contract_version";
  /** The key of the contract, unique in its environment. */
  key: string;
  /** The display name of the action. */
  label: string;
  /** The surfaces from which the action can be requested. The service determines the surface of each call. */
  surface: ActionContractSurfaceItem[];
  /** The roles that may run or request the action. */
  roles: RoleRole[];
  /** Whether a person reviews a preview before the action runs. */
  requires_confirmation: boolean;
  /** Whether runs are recorded in the audit log. */
  audit: boolean;
  /** The parameters by name. Calls with other parameters are refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs the action: an https URL on the public internet. */
  endpoint: string;
  /** The description for people and AI models. */
  description: string;
  /** The risk of the action. `high` requires confirmation by a person. */
  risk: PreviewRisk;
  /** Whether the effect cannot be reversed. Requires confirmation by a person. Default: false. */
  destructive: boolean;
  /** Whether the action can be undone through `undo`. */
  reversible: boolean;
  undo: ActionContractVersionUndo | null;
  /** Whether a call can be repeated safely. The backend recognises repeated calls by `run_id`. Default: false. */
  idempotent: boolean;
  /** The scope that a key must have. */
  scope: string | null;
  /** The operator permission that the action requires. */
  permission: string | null;
  /** `sync`: the call waits for the backend, and returns the completed run. `async`: the call returns 202 at once, and the run ends later. */
  delivery: ActionContractDelivery;
  auth: ActionContractVersionAuth;
  response: ActionContractVersionResponse;
  /** The timeout of the whole call, in milliseconds. Default: 10000. */
  timeout_ms: number;
  approval: ActionContractVersionApproval;
  /** The URL for sandbox runs. Without it, sandbox runs are simulated. */
  sandbox_endpoint: string | null;
  /** The number of the version, counted from 1. */
  version: number;
  /** Hex SHA-256 of the definition in its RFC 8785 form. */
  sha256: string;
  author: ActionContractAuthor;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface ActionContractVersionApproval {
  /** The roles whose members may approve the action. */
  approver_roles: ActionApprovalApproverRole[];
  /** Whether requesters and editors are prevented from approving the action. Default: true for destructive actions. */
  four_eyes: boolean;
  /** The number of people who must approve the action. Default: 1. */
  required: number;
  /** How long a proposal waits for a decision, in seconds. Default: 86400. */
  expires_in_seconds: number;
  /** The rules that may approve the action, each as `<rule id>@<version>`. The author of the rule must have a role that may approve. A rule id without a version, or a rule name, applies only while the rule's last author is an owner. Only owners can write a contract that contains rules. Default: []. */
  allow_rule: string[];
}

export interface ActionContractVersionAuth {
  /** The authentication in addition to the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret. */
  type: ActionAuthType;
  /** The name of a secret (`PUT /v1/secrets/{name}`). For `basic`, the secret is `user:password`. */
  secret_ref: string | null;
  /** The header that contains the `api_key`. */
  header: string | null;
}

export interface ActionContractVersionList {
  object: "list";
  data: ActionContractVersion[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ActionContractVersionResponse {
  /** Whether a run is executed only if the 2xx response is JSON. With `false`, any 2xx response counts, and the result of a response that is not JSON is null. Default: true. */
  json: boolean;
  success_when: ActionContractVersionResponseSuccessWhen | null;
  /** The path of the result in the backend's response. Default: the whole response. */
  result_path: string | null;
  /** The path of the error message in a failed response. */
  error_path: string | null;
  /** The members of the result that are shown. Default: all members. */
  expose: string[] | null;
}

export interface ActionContractVersionResponseSuccessWhen {
  /** The path of the checked value in the backend's response. */
  path: string;
  /** The expected value: a string, a number, a boolean or null. */
  equals: unknown;
}

export interface ActionContractVersionUndo {
  /** The URL that undoes a run. It is called like `endpoint`, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  window_seconds: number;
}

export interface ActionContractWithSecret {
  /** An id that begins with `ctr_`. */
  id: string;
  object: "action_contract";
  /** The key of the contract, unique in its environment. */
  key: string;
  /** The display name of the action. */
  label: string;
  /** The surfaces from which the action can be requested. The service determines the surface of each call. */
  surface: ActionContractSurfaceItem[];
  /** The roles that may run or request the action. */
  roles: RoleRole[];
  /** Whether a person reviews a preview before the action runs. */
  requires_confirmation: boolean;
  /** Whether runs are recorded in the audit log. */
  audit: boolean;
  /** The parameters by name. Calls with other parameters are refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs the action: an https URL on the public internet. */
  endpoint: string;
  /** The description for people and AI models. */
  description: string;
  /** The risk of the action. `high` requires confirmation by a person. */
  risk: PreviewRisk;
  /** Whether the effect cannot be reversed. Requires confirmation by a person. Default: false. */
  destructive: boolean;
  /** Whether the action can be undone through `undo`. */
  reversible: boolean;
  undo: ActionContractWithSecretUndo | null;
  /** Whether a call can be repeated safely. The backend recognises repeated calls by `run_id`. Default: false. */
  idempotent: boolean;
  /** The scope that a key must have. */
  scope: string | null;
  /** The operator permission that the action requires. */
  permission: string | null;
  /** `sync`: the call waits for the backend, and returns the completed run. `async`: the call returns 202 at once, and the run ends later. */
  delivery: ActionContractDelivery;
  auth: ActionContractWithSecretAuth;
  response: ActionContractWithSecretResponse;
  /** The timeout of the whole call, in milliseconds. Default: 10000. */
  timeout_ms: number;
  approval: ActionContractWithSecretApproval;
  /** The URL for sandbox runs. Without it, sandbox runs are simulated. */
  sandbox_endpoint: string | null;
  /** The number of the version, counted from 1. */
  version: number;
  /** Hex SHA-256 of the definition in its RFC 8785 form. */
  sha256: string;
  author: ActionContractAuthor;
  /** The connector that the contract belongs to. */
  connector_key: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  /** The environment of the credential that made the object. Only credentials of this environment can change it. */
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The environments in which the object acts. A live object also acts in the sandbox, unless the sandbox has its own instead. */
  acts_in: RuleActsInItem[];
  /** The sandbox contract, and its version, that was last promoted to this contract. */
  promoted_from: ActionContractWithSecretPromotedFrom | null;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
  /** The secret that signs the calls to the backend. */
  signing_secret: string;
}

export interface ActionContractWithSecretApproval {
  /** The roles whose members may approve the action. */
  approver_roles: ActionApprovalApproverRole[];
  /** Whether requesters and editors are prevented from approving the action. Default: true for destructive actions. */
  four_eyes: boolean;
  /** The number of people who must approve the action. Default: 1. */
  required: number;
  /** How long a proposal waits for a decision, in seconds. Default: 86400. */
  expires_in_seconds: number;
  /** The rules that may approve the action, each as `<rule id>@<version>`. The author of the rule must have a role that may approve. A rule id without a version, or a rule name, applies only while the rule's last author is an owner. Only owners can write a contract that contains rules. Default: []. */
  allow_rule: string[];
}

export interface ActionContractWithSecretAuth {
  /** The authentication in addition to the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret. */
  type: ActionAuthType;
  /** The name of a secret (`PUT /v1/secrets/{name}`). For `basic`, the secret is `user:password`. */
  secret_ref: string | null;
  /** The header that contains the `api_key`. */
  header: string | null;
}

/** The sandbox contract, and its version, that was last promoted to this contract. */
export interface ActionContractWithSecretPromotedFrom {
  /** An id that begins with `ctr_`. */
  id: string;
  version: number;
}

export interface ActionContractWithSecretResponse {
  /** Whether a run is executed only if the 2xx response is JSON. With `false`, any 2xx response counts, and the result of a response that is not JSON is null. Default: true. */
  json: boolean;
  success_when: ActionContractWithSecretResponseSuccessWhen | null;
  /** The path of the result in the backend's response. Default: the whole response. */
  result_path: string | null;
  /** The path of the error message in a failed response. */
  error_path: string | null;
  /** The members of the result that are shown. Default: all members. */
  expose: string[] | null;
}

export interface ActionContractWithSecretResponseSuccessWhen {
  /** The path of the checked value in the backend's response. */
  path: string;
  /** The expected value: a string, a number, a boolean or null. */
  equals: unknown;
}

export interface ActionContractWithSecretUndo {
  /** The URL that undoes a run. It is called like `endpoint`, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  window_seconds: number;
}

/** A registered action ran, and its backend reported success. Fired by the service. */
export interface ActionExecutedData {
  /** Key of the contract */
  action: string;
  /** Version of the contract that ran */
  contract_version?: number | undefined;
  /** The run */
  run_id: string;
  /** The proposal that led to the run, null when none was needed */
  proposal_id?: string | null | undefined;
  /** The audit entry of the run, null when the contract is not audited */
  audit_id?: string | null | undefined;
  /** The caller */
  actor?: ActionExecutedDataActor | undefined;
  /** The caller */
  approver?: ActionExecutedDataApprover | null | undefined;
  /** Surface of the request */
  surface?: string | undefined;
  /** Whether the run can be undone */
  reversible?: boolean | undefined;
  /** Time that the backend took, in milliseconds */
  duration_ms?: number | undefined;
  /** Time at which this happened */
  executed_at?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface ActionExecutedDataActor {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface ActionExecutedDataApprover {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

/** A proposal expired without a decision. Nothing ran. */
export interface ActionExpiredData {
  /** Key of the contract */
  action: string;
  /** The proposal */
  proposal_id: string;
  /** The caller */
  proposer?: ActionExpiredDataProposer | undefined;
  /** Workflow that asks, absent for other proposals */
  workflow?: ActionExpiredDataWorkflow | undefined;
  /** Time at which this happened */
  expired_at?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface ActionExpiredDataProposer {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

/** Workflow that asks, absent for other proposals */
export interface ActionExpiredDataWorkflow {
  /** The workflow */
  id?: string | undefined;
  /** Name of the workflow */
  name?: string | undefined;
  /** Version of the workflow */
  version?: number | undefined;
  /** Run of the workflow */
  run_id?: string | undefined;
  /** Step of the run */
  step_id?: string | undefined;
  /** Event that started the run */
  event?: ActionExpiredDataWorkflowEvent | undefined;
  [member: string]: unknown;
}

/** Event that started the run */
export interface ActionExpiredDataWorkflowEvent {
  /** The event */
  id?: string | undefined;
  /** Name of the event */
  type?: string | undefined;
  [member: string]: unknown;
}

/** An action's backend failed, or its outcome is unknown. */
export interface ActionFailedData {
  /** Key of the contract */
  action: string;
  /** The run */
  run_id: string;
  /** The proposal that led to the run, null when none was needed */
  proposal_id?: string | null | undefined;
  /** The caller */
  actor?: ActionFailedDataActor | undefined;
  /** Error code, such as action_endpoint_failed or outcome_unknown */
  error_code: string;
  /** HTTP status of the backend, null without a response */
  backend_status?: number | null | undefined;
  /** Time at which this happened */
  failed_at?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface ActionFailedDataActor {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

export interface ActionParameter {
  /** The type of the parameter. Values are never converted. */
  type: ActionParameterType;
  /** Whether a call without the parameter is refused. Default: false. */
  required?: boolean | undefined;
  /** The minimum of a number, or the minimum number of characters of a string. */
  min?: number | undefined;
  /** The maximum of a number, or the maximum number of characters (code points) of a string. */
  max?: number | undefined;
  enum?: unknown[] | undefined;
  /** Whether the values are hidden in the audit log and in previews. */
  sensitive?: boolean | undefined;
  /** The description for people and AI models. */
  description?: string | undefined;
}

/** An action waits for a person's approval. */
export interface ActionProposedData {
  /** Key of the contract */
  action: string;
  /** The proposal */
  proposal_id: string;
  /** The caller */
  proposer?: ActionProposedDataProposer | undefined;
  /** Workflow that asks, absent for other proposals */
  workflow?: ActionProposedDataWorkflow | undefined;
  /** Surface of the request */
  surface?: string | undefined;
  /** Risk of the contract */
  risk?: PreviewRisk | undefined;
  /** Title of the preview */
  title?: string | undefined;
  /** Summary of the preview, in one sentence */
  summary?: string | undefined;
  /** Facts that the author of an approval step shows, absent for other proposals */
  fields?: ActionProposedDataField[] | undefined;
  /** Roles that may approve */
  approver_roles?: string[] | undefined;
  /** Page on which people decide */
  approve_url?: string | undefined;
  /** Time at which the proposal expires */
  expires_at?: string | undefined;
  [member: string]: unknown;
}

/** Fact */
export interface ActionProposedDataField {
  /** Label */
  label?: string | undefined;
  /** Value */
  value?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface ActionProposedDataProposer {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

/** Workflow that asks, absent for other proposals */
export interface ActionProposedDataWorkflow {
  /** The workflow */
  id?: string | undefined;
  /** Name of the workflow */
  name?: string | undefined;
  /** Version of the workflow */
  version?: number | undefined;
  /** Run of the workflow */
  run_id?: string | undefined;
  /** Step of the run */
  step_id?: string | undefined;
  /** Event that started the run */
  event?: ActionProposedDataWorkflowEvent | undefined;
  [member: string]: unknown;
}

/** Event that started the run */
export interface ActionProposedDataWorkflowEvent {
  /** The event */
  id?: string | undefined;
  /** Name of the event */
  type?: string | undefined;
  [member: string]: unknown;
}

/** A person rejected a proposal. Nothing ran. */
export interface ActionRejectedData {
  /** Key of the contract */
  action: string;
  /** The proposal */
  proposal_id: string;
  /** The caller */
  proposer?: ActionRejectedDataProposer | undefined;
  /** Workflow that asks, absent for other proposals */
  workflow?: ActionRejectedDataWorkflow | undefined;
  /** The caller */
  rejected_by?: ActionRejectedDataRejectedBy | undefined;
  /** Reason, null when none was given */
  reason?: string | null | undefined;
  /** Time at which this happened */
  rejected_at?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface ActionRejectedDataProposer {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface ActionRejectedDataRejectedBy {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

/** Workflow that asks, absent for other proposals */
export interface ActionRejectedDataWorkflow {
  /** The workflow */
  id?: string | undefined;
  /** Name of the workflow */
  name?: string | undefined;
  /** Version of the workflow */
  version?: number | undefined;
  /** Run of the workflow */
  run_id?: string | undefined;
  /** Step of the run */
  step_id?: string | undefined;
  /** Event that started the run */
  event?: ActionRejectedDataWorkflowEvent | undefined;
  [member: string]: unknown;
}

/** Event that started the run */
export interface ActionRejectedDataWorkflowEvent {
  /** The event */
  id?: string | undefined;
  /** Name of the event */
  type?: string | undefined;
  [member: string]: unknown;
}

export interface ActionResponse {
  /** Whether a run is executed only if the 2xx response is JSON. With `false`, any 2xx response counts, and the result of a response that is not JSON is null. Default: true. */
  json?: boolean | undefined;
  success_when?: ActionResponseSuccessWhen | null | undefined;
  /** The path of the result in the backend's response. Default: the whole response. */
  result_path?: string | null | undefined;
  /** The path of the error message in a failed response. */
  error_path?: string | null | undefined;
  /** The members of the result that are shown. Default: all members. */
  expose?: string[] | null | undefined;
}

export interface ActionResponseSuccessWhen {
  /** The path of the checked value in the backend's response. */
  path: string;
  /** The expected value: a string, a number, a boolean or null. */
  equals: unknown;
}

export interface ActionSigningSecret {
  /** The secret that signs the calls to the backend. */
  signing_secret: string;
  /** The secret that signs the calls to the backend. */
  previous_secret?: string;
  /** RFC 3339, in UTC, with milliseconds. */
  previous_expires_at?: string;
}

/** A reversible action was undone. */
export interface ActionUndoneData {
  /** Key of the contract */
  action: string;
  /** The run that was undone */
  run_id: string;
  /** The caller */
  undone_by?: ActionUndoneDataUndoneBy | undefined;
  /** Time at which this happened */
  undone_at?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface ActionUndoneDataUndoneBy {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

export interface Activity {
  /** An id that begins with `act_`. */
  id: string;
  object: "activity";
  /** An id that begins with `con_`. */
  contact_id: string;
  /** The origin of the activity. */
  kind: ActivityKind;
  event_type: string;
  summary: string;
  /** The exact value, with all digits that were received. */
  value: number | null;
  score_delta: number;
  /** RFC 3339, in UTC, with milliseconds. */
  occurred_at: string;
  /** An id that begins with `rcp_`. */
  receipt_id: string | null;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface ActivityList {
  object: "list";
  data: Activity[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** A person, or a rule that an owner allowed, approved an action that an AI proposed. Fired by the service. */
export interface AiActionApprovedData {
  /** Key of the contract */
  action: string;
  /** The proposal */
  proposal_id: string;
  /** SHA-256 of the approved parameters, hexadecimal */
  params_hash?: string | undefined;
  /** Risk of the contract */
  risk?: PreviewRisk | undefined;
  /** The caller */
  proposer?: AiActionApprovedDataProposer | undefined;
  /** The caller */
  approver?: AiActionApprovedDataApprover | undefined;
  /** Comment of the approver, null without one */
  comment?: string | null | undefined;
  /** Time at which this happened */
  approved_at?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface AiActionApprovedDataApprover {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
  display?: string | undefined;
  [member: string]: unknown;
}

/** The caller */
export interface AiActionApprovedDataProposer {
  /** Kind of caller */
  type?: ActionFailedDataActorType | undefined;
  /** Id of the member or key */
  id?: string | undefined;
  /** Display name */
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
  /** The result of the action, redacted. */
  result: unknown;
  error_code: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
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
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The caller: the built-in assistant, an MCP client, or an AI key on the API. For the last two, each call of an action is one exchange. */
  source: AiExchangeSource;
  /** `question`: to the assistant's model. `call`: of an action, a tool or a method. `dry_run`: what a call would do. `poll`: of a status or of events. */
  kind: AiExchangeKind;
  /** The cause of the exchange. For the assistant, `event` or `console`. For other callers, the same as `source`. */
  trigger: string;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** The caller on whose behalf the model was used. */
  actor: AiExchangeActor;
  /** The program that an MCP client says it is, with its version, or the name of its connected app. Nothing proves it. Null for all others. */
  client: string | null;
  /** The object of the request, as the caller named it. */
  target: AiExchangeTarget | null;
  /** The provider of the model. `client`: the caller uses its own model. */
  provider: string;
  model: string | null;
  /** The input of the model, redacted. */
  prompt: string;
  response: string | null;
  /** The tool calls of the model, redacted. */
  tool_calls: unknown[];
  /** The results of the tool calls, in chronological order. */
  results: AiActionResult[];
  /** The final status: `ok`, `failed` or `refused`. */
  status: string;
  error_code: string | null;
  usage: AiExchangeUsage;
  /** How long the model took, in milliseconds. */
  duration_ms: number | null;
  /** An id that begins with `req_`. */
  request_id: string | null;
  /** The number of requests. Alike polls, reads, dry runs and refusals of a client in one minute are one entry. A caller has at most 30 different ones per minute; the others are counted by outcome, without client, tool and target. */
  count: number;
  /** RFC 3339, in UTC, with milliseconds. */
  last_at: string;
}

/** The caller on whose behalf the model was used. */
export interface AiExchangeActor {
  type: AuditActorType;
  /** The id of the person, key, rule, workflow or standing approval. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface AiExchangeList {
  object: "list";
  data: AiExchange[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** The object of the request, as the caller named it. */
export interface AiExchangeTarget {
  /** The id of the object, or the key of the action. */
  id: string | null;
  /** The name that the object had at that time. */
  name: string | null;
}

export interface AiExchangeUsage {
  /** The number of tokens in the prompt. */
  input_tokens: number | null;
  /** The number of tokens in the response. */
  output_tokens: number | null;
}

/** A metric left the range that its history suggests. */
export interface AnalyticsAnomalyData {
  /** Name of the metric */
  metric: string;
  /** Measured value */
  value: number;
  /** Expected value */
  expected?: number | undefined;
  /** Difference from the expected value, in standard deviations */
  deviation?: number | undefined;
  /** Direction of the difference */
  direction?: AnalyticsAnomalyDataDirection | undefined;
  /** Severity */
  severity?: AnalyticsAnomalyDataSeverity | undefined;
  /** The segment concerned, null for all data */
  segment?: string | null | undefined;
  /** Start of the period */
  period_start?: string | undefined;
  /** End of the period */
  period_end?: string | undefined;
  [member: string]: unknown;
}

/** A metric reached its goal. */
export interface AnalyticsGoalReachedData {
  /** The goal */
  goal: AnalyticsGoalReachedDataGoal;
  /** Name of the metric */
  metric?: string | undefined;
  /** Measured value */
  value?: number | undefined;
  /** Time at which this happened */
  reached_at?: string | undefined;
  /** Start of the period */
  period_start?: string | undefined;
  /** End of the period */
  period_end?: string | undefined;
  [member: string]: unknown;
}

/** The goal */
export interface AnalyticsGoalReachedDataGoal {
  /** Id in your system */
  external_id: string;
  /** Name */
  name?: string | undefined;
  /** Target value */
  target?: number | undefined;
  [member: string]: unknown;
}

/** A report was created and can be downloaded. */
export interface AnalyticsReportReadyData {
  /** The report */
  report: AnalyticsReportReadyDataReport;
  /** Time at which this happened */
  ready_at?: string | undefined;
  /** Start of the period */
  period_start?: string | undefined;
  /** End of the period */
  period_end?: string | undefined;
  [member: string]: unknown;
}

/** The report */
export interface AnalyticsReportReadyDataReport {
  /** Id in your system */
  external_id: string;
  /** Name */
  name?: string | undefined;
  /** File format, such as pdf, csv or html */
  format?: string | undefined;
  /** URL of the report */
  url?: string | undefined;
  /** Number of rows */
  rows?: number | undefined;
  [member: string]: unknown;
}

/** A customer entered a segment. */
export interface AnalyticsSegmentEnteredData {
  /** The segment */
  segment: AnalyticsSegmentEnteredDataSegment;
  /** The customer concerned */
  customer: AnalyticsSegmentEnteredDataCustomer;
  /** Time at which this happened */
  entered_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface AnalyticsSegmentEnteredDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The segment */
export interface AnalyticsSegmentEnteredDataSegment {
  /** Id in your system */
  external_id: string;
  /** Name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** A metric rose above a threshold, or fell below it. */
export interface AnalyticsThresholdCrossedData {
  /** Name of the metric */
  metric: string;
  /** Measured value */
  value: number;
  /** The threshold */
  threshold: number;
  /** Direction of the difference */
  direction?: AnalyticsAnomalyDataDirection | undefined;
  /** Time at which this happened */
  crossed_at?: string | undefined;
  [member: string]: unknown;
}

export interface ApiKey {
  /** An id that begins with `key_`. */
  id: string;
  object: "api_key";
  name: string;
  /** The first characters of the key, which identify it. */
  prefix_hint: string;
  /** `all` allows reads and writes. `read_only` refuses every write (403 `key_read_only`). `restricted` allows everything except `blocked_actions` (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Operations and actions that a `restricted` key must not call: an exact name, `prefix.*`, or `*`. Operations with the same effect (`x-does`) are blocked too. In other modes, the list is kept but has no effect. */
  blocked_actions: string[];
  /** The role that the key acts with. A `user` key has the current role of its person. */
  role: RoleRole;
  /** `user` acts as the person who created the key, `service` as a program, `ai` as an AI, regardless of the request body. */
  actor_type: ApiKeyActorType;
  /** `<area>:read` or `<area>:write`. The area is the first word of an operation's or action's name, and `write` includes `read`. Null means every scope. */
  scopes: string[] | null;
  /** Your customer, by your own id, to which the key is limited: it fires the events of this tenant, and manages its endpoints, deliveries, sources and keys (403 `tenant_mismatch` for all else). Cannot be changed later. Null: no limit. */
  tenant: string | null;
  /** Operator permissions that action contracts can require. A key with the role owner has all of them implicitly. */
  permissions: string[];
  /** The maximum number of calls in any 60 minutes, over all operations. Calls of the keys that this key was rolled from and into also count. */
  rate_limit_per_hour: number;
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty: any address. */
  ip_allowlist: string[];
  /** Whether calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature: boolean;
  /** Whether the signature scheme `body` is accepted in addition to `v1`. */
  accept_body_signature: boolean;
  /** Whether the key's requests are signed with a separate secret instead of the key's text. */
  has_signing_secret: boolean;
  /** When the key stops working (401 `key_expired`). Null: never. Seven days earlier, the event `key.expiring` is fired. */
  expires_at: string | null;
  /** The time of the last call with a valid credential, at most a few seconds behind. */
  last_used_at: string | null;
  /** The IP address of the last call. */
  last_used_ip: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  revoked_at: string | null;
  /** The key that replaced this key when it was rolled. */
  replaced_by: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

/** Applies to the next request, on every node. A change can remove rights from any key, but cannot add rights that the caller does not have (403). */
export interface ApiKeyChange {
  /** The display name, which states the purpose of the key. */
  name?: string | undefined;
  /** `all` allows reads and writes. `read_only` refuses every write (403 `key_read_only`). `restricted` allows everything except `blocked_actions` (403 `action_blocked`). */
  permission_mode?: ApiKeyPermissionMode | undefined;
  /** Operations and actions that a `restricted` key must not call: an exact name, `prefix.*`, or `*`. Operations with the same effect (`x-does`) are blocked too. In other modes, the list is kept but has no effect. */
  blocked_actions?: string[] | undefined;
  /** Not higher than the caller's own role. A `user` key has the role of its person and accepts no other. The role `ai` requires the actor type `ai`. */
  role?: NewApiKeyRole | undefined;
  /** `<area>:read` or `<area>:write`. The area is the first word of an operation's or action's name, and `write` includes `read`. Null means every scope. */
  scopes?: string[] | null | undefined;
  /** Operator permissions that action contracts can require. A key with the role owner has all of them implicitly. */
  permissions?: string[] | undefined;
  /** The maximum number of calls in any 60 minutes, over all operations. Calls of the keys that this key was rolled from and into also count. */
  rate_limit_per_hour?: number | undefined;
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty: any address. */
  ip_allowlist?: string[] | undefined;
  /** Whether calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature?: boolean | undefined;
  /** Whether the signature scheme `body` is accepted in addition to `v1`. */
  accept_body_signature?: boolean | undefined;
  /** Must be in the future. When the key stops working (401 `key_expired`). Null: never. Seven days earlier, the event `key.expiring` is fired. */
  expires_at?: string | Date | null | undefined;
  /** True: creates a new secret that signs from now on, and returns it. False: the key's text signs from now on. */
  signing_secret?: boolean | undefined;
}

export interface ApiKeyList {
  object: "list";
  data: ApiKey[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ApiKeyWithText {
  /** An id that begins with `key_`. */
  id: string;
  object: "api_key";
  name: string;
  /** The first characters of the key, which identify it. */
  prefix_hint: string;
  /** `all` allows reads and writes. `read_only` refuses every write (403 `key_read_only`). `restricted` allows everything except `blocked_actions` (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Operations and actions that a `restricted` key must not call: an exact name, `prefix.*`, or `*`. Operations with the same effect (`x-does`) are blocked too. In other modes, the list is kept but has no effect. */
  blocked_actions: string[];
  /** The role that the key acts with. A `user` key has the current role of its person. */
  role: RoleRole;
  /** `user` acts as the person who created the key, `service` as a program, `ai` as an AI, regardless of the request body. */
  actor_type: ApiKeyActorType;
  /** `<area>:read` or `<area>:write`. The area is the first word of an operation's or action's name, and `write` includes `read`. Null means every scope. */
  scopes: string[] | null;
  /** Your customer, by your own id, to which the key is limited: it fires the events of this tenant, and manages its endpoints, deliveries, sources and keys (403 `tenant_mismatch` for all else). Cannot be changed later. Null: no limit. */
  tenant: string | null;
  /** Operator permissions that action contracts can require. A key with the role owner has all of them implicitly. */
  permissions: string[];
  /** The maximum number of calls in any 60 minutes, over all operations. Calls of the keys that this key was rolled from and into also count. */
  rate_limit_per_hour: number;
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty: any address. */
  ip_allowlist: string[];
  /** Whether calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature: boolean;
  /** Whether the signature scheme `body` is accepted in addition to `v1`. */
  accept_body_signature: boolean;
  /** Whether the key's requests are signed with a separate secret instead of the key's text. */
  has_signing_secret: boolean;
  /** When the key stops working (401 `key_expired`). Null: never. Seven days earlier, the event `key.expiring` is fired. */
  expires_at: string | null;
  /** The time of the last call with a valid credential, at most a few seconds behind. */
  last_used_at: string | null;
  /** The IP address of the last call. */
  last_used_ip: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  revoked_at: string | null;
  /** The key that replaced this key when it was rolled. */
  replaced_by: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The text of the key, shown only once. */
  key: string;
  /** `whsec_…`: the secret that signs this key's requests instead of the key's text. Shown only once. */
  signing_secret?: string;
}

export interface ApprovalAnnouncement {
  /** An id that begins with `ann_`. */
  id: string;
  object: "approval_announcement";
  /** An id that begins with `apc_`. */
  channel_id: string;
  /** An id that begins with `prop_`. */
  proposal_id: string;
  /** `waiting`: it is sent, or sent again later. `announced`: the proposal waits for a decision. `closed`: the proposal was decided, and the message shows it. `skipped`: nothing was sent, because the proposal was decided before, or the channel was deleted or switched off. */
  state: ApprovalAnnouncementState;
  /** The last period after which a reminder was sent. */
  reminders: number;
  /** The failed attempts of the next or the last step. */
  attempts: number;
  max_attempts: number;
  /** Slack's word for the failure. */
  error_class: string | null;
  error: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  announced_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface ApprovalAnnouncementList {
  object: "list";
  data: ApprovalAnnouncement[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ApprovalChannel {
  /** An id that begins with `apc_`. */
  id: string;
  object: "approval_channel";
  /** The kind of the channel, which does not change. */
  kind: ApprovalChannelKind;
  name: string;
  /** Slack only: the id of the channel, from its details in Slack. The app must be in the channel. */
  slack_channel_id: string | null;
  /** E-mail only: the addresses. Anyone who reads them sees the previews. */
  recipients: string[];
  /** The risks of the proposals that are announced. Null: any risk. */
  risks: PreviewRisk[] | null;
  /** The actions whose proposals are announced: keys, or prefixes such as `billing.*`. Null: all actions, and the approval steps of workflows. */
  actions: string[] | null;
  /** Announces a proposal only when it has waited for this long. A second channel with a longer time is an escalation. Default: 0. */
  after_minutes: number;
  /** Announces a proposal that still waits again, each time that this period has passed, at most 20 times. */
  remind_every_minutes: number | null;
  /** Slack only: whether the message has buttons that approve and reject. They count only for members who have linked their Slack account. Always false for e-mail. Default: true. */
  decisions: boolean;
  /** Whether the channel announces, and its buttons decide. Default: true. */
  active: boolean;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
}

export interface ApprovalChannelChange {
  name?: string | undefined;
  /** Slack only: the id of the channel, from its details in Slack. The app must be in the channel. */
  slack_channel_id?: string | null | undefined;
  /** E-mail only: the addresses. Anyone who reads them sees the previews. */
  recipients?: string[] | undefined;
  /** The risks of the proposals that are announced. Null: any risk. */
  risks?: PreviewRisk[] | null | undefined;
  /** The actions whose proposals are announced: keys, or prefixes such as `billing.*`. Null: all actions, and the approval steps of workflows. */
  actions?: string[] | null | undefined;
  /** Announces a proposal only when it has waited for this long. A second channel with a longer time is an escalation. Default: 0. */
  after_minutes?: number | undefined;
  /** Announces a proposal that still waits again, each time that this period has passed, at most 20 times. */
  remind_every_minutes?: number | null | undefined;
  /** Slack only: whether the message has buttons that approve and reject. They count only for members who have linked their Slack account. Always false for e-mail. Default: true. */
  decisions?: boolean | undefined;
  /** Whether the channel announces, and its buttons decide. Default: true. */
  active?: boolean | undefined;
}

export interface ApprovalChannelList {
  object: "list";
  data: ApprovalChannel[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ApprovalChannelTest {
  object: "approval_channel_test";
  /** Whether the message was sent, or the e-mail was queued. */
  ok: boolean;
  /** What works, or what to do. */
  message: string;
}

export interface ApproveProposal {
  /** The `params_hash` of the proposal as it was reviewed. */
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
  /** The workspace setting `assistant`. */
  provider: AssistantProvider;
  /** Whether the assistant receives events. */
  state: AssistantState;
  /** The settings that are required before the assistant receives events. */
  missing: string[];
  /** The base URL of a server with the chat completions protocol: the part before `/chat/completions`. */
  base_url: string | null;
  /** The provider's name of the model. */
  model: string | null;
  /** The name of a secret (`PUT /v1/secrets/{name}`) that is sent as a Bearer token. Null: no token is sent. */
  secret_ref: string | null;
  /** The workspace's instructions to the model, which follow those of the service. */
  instructions: string;
  /** The event types that the assistant receives, or patterns such as `order.*`. `*` means every event type except system events. */
  events: string[];
  /** The maximum number of model requests per minute. */
  max_per_minute: number;
  /** The maximum number of model requests per day. */
  max_per_day: number;
  /** The responses of the scripted provider: a list of `{on?, say?, calls?: [{action, arguments}]}`. The first entry whose `on` names the event responds, with `${$.data.x}` filled in. `"hostile"` tries everything that a compromised model would. */
  script: unknown;
  asked: AssistantAsked;
  /** The number of events in this environment that wait for the assistant. */
  waiting: number;
  /** The number of events of the last day that the assistant failed to process. */
  failed: number;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string | null;
}

/** The number of model requests of the workspace, in both environments. */
export interface AssistantAsked {
  last_minute: number;
  last_day: number;
}

export interface AssistantChange {
  /** The base URL of a server with the chat completions protocol: the part before `/chat/completions`. */
  base_url?: string | null | undefined;
  /** The provider's name of the model. */
  model?: string | null | undefined;
  /** The name of a secret (`PUT /v1/secrets/{name}`) that is sent as a Bearer token. Null: no token is sent. */
  secret_ref?: string | null | undefined;
  /** The workspace's instructions to the model, which follow those of the service. */
  instructions?: string | undefined;
  /** The event types that the assistant receives, or patterns such as `order.*`. `*` means every event type except system events. */
  events?: string[] | undefined;
  /** The maximum number of model requests per minute. */
  max_per_minute?: number | undefined;
  /** The maximum number of model requests per day. */
  max_per_day?: number | undefined;
  /** The responses of the scripted provider: a list of `{on?, say?, calls?: [{action, arguments}]}`. The first entry whose `on` names the event responds, with `${$.data.x}` filled in. `"hostile"` tries everything that a compromised model would. */
  script?: unknown;
}

/** The complete input of the model, without secrets. */
export interface AssistantPrompt {
  system: string;
  user: string;
  /** The actions that the model was offered. */
  tools: string[];
}

export interface AssistantTest {
  event: string;
  data: object;
}

export interface AssistantTestCall {
  /** The name that the model used. */
  action: string;
  /** The arguments as the model wrote them. */
  arguments: string;
  /** The result that the call would have: the preview that people would see, or the refusal. */
  outcome: unknown;
  error_code: string | null;
}

export interface AssistantTestResult {
  object: "assistant_test";
  provider: AssistantProvider;
  prompt: AssistantPrompt;
  status: AskedConnectorStatus;
  error_code: string | null;
  /** The model's response, or the reason why the model could not be called. */
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
  /** RFC 3339, in UTC, with milliseconds. */
  started_at: string;
  status_code: number | null;
  /** The kind of error. Null if there was no error. `too_expensive`: the endpoint's filter takes too long for the data of the event, so nothing was sent. `auth`: the service could not sign in to the receiver, so nothing was sent. `proxy`: the egress proxy of the installation failed; the attempt is postponed. `broker`: the broker could not be reached, refused the message, or did not confirm it; the detail begins with the step that failed. */
  error_class: AttemptErrorClass | null;
  error_detail: string | null;
  latency_ms: Latency;
  resolved_ip: string | null;
  /** The headers of the response. */
  response_headers: { [member: string]: string } | null;
  /** The first KiB of the response. */
  response_snippet: string | null;
  response_truncated: boolean;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface AttemptList {
  object: "list";
  data: Attempt[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface Attention {
  object: "attention";
  failing_endpoints: FailingEndpoints;
  issues: OpenIssues;
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
  /** RFC 3339, in UTC, with milliseconds. */
  finished_at: string;
  duration_ms: number;
  failed_step: AttentionSelfTestFailedStep | null;
  /** The error code of the failed step. Null when passed. */
  reason: string | null;
  /** The error message of the failed step. Null when passed. */
  detail: string | null;
}

/** The actor. */
export interface AuditActor {
  type: AuditActorType;
  /** The id of the person, key, rule, workflow or standing approval. */
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
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The `seq` of the last row that the digest covers. */
  seq: number;
  /** The hash of that row. */
  hash: string;
  /** RFC 3339, in UTC, with milliseconds. */
  from: string;
  /** RFC 3339, in UTC, with milliseconds. */
  to: string;
  /** RFC 3339, in UTC, with milliseconds. */
  at: string;
  /** The Ed25519 signature, in base64, of the RFC 8785 form of this object without `signature`. */
  signature: string;
}

export interface AuditDigestList {
  object: "list";
  data: AuditDigest[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
  /** The public key of this installation's key pair, as PEM. The key pair is created once. */
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
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The position of the row in the chain. */
  seq: number;
  /** RFC 3339, in UTC, with milliseconds. */
  occurred_at: string;
  /** The kind of object or activity that the row is about. */
  kind: AuditRowKind;
  /** The name of an operation, or the key of a contract. */
  action: string;
  /** The version of the contract. */
  contract_version: number | null;
  /** An id that begins with `prop_`. */
  proposal_id: string | null;
  /** An id that begins with `run_`. */
  run_id: string | null;
  actor: AuditActor;
  /** The approver. */
  approver: AuditRowApprover | null;
  /** The prompt of the AI, redacted. */
  prompt: string | null;
  /** The parameters, redacted. */
  params_redacted: unknown;
  /** The result, redacted. */
  result_redacted: unknown;
  /** The final status: `ok`, `refused`, `failed`, or a state such as `executed`. */
  status: string;
  error_code: string | null;
  /** The duration in milliseconds. */
  duration_ms: number | null;
  /** The backend that ran the action, and its HTTP status. */
  backend: AuditRowBackend | null;
  /** The deployment that wrote the row. */
  deployment: AuditRowDeployment;
  /** An id that begins with `req_`. */
  request_id: string | null;
  /** The hash of the previous row. Zeros for the first row. */
  prev_hash: string;
  /** SHA-256 of `prev_hash`, a newline, and the RFC 8785 form of this object without `hash`. */
  hash: string;
}

/** The approver. */
export interface AuditRowApprover {
  type: AuditActorType;
  /** The id of the person, key, rule, workflow or standing approval. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

/** The backend that ran the action, and its HTTP status. */
export interface AuditRowBackend {
  host: string;
  status: number | null;
}

/** The deployment that wrote the row. */
export interface AuditRowDeployment {
  version: string;
  git_sha: string | null;
  /** The process that wrote the row. */
  instance_id: string;
  /** The SHA-256 of the contract version that ran. */
  contract_sha256: string | null;
}

export interface AuditRowList {
  object: "list";
  data: AuditRow[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface AuditVerification {
  object: "audit_verification";
  ok: boolean;
  /** The number of intact rows before the first row that is not intact. */
  checked: number;
  /** The `seq` at which the chain is broken. */
  first_bad_seq: number | null;
  /** `changed`: the row differs from what was written. `missing`: the row does not exist. `cut`: the chain ends too early. `digest`: the row does not match a signed digest. */
  reason: AuditVerificationReason | null;
}

export interface BackfillCount {
  /** The number of deliveries. */
  count: number;
  /** Present and true if there may be more. */
  capped?: boolean;
}

export interface BackfillJob {
  /** The number of deliveries. */
  count: number;
  /** Present and true if there may be more. */
  capped?: boolean;
  /** An id that begins with `job_`. */
  job_id: string;
}

/** The deliveries that have not ended. */
export interface Backlog {
  count: number;
  /** Whether the actual number is higher than `count`. */
  capped: boolean;
  /** The number of seconds for which the longest-waiting delivery has been due. Null if none is due. */
  oldest_due_age_seconds: number | null;
}

export interface Caller {
  object: "caller";
  /** The key of the caller. Null for a console session. */
  key: CallerKey | null;
  /** The person that the caller acts for. Null for keys without a person. */
  member_id: string | null;
  workspace: CallerWorkspace;
  environment: Environment;
  role: RoleRole;
  actor_type: ApiKeyActorType;
  scopes: string[] | null;
  permissions: string[];
  limits: CallerLimits;
}

/** The key of the caller. Null for a console session. */
export interface CallerKey {
  /** An id that begins with `key_`. */
  id: string;
  object: "api_key";
  name: string;
  /** The first characters of the key, which identify it. */
  prefix_hint: string;
  /** `all` allows reads and writes. `read_only` refuses every write (403 `key_read_only`). `restricted` allows everything except `blocked_actions` (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Operations and actions that a `restricted` key must not call: an exact name, `prefix.*`, or `*`. Operations with the same effect (`x-does`) are blocked too. In other modes, the list is kept but has no effect. */
  blocked_actions: string[];
  /** The role that the key acts with. A `user` key has the current role of its person. */
  role: RoleRole;
  /** `user` acts as the person who created the key, `service` as a program, `ai` as an AI, regardless of the request body. */
  actor_type: ApiKeyActorType;
  /** `<area>:read` or `<area>:write`. The area is the first word of an operation's or action's name, and `write` includes `read`. Null means every scope. */
  scopes: string[] | null;
  /** Your customer, by your own id, to which the key is limited: it fires the events of this tenant, and manages its endpoints, deliveries, sources and keys (403 `tenant_mismatch` for all else). Cannot be changed later. Null: no limit. */
  tenant: string | null;
  /** Operator permissions that action contracts can require. A key with the role owner has all of them implicitly. */
  permissions: string[];
  /** The maximum number of calls in any 60 minutes, over all operations. Calls of the keys that this key was rolled from and into also count. */
  rate_limit_per_hour: number;
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty: any address. */
  ip_allowlist: string[];
  /** Whether calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature: boolean;
  /** Whether the signature scheme `body` is accepted in addition to `v1`. */
  accept_body_signature: boolean;
  /** Whether the key's requests are signed with a separate secret instead of the key's text. */
  has_signing_secret: boolean;
  /** When the key stops working (401 `key_expired`). Null: never. Seven days earlier, the event `key.expiring` is fired. */
  expires_at: string | null;
  /** The time of the last call with a valid credential, at most a few seconds behind. */
  last_used_at: string | null;
  /** The IP address of the last call. */
  last_used_ip: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  revoked_at: string | null;
  /** The key that replaced this key when it was rolled. */
  replaced_by: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface CallerLimits {
  /** The limit of the key, over the last 60 minutes and all operations. */
  hour: CallerLimitsHour;
  /** The limits of operations, over the last 60 seconds. */
  minute: CallerLimitsMinuteItem[];
}

/** The limit of the key, over the last 60 minutes and all operations. */
export interface CallerLimitsHour {
  limit: number;
  /** The calls in the window that ends now. The count is exact over all nodes. */
  used: number;
  remaining: number;
}

export interface CallerLimitsMinuteItem {
  /** The name of the limit. Operations without a limit of their own share `management.read` and `management.write`. */
  operation: string;
  limit: number;
  /** The calls in the window that ends now. The count is exact over all nodes. */
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
  /** Whether the actual number is higher than `count`. */
  capped: boolean;
}

/** A cart was not changed for the time after which your shop treats it as abandoned. */
export interface CartAbandonedData {
  /** The cart */
  cart: CartAbandonedDataCart;
  /** The customer concerned */
  customer?: CartAbandonedDataCustomer | null | undefined;
  /** Time of the last change */
  last_active_at?: string | undefined;
  [member: string]: unknown;
}

/** The cart */
export interface CartAbandonedDataCart {
  /** Id in your system */
  external_id: string;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Value of the cart, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Items in the cart */
  items?: CartAbandonedDataCartItem[] | undefined;
  /** URL at which the customer can resume */
  url?: string | undefined;
  [member: string]: unknown;
}

/** One item */
export interface CartAbandonedDataCartItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CartAbandonedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface ChangedApiKey {
  /** An id that begins with `key_`. */
  id: string;
  object: "api_key";
  name: string;
  /** The first characters of the key, which identify it. */
  prefix_hint: string;
  /** `all` allows reads and writes. `read_only` refuses every write (403 `key_read_only`). `restricted` allows everything except `blocked_actions` (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Operations and actions that a `restricted` key must not call: an exact name, `prefix.*`, or `*`. Operations with the same effect (`x-does`) are blocked too. In other modes, the list is kept but has no effect. */
  blocked_actions: string[];
  /** The role that the key acts with. A `user` key has the current role of its person. */
  role: RoleRole;
  /** `user` acts as the person who created the key, `service` as a program, `ai` as an AI, regardless of the request body. */
  actor_type: ApiKeyActorType;
  /** `<area>:read` or `<area>:write`. The area is the first word of an operation's or action's name, and `write` includes `read`. Null means every scope. */
  scopes: string[] | null;
  /** Your customer, by your own id, to which the key is limited: it fires the events of this tenant, and manages its endpoints, deliveries, sources and keys (403 `tenant_mismatch` for all else). Cannot be changed later. Null: no limit. */
  tenant: string | null;
  /** Operator permissions that action contracts can require. A key with the role owner has all of them implicitly. */
  permissions: string[];
  /** The maximum number of calls in any 60 minutes, over all operations. Calls of the keys that this key was rolled from and into also count. */
  rate_limit_per_hour: number;
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty: any address. */
  ip_allowlist: string[];
  /** Whether calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature: boolean;
  /** Whether the signature scheme `body` is accepted in addition to `v1`. */
  accept_body_signature: boolean;
  /** Whether the key's requests are signed with a separate secret instead of the key's text. */
  has_signing_secret: boolean;
  /** When the key stops working (401 `key_expired`). Null: never. Seven days earlier, the event `key.expiring` is fired. */
  expires_at: string | null;
  /** The time of the last call with a valid credential, at most a few seconds behind. */
  last_used_at: string | null;
  /** The IP address of the last call. */
  last_used_ip: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  revoked_at: string | null;
  /** The key that replaced this key when it was rolled. */
  replaced_by: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** `whsec_…`: the secret that signs this key's requests instead of the key's text. Shown only once. */
  signing_secret?: string;
}

/** A customer completed the checkout. */
export interface CheckoutCompletedData {
  /** The checkout */
  checkout: CheckoutCompletedDataCheckout;
  /** The resulting order */
  order_external_id?: string | undefined;
  /** The customer concerned */
  customer?: CheckoutCompletedDataCustomer | undefined;
  /** Time at which this happened */
  completed_at?: string | undefined;
  [member: string]: unknown;
}

/** The checkout */
export interface CheckoutCompletedDataCheckout {
  /** Id in your system */
  external_id: string;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Agreed total, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Coupon code, null without one */
  coupon?: string | null | undefined;
  /** Payment method, such as card, sepa_debit or invoice */
  payment_method?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CheckoutCompletedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** A group of nodes, or a leaf. Groups can be nested five levels deep, with at most 100 groups and 100 leaves. */
export interface Condition {
  /** True if every node is true. */
  all?: { [member: string]: unknown }[] | undefined;
  /** True if at least one node is true. */
  any?: { [member: string]: unknown }[] | undefined;
  /** True if no node is true. */
  not?: { [member: string]: unknown }[] | undefined;
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string | undefined;
  op?: RuleLeafOp | undefined;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
  [member: string]: unknown;
}

/** A section that is left out is not managed. */
export interface Configuration {
  /** The version of the format. */
  version: 1;
  settings?: ConfiguredSettings | undefined;
  /** Your own event types, and canonical ones with your choices. */
  event_types?: ConfiguredEventType[] | undefined;
  /** The named inboxes. */
  inboxes?: ConfiguredInbox[] | undefined;
  /** The action contracts, by their keys, without those of connectors. */
  contracts?: ConfiguredActionContract[] | undefined;
  /** The workflows. */
  workflows?: ConfiguredWorkflow[] | undefined;
  /** The rules. */
  rules?: ConfiguredRule[] | undefined;
  /** The workspace's own sources, without their secrets and URLs. */
  sources?: ConfiguredSource[] | undefined;
  /** The workspace's own webhook endpoints, without their signing secrets. */
  endpoints?: ConfiguredEndpoint[] | undefined;
  /** The channels of approvals. */
  channels?: ConfiguredChannel[] | undefined;
}

export interface ConfigurationApplication {
  object: "configuration_application";
  /** An id that begins with `pln_`. */
  plan_id: string;
  create: ConfigurationObject[];
  update: ConfigurationUpdate[];
  delete: ConfigurationDeletion[];
  /** The number of objects that are the same. */
  unchanged: number;
  warnings: ConfigurationWarning[];
}

export interface ConfigurationComparison {
  configuration: Configuration;
  /** Whether the objects of a section that the configuration does not contain are deleted. Default: false. */
  prune?: boolean | undefined;
}

export interface ConfigurationDeletion {
  /** The kind of the object. */
  kind: ConfigurationObjectKind;
  name: string;
  /** For an endpoint in a plan or a comparison: the number of its pending deliveries, which its deletion cancels. At most 1,000 are counted. */
  pending_deliveries?: number;
}

export interface ConfigurationDifference {
  /** The JSON Pointer of the member in the object. */
  path: string;
  /** The value in the workspace. */
  from?: unknown;
  /** The value in the configuration. */
  to?: unknown;
}

export interface ConfigurationDrift {
  object: "configuration_drift";
  create: ConfigurationObject[];
  update: ConfigurationUpdate[];
  delete: ConfigurationDeletion[];
  /** The number of objects that are the same. */
  unchanged: number;
  warnings: ConfigurationWarning[];
}

export interface ConfigurationObject {
  /** The kind of the object. */
  kind: ConfigurationObjectKind;
  name: string;
}

export interface ConfigurationPlan {
  /** An id that begins with `pln_`. */
  id: string;
  object: "configuration_plan";
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  create: ConfigurationObject[];
  update: ConfigurationUpdate[];
  delete: ConfigurationDeletion[];
  /** The number of objects that are the same. */
  unchanged: number;
  warnings: ConfigurationWarning[];
}

export interface ConfigurationUpdate {
  /** The kind of the object. */
  kind: ConfigurationObjectKind;
  name: string;
  renamed_from?: string;
  changes: ConfigurationDifference[];
}

export interface ConfigurationWarning {
  /** `left_out`: a section that only live credentials change. */
  code: "left_out";
  section: string;
  message: string;
}

export interface ConfiguredActionContract {
  key: string;
  /** The display name of the action. */
  label: string;
  /** The surfaces from which the action can be requested. The service determines the surface of each call. */
  surface: ActionContractSurfaceItem[];
  /** The roles that may run or request the action. */
  roles: RoleRole[];
  /** Whether a person reviews a preview before the action runs. */
  requires_confirmation: boolean;
  /** Whether runs are recorded in the audit log. */
  audit: boolean;
  /** The parameters by name. Calls with other parameters are refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs the action: an https URL on the public internet. */
  endpoint: string;
  /** The description for people and AI models. */
  description?: string | undefined;
  /** The risk of the action. `high` requires confirmation by a person. */
  risk?: PreviewRisk | undefined;
  /** Whether the effect cannot be reversed. Requires confirmation by a person. Default: false. */
  destructive?: boolean | undefined;
  /** Whether the action can be undone through `undo`. */
  reversible?: boolean | undefined;
  undo?: ConfiguredActionContractUndo | null | undefined;
  /** Whether a call can be repeated safely. The backend recognises repeated calls by `run_id`. Default: false. */
  idempotent?: boolean | undefined;
  /** The scope that a key must have. */
  scope?: string | null | undefined;
  /** The operator permission that the action requires. */
  permission?: string | null | undefined;
  /** `sync`: the call waits for the backend, and returns the completed run. `async`: the call returns 202 at once, and the run ends later. */
  delivery?: ActionContractDelivery | undefined;
  auth?: ActionAuth | undefined;
  response?: ActionResponse | undefined;
  /** The timeout of the whole call, in milliseconds. Default: 10000. */
  timeout_ms?: number | undefined;
  approval?: ActionApproval | undefined;
  /** The URL for sandbox runs. Without it, sandbox runs are simulated. */
  sandbox_endpoint?: string | null | undefined;
}

export interface ConfiguredActionContractUndo {
  /** The URL that undoes a run. It is called like `endpoint`, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  /** How long after its execution a run can be undone, in seconds. Default: 86400. */
  window_seconds?: number | undefined;
}

export interface ConfiguredChannel {
  /** The kind of the channel, which does not change. */
  kind: ApprovalChannelKind;
  name: string;
  /** Slack only: the id of the channel, from its details in Slack. The app must be in the channel. */
  slack_channel_id?: string | null | undefined;
  /** E-mail only: the addresses. Anyone who reads them sees the previews. */
  recipients?: string[] | undefined;
  /** The risks of the proposals that are announced. Null: any risk. */
  risks?: PreviewRisk[] | null | undefined;
  /** The actions whose proposals are announced: keys, or prefixes such as `billing.*`. Null: all actions, and the approval steps of workflows. */
  actions?: string[] | null | undefined;
  /** Announces a proposal only when it has waited for this long. A second channel with a longer time is an escalation. Default: 0. */
  after_minutes?: number | undefined;
  /** Announces a proposal that still waits again, each time that this period has passed, at most 20 times. */
  remind_every_minutes?: number | null | undefined;
  /** Slack only: whether the message has buttons that approve and reject. They count only for members who have linked their Slack account. Always false for e-mail. Default: true. */
  decisions?: boolean | undefined;
  /** Whether the channel announces, and its buttons decide. Default: true. */
  active?: boolean | undefined;
  /** The name that the object had. It keeps its id, its secrets and its log. */
  renamed_from?: string | undefined;
}

export interface ConfiguredEndpoint {
  name: string;
  url?: string | null | undefined;
  /** The name of the inbox that gets the events, instead of `url`. */
  inbox?: string | null | undefined;
  /** The events that the endpoint subscribes to: names, patterns such as `order.*` for all events below a prefix, or `*` for all events except system events. */
  events: string[];
  /** Whether events are delivered to the endpoint. Default: true. */
  active?: boolean | undefined;
  /** A description for people. */
  description?: string | undefined;
  /** The maximum number of attempts per second. Null: no limit. */
  rate_limit_per_second?: number | null | undefined;
  /** The maximum number of concurrent attempts. Default: 16. */
  max_in_flight?: number | undefined;
  /** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
  filter?: ConfiguredEndpointFilter | null | undefined;
  /** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
  transform?: ConfiguredEndpointTransform | null | undefined;
  /** The versions of event types that the endpoint gets, by the name of the type. Each version has to exist. The endpoint gets no events of other versions of these types. Null: all versions. */
  event_versions?: { [member: string]: number } | null | undefined;
  /** `webhook`: requests are sent to `url`. `pull`: consumers read the messages with pulls, so `url`, `rate_limit_per_second` and `max_in_flight` must be omitted. Other kinds: messages are sent to the broker in `destination`, with the body and the headers of the requests; `delivered` means that the broker confirmed the message. The kind cannot be changed. Default: `webhook`. */
  kind?: WebhookEndpointKind | undefined;
  /** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
  ordering?: ConfiguredEndpointOrdering | null | undefined;
  /** The wait after each failed attempt of a delivery, in seconds: 1 to 20 waits of 1 second to 24 hours, together at most 7 days. If the attempt after the last wait fails too, the delivery fails. A change applies to pending deliveries from their next attempt. Null: the schedule of the installation. */
  retry_schedule?: number[] | null | undefined;
  /** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
  auth?: ConfiguredEndpointAuth | null | undefined;
  /** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
  destination?: ConfiguredEndpointDestination | null | undefined;
  /** The signatures of each request. At least one. Default: ["service","standard"]. */
  signatures?: WebhookEndpointSignature[] | undefined;
  /** The form of the requests. `svix`: the body is the data alone, byte for byte, with `svix-id`, `svix-timestamp` and `svix-signature` and no `X-Service-` headers, for receivers that verify with a library of Svix. Default: `service`. */
  wire?: ImportedEndpointWire | undefined;
  /** The endpoint gets only the events that have one of these channels. Empty: all events. */
  channels?: string[] | undefined;
  /** Your own values, which the service keeps and returns. */
  metadata?: { [member: string]: string } | undefined;
  /** Your own id of the endpoint, unique for each tenant. */
  uid?: string | null | undefined;
  /** Each value is `{"secret_ref": …}`, which takes the value of a secret, or `"[redacted]"`, which keeps the value that it has. */
  headers?: { [member: string]: unknown } | undefined;
  /** The name that the object had. It keeps its id, its secrets and its log. */
  renamed_from?: string | undefined;
}

/** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
export interface ConfiguredEndpointAuth {
  /** `bearer`, `basic` and `api_key` send the secret; that of `basic` is `user:password`, or the password of `username`. `oauth2_client_credentials` exchanges it for an access token. `mtls` presents a client certificate. */
  type: WebhookEndpointAuthType;
  /** The name of a secret. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string | undefined;
  /** The place of an API key. Default: `header`. */
  in?: HttpCallRequestAuthIn | undefined;
  /** The header or query parameter of an API key. Default: the header `X-Api-Key`. */
  name?: string | undefined;
  /** The same as `name`, for a header. */
  header?: string | undefined;
  /** The user name of `basic`. The secret is the password then. */
  username?: string | undefined;
  /** The token endpoint. The secret has to name its host too. */
  token_url?: string | undefined;
  client_id?: string | undefined;
  /** The scopes of the token, separated by spaces. */
  scope?: string | undefined;
  audience?: string | undefined;
  /** The client certificate as PEM, followed by those of its issuers, if the receiver needs them. */
  certificate?: string | undefined;
  /** The name of the secret that contains the certificate's key as PEM. */
  key_secret_ref?: string | undefined;
}

/** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
export interface ConfiguredEndpointDestination {
  /** `kafka`: the brokers to ask first, as `host:port`. The guard judges those that they name too. */
  brokers?: string[] | undefined;
  /** `kafka`: the topic, which must exist. */
  topic?: string | undefined;
  /** `kafka`: whether the connections use TLS. Default: true. */
  tls?: boolean | undefined;
  sasl?: ConfiguredEndpointDestinationSasl | null | undefined;
  /** `kafka`, `sqs` and `sns`: the key of the message, which is the group of a FIFO queue or topic. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. Default: the delivery's `ordering_key`, otherwise the subject of the event. */
  partition_key?: string | undefined;
  /** `rabbitmq`: the broker and its virtual host, without a user name and a password. */
  url?: string | undefined;
  /** `rabbitmq`: the exchange, which must exist. Empty: the default exchange. */
  exchange?: string | undefined;
  /** `rabbitmq`: the routing key. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  routing_key?: string | undefined;
  /** `nats`: the servers, as `nats://host:port` or `tls://host:port`. */
  servers?: string[] | undefined;
  /** `nats`: the subject. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  subject?: string | undefined;
  /** `nats`: whether a stream confirms the message. Without it, the server only has received the message, and no one may have got it. Default: true. */
  jetstream?: boolean | undefined;
  /** `rabbitmq` and `nats`: the user. Without it, the secret is `user:password` (`rabbitmq`), or a token or a credentials file (`nats`). */
  username?: string | undefined;
  /** The region of AWS. */
  region?: string | undefined;
  /** The endpoint of a service that speaks the protocol of AWS. Default: that of the region. */
  endpoint_url?: string | undefined;
  /** The access key of AWS. The secret is its secret access key. */
  access_key_id?: string | undefined;
  queue_url?: string | undefined;
  topic_arn?: string | undefined;
  /** `eventbridge`: the bus, or its ARN. */
  bus?: string | undefined;
  /** `eventbridge`: the source of the events. */
  source?: string | undefined;
  bucket?: string | undefined;
  /** `s3`: the beginning of the names of objects. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  prefix?: string | undefined;
  /** `s3`: the most messages in an object. They wait together, so `max_in_flight` is at least this. Default: 100. */
  max_items?: number | undefined;
  /** `s3`: the longest wait of a message for others, in seconds. Default: 5. */
  max_wait_seconds?: number | undefined;
  /** The name of the secret to sign in with. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string | undefined;
}

export interface ConfiguredEndpointDestinationSasl {
  mechanism: WebhookEndpointDestinationSaslMechanism;
  username: string;
  /** The name of the secret with the password. */
  secret_ref: string;
}

/** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
export interface ConfiguredEndpointFilter {
  /** True if every node is true. */
  all?: { [member: string]: unknown }[] | undefined;
  /** True if at least one node is true. */
  any?: { [member: string]: unknown }[] | undefined;
  /** True if no node is true. */
  not?: { [member: string]: unknown }[] | undefined;
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string | undefined;
  op?: RuleLeafOp | undefined;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
  [member: string]: unknown;
}

/** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
export interface ConfiguredEndpointOrdering {
  /** What the order is kept by: `endpoint` for all deliveries of the endpoint, `subject` or `tenant` of the event, or an RFC 9535 singular query into the event that begins with $.event, $.data, $.subject or $.tenant. Events without a value, or whose value is null, an object or a list, are not ordered. */
  key: string;
  /** What happens when a delivery has failed. `block`, the default: the later ones with its key wait until it is retried or skipped. `skip`: the next one is sent. A change applies to deliveries that wait already. */
  on_failed?: WebhookEndpointOrderingOnFailed | undefined;
}

/** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
export interface ConfiguredEndpointTransform {
  /** A template has a `body`, and may have a `method` and `headers`. A script has a `source`. */
  kind: TransformKind;
  /** The method of the request. Default: "POST". */
  method?: TransformMethod | undefined;
  /** Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON. */
  headers?: { [member: string]: string } | undefined;
  /** The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string. */
  body?: unknown;
  /** JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt. */
  source?: string | undefined;
  /** Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z. */
  cases?: TransformCase[] | undefined;
}

export interface ConfiguredEventType {
  /** The name of the events. */
  name: string;
  /** A short title. */
  title?: string | undefined;
  /** Says when the event is fired. */
  description?: string | undefined;
  /** What happens to data that does not match the schema: `off`: nothing. `warn`: the event shows `schema_errors`. `refuse`: the call is refused with 422 `event_data_invalid`; events that sources, rules, workflows, connectors and schedules fire are never refused, and act as with `warn`. */
  enforcement?: EventTypeEnforcement | undefined;
  /** `public`: your customers see the type in the portal, and can subscribe to it there. Your own types are public at first. A canonical type is public while you fire it, until you choose: that is, in this environment and in the last 30 days. System events are always `private`. */
  visibility?: EventTypeVisibility | undefined;
  /** Whether receivers should stop using the event type. */
  deprecated?: boolean | undefined;
  /** All versions of the type, oldest first. Only the last one can change. Not for canonical types. */
  versions?: ConfiguredEventTypeVersion[] | undefined;
}

export interface ConfiguredEventTypeVersion {
  /** A JSON Schema (2020-12) of `data`: at most 64 KiB and 32 schemas deep, with references within the schema only and without cycles. Patterns have the syntax of RE2. */
  schema?: { [member: string]: unknown } | null | undefined;
  /** Examples of `data`. */
  examples?: { [member: string]: unknown }[] | undefined;
}

export interface ConfiguredInbox {
  /** The name that you choose for the inbox, separately for each environment. Letters, digits, dots and dashes. */
  name: string;
}

export interface ConfiguredRule {
  name: string;
  /** Event names, or patterns such as `order.*`. `*` means every event except system events. */
  on: string[];
  when?: Condition | undefined;
  /** Rules with lower values run first. Default: 100. */
  priority?: number | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** The maximum number of runs per minute. Further runs are `limited` and do nothing. Default: 600. */
  max_runs_per_minute?: number | undefined;
  /** The actions, as `POST /v1/rules` takes them, but `start_workflow {workflow, input?}` names the workflow. Header values of webhooks name secrets. */
  then: { [member: string]: unknown }[];
  /** The name that the object had. It keeps its id, its secrets and its log. */
  renamed_from?: string | undefined;
}

export interface ConfiguredSettings {
  /** The number of days for which logs are kept. Null: as long as the installation keeps them. */
  retention_days?: number | null | undefined;
  /** Whether `confirmed: true` in a call can replace the approval. This applies to actions that are not destructive, do not have a high risk, and require one approval, but not by a second person. */
  inline_confirmation?: boolean | undefined;
  /** Whether the only member of the workspace may approve their own requests, despite `four_eyes`. No effect in workspaces with two or more members. */
  solo_approval?: boolean | undefined;
  /** Whether people must prove again who they are, with a passkey or an authenticator app, to approve an action of high risk (`POST /v1/step-ups`). Keys, rules and Slack can then not approve such an action. Only a console session can turn it off. */
  require_step_up?: boolean | undefined;
  /** Whether a plan of the configuration is applied in live only after another person has approved it. `POST /v1/configuration/plans/{id}/apply` then returns a proposal. Only an owner can turn it off. */
  require_approval_for_configuration?: boolean | undefined;
  /** Whether people can sign in to the workspace with a password. To turn it off, the installation must have OpenID Connect, and an owner must have signed in with it. Sessions that a password opened then end. */
  password_sign_in?: boolean | undefined;
  /** The provider of the assistant. While it is `off`, the assistant receives nothing. `PATCH /v1/assistant` changes the other settings. */
  assistant?: WorkspaceSettingsAssistant | undefined;
  /** An IANA time zone name, such as Europe/Berlin. */
  time_zone?: string | undefined;
  /** The origins of your sites that may show the portal in a frame. Empty: none, but links to it work. */
  portal_origins?: string[] | undefined;
  /** The name of your product, shown to your customers at the top of the portal. Null: none. */
  portal_name?: string | null | undefined;
  /** The logo of your product, shown to your customers at the top of the portal: a PNG, JPEG, WebP or GIF as a `data:` URL. The page calls no other server for it. Null: none. */
  portal_logo?: string | null | undefined;
}

export interface ConfiguredSource {
  name: string;
  preset?: InboundEndpointPreset | undefined;
  /** A sender of GET /v1/senders, whose values are the start. */
  sender?: string | undefined;
  description?: string | undefined;
  /** Default: true. */
  active?: boolean | undefined;
  /** The signature scheme of the sender. X-Service-Inbound-Signature is also accepted. */
  signature_scheme?: InboundPresetSignatureScheme | undefined;
  scheme?: SignatureScheme | undefined;
  /** The response to accepted requests, for senders that need their own. */
  respond?: ConfiguredSourceRespond | null | undefined;
  /** The character set of requests that name none, for senders of old forms. Default: UTF-8. A request's own `charset`, XML declaration or byte order mark takes precedence. */
  charset?: string | null | undefined;
  /** The requests with which the sender checks the URL. Null: those of the source's sender. */
  handshakes?: Handshake[] | null | undefined;
  /** The path to a list of at most 1000 events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates. */
  each?: string | null | undefined;
  /** `required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact. */
  contact?: InboundPresetContact | undefined;
  /** The header of the sender's event type. It takes precedence over event_type_path. */
  event_type_header?: string | null | undefined;
  /** The header of the sender's id of the event. It takes precedence over the path. */
  idempotency_key_header?: string | null | undefined;
  /** The contact's e-mail address. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_email_path?: string | string[] | null | undefined;
  /** The sender's event type. Without it, every type is `event`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  event_type_path?: string | string[] | null | undefined;
  /** The event type of a request whose header and path contain none. Without it, such a request is `unmapped`. */
  event_type_default?: string | null | undefined;
  /** The sender's id of the event. A repeated id is a `duplicate`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  idempotency_key_path?: string | string[] | null | undefined;
  /** The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body. */
  idempotency_key_template?: string | null | undefined;
  /** The contact's name. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_name_path?: string | string[] | null | undefined;
  /** An amount or another number. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  value_path?: string | string[] | null | undefined;
  /** The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones. */
  value_unit?: InboundPresetValueUnit | undefined;
  /** The currency of the amount, which determines the number of minor units in a major one. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  currency_path?: string | string[] | null | undefined;
  /** A complete summary. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  summary_path?: string | string[] | null | undefined;
  /** The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source. */
  summary_template?: string | null | undefined;
  /** Whether an event with the same bytes is a duplicate. */
  dedupe_by_body?: boolean | undefined;
  /** Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them. */
  dedupe_ignore?: string[] | undefined;
  score?: ConfiguredSourceScore | undefined;
  /** The name of the event that is fired for each inbound event. Default: inbound.<type>. */
  event_name?: string | null | undefined;
  /** The name that the object had. It keeps its id, its secrets and its log. */
  renamed_from?: string | undefined;
}

/** The response to accepted requests, for senders that need their own. */
export interface ConfiguredSourceRespond {
  status: number;
  content_type: SenderRespondContentType;
  body: string;
}

export interface ConfiguredSourceScore {
  default?: number | undefined;
  by_event_type?: { [member: string]: number } | undefined;
  /** Additional points for each unit of the value. The sum is truncated to an integer. */
  per_value?: number | undefined;
}

export interface ConfiguredWorkflow {
  name: string;
  trigger: WorkflowTrigger;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** The maximum number of runs that start per minute. Further runs are `limited` and do nothing. The branches and items of a run do not count. Default: 600. */
  max_runs_per_minute?: number | undefined;
  /** The steps, as `POST /v1/workflows` takes them. Header values of webhooks name secrets. */
  steps: { [member: string]: unknown }[];
  /** The name that the object had. It keeps its id, its secrets and its log. */
  renamed_from?: string | undefined;
}

export interface ConnectedApp {
  /** An id that begins with `key_`. */
  id: string;
  object: "connected_app";
  client_id: string;
  client_name: string;
  /** The host that describes the app. Null for an app that registered itself. */
  client_host: string | null;
  /** An id that begins with `mem_`. */
  member_id: string;
  /** The member who connected the app. */
  member_name: string;
  scopes: string[];
  /** RFC 3339, in UTC, with milliseconds. */
  last_used_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface ConnectedAppList {
  object: "list";
  data: ConnectedApp[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface Connection {
  /** An id that begins with `key_`. */
  id: string;
  object: "connection";
  /** The address to open next, with a code for the app that works once, for a minute. */
  redirect_url: string;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
}

export interface ConnectionApproval {
  client_id: string;
  redirect_uri: string;
  response_type?: string | undefined;
  code_challenge?: string | undefined;
  code_challenge_method?: string | undefined;
  scope?: string | undefined;
  state?: string | undefined;
  resource?: string | undefined;
  /** The days until the connection ends. Default: 30. */
  days?: number | undefined;
}

export interface ConnectionRequest {
  object: "connection_request";
  client_id: string;
  /** The name that the app gives itself. */
  client_name: string;
  /** The host that describes the app. Null for an app that registered itself: nothing about it is verified. */
  client_host: string | null;
  /** The host that receives the access. */
  redirect_host: string;
  scopes: RequestedScope[];
  /** The actions that the app could run now. Later ones follow their contracts. */
  actions: OfferedAction[];
  has_more_actions: boolean;
  /** The address to open if the member does not agree. */
  cancel_url: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
}

/** The parameters of the app's authorization request, as the app sent them. */
export interface ConnectionRequestReview {
  client_id: string;
  redirect_uri: string;
  response_type?: string | undefined;
  code_challenge?: string | undefined;
  code_challenge_method?: string | undefined;
  scope?: string | undefined;
  state?: string | undefined;
  resource?: string | undefined;
}

export interface ConnectionTest {
  object: "connection_test";
  /** An id that begins with `ep_`. */
  endpoint_id: string;
  /** Whether the service connected and signed in. No message was sent. */
  ok: boolean;
  steps: ConnectionTestStep[];
  error: ConnectionTestError | null;
  duration_ms: number;
}

export interface ConnectionTestError {
  /** The step that failed. */
  step: ConnectionTestStepStep;
  /** What to do. */
  detail: string;
}

export interface ConnectionTestStep {
  /** `resolve`: the name. `guard`: its addresses. `connect`, `tls` and `sign_in`: the connection. `proxy`: the egress proxy of the installation. */
  step: ConnectionTestStepStep;
  state: ConnectionTestStepState;
}

export interface Connector {
  object: "connector";
  /** The key of the connector, which is also the name of its folder. */
  key: string;
  /** The display name. Null if the contents of the folder are not trusted. */
  name: string | null;
  /** The version number that the author chose. */
  version: string | null;
  /** Hex SHA-256 of MANIFEST.json, which identifies a version exactly. */
  digest: string | null;
  /** `update_available`: the connector is enabled, and its folder contains another version that can be enabled. `quarantined`: the connector was enabled and has been stopped, because no trusted key signs for it any more or because its code crashed repeatedly. `absent`: the connector was configured, and its folder no longer exists. */
  state: ConnectorState;
  reason: ConnectorReason | null;
  /** Whether its actions can be run. */
  enabled: boolean;
  /** Whether the connector is limited to the sandbox, because a sandbox credential enabled it or a development key signed it. */
  sandbox_only: boolean;
  /** The environment of the installation that is shown, whose settings and version these are. Null if there is none. */
  installed_in: ConnectorInstalledIn | null;
  /** The environments that use the installation. The sandbox uses the live one, until its own is enabled. Empty before the connector is enabled for the first time. */
  acts_in: RuleActsInItem[];
  runtime: ConnectorRuntime | null;
  /** The verification result with the keys that are trusted now. */
  signature: ConnectorSignature;
  description: string | null;
  /** The position of the connector among the subscribers of an event. Lower values come first. */
  priority: number | null;
  /** The event types that the connector subscribes to. `*` means all event types. */
  events: string[];
  /** The event types that the connector may fire. */
  fires: string[];
  /** The data of the workspace that the connector may read. */
  reads: ConnectorRead[];
  /** The hosts that the connector may call. `settings.<name>` is the host of that setting. */
  egress: string[];
  /** Whether the connector may send mail through the operator's server. */
  mail: boolean | null;
  /** The keys of the connector's action contracts. */
  actions: string[];
  /** The identifiers by which the connector can find a contact. */
  identity_providers: string[];
  /** The data about a customer that the connector can provide. */
  context_providers: string[];
  /** A JSON Schema with strings, integers, booleans, `enum`, `format: uri`, and `writeOnly` for secrets. `groups` structures the form, and `test` declares a test. */
  settings_schema: { [member: string]: unknown } | null;
  /** The current settings, without the secrets. */
  settings: { [member: string]: unknown };
  /** Whether each secret is set. Secrets are never shown. */
  secrets: { [member: string]: ConnectorSecretsValue };
  folder: ConnectorFolder;
  /** The version in the folder, if it differs from the pinned one. */
  update: ConnectorUpdate | null;
  /** The URL to which the other service sends its webhooks, separate for each environment. Null if the connector accepts no webhooks, or was never enabled. */
  webhook_url: string | null;
  health: ConnectorHealth;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface ConnectorChange {
  /** The settings by name, as defined in `settings_schema`. Settings that are omitted keep their values. Null removes a value. */
  settings: object;
}

/** A connector threw an error, stopped responding or crashed while it processed a call. */
export interface ConnectorFailedData {
  /** The connector */
  connector: ConnectorFailedDataConnector;
  /** The call that failed */
  during?: string | undefined;
  /** Error message, shortened */
  error?: string | undefined;
  /** Time at which this happened */
  failed_at?: string | undefined;
  [member: string]: unknown;
}

/** The connector */
export interface ConnectorFailedDataConnector {
  /** Key of the connector */
  key: string;
  /** Version of the connector */
  version?: string | undefined;
  [member: string]: unknown;
}

/** The result of the last scan of the connector's folder. */
export interface ConnectorFolder {
  status: ConnectorFolderStatus;
  /** The version number that the author chose. */
  version: string | null;
  /** Hex SHA-256 of MANIFEST.json, which identifies a version exactly. */
  digest: string | null;
  reason: ConnectorFolderReason | null;
  /** RFC 3339, in UTC, with milliseconds. */
  scanned_at: string;
}

export interface ConnectorFolderReason {
  /** The code to branch on. */
  code: ConnectorReasonCode;
  /** The file with the problem. */
  path: string | null;
  /** A description of the problem. */
  message: string;
}

export interface ConnectorHealth {
  /** `not_running`: the connector is not enabled. `idle`: it has not run yet. `failing`: its last run failed. `quarantined`: it has been stopped. */
  status: ConnectorHealthStatus;
  /** RFC 3339, in UTC, with milliseconds. */
  last_run_at: string | null;
  /** The error of the last call. Null if the last call succeeded. */
  last_error: string | null;
}

export interface ConnectorList {
  object: "list";
  data: Connector[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ConnectorLogLine {
  level: ConnectorLogLineLevel;
  message: string;
  fields?: { [member: string]: unknown };
}

export interface ConnectorPromotion {
  object: "connector_promotion";
  key: string;
  dry_run: boolean;
  /** Whether live gets the connector, another version of it (or runs it again), or nothing because it runs this version. */
  effect: PromotionEffect;
  /** The version number that the author chose. */
  source_version: string;
  /** Hex SHA-256 of MANIFEST.json, which identifies a version exactly. */
  source_digest: string;
  /** The version number that the author chose. */
  live_version: string | null;
  /** The version of live: after the promotion, or at the moment with `dry_run`. Null if it has none. */
  live_digest: string | null;
  /** Whether the version is older than that of live. It then requires `allow_downgrade`. */
  downgrade: boolean;
  adds: ConnectorPromotionWidening;
  /** Required settings that live does not have. Send them in `settings`: none are copied. */
  missing_settings: string[];
  warnings: string[];
}

/** Rights of this version that the version of live does not have. */
export interface ConnectorPromotionWidening {
  /** The hosts that the connector may call. `settings.<name>` is the host of that setting. */
  egress: string[];
  /** The event types that the connector subscribes to. `*` means all event types. */
  events: string[];
  /** The event types that the connector may fire. */
  fires: string[];
  /** The data of the workspace that the connector may read. */
  reads: ConnectorRead[];
  mail: boolean;
  /** The keys of the connector's action contracts. */
  actions: string[];
  /** Actions of both versions whose contracts differ. */
  changed_actions: string[];
}

export interface ConnectorReason {
  /** The code to branch on. */
  code: ConnectorReasonCode;
  /** The file with the problem. */
  path: string | null;
  /** A description of the problem. */
  message: string;
}

export interface ConnectorRun {
  /** An id that begins with `crun_`. */
  id: string;
  object: "connector_run";
  connector: string;
  version: string;
  /** The part of the connector that was called. */
  hook: ConnectorRunHook;
  /** The handler, provider or action. Empty if the hook has no names. */
  name: string;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** `threw`: the code threw an error. `deadline`, `memory`, `crashed`, `protocol`: the process was ended. `start`, `unavailable`: the run did not begin. `skipped`: the run would have caused a loop. `refused`: the webhook had no valid signature. */
  outcome: ConnectorRunOutcome;
  error: string | null;
  duration_ms: number;
  /** The first 100 requests of the connector to the service. */
  services: ConnectorServiceCall[];
  /** The log of the connector, at most 32 KiB. */
  log: ConnectorLogLine[];
  /** RFC 3339, in UTC, with milliseconds. */
  started_at: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface ConnectorRunList {
  object: "list";
  data: ConnectorRun[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ConnectorScan {
  object: "connector_scan";
  /** The number of folders that contain a valid connector. */
  verified: number;
  /** The number of folders that are refused. The list of connectors contains the reasons. */
  refused: number;
  /** The number of enabled connectors that were stopped because no trusted key signs them any longer. */
  quarantined: number;
}

export interface ConnectorServiceCall {
  /** The name of the service function, such as `http`, `fire` or `kv.set`. */
  service: string;
  duration_ms: number;
  error: ConnectorServiceCallError | null;
  /** The host of an `http` request. Paths and bodies are not stored. */
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
  /** The message of the connector. */
  message: string;
}

/** The version in the folder, if it differs from the pinned one. */
export interface ConnectorUpdate {
  /** The version number that the author chose. */
  version: string;
  /** Hex SHA-256 of MANIFEST.json, which identifies a version exactly. */
  digest: string;
  /** Whether the version is older than the pinned one. Such an update requires `allow_downgrade`. */
  downgrade: boolean;
  adds: ConnectorWidening;
}

export interface ConnectorWebhook {
  /** An id that begins with `cwh_`. */
  id: string;
  object: "connector_webhook";
  /** `duplicate`: the webhook was already stored, and has no second effect. */
  status: ConnectorWebhookStatus;
}

/** Rights of this version that the pinned version does not have. */
export interface ConnectorWidening {
  /** The hosts that the connector may call. `settings.<name>` is the host of that setting. */
  egress: string[];
  /** The event types that the connector subscribes to. `*` means all event types. */
  events: string[];
  /** The event types that the connector may fire. */
  fires: string[];
  /** The data of the workspace that the connector may read. */
  reads: ConnectorRead[];
  mail: boolean;
  /** The keys of the connector's action contracts. */
  actions: string[];
  /** Actions of both versions whose contracts differ. */
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
  /** The number of tickets that are not resolved or closed. */
  tickets_open: number;
  /** RFC 3339, in UTC, with milliseconds. */
  last_activity_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
  object: "contact";
}

export interface ContactChange {
  /** Case-insensitive: compared and stored case-folded. */
  email?: string | undefined;
  name?: string | null | undefined;
  /** The stage of the person, such as lead, trial, customer or churned. Any word is accepted. */
  lifecycle_stage?: string | null | undefined;
  score?: number | undefined;
  tags?: string[] | undefined;
  external_ids?: string[] | undefined;
  /** All other e-mail addresses of the contact. The list replaces the current one. */
  email_aliases?: string[] | undefined;
}

/** A person became known, as a lead or as anything else, with or without an account. */
export interface ContactCreatedData {
  /** The customer concerned */
  customer: ContactCreatedDataCustomer;
  /** The company */
  company?: ContactCreatedDataCompany | undefined;
  /** Where the person came from */
  source?: string | undefined;
  /** Time at which this happened */
  created_at?: string | undefined;
  [member: string]: unknown;
}

/** The company */
export interface ContactCreatedDataCompany {
  /** Id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface ContactCreatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** All data that is stored about the person. */
export interface ContactExport {
  object: "contact_export";
  /** RFC 3339, in UTC, with milliseconds. */
  exported_at: string;
  contact: Contact;
  merged_ids: string[];
  activities: Activity[];
}

/** A contact moved to another lifecycle stage. `customer.lifecycle_stage` is the new stage. */
export interface ContactLifecycleChangedData {
  /** The customer concerned */
  customer: ContactLifecycleChangedDataCustomer;
  /** Previous stage, null for the first one */
  previous_stage?: string | null | undefined;
  /** Reason */
  reason?: string | undefined;
  /** Time at which this happened */
  changed_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface ContactLifecycleChangedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface ContactList {
  object: "list";
  data: Contact[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ContactMerge {
  /** An id that begins with `con_`. */
  into: string;
}

/** The data of a contact changed. */
export interface ContactUpdatedData {
  /** The customer concerned */
  customer: ContactUpdatedDataCustomer;
  /** The company */
  company?: ContactUpdatedDataCompany | undefined;
  /** Names of the changed fields */
  changed?: string[] | undefined;
  [member: string]: unknown;
}

/** The company */
export interface ContactUpdatedDataCompany {
  /** Id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface ContactUpdatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface CreateResetLinkBody {
  /** Whether the link also removes all second factors. Default: false. */
  clear_totp?: boolean | undefined;
}

/** A deal was opened in the CRM. */
export interface CrmDealCreatedData {
  /** The deal as it is after the event */
  deal: CrmDealCreatedDataDeal;
  /** The customer concerned */
  customer?: CrmDealCreatedDataCustomer | undefined;
  /** The company */
  company?: CrmDealCreatedDataCompany | undefined;
  /** Owner of the deal */
  owner?: CrmDealCreatedDataOwner | undefined;
  [member: string]: unknown;
}

/** The company */
export interface CrmDealCreatedDataCompany {
  /** Id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CrmDealCreatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The deal as it is after the event */
export interface CrmDealCreatedDataDeal {
  /** Id in your system */
  external_id: string;
  /** Name */
  name?: string | undefined;
  /** Pipeline of the deal */
  pipeline?: string | undefined;
  /** Stage of the deal */
  stage?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Expected or agreed value, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Probability of winning, from 0 to 1 */
  probability?: number | undefined;
  /** Expected closing date, null when unknown */
  close_on?: string | null | undefined;
  [member: string]: unknown;
}

/** Owner of the deal */
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
  /** The customer concerned */
  customer?: CrmDealLostDataCustomer | undefined;
  /** The company */
  company?: CrmDealLostDataCompany | undefined;
  /** Owner of the deal */
  owner?: CrmDealLostDataOwner | undefined;
  /** Reason */
  reason?: string | undefined;
  /** The competitor that won the deal, or null */
  competitor?: string | null | undefined;
  /** Whether another attempt is worthwhile */
  recoverable?: boolean | undefined;
  /** Time at which this happened */
  lost_at?: string | undefined;
  [member: string]: unknown;
}

/** The company */
export interface CrmDealLostDataCompany {
  /** Id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CrmDealLostDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The deal as it is after the event */
export interface CrmDealLostDataDeal {
  /** Id in your system */
  external_id: string;
  /** Name */
  name?: string | undefined;
  /** Pipeline of the deal */
  pipeline?: string | undefined;
  /** Stage of the deal */
  stage?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Expected or agreed value, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Probability of winning, from 0 to 1 */
  probability?: number | undefined;
  /** Expected closing date, null when unknown */
  close_on?: string | null | undefined;
  [member: string]: unknown;
}

/** Owner of the deal */
export interface CrmDealLostDataOwner {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** A deal moved to another stage of its pipeline. `deal.stage` is the new stage. */
export interface CrmDealStageChangedData {
  /** The deal as it is after the event */
  deal: CrmDealStageChangedDataDeal;
  /** The customer concerned */
  customer?: CrmDealStageChangedDataCustomer | undefined;
  /** The company */
  company?: CrmDealStageChangedDataCompany | undefined;
  /** Owner of the deal */
  owner?: CrmDealStageChangedDataOwner | undefined;
  /** Previous stage */
  previous_stage?: string | undefined;
  /** Time at which this happened */
  changed_at?: string | undefined;
  [member: string]: unknown;
}

/** The company */
export interface CrmDealStageChangedDataCompany {
  /** Id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CrmDealStageChangedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The deal as it is after the event */
export interface CrmDealStageChangedDataDeal {
  /** Id in your system */
  external_id: string;
  /** Name */
  name?: string | undefined;
  /** Pipeline of the deal */
  pipeline?: string | undefined;
  /** Stage of the deal */
  stage?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Expected or agreed value, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Probability of winning, from 0 to 1 */
  probability?: number | undefined;
  /** Expected closing date, null when unknown */
  close_on?: string | null | undefined;
  [member: string]: unknown;
}

/** Owner of the deal */
export interface CrmDealStageChangedDataOwner {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** A deal was closed successfully. */
export interface CrmDealWonData {
  /** The deal as it is after the event */
  deal: CrmDealWonDataDeal;
  /** The customer concerned */
  customer?: CrmDealWonDataCustomer | undefined;
  /** The company */
  company?: CrmDealWonDataCompany | undefined;
  /** Owner of the deal */
  owner?: CrmDealWonDataOwner | undefined;
  /** Days from opening to closing */
  days_open?: number | undefined;
  /** Time at which this happened */
  won_at?: string | undefined;
  [member: string]: unknown;
}

/** The company */
export interface CrmDealWonDataCompany {
  /** Id in your system */
  external_id?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** Web domain */
  domain?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CrmDealWonDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The deal as it is after the event */
export interface CrmDealWonDataDeal {
  /** Id in your system */
  external_id: string;
  /** Name */
  name?: string | undefined;
  /** Pipeline of the deal */
  pipeline?: string | undefined;
  /** Stage of the deal */
  stage?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Expected or agreed value, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Probability of winning, from 0 to 1 */
  probability?: number | undefined;
  /** Expected closing date, null when unknown */
  close_on?: string | null | undefined;
  [member: string]: unknown;
}

/** Owner of the deal */
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
  /** The customer concerned */
  customer?: CsatReceivedDataCustomer | undefined;
  /** Time at which this happened */
  received_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CsatReceivedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The rating */
export interface CsatReceivedDataRating {
  /** Score that the customer gave */
  score: number;
  /** Highest possible score */
  max_score?: number | undefined;
  /** Comment of the customer, null without one */
  comment?: string | null | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface CsatReceivedDataTicket {
  /** Id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Status, such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Priority, such as low, normal, high or urgent */
  priority?: string | undefined;
  /** Email address or name of the assignee, or null */
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
  /** The number of tickets that are not resolved or closed. */
  tickets_open: number;
  /** RFC 3339, in UTC, with milliseconds. */
  last_activity_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
  object: "customer";
  /** Data of connectors about the customer: `context.<connector>.<provider>`. If a connector does not respond within 800 ms or fails, its place contains `{error: {code, message}}`. */
  context: { [member: string]: unknown };
}

export interface CustomerChange {
  /** Case-insensitive: compared and stored case-folded. */
  email?: string | undefined;
  name?: string | null | undefined;
  /** The stage of the person, such as lead, trial, customer or churned. Any word is accepted. */
  lifecycle_stage?: string | null | undefined;
  score?: number | undefined;
  tags?: string[] | undefined;
}

/** A customer's account was removed. */
export interface CustomerDeletedData {
  /** The customer concerned */
  customer: CustomerDeletedDataCustomer;
  /** Reason */
  reason?: string | undefined;
  /** Time at which this happened */
  deleted_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CustomerDeletedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface CustomerList {
  object: "list";
  data: Customer[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
  /** The connectors that were queried. If one failed, its data may be missing. */
  connectors?: AskedConnector[];
}

/** An account was created. */
export interface CustomerSignedUpData {
  /** The customer concerned */
  customer: CustomerSignedUpDataCustomer;
  /** Chosen plan */
  plan?: string | undefined;
  /** Where the person came from */
  source?: string | undefined;
  /** Time at which this happened */
  signed_up_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CustomerSignedUpDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The name, e-mail address, stage or another field of a customer changed. */
export interface CustomerUpdatedData {
  /** The customer concerned */
  customer: CustomerUpdatedDataCustomer;
  /** Names of the changed fields */
  changed?: string[] | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface CustomerUpdatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface Delivery {
  /** An id that begins with `dlv_`. */
  id: string;
  object: "delivery";
  /** The name of the event. */
  event: string;
  /** An id that begins with `evt_`. */
  event_id: string;
  /** An id that begins with `ep_`. */
  endpoint_id: string;
  /** Filtered: the transformation of the endpoint returned null. */
  state: DeliveryState;
  /** Green: delivered. Amber: retrying. Red: failed. Null before the first attempt, and when cancelled or filtered. */
  light: DeliveryLight | null;
  attempt_count: number;
  /** RFC 3339, in UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** An id that begins with `dlv_`. */
  blocked_by: string | null;
  /** The key by which the order of the endpoint is kept, as JSON text with strings unescaped. Null: the delivery is not ordered. */
  ordering_key: string | null;
  /** The number among the deliveries with the same key, from 1. Null until the delivery has its place. */
  sequence: number | null;
  last_status_code: number | null;
  /** The kind of error. Null if there was no error. `too_expensive`: the endpoint's filter takes too long for the data of the event, so nothing was sent. `auth`: the service could not sign in to the receiver, so nothing was sent. `proxy`: the egress proxy of the installation failed; the attempt is postponed. `broker`: the broker could not be reached, refused the message, or did not confirm it; the detail begins with the step that failed. */
  last_error_class: DeliveryLastErrorClass | null;
  /** RFC 3339, in UTC, with milliseconds. */
  completed_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface DeliveryDetail {
  /** An id that begins with `dlv_`. */
  id: string;
  object: "delivery";
  /** The name of the event. */
  event: string;
  /** An id that begins with `evt_`. */
  event_id: string;
  /** An id that begins with `ep_`. */
  endpoint_id: string;
  /** Filtered: the transformation of the endpoint returned null. */
  state: DeliveryState;
  /** Green: delivered. Amber: retrying. Red: failed. Null before the first attempt, and when cancelled or filtered. */
  light: DeliveryLight | null;
  attempt_count: number;
  /** RFC 3339, in UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** An id that begins with `dlv_`. */
  blocked_by: string | null;
  /** The key by which the order of the endpoint is kept, as JSON text with strings unescaped. Null: the delivery is not ordered. */
  ordering_key: string | null;
  /** The number among the deliveries with the same key, from 1. Null until the delivery has its place. */
  sequence: number | null;
  last_status_code: number | null;
  /** The kind of error. Null if there was no error. `too_expensive`: the endpoint's filter takes too long for the data of the event, so nothing was sent. `auth`: the service could not sign in to the receiver, so nothing was sent. `proxy`: the egress proxy of the installation failed; the attempt is postponed. `broker`: the broker could not be reached, refused the message, or did not confirm it; the detail begins with the step that failed. */
  last_error_class: DeliveryLastErrorClass | null;
  /** RFC 3339, in UTC, with milliseconds. */
  completed_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  request: DeliveryDetailRequest | null;
  transform: DeliveryDetailTransform | null;
  /** The waits of the retry schedule. If the attempt after the last wait fails, the delivery is marked as failed. */
  ladder_seconds: number[];
}

export interface DeliveryDetailRequest {
  method: TransformMethod;
  url: string;
  /** The headers as they are sent, without the values of secrets. */
  headers: { [member: string]: string };
  /** The exact bytes, as text. */
  body: string;
}

export interface DeliveryDetailTransform {
  /** The version of the transformation that ran. */
  version: number;
  /** What the transformation read, as JSON text. `request` is what it made of it. */
  before: string;
  /** What it reported, such as paths without a value. */
  log: string[];
}

export interface DeliveryList {
  object: "list";
  data: Delivery[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
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
  /** The customer concerned */
  customer?: DisputeOpenedDataCustomer | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface DisputeOpenedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The dispute */
export interface DisputeOpenedDataDispute {
  /** Id in your system */
  external_id: string;
  /** Reason that the bank gave */
  reason?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Disputed amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Deadline for evidence */
  evidence_due_at?: string | undefined;
  [member: string]: unknown;
}

/** The payment as it is after the event */
export interface DisputeOpenedDataPayment {
  /** Id in your system */
  external_id: string;
  /** Status, such as pending, completed, failed or refunded */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Payment method, such as card, sepa_debit or bank_transfer */
  method?: string | undefined;
  /** The invoice that was paid, null without one */
  invoice_external_id?: string | null | undefined;
  /** The order that was paid, null without one */
  order_external_id?: string | null | undefined;
  [member: string]: unknown;
}

export interface EnableConnectorBody {
  /** The settings by name, as defined in `settings_schema`. Settings that are omitted keep their values. Null removes a value. */
  settings?: object | undefined;
  /** The version to run. Default: the pinned version, or, the first time in an environment, the version in the folder. To enable an update, send `update.digest`. */
  digest?: string | undefined;
  /** Whether the version may be older than the pinned one. Default: false. */
  allow_downgrade?: boolean | undefined;
}

/** The certificate with which the service signs in to an endpoint's receiver expires within 30 days. */
export interface EndpointCertificateExpiringData {
  /** The endpoint */
  endpoint_id: string;
  /** URL of the endpoint */
  url?: string | undefined;
  /** End of the certificate's validity */
  expires_at: string;
  [member: string]: unknown;
}

export interface EndpointCheck {
  /** `active`: the endpoint is active. `tenant`: the event is of the endpoint's tenant, or the endpoint has none. `events`: it subscribes to the event, which is not about the endpoint itself. `version`: `event_versions` allows the version of its type; an event that is given with its data is taken to have that version. `channels`: the event has one of the endpoint's channels; only for an endpoint with channels. `filter`: the filter holds, or there is none. */
  check: EndpointCheckCheck;
  matched: boolean;
  /** The filter takes too long for the data of the event. A delivery would fail with this `error_class`. */
  reason?: "too_expensive";
  /** The result of each leaf of the filter. */
  leaves?: RuleLeaf[];
}

export interface EndpointExplanation {
  /** Whether the endpoint would get the event: whether every check matched. */
  matched: boolean;
  checks: EndpointCheck[];
  /** The waits of the endpoint's retry schedule, in seconds. */
  ladder_seconds: number[];
}

export interface EndpointHour {
  /** RFC 3339, in UTC, with milliseconds. */
  hour: string;
  delivered: number;
  failed: number;
}

/** An event with its data, or the `event_id` of a past or scheduled event. */
export interface EndpointQuestion {
  event?: string | undefined;
  data?: object | undefined;
  /** The tenant of the given event. Default: none. */
  tenant?: string | undefined;
  /** An endpoint that has channels gets only the events that share one with it. */
  channels?: string[] | undefined;
  /** An id that begins with `evt_`. */
  event_id?: string | undefined;
}

export interface Event {
  /** An id that begins with `evt_`. */
  id: string;
  object: "event";
  /** The name of a canonical or custom event type. */
  event: string;
  /** Whether the event type is one of the 52 canonical ones. */
  canonical: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  occurred_at: string;
  subject: string | null;
  /** Your customer that the event concerns. Null: none. */
  tenant: string | null;
  /** `accepted`: the event was fired. */
  status: EventStatus;
  /** When the event is fired. Only in events that are scheduled or were cancelled. */
  deliver_at?: string;
  /** The version of the event type. Null if it had no type. */
  version: number | null;
  /** Your own id of the event, unique for each tenant. */
  uid: string | null;
  /** An endpoint that has channels gets only the events that share one with it. */
  channels: string[];
  /** Your own values, which the service keeps and returns. */
  metadata: { [member: string]: string };
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** How the data differs from the schema of its type, if that is enforced with `warn`. At most 20. */
  schema_errors: SchemaError[];
  /** The data, which receivers get byte for byte. */
  data: { [member: string]: unknown };
}

/** A delivery as shown in the delivery log. */
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
  /** The name of a canonical or custom event type. */
  event: string;
  /** Whether the event type is one of the 52 canonical ones. */
  canonical: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  occurred_at: string;
  subject: string | null;
  /** Your customer that the event concerns. Null: none. */
  tenant: string | null;
  /** `accepted`: the event was fired. */
  status: EventStatus;
  /** When the event is fired. Only in events that are scheduled or were cancelled. */
  deliver_at?: string;
  /** The version of the event type. Null if it had no type. */
  version: number | null;
  /** Your own id of the event, unique for each tenant. */
  uid: string | null;
  /** An endpoint that has channels gets only the events that share one with it. */
  channels: string[];
  /** Your own values, which the service keeps and returns. */
  metadata: { [member: string]: string };
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** How the data differs from the schema of its type, if that is enforced with `warn`. At most 20. */
  schema_errors: SchemaError[];
  stages: Stage[];
  deliveries: EventDelivery[];
  /** The data, which receivers get byte for byte. */
  data: { [member: string]: unknown };
}

export interface EventList {
  object: "list";
  data: Event[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface EventType {
  object: "event_type";
  name: string;
  /** The domain of a canonical event; otherwise `system` or `custom`. */
  domain: string;
  title: string;
  description: string;
  /** `canonical`: from the catalog. `custom`: your own. `system`: fired by the service. */
  origin: EventTypeOrigin;
  canonical: boolean;
  system: boolean;
  /** What happens to data that does not match the schema: `off`: nothing. `warn`: the event shows `schema_errors`. `refuse`: the call is refused with 422 `event_data_invalid`; events that sources, rules, workflows, connectors and schedules fire are never refused, and act as with `warn`. */
  enforcement: EventTypeEnforcement;
  /** `public`: your customers see the type in the portal, and can subscribe to it there. Your own types are public at first. A canonical type is public while you fire it, until you choose: that is, in this environment and in the last 30 days. System events are always `private`. */
  visibility: EventTypeVisibility;
  /** The current version. */
  version: number;
  /** RFC 3339, in UTC, with milliseconds. */
  deprecated_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  archived_at: string | null;
  /** The beginning of the last hour in which the event occurred in the caller's environment. Null if that is more than 7 days ago. */
  last_seen_at: string | null;
  violations_24h: SchemaViolations;
  /** The JSON Schema (2020-12) of `data`. Canonical types use the dialect of OpenAPI 3.0.3. Null: any data. */
  schema: { [member: string]: unknown } | null;
  /** The data, which receivers get byte for byte. */
  example: { [member: string]: unknown } | null;
  /** Examples of `data`. */
  examples: { [member: string]: unknown }[];
}

export interface EventTypeChanges {
  object: "event_type_changes";
  dry_run: boolean;
  /** The types that are created, or taken out of the archive. */
  create: string[];
  /** The types that change. */
  update: string[];
  /** The types that are archived. */
  archive: string[];
  /** Only with `dry_run`; otherwise the call is refused with 409 `schema_incompatible`. */
  incompatible: IncompatibleEventType[];
}

export interface EventTypeDetail {
  object: "event_type";
  name: string;
  /** The domain of a canonical event; otherwise `system` or `custom`. */
  domain: string;
  title: string;
  description: string;
  /** `canonical`: from the catalog. `custom`: your own. `system`: fired by the service. */
  origin: EventTypeOrigin;
  canonical: boolean;
  system: boolean;
  /** What happens to data that does not match the schema: `off`: nothing. `warn`: the event shows `schema_errors`. `refuse`: the call is refused with 422 `event_data_invalid`; events that sources, rules, workflows, connectors and schedules fire are never refused, and act as with `warn`. */
  enforcement: EventTypeEnforcement;
  /** `public`: your customers see the type in the portal, and can subscribe to it there. Your own types are public at first. A canonical type is public while you fire it, until you choose: that is, in this environment and in the last 30 days. System events are always `private`. */
  visibility: EventTypeVisibility;
  /** The current version. */
  version: number;
  /** RFC 3339, in UTC, with milliseconds. */
  deprecated_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  archived_at: string | null;
  /** The beginning of the last hour in which the event occurred in the caller's environment. Null if that is more than 7 days ago. */
  last_seen_at: string | null;
  violations_24h: SchemaViolations;
  /** The JSON Schema (2020-12) of `data`. Canonical types use the dialect of OpenAPI 3.0.3. Null: any data. */
  schema: { [member: string]: unknown } | null;
  /** The data, which receivers get byte for byte. */
  example: { [member: string]: unknown } | null;
  /** Examples of `data`. */
  examples: { [member: string]: unknown }[];
  /** The subscribers that would react now, in order. */
  reacts: SubscriberRef[];
  /** The last event of this type among the newest 1000 events of the environment, with its secrets redacted. */
  sample: EventTypeDetailSample | null;
}

/** The last event of this type among the newest 1000 events of the environment, with its secrets redacted. */
export interface EventTypeDetailSample {
  /** An id that begins with `evt_`. */
  event_id: string;
  /** The data, which receivers get byte for byte. */
  data: { [member: string]: unknown };
}

export interface EventTypeList {
  object: "list";
  data: EventType[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface EventTypeOfSet {
  /** The name of the events. */
  name: string;
  /** The version that the type is to have. One above its current version makes a new version. Default: the current version. */
  version?: number | undefined;
  /** A short title. */
  title?: string | undefined;
  /** Says when the event is fired. */
  description?: string | undefined;
  /** What happens to data that does not match the schema: `off`: nothing. `warn`: the event shows `schema_errors`. `refuse`: the call is refused with 422 `event_data_invalid`; events that sources, rules, workflows, connectors and schedules fire are never refused, and act as with `warn`. */
  enforcement?: EventTypeEnforcement | undefined;
  /** `public`: your customers see the type in the portal, and can subscribe to it there. Your own types are public at first. A canonical type is public while you fire it, until you choose: that is, in this environment and in the last 30 days. System events are always `private`. */
  visibility?: EventTypeVisibility | undefined;
  /** Whether receivers should stop using the event type. */
  deprecated?: boolean | undefined;
  /** A JSON Schema (2020-12) of `data`: at most 64 KiB and 32 schemas deep, with references within the schema only and without cycles. Patterns have the syntax of RE2. */
  schema?: object | null | undefined;
  /** Examples of `data`. */
  examples?: object[] | undefined;
}

export interface EventTypePatch {
  /** A short title. */
  title?: string | undefined;
  /** Says when the event is fired. */
  description?: string | undefined;
  /** What happens to data that does not match the schema: `off`: nothing. `warn`: the event shows `schema_errors`. `refuse`: the call is refused with 422 `event_data_invalid`; events that sources, rules, workflows, connectors and schedules fire are never refused, and act as with `warn`. */
  enforcement?: EventTypeEnforcement | undefined;
  /** `public`: your customers see the type in the portal, and can subscribe to it there. Your own types are public at first. A canonical type is public while you fire it, until you choose: that is, in this environment and in the last 30 days. System events are always `private`. */
  visibility?: EventTypeVisibility | undefined;
  /** Whether receivers should stop using the event type. */
  deprecated?: boolean | undefined;
  /** A JSON Schema (2020-12) of `data`: at most 64 KiB and 32 schemas deep, with references within the schema only and without cycles. Patterns have the syntax of RE2. */
  schema?: object | null | undefined;
  /** Examples of `data`. */
  examples?: object[] | undefined;
}

export interface EventTypeSet {
  types: EventTypeOfSet[];
  /** Whether to archive your own types that are not in the set. Default: false. */
  prune?: boolean | undefined;
  /** Whether to only return the changes. Default: false. */
  dry_run?: boolean | undefined;
}

export interface EventTypeVersion {
  object: "event_type_version";
  name: string;
  version: number;
  /** Whether it is the current version. */
  current: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The JSON Schema (2020-12) of `data`. Canonical types use the dialect of OpenAPI 3.0.3. Null: any data. */
  schema: { [member: string]: unknown } | null;
  /** Examples of `data`. */
  examples: { [member: string]: unknown }[];
}

export interface EventTypeVersionList {
  object: "list";
  data: EventTypeVersion[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface EventUsage {
  object: "event_usage";
  /** The name of the event type. `(other)` stands for the event types beyond 500 different ones in an hour. */
  event: string;
  /** The number of occurrences. */
  count: number;
  /** RFC 3339, in UTC, with milliseconds. */
  last_hour: string;
}

export interface EventUsageList {
  object: "list";
  data: EventUsage[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ExtractedFields {
  contact_email: string | null;
  contact_name: string | null;
  event_type: string | null;
  idempotency_key: string | null;
  /** The exact value with all of its digits, in major units. */
  value: number | null;
  currency: string | null;
  summary: string | null;
  score_delta: number;
  warnings: MappingWarning[];
}

export interface FailedReplay {
  /** Deliveries created at or after this time. RFC 3339, with a zone. */
  since: string | Date;
  /** Deliveries created before this time. RFC 3339, with a zone. */
  until: string | Date;
  /** Whether pending deliveries whose retry waits are sent now too. Their schedule continues from there. Default: false. */
  include_pending?: boolean | undefined;
  /** Whether to only count the deliveries. */
  dry_run?: boolean | undefined;
  /** Whether the transformation of the endpoint runs again. Otherwise, the same bytes are sent again. Default: false. */
  retransform?: boolean | undefined;
}

/** Endpoints whose attempts fail, or that the service deactivated because of failures. */
export interface FailingEndpoints {
  count: number;
  /** At most 10 endpoints. The endpoints that have been failing the longest come first. */
  ids: string[];
}

export interface FilterPreview {
  /** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
  filter: FilterPreviewFilter | null;
}

/** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
export interface FilterPreviewFilter {
  /** True if every node is true. */
  all?: object[] | undefined;
  /** True if at least one node is true. */
  any?: object[] | undefined;
  /** True if no node is true. */
  not?: object[] | undefined;
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string | undefined;
  op?: RuleLeafOp | undefined;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
  [member: string]: unknown;
}

export interface FilterPreviewResult {
  /** The number of events that were read: at most the last 100. */
  examined: number;
  /** The number of these events that the endpoint subscribes to. */
  subscribed: number;
  /** The number of events that the endpoint would have got with the filter. */
  matched: number;
  /** The number of events for whose data the filter takes too long. Their deliveries would fail. */
  too_expensive: number;
  /** The events that it would have got, newest first. */
  events: FilteredEvent[];
}

export interface FilteredEvent {
  /** An id that begins with `evt_`. */
  id: string;
  event: string;
  /** RFC 3339, in UTC, with milliseconds. */
  occurred_at: string;
}

export interface FiredEvent {
  /** An id that begins with `evt_`. */
  id: string;
  object: "event";
  /** The name of a canonical or custom event type. */
  event: string;
  /** Whether the event type is one of the 52 canonical ones. */
  canonical: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  occurred_at: string;
  /** The tenant of the event, if it has one. */
  tenant?: string;
  /** `scheduled`: the event is fired at `deliver_at`. */
  status: FiredEventStatus;
  /** When the event is fired. Only in events that are scheduled or were cancelled. */
  deliver_at?: string;
  /** The subscribers that react, in order. */
  subscribers: SubscriberRef[];
  /** At most 1000 deliveries. The delivery log contains all of them. */
  deliveries: DeliveryRef[];
  /** The number of deliveries that this response does not list. */
  deliveries_omitted?: number;
  /** How the data differs from the schema of its type, if that is enforced with `warn`. At most 20. */
  schema_errors?: SchemaError[];
}

export interface FiredEvents {
  object: "list";
  data: FiredEvent[];
}

/** A request with which the sender checks the URL. The service answers it, and fires nothing. */
export interface Handshake {
  /** The method of the request. GET and HEAD include each other. */
  method: HandshakeMethod;
  when: HandshakeConditions;
  /** Whether the sender signs this request as its events. Only a POST can be signed. */
  signed: boolean;
  hmac?: HandshakeSignature | undefined;
  answer: HandshakeAnswer;
}

export interface HandshakeAnswer {
  status: number;
  content_type: HandshakeAnswerContentType;
  /** {query:name}, {header:Name} and {body:$.path} are values of the request. */
  body: string;
  /** Headers whose names begin with WebHook-Allowed-. {query:name}, {header:Name} and {body:$.path} are values of the request. A header without a value is left out. */
  headers?: { [member: string]: string } | undefined;
}

/** The parts that the request has. Of an unsigned request, at most the first 4 KiB of a JSON object or a form are read. */
export interface HandshakeConditions {
  /** The parameters that the URL contains. */
  query?: string[] | undefined;
  /** The headers that the request has. */
  header?: string[] | undefined;
  /** The texts, numbers and Booleans of the body by path. With null, any value. */
  body?: { [member: string]: unknown } | undefined;
}

/** A signature that the answer contains as {hmac}. */
export interface HandshakeSignature {
  /** The value that is signed with the source's secret: one of {query:name}, {header:Name} and {body:$.path}. */
  of: string;
  algorithm: "sha256";
  encoding: HandshakeSignatureEncoding;
}

export interface HttpCall {
  /** An id that begins with `call_`. */
  id: string;
  object: "http_call";
  /** An id that begins with `rule_`. */
  rule_id: string | null;
  /** An id that begins with `wf_`. */
  workflow_id: string | null;
  /** The name of the rule or workflow. */
  owner_name: string;
  /** The run of the rule or workflow. */
  run_id: string;
  /** The step of the workflow, or the position of the rule's action. */
  step: string;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** An id that begins with `call_`. */
  replay_of: string | null;
  /** `waiting`: it is sent, or sent again later. */
  state: HttpCallState;
  attempts: number;
  max_attempts: number;
  status_code: number | null;
  error_class: string | null;
  error: string | null;
  duration_ms: number | null;
  /** RFC 3339, in UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  request: HttpCallRequest;
  /** The response of the last try, without secrets. */
  response: HttpCallResponse | null;
}

export interface HttpCallList {
  object: "list";
  data: HttpCall[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** The request as it is sent. */
export interface HttpCallRequest {
  method: string;
  url: string;
  /** All headers that are sent. Credentials are replaced. */
  headers: { [member: string]: string };
  body: string | null;
  auth: HttpCallRequestAuth | null;
}

export interface HttpCallRequestAuth {
  type: HttpCallRequestAuthType;
  /** The name of the secret. See `PUT /v1/secrets/{name}`. */
  secret_ref: string;
  /** The place of an API key. Default: `header`. */
  in?: HttpCallRequestAuthIn;
  /** The header or query parameter of an API key. */
  name?: string;
  /** The earlier spelling of `name`. */
  header?: string;
  token_url?: string;
  client_id?: string;
  scope?: string;
}

/** The response of the last try, without secrets. */
export interface HttpCallResponse {
  status: number | null;
  headers: { [member: string]: string };
  /** The JSON body; null for any other. */
  body: unknown;
  /** The body, if it is not JSON. */
  text: string | null;
  /** Whether the body was longer than 64 KiB or did not end in time. */
  truncated: boolean;
}

export interface HttpCallTest {
  /** The call, with the members of an `http` action or step. */
  request: object;
  event?: string | undefined;
  /** The data of the event. */
  data?: object | undefined;
  /** The contact, as `GET /v1/contacts/{id}` returns it. */
  contact?: object | undefined;
  /** The input of a workflow's run. */
  input?: object | undefined;
  /** The outputs of previous steps by their ids. */
  steps?: object | undefined;
  /** Shows the request and sends nothing. Default: false. */
  dry_run?: boolean | undefined;
}

export interface HttpCallTestResult {
  object: "http_call_test";
  request: HttpCallRequest;
  sent: boolean;
  /** Whether the response meets `success_when`. */
  succeeded: boolean | null;
  /** The response of the last try, without secrets. */
  response: HttpCallTestResultResponse | null;
  error_class: string | null;
  error: string | null;
  duration_ms: number | null;
  /** The secret that signed this test, if the call is signed. It signs nothing else. */
  secret?: string;
}

/** The response of the last try, without secrets. */
export interface HttpCallTestResultResponse {
  status: number | null;
  headers: { [member: string]: string };
  /** The JSON body; null for any other. */
  body: unknown;
  /** The body, if it is not JSON. */
  text: string | null;
  /** Whether the body was longer than 64 KiB or did not end in time. */
  truncated: boolean;
}

export interface Import {
  /** The product that the objects come from. */
  source: ImportSource;
  /** Whether to only show what would change. */
  dry_run?: boolean | undefined;
  event_types?: ImportedEventType[] | undefined;
  applications?: ImportedApplication[] | undefined;
  endpoints?: ImportedEndpoint[] | undefined;
}

export interface ImportResult {
  object: "import";
  source: ImportSource;
  dry_run: boolean;
  /** The objects that are created. */
  create: ImportedObject[];
  /** The number of objects that exist already. */
  unchanged: number;
  /** The objects that cannot be created, and why. */
  left_out: LeftOutObject[];
}

export interface ImportedApplication {
  /** The id of the application in the other product. */
  ref: string;
  /** The name of the tenant. Null: the service chooses one. */
  uid?: string | null | undefined;
  name: string;
  /** Your own values, which the service keeps and returns. */
  metadata?: { [member: string]: string } | undefined;
  rate_limit_per_second?: number | null | undefined;
}

export interface ImportedEndpoint {
  /** The id of the endpoint in the other product. */
  ref: string;
  /** The id of the application in the other product. */
  application?: string | undefined;
  /** The tenant, if it has no `application`. Default: the workspace itself. */
  tenant?: string | undefined;
  url: string;
  events: string[];
  description?: string | undefined;
  active?: boolean | undefined;
  /** An endpoint that has channels gets only the events that share one with it. */
  channels?: string[] | undefined;
  /** Your own values, which the service keeps and returns. */
  metadata?: { [member: string]: string } | undefined;
  uid?: string | null | undefined;
  rate_limit_per_second?: number | null | undefined;
  headers?: { [member: string]: string } | undefined;
  /** The signing secret that its receiver knows. Default: a new one. */
  secret?: string | undefined;
  /** The form of its requests. Default: `svix`. */
  wire?: ImportedEndpointWire | undefined;
}

export interface ImportedEventType {
  /** The name of a canonical or custom event type. */
  name: string;
  description?: string | undefined;
  schema?: object | null | undefined;
  deprecated?: boolean | undefined;
}

export interface ImportedObject {
  kind: LeftOutObjectKind;
  /** The name of an event type, and the external id of everything else. */
  name: string;
}

export interface InboundEndpoint {
  /** An id that begins with `src_`. */
  id: string;
  object: "inbound_endpoint";
  name: string;
  description: string;
  preset: InboundEndpointPreset;
  /** The URL that the sender posts to. Its token identifies the source. */
  url: string;
  active: boolean;
  /** The sender that the source was created for. */
  sender: string | null;
  /** A named scheme; `sender` for that of its sender, and `custom` for a description of its own. */
  signature_scheme: InboundEndpointSignatureScheme;
  scheme: SignatureScheme;
  signature_header: string | null;
  /** The path to a list of at most 1000 events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates. */
  each: string | null;
  /** `required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact. */
  contact: InboundPresetContact;
  /** The header of the sender's event type. It takes precedence over event_type_path. */
  event_type_header: string | null;
  /** The header of the sender's id of the event. It takes precedence over the path. */
  idempotency_key_header: string | null;
  /** The contact's e-mail address. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_email_path: string | string[] | null;
  /** The sender's event type. Without it, every type is `event`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  event_type_path: string | string[] | null;
  /** The event type of a request whose header and path contain none. Without it, such a request is `unmapped`. */
  event_type_default: string | null;
  /** The sender's id of the event. A repeated id is a `duplicate`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  idempotency_key_path: string | string[] | null;
  /** The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body. */
  idempotency_key_template: string | null;
  /** The contact's name. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_name_path: string | string[] | null;
  /** An amount or another number. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  value_path: string | string[] | null;
  /** The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones. */
  value_unit: InboundPresetValueUnit;
  /** The currency of the amount, which determines the number of minor units in a major one. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  currency_path: string | string[] | null;
  /** A complete summary. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  summary_path: string | string[] | null;
  /** The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source. */
  summary_template: string | null;
  /** Whether an event with the same bytes is a duplicate. */
  dedupe_by_body: boolean;
  /** Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them. */
  dedupe_ignore: string[];
  score: InboundEndpointScore;
  event_name: string | null;
  /** Your customer that the source belongs to, by your own id: its events are of this tenant. It cannot be changed. */
  tenant: string | null;
  /** The response to accepted requests, for senders that need their own. */
  respond: InboundEndpointRespond | null;
  /** The character set of requests that name none, for senders of old forms. Default: UTF-8. A request's own `charset`, XML declaration or byte order mark takes precedence. */
  charset: string | null;
  /** The requests with which the sender checks the URL. Null: those of the source's sender. */
  handshakes: Handshake[] | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface InboundEndpointChange {
  name?: string | undefined;
  description?: string | undefined;
  /** Default: true. */
  active?: boolean | undefined;
  /** The signature scheme of the sender. X-Service-Inbound-Signature is also accepted. */
  signature_scheme?: InboundPresetSignatureScheme | undefined;
  scheme?: SignatureScheme | undefined;
  /** The response to accepted requests, for senders that need their own. */
  respond?: InboundEndpointChangeRespond | null | undefined;
  /** The character set of requests that name none, for senders of old forms. Default: UTF-8. A request's own `charset`, XML declaration or byte order mark takes precedence. */
  charset?: string | null | undefined;
  /** The requests with which the sender checks the URL. Null: those of the source's sender. */
  handshakes?: Handshake[] | null | undefined;
  /** Your customer that the source belongs to, by your own id: its events are of this tenant. It cannot be changed. */
  tenant?: string | null | undefined;
  /** The path to a list of at most 1000 events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates. */
  each?: string | null | undefined;
  /** `required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact. */
  contact?: InboundPresetContact | undefined;
  /** The header of the sender's event type. It takes precedence over event_type_path. */
  event_type_header?: string | null | undefined;
  /** The header of the sender's id of the event. It takes precedence over the path. */
  idempotency_key_header?: string | null | undefined;
  /** The contact's e-mail address. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_email_path?: string | string[] | null | undefined;
  /** The sender's event type. Without it, every type is `event`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  event_type_path?: string | string[] | null | undefined;
  /** The event type of a request whose header and path contain none. Without it, such a request is `unmapped`. */
  event_type_default?: string | null | undefined;
  /** The sender's id of the event. A repeated id is a `duplicate`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  idempotency_key_path?: string | string[] | null | undefined;
  /** The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body. */
  idempotency_key_template?: string | null | undefined;
  /** The contact's name. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_name_path?: string | string[] | null | undefined;
  /** An amount or another number. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  value_path?: string | string[] | null | undefined;
  /** The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones. */
  value_unit?: InboundPresetValueUnit | undefined;
  /** The currency of the amount, which determines the number of minor units in a major one. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  currency_path?: string | string[] | null | undefined;
  /** A complete summary. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  summary_path?: string | string[] | null | undefined;
  /** The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source. */
  summary_template?: string | null | undefined;
  /** Whether an event with the same bytes is a duplicate. */
  dedupe_by_body?: boolean | undefined;
  /** Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them. */
  dedupe_ignore?: string[] | undefined;
  score?: InboundEndpointChangeScore | undefined;
  /** The name of the event that is fired for each inbound event. Default: inbound.<type>. */
  event_name?: string | null | undefined;
}

/** The response to accepted requests, for senders that need their own. */
export interface InboundEndpointChangeRespond {
  status: number;
  content_type: SenderRespondContentType;
  body: string;
}

export interface InboundEndpointChangeScore {
  default?: number | undefined;
  by_event_type?: { [member: string]: number } | undefined;
  /** Additional points for each unit of the value. The sum is truncated to an integer. */
  per_value?: number | undefined;
}

export interface InboundEndpointList {
  object: "list";
  data: InboundEndpoint[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** The response to accepted requests, for senders that need their own. */
export interface InboundEndpointRespond {
  status: number;
  content_type: SenderRespondContentType;
  body: string;
}

export interface InboundEndpointScore {
  default: number;
  by_event_type: { [member: string]: number };
  /** Additional points for each unit of the value. The sum is truncated to an integer. */
  per_value: number;
}

export interface InboundEndpointWithSecret {
  /** An id that begins with `src_`. */
  id: string;
  object: "inbound_endpoint";
  name: string;
  description: string;
  preset: InboundEndpointPreset;
  /** The URL that the sender posts to. Its token identifies the source. */
  url: string;
  active: boolean;
  /** The sender that the source was created for. */
  sender: string | null;
  /** A named scheme; `sender` for that of its sender, and `custom` for a description of its own. */
  signature_scheme: InboundEndpointSignatureScheme;
  scheme: SignatureScheme;
  signature_header: string | null;
  /** The path to a list of at most 1000 events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates. */
  each: string | null;
  /** `required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact. */
  contact: InboundPresetContact;
  /** The header of the sender's event type. It takes precedence over event_type_path. */
  event_type_header: string | null;
  /** The header of the sender's id of the event. It takes precedence over the path. */
  idempotency_key_header: string | null;
  /** The contact's e-mail address. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_email_path: string | string[] | null;
  /** The sender's event type. Without it, every type is `event`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  event_type_path: string | string[] | null;
  /** The event type of a request whose header and path contain none. Without it, such a request is `unmapped`. */
  event_type_default: string | null;
  /** The sender's id of the event. A repeated id is a `duplicate`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  idempotency_key_path: string | string[] | null;
  /** The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body. */
  idempotency_key_template: string | null;
  /** The contact's name. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_name_path: string | string[] | null;
  /** An amount or another number. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  value_path: string | string[] | null;
  /** The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones. */
  value_unit: InboundPresetValueUnit;
  /** The currency of the amount, which determines the number of minor units in a major one. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  currency_path: string | string[] | null;
  /** A complete summary. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  summary_path: string | string[] | null;
  /** The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source. */
  summary_template: string | null;
  /** Whether an event with the same bytes is a duplicate. */
  dedupe_by_body: boolean;
  /** Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them. */
  dedupe_ignore: string[];
  score: InboundEndpointWithSecretScore;
  event_name: string | null;
  /** Your customer that the source belongs to, by your own id: its events are of this tenant. It cannot be changed. */
  tenant: string | null;
  /** The response to accepted requests, for senders that need their own. */
  respond: InboundEndpointWithSecretRespond | null;
  /** The character set of requests that name none, for senders of old forms. Default: UTF-8. A request's own `charset`, XML declaration or byte order mark takes precedence. */
  charset: string | null;
  /** The requests with which the sender checks the URL. Null: those of the source's sender. */
  handshakes: Handshake[] | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The secret, shown only in this response. */
  secret: string;
}

/** The response to accepted requests, for senders that need their own. */
export interface InboundEndpointWithSecretRespond {
  status: number;
  content_type: SenderRespondContentType;
  body: string;
}

export interface InboundEndpointWithSecretScore {
  default: number;
  by_event_type: { [member: string]: number };
  /** Additional points for each unit of the value. The sum is truncated to an integer. */
  per_value: number;
}

export interface InboundPreset {
  object: "inbound_preset";
  key: InboundPresetKey;
  name: string;
  description: string;
  signature_scheme: InboundPresetSignatureScheme;
  signature_header: string;
  /** The path to a list of at most 1000 events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates. */
  each: string | null;
  /** `required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact. */
  contact: InboundPresetContact;
  /** The header of the sender's event type. It takes precedence over event_type_path. */
  event_type_header: string | null;
  /** The header of the sender's id of the event. It takes precedence over the path. */
  idempotency_key_header: string | null;
  /** The contact's e-mail address. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_email_path: string | string[] | null;
  /** The sender's event type. Without it, every type is `event`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  event_type_path: string | string[] | null;
  /** The event type of a request whose header and path contain none. Without it, such a request is `unmapped`. */
  event_type_default: string | null;
  /** The sender's id of the event. A repeated id is a `duplicate`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  idempotency_key_path: string | string[] | null;
  /** The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body. */
  idempotency_key_template: string | null;
  /** The contact's name. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_name_path: string | string[] | null;
  /** An amount or another number. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  value_path: string | string[] | null;
  /** The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones. */
  value_unit: InboundPresetValueUnit;
  /** The currency of the amount, which determines the number of minor units in a major one. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  currency_path: string | string[] | null;
  /** A complete summary. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  summary_path: string | string[] | null;
  /** The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source. */
  summary_template: string | null;
  /** Whether an event with the same bytes is a duplicate. */
  dedupe_by_body: boolean;
  /** Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them. */
  dedupe_ignore: string[];
  score: InboundPresetScore;
}

export interface InboundPresetList {
  object: "list";
  data: InboundPreset[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface InboundPresetScore {
  default: number;
  by_event_type: { [member: string]: number };
  /** Additional points for each unit of the value. The sum is truncated to an integer. */
  per_value: number;
}

export interface InboundPreview {
  object: "inbound_preview";
  status: InboundPreviewStatus;
  /** A machine-readable reason, if the result is not `ok`. */
  reason_code: string | null;
  reason: string | null;
  /** The event that would be fired. */
  event: string | null;
  /** What decides whether the event is a duplicate: the sender's id of it, its body, or both if the sender does not sign the id. Empty if every request is new. */
  compared_by: InboundPreviewComparedByItem[];
  extracted: ExtractedFields;
  /** The elements of the list, in its order. Null without `each`. The values above are the first's. */
  items: InboundPreviewItem[] | null;
  /** How the body was read; what was not found out is null. Null if it was not read. */
  read: InboundPreviewRead | null;
  warnings: MappingWarning[];
  /** The body as JSON, as paths and the event see it. Null if it cannot be read. */
  payload: unknown;
}

export interface InboundPreviewItem {
  status: InboundPreviewStatus;
  /** A machine-readable reason, if the result is not `ok`. */
  reason_code: string | null;
  reason: string | null;
  event: string | null;
  /** What decides whether the event is a duplicate: the sender's id of it, its body, or both if the sender does not sign the id. Empty if every request is new. */
  compared_by: InboundPreviewComparedByItem[];
  extracted: ExtractedFields;
}

/** How the body was read; what was not found out is null. Null if it was not read. */
export interface InboundPreviewRead {
  /** The media type that was sent, without its parameters. */
  content_type: string | null;
  /** The `Content-Encoding` that was undone. */
  coding: string | null;
  /** The character set by which the body was read. */
  charset: string | null;
  /** What the body was read as. */
  kind: InboundPreviewReadKind | null;
}

export interface InboundReceipt {
  /** An id that begins with `rcp_`. */
  id: string;
  object: "inbound_receipt";
  /** An id that begins with `src_`. */
  source_id: string;
  /** The result of the request. */
  status: InboundReceiptStatus;
  /** A machine-readable reason, if the result is not `ok`. */
  reason_code: string | null;
  reason: string | null;
  /** Whether the signature was valid. */
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
  /** The results of the elements of a list, in its order. Null for a request that is one event. The ids above are those of a list with one element. */
  items: InboundReceiptItem[] | null;
  payload_bytes: number;
  /** How the body was read; what was not found out is null. Null if it was not read. */
  read: InboundReceiptRead | null;
  /** RFC 3339, in UTC, with milliseconds. */
  reprocessed_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  extracted: ReceiptFields;
}

export interface InboundReceiptDetail {
  /** An id that begins with `rcp_`. */
  id: string;
  object: "inbound_receipt";
  /** An id that begins with `src_`. */
  source_id: string;
  /** The result of the request. */
  status: InboundReceiptStatus;
  /** A machine-readable reason, if the result is not `ok`. */
  reason_code: string | null;
  reason: string | null;
  /** Whether the signature was valid. */
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
  /** The results of the elements of a list, in its order. Null for a request that is one event. The ids above are those of a list with one element. */
  items: InboundReceiptItem[] | null;
  payload_bytes: number;
  /** How the body was read; what was not found out is null. Null if it was not read. */
  read: InboundReceiptDetailRead | null;
  /** RFC 3339, in UTC, with milliseconds. */
  reprocessed_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  extracted: ReceiptFields;
  /** The headers of the request, without credentials. */
  headers: { [member: string]: string };
  raw_payload: string;
  raw_payload_encoding: InboundReceiptDetailRawPayloadEncoding;
  /** Whether the payload was cut. Only 4 KiB of a request without a valid signature are kept. */
  raw_payload_truncated: boolean;
}

/** How the body was read; what was not found out is null. Null if it was not read. */
export interface InboundReceiptDetailRead {
  /** The media type that was sent, without its parameters. */
  content_type: string | null;
  /** The `Content-Encoding` that was undone. */
  coding: string | null;
  /** The character set by which the body was read. */
  charset: string | null;
  /** What the body was read as. */
  kind: InboundPreviewReadKind | null;
}

export interface InboundReceiptItem {
  /** The result of the element. */
  status: InboundReceiptItemStatus;
  event_type?: string;
  /** An id that begins with `evt_`. */
  event_id?: string;
  /** An id that begins with `con_`. */
  contact_id?: string;
  /** An id that begins with `act_`. */
  activity_id?: string;
  /** An id that begins with `rcp_`. */
  duplicate_of?: string;
  reason_code?: string;
  reason?: string;
}

export interface InboundReceiptList {
  object: "list";
  data: InboundReceipt[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** How the body was read; what was not found out is null. Null if it was not read. */
export interface InboundReceiptRead {
  /** The media type that was sent, without its parameters. */
  content_type: string | null;
  /** The `Content-Encoding` that was undone. */
  coding: string | null;
  /** The character set by which the body was read. */
  charset: string | null;
  /** What the body was read as. */
  kind: InboundPreviewReadKind | null;
}

/** A correctly signed inbound request could not be mapped to an event. */
export interface InboundReceiptUnmappedData {
  /** The receipt */
  receipt_id: string;
  /** The source */
  source_id: string;
  /** The value that could not be read */
  reason: string;
  /** Event type of the sender, null when it could not be read */
  event_type?: string | null | undefined;
  [member: string]: unknown;
}

export interface InboundTrial {
  /** The body that the sender would send: JSON, or a string that contains it. */
  payload?: unknown;
  /** The headers that the sender would send with `payload` or `body_base64`, such as its content type and event type. */
  headers?: { [member: string]: string } | undefined;
  /** The mapping to test in place of the saved one. */
  mapping?: InboundTrialMapping | undefined;
  /** The alternative to `payload`: the bytes of the body in base64, such as those of a compressed one. */
  body_base64?: string | undefined;
  /** The alternative to `payload` and `headers`: the whole request as text, with its request line, headers, an empty line and the body. */
  request?: string | undefined;
  /** The whole request in base64, for one with bytes that are not UTF-8. */
  request_base64?: string | undefined;
}

/** The mapping to test in place of the saved one. */
export interface InboundTrialMapping {
  /** The path to a list of at most 1000 events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates. */
  each?: string | null | undefined;
  /** `required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact. */
  contact?: InboundPresetContact | undefined;
  /** The header of the sender's event type. It takes precedence over event_type_path. */
  event_type_header?: string | null | undefined;
  /** The header of the sender's id of the event. It takes precedence over the path. */
  idempotency_key_header?: string | null | undefined;
  /** The contact's e-mail address. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_email_path?: string | string[] | null | undefined;
  /** The sender's event type. Without it, every type is `event`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  event_type_path?: string | string[] | null | undefined;
  /** The event type of a request whose header and path contain none. Without it, such a request is `unmapped`. */
  event_type_default?: string | null | undefined;
  /** The sender's id of the event. A repeated id is a `duplicate`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  idempotency_key_path?: string | string[] | null | undefined;
  /** The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body. */
  idempotency_key_template?: string | null | undefined;
  /** The contact's name. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_name_path?: string | string[] | null | undefined;
  /** An amount or another number. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  value_path?: string | string[] | null | undefined;
  /** The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones. */
  value_unit?: InboundPresetValueUnit | undefined;
  /** The currency of the amount, which determines the number of minor units in a major one. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  currency_path?: string | string[] | null | undefined;
  /** A complete summary. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  summary_path?: string | string[] | null | undefined;
  /** The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source. */
  summary_template?: string | null | undefined;
  /** Whether an event with the same bytes is a duplicate. */
  dedupe_by_body?: boolean | undefined;
  /** Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them. */
  dedupe_ignore?: string[] | undefined;
  score?: InboundTrialMappingScore | undefined;
}

export interface InboundTrialMappingScore {
  default?: number | undefined;
  by_event_type?: { [member: string]: number } | undefined;
  /** Additional points for each unit of the value. The sum is truncated to an integer. */
  per_value?: number | undefined;
}

export interface InboxMessage {
  /** An id that begins with `inb_`. */
  id: string;
  /** RFC 3339, in UTC, with milliseconds. */
  received_at: string;
  /** An id that begins with `dlv_`. */
  delivery_id: string | null;
  event: string | null;
  signature: ConnectorSignature;
  headers: { [member: string]: string };
  body: string;
  /** The status code of the inbox's response. */
  answered: number;
}

export interface InboxMessageList {
  object: "list";
  data: InboxMessage[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** A type whose schema needs a new version, with pointers into the type. */
export interface IncompatibleEventType {
  /** The name of the events. */
  name: string;
  errors: SchemaDifference[];
}

export interface Installation {
  object: "installation";
  /** `JUNCTION_BASE_URL`, which is the start of links and of the URLs of inboxes and sources. */
  base_url: string;
  version: string;
  /** Where the data is stored, for the installation's operator. */
  operator: InstallationOperator | null;
}

/** Where the data is stored, for the installation's operator. */
export interface InstallationOperator {
  /** `external`: the database of `DATABASE_URL`. */
  database: InstallationOperatorDatabase;
  /** The data folder of the node that responds. */
  data_folder: string;
  /** The folder of the embedded database. It differs from `data_folder` if PostgreSQL's user cannot access that folder. Null for an external database. */
  database_folder: string | null;
  /** A shell command for the machine of the node that responds, with the service's settings. */
  backup_command: string;
  /** The newest backup that was completed. */
  last_backup: InstallationOperatorLastBackup | null;
}

/** The newest backup that was completed. */
export interface InstallationOperatorLastBackup {
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The file name, without the folder. */
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
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface InvitationList {
  object: "list";
  data: Invitation[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
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
  /** The customer concerned */
  customer?: InvoiceCreatedDataCustomer | undefined;
  /** Lines of the invoice */
  lines?: InvoiceCreatedDataLine[] | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface InvoiceCreatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The invoice as it is after the event */
export interface InvoiceCreatedDataInvoice {
  /** Id in your system */
  external_id: string;
  /** Printed invoice number */
  number?: string | undefined;
  /** Status, such as draft, open, paid, overdue or void */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Total, including taxes, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Amount still due, in the currency's smallest unit (cents for EUR) */
  amount_due_minor?: number | undefined;
  /** Due date */
  due_on?: string | undefined;
  /** The subscription that the invoice is for, null without one */
  subscription_external_id?: string | null | undefined;
  /** URL of the invoice */
  url?: string | undefined;
  [member: string]: unknown;
}

/** One item */
export interface InvoiceCreatedDataLine {
  /** Description */
  description?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Amount of the line, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  [member: string]: unknown;
}

/** An invoice is overdue and not fully paid. */
export interface InvoiceOverdueData {
  /** The invoice as it is after the event */
  invoice: InvoiceOverdueDataInvoice;
  /** The customer concerned */
  customer?: InvoiceOverdueDataCustomer | undefined;
  /** Days since the due date */
  days_overdue?: number | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface InvoiceOverdueDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The invoice as it is after the event */
export interface InvoiceOverdueDataInvoice {
  /** Id in your system */
  external_id: string;
  /** Printed invoice number */
  number?: string | undefined;
  /** Status, such as draft, open, paid, overdue or void */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Total, including taxes, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Amount still due, in the currency's smallest unit (cents for EUR) */
  amount_due_minor?: number | undefined;
  /** Due date */
  due_on?: string | undefined;
  /** The subscription that the invoice is for, null without one */
  subscription_external_id?: string | null | undefined;
  /** URL of the invoice */
  url?: string | undefined;
  [member: string]: unknown;
}

/** An invoice was paid in full. */
export interface InvoicePaidData {
  /** The invoice as it is after the event */
  invoice: InvoicePaidDataInvoice;
  /** The customer concerned */
  customer?: InvoicePaidDataCustomer | undefined;
  /** The payment that settled it */
  payment_external_id?: string | undefined;
  /** Time at which this happened */
  paid_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface InvoicePaidDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The invoice as it is after the event */
export interface InvoicePaidDataInvoice {
  /** Id in your system */
  external_id: string;
  /** Printed invoice number */
  number?: string | undefined;
  /** Status, such as draft, open, paid, overdue or void */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Total, including taxes, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Amount still due, in the currency's smallest unit (cents for EUR) */
  amount_due_minor?: number | undefined;
  /** Due date */
  due_on?: string | undefined;
  /** The subscription that the invoice is for, null without one */
  subscription_external_id?: string | null | undefined;
  /** URL of the invoice */
  url?: string | undefined;
  [member: string]: unknown;
}

/** An attempt to collect an invoice failed. More attempts may follow. */
export interface InvoicePaymentFailedData {
  /** The invoice as it is after the event */
  invoice: InvoicePaymentFailedDataInvoice;
  /** The customer concerned */
  customer?: InvoicePaymentFailedDataCustomer | undefined;
  /** Error code of the payment processor */
  failure_code?: string | undefined;
  /** Error message of the payment processor */
  failure_message?: string | undefined;
  /** Number of the attempt, counted from 1 */
  attempt?: number | undefined;
  /** Time of the next attempt, null when there is none */
  next_attempt_at?: string | null | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface InvoicePaymentFailedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The invoice as it is after the event */
export interface InvoicePaymentFailedDataInvoice {
  /** Id in your system */
  external_id: string;
  /** Printed invoice number */
  number?: string | undefined;
  /** Status, such as draft, open, paid, overdue or void */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Total, including taxes, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Amount still due, in the currency's smallest unit (cents for EUR) */
  amount_due_minor?: number | undefined;
  /** Due date */
  due_on?: string | undefined;
  /** The subscription that the invoice is for, null without one */
  subscription_external_id?: string | null | undefined;
  /** URL of the invoice */
  url?: string | undefined;
  [member: string]: unknown;
}

export interface Issue {
  /** An id that begins with `iss_`. */
  id: string;
  object: "issue";
  /** `delivery` and `transform`: attempts of a webhook endpoint, and its transformation. `source`: requests to a source. `connection`: calls of a connector. `action`: runs of an action. `broker`: messages of a broker source; none is reported yet. */
  kind: IssueKind;
  /** The id of an endpoint, or the key of a connector or action. */
  object_id: string;
  /** The name of the object. Null once it was deleted. */
  object_name: string | null;
  /** The tenant whose object it is. */
  tenant: string | null;
  /** `open`: attempts fail. `acknowledged`: a person looks into it. `resolved`: five attempts in a row succeeded, or a person resolved it. `ignored`: no one is informed of it. */
  state: IssueState;
  /** The number of failures. */
  count: number;
  /** RFC 3339, in UTC, with milliseconds. */
  first_seen_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  last_seen_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  opened_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  resolved_at: string | null;
  /** `service`: by five successes in a row. `deletion`: its object was deleted. */
  resolved_by: IssueResolvedBy | null;
  reopened_count: number;
  /** At most 20. The most recent ones come first. */
  fingerprints: IssueFingerprint[];
  /** One failure. The log of its delivery, receipt or run has the rest. */
  sample: IssueSampleValue | null;
  /** An id that begins with `mem_`. */
  owner: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ignored_until: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface IssueChange {
  /** `open`: attempts fail. `acknowledged`: a person looks into it. `resolved`: five attempts in a row succeeded, or a person resolved it. `ignored`: no one is informed of it. */
  state?: IssueState | undefined;
  /** An id that begins with `mem_`. */
  owner?: string | null | undefined;
  /** Only for the state `ignored`. Null: until a person changes it. */
  ignored_until?: string | Date | null | undefined;
}

export interface IssueDetail {
  /** An id that begins with `iss_`. */
  id: string;
  object: "issue";
  /** `delivery` and `transform`: attempts of a webhook endpoint, and its transformation. `source`: requests to a source. `connection`: calls of a connector. `action`: runs of an action. `broker`: messages of a broker source; none is reported yet. */
  kind: IssueKind;
  /** The id of an endpoint, or the key of a connector or action. */
  object_id: string;
  /** The name of the object. Null once it was deleted. */
  object_name: string | null;
  /** The tenant whose object it is. */
  tenant: string | null;
  /** `open`: attempts fail. `acknowledged`: a person looks into it. `resolved`: five attempts in a row succeeded, or a person resolved it. `ignored`: no one is informed of it. */
  state: IssueState;
  /** The number of failures. */
  count: number;
  /** RFC 3339, in UTC, with milliseconds. */
  first_seen_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  last_seen_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  opened_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  resolved_at: string | null;
  /** `service`: by five successes in a row. `deletion`: its object was deleted. */
  resolved_by: IssueResolvedBy | null;
  reopened_count: number;
  /** At most 20. The most recent ones come first. */
  fingerprints: IssueFingerprint[];
  /** One failure. The log of its delivery, receipt or run has the rest. */
  sample: IssueDetailSample | null;
  /** An id that begins with `mem_`. */
  owner: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ignored_until: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The failures of the last seven days by hour. Hours without a failure are left out. */
  series: IssueHour[];
  /** The tenants whose events failed, at most 100. The most recent ones come first. */
  tenants: IssueTenant[];
  /** The last ten failures, the newest first. */
  samples: IssueSample[];
}

/** One failure. The log of its delivery, receipt or run has the rest. */
export interface IssueDetailSample {
  /** RFC 3339, in UTC, with milliseconds. */
  at: string;
  /** The status code or error class. */
  code: string;
  /** The message without its varying parts, such as numbers, ids, addresses and quoted texts. */
  message: string | null;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** An id that begins with `dlv_`. */
  delivery_id: string | null;
  /** An id that begins with `rcp_`. */
  receipt_id: string | null;
  /** An id that begins with `run_`. */
  run_id: string | null;
}

/** Failures with the same code and message. */
export interface IssueFingerprint {
  /** The status code or error class. */
  code: string;
  /** The message without its varying parts, such as numbers, ids, addresses and quoted texts. */
  message: string | null;
  /** The number of failures. */
  count: number;
  /** RFC 3339, in UTC, with milliseconds. */
  first_seen_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  last_seen_at: string;
}

export interface IssueHour {
  /** RFC 3339, in UTC, with milliseconds. */
  hour: string;
  /** The number of failures. */
  count: number;
}

export interface IssueList {
  object: "list";
  data: Issue[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** An endpoint, source, connector or action failed three times within ten minutes, or failed again after it had recovered. An endpoint gets no event about itself. */
export interface IssueOpenedData {
  /** The issue */
  issue_id: string;
  /** Kind of what failed */
  kind: IssueKind;
  /** Id of the endpoint, or key of the connector or action */
  object_id: string;
  /** Name of the object, null once it was deleted */
  object_name?: string | null | undefined;
  /** Number of failures */
  count?: number | undefined;
  /** Time of the first failure */
  first_seen_at?: string | undefined;
  /** Time of the last failure */
  last_seen_at?: string | undefined;
  /** How often the issue was opened again */
  reopened_count?: number | undefined;
  /** Status code or error class */
  code?: string | null | undefined;
  /** Message without its varying parts */
  message?: string | null | undefined;
  [member: string]: unknown;
}

export interface IssueReplayCount {
  /** The number of deliveries. */
  count: number;
}

export interface IssueReplayJob {
  /** The number of deliveries. */
  count: number;
  /** An id that begins with `job_`. */
  job_id: string;
}

/** Five attempts in a row succeeded, a person resolved the issue, or its object was deleted. */
export interface IssueResolvedData {
  /** The issue */
  issue_id: string;
  /** Kind of what failed */
  kind: IssueKind;
  /** Id of the endpoint, or key of the connector or action */
  object_id: string;
  /** Name of the object, null once it was deleted */
  object_name?: string | null | undefined;
  /** Number of failures */
  count?: number | undefined;
  /** Time of the first failure */
  first_seen_at?: string | undefined;
  /** Time of the last failure */
  last_seen_at?: string | undefined;
  /** How often the issue was opened again */
  reopened_count?: number | undefined;
  /** What resolved it */
  resolved_by: IssueResolvedBy;
  /** Time at which this happened */
  resolved_at?: string | undefined;
  [member: string]: unknown;
}

/** One failure. The log of its delivery, receipt or run has the rest. */
export interface IssueSample {
  /** RFC 3339, in UTC, with milliseconds. */
  at: string;
  /** The status code or error class. */
  code: string;
  /** The message without its varying parts, such as numbers, ids, addresses and quoted texts. */
  message: string | null;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** An id that begins with `dlv_`. */
  delivery_id: string | null;
  /** An id that begins with `rcp_`. */
  receipt_id: string | null;
  /** An id that begins with `run_`. */
  run_id: string | null;
}

/** One failure. The log of its delivery, receipt or run has the rest. */
export interface IssueSampleValue {
  /** RFC 3339, in UTC, with milliseconds. */
  at: string;
  /** The status code or error class. */
  code: string;
  /** The message without its varying parts, such as numbers, ids, addresses and quoted texts. */
  message: string | null;
  /** An id that begins with `evt_`. */
  event_id: string | null;
  /** An id that begins with `dlv_`. */
  delivery_id: string | null;
  /** An id that begins with `rcp_`. */
  receipt_id: string | null;
  /** An id that begins with `run_`. */
  run_id: string | null;
}

export interface IssueTenant {
  /** A tenant. */
  tenant: string;
  /** The number of failures. */
  count: number;
  /** RFC 3339, in UTC, with milliseconds. */
  last_seen_at: string;
}

/** An API key of this workspace is about to expire. */
export interface KeyExpiringData {
  /** The key */
  key_id: string;
  /** Name */
  name?: string | undefined;
  /** First characters of the key */
  prefix_hint?: string | undefined;
  /** Time at which this happened */
  expires_at: string;
  [member: string]: unknown;
}

export interface KeyTrial {
  /** The dotted name of the operation, such as `events.fire`. */
  operation: string;
  /** The IP address of the call. If it is omitted, the allowlist is not checked. */
  ip?: string | undefined;
}

export interface KeyTrialResult {
  object: "key_test";
  /** An id that begins with `key_`. */
  key_id: string;
  operation: string;
  allowed: boolean;
  /** The access check that would refuse the call. */
  step?: KeyTrialResultStep;
  /** The error code of the refusal. */
  code?: string;
  /** The reason, as a sentence. */
  detail?: string;
}

export interface KeyUsage {
  object: "key_usage";
  /** An id that begins with `key_`. */
  key_id: string;
  /** The limit of the key, over the last 60 minutes and all operations. */
  hour: KeyUsageHour;
  /** The limits of operations, over the last 60 seconds. */
  minute: KeyUsageMinuteItem[];
  /** Calls with a valid credential of this key, and of the keys that it was rolled from and into. At most a few seconds behind. */
  last_24_hours: KeyUsageLast24Hours;
}

/** The limit of the key, over the last 60 minutes and all operations. */
export interface KeyUsageHour {
  limit: number;
  /** The calls in the window that ends now. The count is exact over all nodes. */
  used: number;
  remaining: number;
}

/** Calls with a valid credential of this key, and of the keys that it was rolled from and into. At most a few seconds behind. */
export interface KeyUsageLast24Hours {
  /** RFC 3339, in UTC, with milliseconds. */
  from: string;
  /** RFC 3339, in UTC, with milliseconds. */
  to: string;
  by_outcome: KeyUsageLast24HoursByOutcome;
  /** 24 entries, oldest first. The last entry is the current hour. */
  by_hour: KeyUsageLast24HoursByHourItem[];
  /** The operations with the most calls come first. */
  by_operation: KeyUsageLast24HoursByOperationItem[];
}

export interface KeyUsageLast24HoursByHourItem {
  /** RFC 3339, in UTC, with milliseconds. */
  hour: string;
  total: number;
  /** Responses below 400. */
  succeeded: number;
  /** 4xx responses, except 429. */
  refused: number;
  /** 429 responses. */
  rate_limited: number;
  /** 5xx responses. */
  failed: number;
}

export interface KeyUsageLast24HoursByOperationItem {
  operation: string;
  total: number;
  /** Responses below 400. */
  succeeded: number;
  /** 4xx responses, except 429. */
  refused: number;
  /** 429 responses. */
  rate_limited: number;
  /** 5xx responses. */
  failed: number;
}

export interface KeyUsageLast24HoursByOutcome {
  total: number;
  /** Responses below 400. */
  succeeded: number;
  /** 4xx responses, except 429. */
  refused: number;
  /** 429 responses. */
  rate_limited: number;
  /** 5xx responses. */
  failed: number;
}

export interface KeyUsageMinuteItem {
  /** The name of the limit. Operations without a limit of their own share `management.read` and `management.write`. */
  operation: string;
  limit: number;
  /** The calls in the window that ends now. The count is exact over all nodes. */
  used: number;
  remaining: number;
}

export interface Lane {
  object: "lane";
  /** The key, as the list of lanes shows it: JSON text with strings unescaped, or the hash of a longer one. */
  key: string;
  /** The number of deliveries behind the head. */
  waiting: number;
  /** RFC 3339, in UTC, with milliseconds. */
  oldest_waiting_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  blocked_since: string | null;
  head: LaneHead;
}

export interface LaneChoice {
  /** The key, as the list of lanes shows it: JSON text with strings unescaped, or the hash of a longer one. */
  key?: string | undefined;
  /** All lanes of the endpoint whose head has failed or waits for a retry, in place of `key`. */
  all?: true | undefined;
}

export interface LaneCount {
  /** The number of lanes. */
  count: number;
}

/** The delivery that the others wait for. */
export interface LaneHead {
  /** An id that begins with `dlv_`. */
  delivery_id: string;
  /** `failed`: the delivery blocks the lane until it is retried or skipped. `pending`: it is being sent, or its retry waits. */
  state: DeliveryState;
  attempt_count: number;
  last_status_code: number | null;
  /** The kind of error. Null if there was no error. `too_expensive`: the endpoint's filter takes too long for the data of the event, so nothing was sent. `auth`: the service could not sign in to the receiver, so nothing was sent. `proxy`: the egress proxy of the installation failed; the attempt is postponed. `broker`: the broker could not be reached, refused the message, or did not confirm it; the detail begins with the step that failed. */
  last_error_class: DeliveryLastErrorClass | null;
  /** RFC 3339, in UTC, with milliseconds. */
  next_attempt_at: string | null;
}

export interface LaneList {
  object: "list";
  data: Lane[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** In milliseconds. `connect` and `tls` are 0 on a connection that was already open. `first_byte` starts when the request was written. `total` covers all phases. */
export interface Latency {
  dns: number;
  connect: number;
  tls: number;
  first_byte: number;
  total: number;
}

export interface LeftOutObject {
  kind: LeftOutObjectKind;
  /** The name of an event type, and the external id of everything else. */
  name: string;
  reason: string;
}

export interface ListedWebhookEndpoint {
  /** An id that begins with `ep_`. */
  id: string;
  object: "webhook_endpoint";
  /** `webhook`: requests are sent to `url`. `pull`: consumers read the messages with pulls, so `url`, `rate_limit_per_second` and `max_in_flight` must be omitted. Other kinds: messages are sent to the broker in `destination`, with the body and the headers of the requests; `delivered` means that the broker confirmed the message. The kind cannot be changed. */
  kind: WebhookEndpointKind;
  /** The name by which configuration files refer to the endpoint. Null: the host of the URL or of the destination, or `pull` for that kind. */
  name: string;
  /** Null for kinds other than `webhook`. */
  url: string | null;
  /** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
  destination: ListedWebhookEndpointDestination | null;
  events: string[];
  active: boolean;
  description: string;
  /** The endpoint's own headers. The values are `[redacted]`. */
  headers: { [member: string]: string };
  rate_limit_per_second: number | null;
  /** Null for kind `pull`. */
  max_in_flight: number | null;
  /** Your customer that the endpoint belongs to, by your own id. The endpoint gets only the events of this tenant. Null: it gets the events of all tenants. It cannot be changed. */
  tenant: string | null;
  /** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
  filter: ListedWebhookEndpointFilter | null;
  /** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
  transform: ListedWebhookEndpointTransform | null;
  /** The version of the transformation. It increases with each change. Null: there was never one. */
  transform_version: number | null;
  /** The versions of event types that the endpoint gets, by the name of the type. Each version has to exist. The endpoint gets no events of other versions of these types. Null: all versions. */
  event_versions: { [member: string]: number } | null;
  /** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
  ordering: ListedWebhookEndpointOrdering | null;
  /** The wait after each failed attempt of a delivery, in seconds: 1 to 20 waits of 1 second to 24 hours, together at most 7 days. If the attempt after the last wait fails too, the delivery fails. A change applies to pending deliveries from their next attempt. Null: the schedule of the installation. */
  retry_schedule: number[] | null;
  /** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
  auth: ListedWebhookEndpointAuth | null;
  /** The end of the validity of the certificate in `auth`. Null without one. */
  certificate_expires_at: string | null;
  /** The signatures of each request. At least one. Default: ["service","standard"]. */
  signatures: WebhookEndpointSignature[];
  /** The public key of `v1a` signatures: `whpk_` and 32 bytes in base64. Also at `/.well-known/jwks.json`. Null without them. */
  public_key: string | null;
  /** The key before the last rotation, while both sign. Otherwise null. */
  previous_public_key: string | null;
  /** The form of the requests. `mcp`: the endpoint belongs to an AI client, which subscribed with `events/subscribe`. No one else can change it. */
  wire: WebhookEndpointWire;
  /** The endpoint gets only the events that have one of these channels. Empty: all events. */
  channels: string[];
  /** Your own values, which the service keeps and returns. */
  metadata: { [member: string]: string };
  /** Your own id of the endpoint, unique for each tenant. */
  uid: string | null;
  /** The id that the endpoint had in the product that it was imported from. Null: it was not imported. */
  external_ref: string | null;
  /** Amber while attempts fail. Red after the service deactivated the endpoint. */
  health: WebhookEndpointHealth;
  /** RFC 3339, in UTC, with milliseconds. */
  failing_since: string | null;
  /** `gone` after a 410, `failing_for_days` after five days of failures. */
  disabled_reason: string | null;
  /** Since when the endpoint gets no new events. Null while it is active. A backfill sends what it missed. */
  inactive_since: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  stats?: WebhookEndpointSummary;
}

/** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
export interface ListedWebhookEndpointAuth {
  /** `bearer`, `basic` and `api_key` send the secret; that of `basic` is `user:password`, or the password of `username`. `oauth2_client_credentials` exchanges it for an access token. `mtls` presents a client certificate. */
  type: WebhookEndpointAuthType;
  /** The name of a secret. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string;
  /** The place of an API key. Default: `header`. */
  in?: HttpCallRequestAuthIn;
  /** The header or query parameter of an API key. Default: the header `X-Api-Key`. */
  name?: string;
  /** The same as `name`, for a header. */
  header?: string;
  /** The user name of `basic`. The secret is the password then. */
  username?: string;
  /** The token endpoint. The secret has to name its host too. */
  token_url?: string;
  client_id?: string;
  /** The scopes of the token, separated by spaces. */
  scope?: string;
  audience?: string;
  /** The client certificate as PEM, followed by those of its issuers, if the receiver needs them. */
  certificate?: string;
  /** The name of the secret that contains the certificate's key as PEM. */
  key_secret_ref?: string;
}

/** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
export interface ListedWebhookEndpointDestination {
  /** `kafka`: the brokers to ask first, as `host:port`. The guard judges those that they name too. */
  brokers?: string[];
  /** `kafka`: the topic, which must exist. */
  topic?: string;
  /** `kafka`: whether the connections use TLS. Default: true. */
  tls?: boolean;
  sasl?: ListedWebhookEndpointDestinationSasl | null;
  /** `kafka`, `sqs` and `sns`: the key of the message, which is the group of a FIFO queue or topic. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. Default: the delivery's `ordering_key`, otherwise the subject of the event. */
  partition_key?: string;
  /** `rabbitmq`: the broker and its virtual host, without a user name and a password. */
  url?: string;
  /** `rabbitmq`: the exchange, which must exist. Empty: the default exchange. */
  exchange?: string;
  /** `rabbitmq`: the routing key. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  routing_key?: string;
  /** `nats`: the servers, as `nats://host:port` or `tls://host:port`. */
  servers?: string[];
  /** `nats`: the subject. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  subject?: string;
  /** `nats`: whether a stream confirms the message. Without it, the server only has received the message, and no one may have got it. Default: true. */
  jetstream?: boolean;
  /** `rabbitmq` and `nats`: the user. Without it, the secret is `user:password` (`rabbitmq`), or a token or a credentials file (`nats`). */
  username?: string;
  /** The region of AWS. */
  region?: string;
  /** The endpoint of a service that speaks the protocol of AWS. Default: that of the region. */
  endpoint_url?: string;
  /** The access key of AWS. The secret is its secret access key. */
  access_key_id?: string;
  queue_url?: string;
  topic_arn?: string;
  /** `eventbridge`: the bus, or its ARN. */
  bus?: string;
  /** `eventbridge`: the source of the events. */
  source?: string;
  bucket?: string;
  /** `s3`: the beginning of the names of objects. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  prefix?: string;
  /** `s3`: the most messages in an object. They wait together, so `max_in_flight` is at least this. Default: 100. */
  max_items?: number;
  /** `s3`: the longest wait of a message for others, in seconds. Default: 5. */
  max_wait_seconds?: number;
  /** The name of the secret to sign in with. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string;
}

export interface ListedWebhookEndpointDestinationSasl {
  mechanism: WebhookEndpointDestinationSaslMechanism;
  username: string;
  /** The name of the secret with the password. */
  secret_ref: string;
}

/** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
export interface ListedWebhookEndpointFilter {
  /** True if every node is true. */
  all?: { [member: string]: unknown }[];
  /** True if at least one node is true. */
  any?: { [member: string]: unknown }[];
  /** True if no node is true. */
  not?: { [member: string]: unknown }[];
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string;
  op?: RuleLeafOp;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
}

export interface ListedWebhookEndpointList {
  object: "list";
  data: ListedWebhookEndpoint[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
export interface ListedWebhookEndpointOrdering {
  /** What the order is kept by: `endpoint` for all deliveries of the endpoint, `subject` or `tenant` of the event, or an RFC 9535 singular query into the event that begins with $.event, $.data, $.subject or $.tenant. Events without a value, or whose value is null, an object or a list, are not ordered. */
  key: string;
  /** What happens when a delivery has failed. `block`, the default: the later ones with its key wait until it is retried or skipped. `skip`: the next one is sent. A change applies to deliveries that wait already. */
  on_failed?: WebhookEndpointOrderingOnFailed;
}

/** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
export interface ListedWebhookEndpointTransform {
  /** A template has a `body`, and may have a `method` and `headers`. A script has a `source`. */
  kind: TransformKind;
  /** The method of the request. Default: "POST". */
  method?: TransformMethod;
  /** Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON. */
  headers?: { [member: string]: string };
  /** The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string. */
  body?: unknown;
  /** JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt. */
  source?: string;
  /** Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z. */
  cases?: TransformCase[];
}

export interface LoggedRequest {
  /** An id that begins with `req_`. */
  id: string;
  object: "request";
  /** The dotted name of the requested operation. */
  operation: string;
  /** The HTTP method. */
  method: WorkflowStepMethod;
  /** The path template, without the arguments. */
  path: string;
  /** The status code of the response. */
  status: number;
  /** The code of the refusal. */
  error_code: string | null;
  /** The time until the response was sent, in milliseconds. */
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
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface LoggedRequestList {
  object: "list";
  data: LoggedRequest[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface Mail {
  /** An id that begins with `mail_`. */
  id: string;
  object: "mail";
  purpose: string;
  /** An id that begins with `mem_`. */
  member_id: string | null;
  /** The address without its name. Null until a mail for a member is sent. */
  recipient: string | null;
  /** `waiting`: it is sent, or sent again later. `sent`: the mail server accepted it. `skipped`: its reason is gone, for example because the member left. */
  state: MailState;
  attempts: number;
  max_attempts: number;
  error_class: string | null;
  error: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface MailList {
  object: "list";
  data: Mail[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** Whether the member gets this e-mail. */
export interface MailPreferences {
  object: "mail_preferences";
  /** Notifications of rules. */
  notifications: boolean;
  /** Proposals that wait for your approval. */
  approvals: boolean;
  /** Endpoints that fail, or that the service disabled. For owners and admins. */
  endpoint_failures: boolean;
}

export interface MailPreferencesChange {
  /** Notifications of rules. */
  notifications?: boolean | undefined;
  /** Proposals that wait for your approval. */
  approvals?: boolean | undefined;
  /** Endpoints that fail, or that the service disabled. For owners and admins. */
  endpoint_failures?: boolean | undefined;
}

export interface MappingWarning {
  field: string;
  message: string;
}

export interface McpToken {
  /** An id that begins with `key_`. */
  id: string;
  object: "mcp_token";
  name: string;
  /** Your customer, by your own id. The token sees only the endpoints, events and deliveries of this tenant. */
  tenant: string;
  /** What the token can do, in the words of portal sessions. The tools of the other capabilities are absent. */
  capabilities: McpTokenCapability[];
  /** The beginning of the token. */
  prefix_hint: string;
  state: McpTokenState;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  last_used_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  revoked_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface McpTokenList {
  object: "list";
  data: McpToken[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface McpTokenRequest {
  /** The display name, such as that of the assistant that gets the token. */
  name: string;
  /** Your customer, by your own id. The token sees only the endpoints, events and deliveries of this tenant. A portal session and a key of a tenant can omit it. */
  tenant?: string | undefined;
  /** What the token can do, in the words of portal sessions. The tools of the other capabilities are absent. Not more than the caller may do. */
  capabilities: McpTokenCapability[];
  /** How long the token lasts. It ends earlier with the key or the member that created it or its portal session, or when that session is revoked. Default: 2592000. */
  expires_in_seconds?: number | undefined;
}

export interface Member {
  /** An id that begins with `mem_`. */
  id: string;
  object: "member";
  name: string;
  email: string;
  role: string;
  /** Operator permissions that action contracts can require. */
  permissions: string[];
  /** Whether the person uses an authenticator app as second factor. */
  totp_active: boolean;
  /** Whether the person has a passkey as second factor. */
  passkey_active: boolean;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface MemberChange {
  role?: MemberChangeRole | undefined;
  permissions?: string[] | undefined;
}

export interface MemberList {
  object: "list";
  data: Member[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
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
  /** The URL to use as the `url` of a webhook endpoint. */
  url: string;
  /** The number of messages that wait to be taken. */
  waiting: number;
}

export interface NamedInboxList {
  object: "list";
  data: NamedInbox[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface NewActionContract {
  key: string;
  /** The display name of the action. */
  label: string;
  /** The surfaces from which the action can be requested. The service determines the surface of each call. */
  surface: ActionContractSurfaceItem[];
  /** The roles that may run or request the action. */
  roles: RoleRole[];
  /** Whether a person reviews a preview before the action runs. */
  requires_confirmation: boolean;
  /** Whether runs are recorded in the audit log. */
  audit: boolean;
  /** The parameters by name. Calls with other parameters are refused. */
  params: { [member: string]: ActionParameter };
  /** The backend that performs the action: an https URL on the public internet. */
  endpoint: string;
  /** The description for people and AI models. */
  description?: string | undefined;
  /** The risk of the action. `high` requires confirmation by a person. */
  risk?: PreviewRisk | undefined;
  /** Whether the effect cannot be reversed. Requires confirmation by a person. Default: false. */
  destructive?: boolean | undefined;
  /** Whether the action can be undone through `undo`. */
  reversible?: boolean | undefined;
  undo?: NewActionContractUndo | null | undefined;
  /** Whether a call can be repeated safely. The backend recognises repeated calls by `run_id`. Default: false. */
  idempotent?: boolean | undefined;
  /** The scope that a key must have. */
  scope?: string | null | undefined;
  /** The operator permission that the action requires. */
  permission?: string | null | undefined;
  /** `sync`: the call waits for the backend, and returns the completed run. `async`: the call returns 202 at once, and the run ends later. */
  delivery?: ActionContractDelivery | undefined;
  auth?: ActionAuth | undefined;
  response?: ActionResponse | undefined;
  /** The timeout of the whole call, in milliseconds. Default: 10000. */
  timeout_ms?: number | undefined;
  approval?: ActionApproval | undefined;
  /** The URL for sandbox runs. Without it, sandbox runs are simulated. */
  sandbox_endpoint?: string | null | undefined;
}

export interface NewActionContractUndo {
  /** The URL that undoes a run. It is called like `endpoint`, with `X-Service-Event: action.undo` and the `result` of the run. */
  endpoint: string;
  /** How long after its execution a run can be undone, in seconds. Default: 86400. */
  window_seconds?: number | undefined;
}

export interface NewActivity {
  summary: string;
  event_type?: string | undefined;
  /** The exact value, with all digits that were received. */
  value?: number | null | undefined;
  score_delta?: number | undefined;
  /** RFC 3339, in UTC, with milliseconds. */
  occurred_at?: string | Date | undefined;
}

/** Members that are omitted take the caller's own values. No value can exceed them (403). */
export interface NewApiKey {
  /** The display name, which states the purpose of the key. */
  name: string;
  /** `all` allows reads and writes. `read_only` refuses every write (403 `key_read_only`). `restricted` allows everything except `blocked_actions` (403 `action_blocked`). */
  permission_mode: ApiKeyPermissionMode;
  /** Cannot be changed later. `user` is for keys that a person creates with their own key or session. Default: `service`. */
  actor_type?: ApiKeyActorType | undefined;
  /** Your customer, by your own id, to which the key is limited: it fires the events of this tenant, and manages its endpoints, deliveries, sources and keys (403 `tenant_mismatch` for all else). Cannot be changed later. Null: no limit. */
  tenant?: string | undefined;
  /** Operations and actions that a `restricted` key must not call: an exact name, `prefix.*`, or `*`. Operations with the same effect (`x-does`) are blocked too. In other modes, the list is kept but has no effect. */
  blocked_actions?: string[] | undefined;
  /** Not higher than the caller's own role. A `user` key has the role of its person and accepts no other. The role `ai` requires the actor type `ai`. */
  role?: NewApiKeyRole | undefined;
  /** `<area>:read` or `<area>:write`. The area is the first word of an operation's or action's name, and `write` includes `read`. Null means every scope. */
  scopes?: string[] | null | undefined;
  /** Operator permissions that action contracts can require. A key with the role owner has all of them implicitly. */
  permissions?: string[] | undefined;
  /** The maximum number of calls in any 60 minutes, over all operations. Calls of the keys that this key was rolled from and into also count. */
  rate_limit_per_hour?: number | undefined;
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty: any address. */
  ip_allowlist?: string[] | undefined;
  /** Whether calls without X-Service-Signature are refused (401 `signature_required`). */
  require_signature?: boolean | undefined;
  /** Whether the signature scheme `body` is accepted in addition to `v1`. */
  accept_body_signature?: boolean | undefined;
  /** Must be in the future. When the key stops working (401 `key_expired`). Null: never. Seven days earlier, the event `key.expiring` is fired. */
  expires_at?: string | Date | null | undefined;
  /** Whether to create a secret, which only the response shows. The key's requests must then be signed with the secret. */
  signing_secret?: boolean | undefined;
}

export interface NewApprovalChannel {
  /** The kind of the channel, which does not change. */
  kind: ApprovalChannelKind;
  name: string;
  /** Slack only: the id of the channel, from its details in Slack. The app must be in the channel. */
  slack_channel_id?: string | null | undefined;
  /** E-mail only: the addresses. Anyone who reads them sees the previews. */
  recipients?: string[] | undefined;
  /** The risks of the proposals that are announced. Null: any risk. */
  risks?: PreviewRisk[] | null | undefined;
  /** The actions whose proposals are announced: keys, or prefixes such as `billing.*`. Null: all actions, and the approval steps of workflows. */
  actions?: string[] | null | undefined;
  /** Announces a proposal only when it has waited for this long. A second channel with a longer time is an escalation. Default: 0. */
  after_minutes?: number | undefined;
  /** Announces a proposal that still waits again, each time that this period has passed, at most 20 times. */
  remind_every_minutes?: number | null | undefined;
  /** Slack only: whether the message has buttons that approve and reject. They count only for members who have linked their Slack account. Always false for e-mail. Default: true. */
  decisions?: boolean | undefined;
  /** Whether the channel announces, and its buttons decide. Default: true. */
  active?: boolean | undefined;
}

export interface NewBackfill {
  /** Events at or after this time. RFC 3339, with a zone. */
  from: string | Date;
  /** Events before this time. Default: now. RFC 3339, with a zone. */
  to?: string | Date | undefined;
  /** Names or patterns within the events that the endpoint subscribes to. Default: all of them. */
  events?: string[] | undefined;
  /** Whether only events are sent that the endpoint has no delivery of. Each of them is sent once, regardless of other backfills. False: all events are sent again, as new deliveries. Default: true. */
  missing_only?: boolean | undefined;
  /** Whether to only count the events. */
  dry_run?: boolean | undefined;
}

export interface NewConfigurationPlan {
  configuration: Configuration;
  /** Whether the objects of a section that the configuration does not contain are deleted. Default: false. */
  prune?: boolean | undefined;
}

export interface NewContact {
  /** Case-insensitive: compared and stored case-folded. */
  email?: string | undefined;
  name?: string | null | undefined;
  /** The stage of the person, such as lead, trial, customer or churned. Any word is accepted. */
  lifecycle_stage?: string | null | undefined;
  score?: number | undefined;
  tags?: string[] | undefined;
  external_ids?: string[] | undefined;
}

export interface NewEvent {
  /** The name of a canonical or custom event type. */
  event: string;
  /** The data, which receivers get byte for byte. */
  data: object;
  /** When the event happened, at most a day in the future. Default: now. RFC 3339, with a zone. */
  occurred_at?: string | Date | undefined;
  /** What the event is about. The list of events can be filtered by it. */
  subject?: string | undefined;
  /** When the event is fired and all reactions begin, at most 30 days in the future. Default, and for a past time: now. RFC 3339, with a zone. */
  deliver_at?: string | Date | undefined;
  /** Your customer that the event concerns, by your own id. The event goes to the endpoints of this tenant, and to those without a tenant. Default: none. */
  tenant?: string | undefined;
  /** The version of the event type that the data has. Default: the current version. */
  version?: number | undefined;
  /** Your own id of the event, unique for each tenant. */
  uid?: string | undefined;
  /** An endpoint that has channels gets only the events that share one with it. */
  channels?: string[] | undefined;
  /** Your own values, which the service keeps and returns. */
  metadata?: { [member: string]: string } | undefined;
}

export interface NewEventType {
  /** The name of the events. */
  name: string;
  /** A short title. */
  title?: string | undefined;
  /** Says when the event is fired. */
  description?: string | undefined;
  /** What happens to data that does not match the schema: `off`: nothing. `warn`: the event shows `schema_errors`. `refuse`: the call is refused with 422 `event_data_invalid`; events that sources, rules, workflows, connectors and schedules fire are never refused, and act as with `warn`. */
  enforcement?: EventTypeEnforcement | undefined;
  /** `public`: your customers see the type in the portal, and can subscribe to it there. Your own types are public at first. A canonical type is public while you fire it, until you choose: that is, in this environment and in the last 30 days. System events are always `private`. */
  visibility?: EventTypeVisibility | undefined;
  /** Whether receivers should stop using the event type. */
  deprecated?: boolean | undefined;
  /** A JSON Schema (2020-12) of `data`: at most 64 KiB and 32 schemas deep, with references within the schema only and without cycles. Patterns have the syntax of RE2. */
  schema?: object | null | undefined;
  /** Examples of `data`. */
  examples?: object[] | undefined;
}

export interface NewEventTypeVersion {
  /** A JSON Schema (2020-12) of `data`: at most 64 KiB and 32 schemas deep, with references within the schema only and without cycles. Patterns have the syntax of RE2. */
  schema?: object | null | undefined;
  /** Examples of `data`. */
  examples?: object[] | undefined;
}

export interface NewEvents {
  events: NewEvent[];
}

export interface NewInboundEndpoint {
  preset?: InboundEndpointPreset | undefined;
  /** A sender of GET /v1/senders, whose values are the start. */
  sender?: string | undefined;
  /** For senders that choose the secret themselves. Default: a generated secret. */
  secret?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  /** Default: true. */
  active?: boolean | undefined;
  /** The signature scheme of the sender. X-Service-Inbound-Signature is also accepted. */
  signature_scheme?: InboundPresetSignatureScheme | undefined;
  scheme?: SignatureScheme | undefined;
  /** The response to accepted requests, for senders that need their own. */
  respond?: NewInboundEndpointRespond | null | undefined;
  /** The character set of requests that name none, for senders of old forms. Default: UTF-8. A request's own `charset`, XML declaration or byte order mark takes precedence. */
  charset?: string | null | undefined;
  /** The requests with which the sender checks the URL. Null: those of the source's sender. */
  handshakes?: Handshake[] | null | undefined;
  /** Your customer that the source belongs to, by your own id: its events are of this tenant. It cannot be changed. */
  tenant?: string | null | undefined;
  /** The path to a list of at most 1000 events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates. */
  each?: string | null | undefined;
  /** `required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact. */
  contact?: InboundPresetContact | undefined;
  /** The header of the sender's event type. It takes precedence over event_type_path. */
  event_type_header?: string | null | undefined;
  /** The header of the sender's id of the event. It takes precedence over the path. */
  idempotency_key_header?: string | null | undefined;
  /** The contact's e-mail address. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_email_path?: string | string[] | null | undefined;
  /** The sender's event type. Without it, every type is `event`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  event_type_path?: string | string[] | null | undefined;
  /** The event type of a request whose header and path contain none. Without it, such a request is `unmapped`. */
  event_type_default?: string | null | undefined;
  /** The sender's id of the event. A repeated id is a `duplicate`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  idempotency_key_path?: string | string[] | null | undefined;
  /** The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body. */
  idempotency_key_template?: string | null | undefined;
  /** The contact's name. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_name_path?: string | string[] | null | undefined;
  /** An amount or another number. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  value_path?: string | string[] | null | undefined;
  /** The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones. */
  value_unit?: InboundPresetValueUnit | undefined;
  /** The currency of the amount, which determines the number of minor units in a major one. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  currency_path?: string | string[] | null | undefined;
  /** A complete summary. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  summary_path?: string | string[] | null | undefined;
  /** The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source. */
  summary_template?: string | null | undefined;
  /** Whether an event with the same bytes is a duplicate. */
  dedupe_by_body?: boolean | undefined;
  /** Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them. */
  dedupe_ignore?: string[] | undefined;
  score?: NewInboundEndpointScore | undefined;
  /** The name of the event that is fired for each inbound event. Default: inbound.<type>. */
  event_name?: string | null | undefined;
}

/** The response to accepted requests, for senders that need their own. */
export interface NewInboundEndpointRespond {
  status: number;
  content_type: SenderRespondContentType;
  body: string;
}

export interface NewInboundEndpointScore {
  default?: number | undefined;
  by_event_type?: { [member: string]: number } | undefined;
  /** Additional points for each unit of the value. The sum is truncated to an integer. */
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
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The link for the invited person, shown only once. Works once, for 7 days. */
  invite_url: string;
  /** Whether the link is also sent to the person by e-mail. False if the operator has set no mail server: pass the link on yourself. */
  emailed: boolean;
}

export interface NewMcpToken {
  /** An id that begins with `key_`. */
  id: string;
  object: "mcp_token";
  name: string;
  /** Your customer, by your own id. The token sees only the endpoints, events and deliveries of this tenant. */
  tenant: string;
  /** What the token can do, in the words of portal sessions. The tools of the other capabilities are absent. */
  capabilities: McpTokenCapability[];
  /** The beginning of the token. */
  prefix_hint: string;
  state: McpTokenState;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  last_used_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  revoked_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The token, shown only once. The client sends it as `Authorization: Bearer`. It is accepted by `/mcp` alone. */
  token: string;
  /** The address of the MCP server, for the client. */
  url: string;
}

export interface NewPasskey {
  /** A name of your choice. */
  name: string;
  credential: PasskeyCredential;
}

export interface NewPortalSession {
  /** An id that begins with `prt_`. */
  id: string;
  object: "portal_session";
  /** Your customer, by your own id. The session sees only the endpoints, events and deliveries of this tenant. */
  tenant: string;
  /** `endpoints`: create, change, enable and delete endpoints. `deliveries`: deliveries with their attempts and events. `replay`: replay and cancel deliveries. `tester`: send test events. `secrets`: show and regenerate signing secrets. `filters`, `transforms`: change these of endpoints. `event_types`: the catalog of public event types. `mcp_tokens`: create MCP tokens, with which an assistant works for the tenant. */
  capabilities: PortalSessionCapability[];
  theme: PortalTheme;
  /** `waiting`: the link was not opened. `active`: it was opened, and the session lasts until `expires_at`. */
  state: PortalSessionState;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  opened_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  revoked_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The link, shown only once. It works once, and only until `url_expires_at`. Send it to the browser of your customer, and to no one else. */
  url: string;
  /** RFC 3339, in UTC, with milliseconds. */
  url_expires_at: string;
}

export interface NewReplay {
  filter?: ReplayFilter | undefined;
  delivery_ids?: string[] | undefined;
  /** Whether to only count the deliveries. */
  dry_run?: boolean | undefined;
  /** Whether the transformation of the endpoint runs again. Otherwise, the same bytes are sent again. Default: false. */
  retransform?: boolean | undefined;
}

export interface NewRule {
  name: string;
  /** Event names, or patterns such as `order.*`. `*` means every event except system events. */
  on: string[];
  /** The actions, which run in order: `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, `notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, `http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?}`. Texts can contain `${$.data.x}`. A webhook is a delivery of the event. With a `body`, it is a delivery of the event `rule.webhook` with the body as its `data`. `notify` tells members: `to` contains roles (`admin`), ids (`mem_…`) or e-mail addresses of members. They find it in `GET /v1/notifications`, and get it by e-mail if the operator has set a mail server. It also fires the system event `notification.created`. If no member is reached, the action is `failed` with `nobody_reached`. */
  then: RuleAction[];
  when?: Condition | undefined;
  /** Rules with lower values run first. Default: 100. */
  priority?: number | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** The maximum number of runs per minute. Further runs are `limited` and do nothing. Default: 600. */
  max_runs_per_minute?: number | undefined;
}

export interface NewWebhookEndpoint {
  /** An https URL on the public internet. Required for kind `webhook`. */
  url?: string | undefined;
  /** The events that the endpoint subscribes to: names, patterns such as `order.*` for all events below a prefix, or `*` for all events except system events. */
  events: string[];
  /** Whether events are delivered to the endpoint. Default: true. */
  active?: boolean | undefined;
  /** A description for people. */
  description?: string | undefined;
  /** Headers that are sent with each delivery, in addition to those of the service. The values are stored encrypted. In a change, `[redacted]` keeps the value of a header as long as the URL stays the same. */
  headers?: { [member: string]: string } | undefined;
  /** The maximum number of attempts per second. Null: no limit. */
  rate_limit_per_second?: number | null | undefined;
  /** The maximum number of concurrent attempts. Default: 16. */
  max_in_flight?: number | undefined;
  /** Your customer that the endpoint belongs to, by your own id. The endpoint gets only the events of this tenant. Null: it gets the events of all tenants. It cannot be changed. */
  tenant?: string | null | undefined;
  /** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
  filter?: NewWebhookEndpointFilter | null | undefined;
  /** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
  transform?: NewWebhookEndpointTransform | null | undefined;
  /** The versions of event types that the endpoint gets, by the name of the type. Each version has to exist. The endpoint gets no events of other versions of these types. Null: all versions. */
  event_versions?: { [member: string]: number } | null | undefined;
  /** `webhook`: requests are sent to `url`. `pull`: consumers read the messages with pulls, so `url`, `rate_limit_per_second` and `max_in_flight` must be omitted. Other kinds: messages are sent to the broker in `destination`, with the body and the headers of the requests; `delivered` means that the broker confirmed the message. The kind cannot be changed. Default: `webhook`. */
  kind?: WebhookEndpointKind | undefined;
  /** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
  ordering?: NewWebhookEndpointOrdering | null | undefined;
  /** The wait after each failed attempt of a delivery, in seconds: 1 to 20 waits of 1 second to 24 hours, together at most 7 days. If the attempt after the last wait fails too, the delivery fails. A change applies to pending deliveries from their next attempt. Null: the schedule of the installation. */
  retry_schedule?: number[] | null | undefined;
  /** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
  auth?: NewWebhookEndpointAuth | null | undefined;
  /** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
  destination?: NewWebhookEndpointDestination | null | undefined;
  /** The signatures of each request. At least one. Default: ["service","standard"]. */
  signatures?: WebhookEndpointSignature[] | undefined;
  /** The form of the requests. `svix`: the body is the data alone, byte for byte, with `svix-id`, `svix-timestamp` and `svix-signature` and no `X-Service-` headers, for receivers that verify with a library of Svix. Default: `service`. */
  wire?: ImportedEndpointWire | undefined;
  /** The endpoint gets only the events that have one of these channels. Empty: all events. */
  channels?: string[] | undefined;
  /** Your own values, which the service keeps and returns. */
  metadata?: { [member: string]: string } | undefined;
  /** Your own id of the endpoint, unique for each tenant. */
  uid?: string | null | undefined;
  /** The name by which configuration files refer to the endpoint. Null: the host of the URL or of the destination, or `pull` for that kind. */
  name?: string | null | undefined;
}

/** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
export interface NewWebhookEndpointAuth {
  /** `bearer`, `basic` and `api_key` send the secret; that of `basic` is `user:password`, or the password of `username`. `oauth2_client_credentials` exchanges it for an access token. `mtls` presents a client certificate. */
  type: WebhookEndpointAuthType;
  /** The name of a secret. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string | undefined;
  /** The place of an API key. Default: `header`. */
  in?: HttpCallRequestAuthIn | undefined;
  /** The header or query parameter of an API key. Default: the header `X-Api-Key`. */
  name?: string | undefined;
  /** The same as `name`, for a header. */
  header?: string | undefined;
  /** The user name of `basic`. The secret is the password then. */
  username?: string | undefined;
  /** The token endpoint. The secret has to name its host too. */
  token_url?: string | undefined;
  client_id?: string | undefined;
  /** The scopes of the token, separated by spaces. */
  scope?: string | undefined;
  audience?: string | undefined;
  /** The client certificate as PEM, followed by those of its issuers, if the receiver needs them. */
  certificate?: string | undefined;
  /** The name of the secret that contains the certificate's key as PEM. */
  key_secret_ref?: string | undefined;
}

/** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
export interface NewWebhookEndpointDestination {
  /** `kafka`: the brokers to ask first, as `host:port`. The guard judges those that they name too. */
  brokers?: string[] | undefined;
  /** `kafka`: the topic, which must exist. */
  topic?: string | undefined;
  /** `kafka`: whether the connections use TLS. Default: true. */
  tls?: boolean | undefined;
  sasl?: NewWebhookEndpointDestinationSasl | null | undefined;
  /** `kafka`, `sqs` and `sns`: the key of the message, which is the group of a FIFO queue or topic. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. Default: the delivery's `ordering_key`, otherwise the subject of the event. */
  partition_key?: string | undefined;
  /** `rabbitmq`: the broker and its virtual host, without a user name and a password. */
  url?: string | undefined;
  /** `rabbitmq`: the exchange, which must exist. Empty: the default exchange. */
  exchange?: string | undefined;
  /** `rabbitmq`: the routing key. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  routing_key?: string | undefined;
  /** `nats`: the servers, as `nats://host:port` or `tls://host:port`. */
  servers?: string[] | undefined;
  /** `nats`: the subject. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  subject?: string | undefined;
  /** `nats`: whether a stream confirms the message. Without it, the server only has received the message, and no one may have got it. Default: true. */
  jetstream?: boolean | undefined;
  /** `rabbitmq` and `nats`: the user. Without it, the secret is `user:password` (`rabbitmq`), or a token or a credentials file (`nats`). */
  username?: string | undefined;
  /** The region of AWS. */
  region?: string | undefined;
  /** The endpoint of a service that speaks the protocol of AWS. Default: that of the region. */
  endpoint_url?: string | undefined;
  /** The access key of AWS. The secret is its secret access key. */
  access_key_id?: string | undefined;
  queue_url?: string | undefined;
  topic_arn?: string | undefined;
  /** `eventbridge`: the bus, or its ARN. */
  bus?: string | undefined;
  /** `eventbridge`: the source of the events. */
  source?: string | undefined;
  bucket?: string | undefined;
  /** `s3`: the beginning of the names of objects. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  prefix?: string | undefined;
  /** `s3`: the most messages in an object. They wait together, so `max_in_flight` is at least this. Default: 100. */
  max_items?: number | undefined;
  /** `s3`: the longest wait of a message for others, in seconds. Default: 5. */
  max_wait_seconds?: number | undefined;
  /** The name of the secret to sign in with. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string | undefined;
}

export interface NewWebhookEndpointDestinationSasl {
  mechanism: WebhookEndpointDestinationSaslMechanism;
  username: string;
  /** The name of the secret with the password. */
  secret_ref: string;
}

/** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
export interface NewWebhookEndpointFilter {
  /** True if every node is true. */
  all?: object[] | undefined;
  /** True if at least one node is true. */
  any?: object[] | undefined;
  /** True if no node is true. */
  not?: object[] | undefined;
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string | undefined;
  op?: RuleLeafOp | undefined;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
  [member: string]: unknown;
}

/** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
export interface NewWebhookEndpointOrdering {
  /** What the order is kept by: `endpoint` for all deliveries of the endpoint, `subject` or `tenant` of the event, or an RFC 9535 singular query into the event that begins with $.event, $.data, $.subject or $.tenant. Events without a value, or whose value is null, an object or a list, are not ordered. */
  key: string;
  /** What happens when a delivery has failed. `block`, the default: the later ones with its key wait until it is retried or skipped. `skip`: the next one is sent. A change applies to deliveries that wait already. */
  on_failed?: WebhookEndpointOrderingOnFailed | undefined;
}

/** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
export interface NewWebhookEndpointTransform {
  /** A template has a `body`, and may have a `method` and `headers`. A script has a `source`. */
  kind: TransformKind;
  /** The method of the request. Default: "POST". */
  method?: TransformMethod | undefined;
  /** Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON. */
  headers?: { [member: string]: string } | undefined;
  /** The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string. */
  body?: unknown;
  /** JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt. */
  source?: string | undefined;
  /** Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z. */
  cases?: TransformCase[] | undefined;
}

export interface NewWorkflow {
  name: string;
  trigger: WorkflowTrigger;
  /** The steps in order, each with an `id` and a `type`. A run starts with the first step and runs each step at most once. */
  steps: WorkflowStep[];
  /** Default: true. */
  enabled?: boolean | undefined;
  /** The maximum number of runs that start per minute. Further runs are `limited` and do nothing. The branches and items of a run do not count. Default: 600. */
  max_runs_per_minute?: number | undefined;
}

export interface NewWorkspace {
  name: string;
}

export interface Notification {
  /** An id that begins with `ntf_`. */
  id: string;
  object: "notification";
  /** An id that begins with `mem_`. */
  member_id: string;
  /** An id that begins with `rule_`. */
  rule_id: string;
  rule_name: string;
  /** An id that begins with `evt_`. */
  event_id: string;
  /** An id that begins with `con_`. */
  contact_id: string | null;
  message: string;
  /** RFC 3339, in UTC, with milliseconds. */
  read_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

/** A rule notified members (`notify`). */
export interface NotificationCreatedData {
  /** The rule */
  rule_id: string;
  /** Name of the rule */
  rule_name: string;
  /** The event that the rule ran for */
  event_id: string;
  /** The contact of the event, null without one */
  contact_id: string | null;
  /** Number of members that have the notification */
  reached: number;
  /** Whether it is sent by e-mail: off without a mail server */
  email: NotificationCreatedDataEmail;
  /** The recipients in the rule, with values filled in */
  to: string[];
  /** The message */
  message: string;
  [member: string]: unknown;
}

export interface NotificationList {
  object: "list";
  data: Notification[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface NotificationsRead {
  ids: string[];
}

export interface NotificationsReadResult {
  object: "notifications_read";
  /** The number of notifications that were not read before. */
  count: number;
}

export interface OfferedAction {
  key: string;
  label: string;
  destructive: boolean;
  /** Whether a person must approve each call. */
  requires_confirmation: boolean;
}

/** Issues that are open. Those that a person acknowledged or ignores are left out. */
export interface OpenIssues {
  count: number;
  /** Whether the actual number is higher than `count`. */
  capped: boolean;
  /** At most 10 issues. The newest come first. */
  ids: string[];
}

export interface OpenProposals {
  count: number;
  /** Whether the actual number is higher than `count`. */
  capped: boolean;
  low: number;
  medium: number;
  high: number;
}

/** An order was cancelled before it was delivered. */
export interface OrderCancelledData {
  /** The order as it is after the event */
  order: OrderCancelledDataOrder;
  /** The customer concerned */
  customer?: OrderCancelledDataCustomer | undefined;
  /** Reason */
  reason?: string | undefined;
  /** Who cancelled the order, such as customer, merchant or system */
  cancelled_by?: string | undefined;
  /** Time at which this happened */
  cancelled_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface OrderCancelledDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderCancelledDataOrder {
  /** Id in your system */
  external_id: string;
  /** Order number shown to the customer */
  number?: string | undefined;
  /** Status, such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Order total, including taxes and shipping, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Ordered items */
  items?: OrderCancelledDataOrderItem[] | undefined;
  /** Shipping address */
  shipping_address?: OrderCancelledDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One item */
export interface OrderCancelledDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Shipping address */
export interface OrderCancelledDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Additional address information */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** A customer placed an order, which may not be paid yet. */
export interface OrderCreatedData {
  /** The order as it is after the event */
  order: OrderCreatedDataOrder;
  /** The customer concerned */
  customer?: OrderCreatedDataCustomer | undefined;
  /** Time at which the order was placed */
  placed_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface OrderCreatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderCreatedDataOrder {
  /** Id in your system */
  external_id: string;
  /** Order number shown to the customer */
  number?: string | undefined;
  /** Status, such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Order total, including taxes and shipping, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Ordered items */
  items?: OrderCreatedDataOrderItem[] | undefined;
  /** Shipping address */
  shipping_address?: OrderCreatedDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One item */
export interface OrderCreatedDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Shipping address */
export interface OrderCreatedDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Additional address information */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** The carrier delivered the order. */
export interface OrderDeliveredData {
  /** The order as it is after the event */
  order: OrderDeliveredDataOrder;
  /** The customer concerned */
  customer?: OrderDeliveredDataCustomer | undefined;
  /** Name of the carrier */
  carrier?: string | undefined;
  /** Tracking number */
  tracking_number?: string | undefined;
  /** Tracking URL */
  tracking_url?: string | undefined;
  /** Time of delivery */
  delivered_at?: string | undefined;
  /** Person who signed for the delivery */
  signed_by?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface OrderDeliveredDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderDeliveredDataOrder {
  /** Id in your system */
  external_id: string;
  /** Order number shown to the customer */
  number?: string | undefined;
  /** Status, such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Order total, including taxes and shipping, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Ordered items */
  items?: OrderDeliveredDataOrderItem[] | undefined;
  /** Shipping address */
  shipping_address?: OrderDeliveredDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One item */
export interface OrderDeliveredDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Shipping address */
export interface OrderDeliveredDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Additional address information */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** The full amount of an order has been paid. */
export interface OrderPaidData {
  /** The order as it is after the event */
  order: OrderPaidDataOrder;
  /** The customer concerned */
  customer?: OrderPaidDataCustomer | undefined;
  /** The payment that settled it */
  payment_external_id?: string | undefined;
  /** Time of payment */
  paid_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface OrderPaidDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderPaidDataOrder {
  /** Id in your system */
  external_id: string;
  /** Order number shown to the customer */
  number?: string | undefined;
  /** Status, such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Order total, including taxes and shipping, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Ordered items */
  items?: OrderPaidDataOrderItem[] | undefined;
  /** Shipping address */
  shipping_address?: OrderPaidDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One item */
export interface OrderPaidDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Shipping address */
export interface OrderPaidDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Additional address information */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** Some or all items of an order were returned. */
export interface OrderReturnedData {
  /** The order as it is after the event */
  order: OrderReturnedDataOrder;
  /** The customer concerned */
  customer?: OrderReturnedDataCustomer | undefined;
  /** Returned items */
  items?: OrderReturnedDataItem[] | undefined;
  /** Reason */
  reason?: string | undefined;
  /** Amount to be refunded, in the currency's smallest unit (cents for EUR) */
  refund_minor?: number | undefined;
  /** Time at which the items arrived */
  returned_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface OrderReturnedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** One item */
export interface OrderReturnedDataItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderReturnedDataOrder {
  /** Id in your system */
  external_id: string;
  /** Order number shown to the customer */
  number?: string | undefined;
  /** Status, such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Order total, including taxes and shipping, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Ordered items */
  items?: OrderReturnedDataOrderItem[] | undefined;
  /** Shipping address */
  shipping_address?: OrderReturnedDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One item */
export interface OrderReturnedDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Shipping address */
export interface OrderReturnedDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Additional address information */
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
  /** The customer concerned */
  customer?: OrderShippedDataCustomer | undefined;
  /** Name of the carrier */
  carrier?: string | undefined;
  /** Tracking number */
  tracking_number?: string | undefined;
  /** Tracking URL */
  tracking_url?: string | undefined;
  /** Time of dispatch */
  shipped_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface OrderShippedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderShippedDataOrder {
  /** Id in your system */
  external_id: string;
  /** Order number shown to the customer */
  number?: string | undefined;
  /** Status, such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Order total, including taxes and shipping, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Ordered items */
  items?: OrderShippedDataOrderItem[] | undefined;
  /** Shipping address */
  shipping_address?: OrderShippedDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One item */
export interface OrderShippedDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Shipping address */
export interface OrderShippedDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Additional address information */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** The items, the address or the amounts of an order changed after it was placed. */
export interface OrderUpdatedData {
  /** The order as it is after the event */
  order: OrderUpdatedDataOrder;
  /** The customer concerned */
  customer?: OrderUpdatedDataCustomer | undefined;
  /** Names of the changed fields */
  changed?: string[] | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface OrderUpdatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The order as it is after the event */
export interface OrderUpdatedDataOrder {
  /** Id in your system */
  external_id: string;
  /** Order number shown to the customer */
  number?: string | undefined;
  /** Status, such as open, paid, shipped, delivered, cancelled or returned */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Order total, including taxes and shipping, in the currency's smallest unit (cents for EUR) */
  total_minor?: number | undefined;
  /** Ordered items */
  items?: OrderUpdatedDataOrderItem[] | undefined;
  /** Shipping address */
  shipping_address?: OrderUpdatedDataOrderShippingAddress | undefined;
  [member: string]: unknown;
}

/** One item */
export interface OrderUpdatedDataOrderItem {
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name of the product */
  name?: string | undefined;
  /** Quantity */
  quantity?: number | undefined;
  /** Unit price, in the currency's smallest unit (cents for EUR) */
  unit_price_minor?: number | undefined;
  [member: string]: unknown;
}

/** Shipping address */
export interface OrderUpdatedDataOrderShippingAddress {
  /** Street and number */
  line1?: string | undefined;
  /** Additional address information */
  line2?: string | undefined;
  /** City */
  city?: string | undefined;
  /** Postal code */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** The standing approval that covers the call, if its budget has no room. The budget begins again at `window_end`. */
export interface OverBudget {
  /** An id that begins with `sap_`. */
  standing_approval_id: string;
  name: string;
  /** RFC 3339, in UTC, with milliseconds. */
  window_end: string;
  detail: string;
}

/** A person with a second factor sends a code, or begins and proves a step-up for the operation first. Others send the password, which is not needed in the first 10 minutes of a session that OpenID Connect opened. */
export interface OwnProof {
  password?: string | undefined;
  /** Instead of a step-up: a recovery code, or six digits from the authenticator app of a person without a passkey. */
  code?: string | undefined;
}

export interface Passkey {
  /** An id that begins with `pky_`. */
  id: string;
  object: "passkey";
  /** A name of your choice. */
  name: string;
  /** How browsers reach it, as they reported it. */
  transports: string[];
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  last_used_at: string | null;
}

export interface PasskeyAlgorithm {
  type: "public-key";
  alg: number;
}

/** The JSON of the credential that `navigator.credentials.get` returned. */
export interface PasskeyAssertion {
  id: string;
  rawId: string;
  type: "public-key";
  response: PasskeyAssertionResponse;
  /** Ignored. */
  clientExtensionResults?: object | undefined;
  /** Ignored. */
  authenticatorAttachment?: string | null | undefined;
}

export interface PasskeyAssertionResponse {
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string | null | undefined;
}

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export interface PasskeyCreationOptions {
  rp: PasskeySite;
  user: PasskeyUser;
  /** Can be answered once, within 5 minutes, in the session that it was made for. */
  challenge: string;
  pubKeyCredParams: PasskeyAlgorithm[];
  /** In milliseconds. */
  timeout: number;
  excludeCredentials: PasskeyDescriptor[];
  authenticatorSelection: PasskeySelection;
  attestation: "none";
}

export interface PasskeyCreationResponse {
  clientDataJSON: string;
  attestationObject: string;
  transports?: string[] | undefined;
  /** Ignored. */
  authenticatorData?: string | undefined;
  /** Ignored. */
  publicKey?: string | null | undefined;
  /** Ignored. */
  publicKeyAlgorithm?: number | undefined;
}

/** The JSON of the credential that `navigator.credentials.create` returned. */
export interface PasskeyCredential {
  id: string;
  rawId: string;
  type: "public-key";
  response: PasskeyCreationResponse;
  /** Ignored. */
  clientExtensionResults?: object | undefined;
  /** Ignored. */
  authenticatorAttachment?: string | null | undefined;
}

export interface PasskeyDescriptor {
  type: "public-key";
  id: string;
  transports: string[];
}

export interface PasskeyList {
  object: "list";
  data: Passkey[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface PasskeyName {
  /** A name of your choice. */
  name: string;
}

export interface PasskeyRegistration {
  object: "passkey_registration";
  passkey: Passkey;
  /** Each code works once in place of a passkey. Shown only once, with the first second factor; otherwise empty. */
  recovery_codes: string[];
}

export interface PasskeySelection {
  residentKey: "discouraged";
  requireResidentKey: boolean;
  /** Whether the key must check a PIN, fingerprint or face. */
  userVerification: PasskeySelectionUserVerification;
}

export interface PasskeySite {
  id: string;
  name: string;
}

export interface PasskeyUser {
  id: string;
  name: string;
  displayName: string;
}

export interface PasswordChange {
  current: string;
  /** At least 12 characters, and not the e-mail address. */
  new: string;
  /** Six digits from the authenticator app, or a recovery code. */
  code?: string | undefined;
}

/** A payment from a customer was received. */
export interface PaymentCompletedData {
  /** The payment as it is after the event */
  payment: PaymentCompletedDataPayment;
  /** The customer concerned */
  customer?: PaymentCompletedDataCustomer | undefined;
  /** Time at which this happened */
  completed_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface PaymentCompletedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The payment as it is after the event */
export interface PaymentCompletedDataPayment {
  /** Id in your system */
  external_id: string;
  /** Status, such as pending, completed, failed or refunded */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Payment method, such as card, sepa_debit or bank_transfer */
  method?: string | undefined;
  /** The invoice that was paid, null without one */
  invoice_external_id?: string | null | undefined;
  /** The order that was paid, null without one */
  order_external_id?: string | null | undefined;
  [member: string]: unknown;
}

/** A payment was declined, or was not completed. */
export interface PaymentFailedData {
  /** The payment as it is after the event */
  payment: PaymentFailedDataPayment;
  /** The customer concerned */
  customer?: PaymentFailedDataCustomer | undefined;
  /** Error code of the payment processor */
  failure_code?: string | undefined;
  /** Error message of the payment processor */
  failure_message?: string | undefined;
  /** Number of the attempt, counted from 1 */
  attempt?: number | undefined;
  /** Time of the next attempt, null when there is none */
  next_attempt_at?: string | null | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface PaymentFailedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The payment as it is after the event */
export interface PaymentFailedDataPayment {
  /** Id in your system */
  external_id: string;
  /** Status, such as pending, completed, failed or refunded */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Payment method, such as card, sepa_debit or bank_transfer */
  method?: string | undefined;
  /** The invoice that was paid, null without one */
  invoice_external_id?: string | null | undefined;
  /** The order that was paid, null without one */
  order_external_id?: string | null | undefined;
  [member: string]: unknown;
}

/** A payment was refunded in full or in part. */
export interface PaymentRefundedData {
  /** The payment as it is after the event */
  payment: PaymentRefundedDataPayment;
  /** The customer concerned */
  customer?: PaymentRefundedDataCustomer | undefined;
  /** The refund */
  refund: PaymentRefundedDataRefund;
  /** Time at which this happened */
  refunded_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface PaymentRefundedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The payment as it is after the event */
export interface PaymentRefundedDataPayment {
  /** Id in your system */
  external_id: string;
  /** Status, such as pending, completed, failed or refunded */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Payment method, such as card, sepa_debit or bank_transfer */
  method?: string | undefined;
  /** The invoice that was paid, null without one */
  invoice_external_id?: string | null | undefined;
  /** The order that was paid, null without one */
  order_external_id?: string | null | undefined;
  [member: string]: unknown;
}

/** The refund */
export interface PaymentRefundedDataRefund {
  /** Id in your system */
  external_id: string;
  /** Refunded amount, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Reason */
  reason?: string | undefined;
  /** Whether the full payment was refunded */
  full?: boolean | undefined;
  [member: string]: unknown;
}

export interface PortalSession {
  /** An id that begins with `prt_`. */
  id: string;
  object: "portal_session";
  /** Your customer, by your own id. The session sees only the endpoints, events and deliveries of this tenant. */
  tenant: string;
  /** `endpoints`: create, change, enable and delete endpoints. `deliveries`: deliveries with their attempts and events. `replay`: replay and cancel deliveries. `tester`: send test events. `secrets`: show and regenerate signing secrets. `filters`, `transforms`: change these of endpoints. `event_types`: the catalog of public event types. `mcp_tokens`: create MCP tokens, with which an assistant works for the tenant. */
  capabilities: PortalSessionCapability[];
  theme: PortalTheme;
  /** `waiting`: the link was not opened. `active`: it was opened, and the session lasts until `expires_at`. */
  state: PortalSessionState;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  opened_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  revoked_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface PortalSessionList {
  object: "list";
  data: PortalSession[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface PortalSessionRequest {
  /** Your customer, by your own id. The session sees only the endpoints, events and deliveries of this tenant. */
  tenant: string;
  /** `endpoints`: create, change, enable and delete endpoints. `deliveries`: deliveries with their attempts and events. `replay`: replay and cancel deliveries. `tester`: send test events. `secrets`: show and regenerate signing secrets. `filters`, `transforms`: change these of endpoints. `event_types`: the catalog of public event types. `mcp_tokens`: create MCP tokens, with which an assistant works for the tenant. */
  capabilities: PortalSessionCapability[];
  /** The length of the session. It ends earlier with the key or the member that created it. Default: 3600. */
  expires_in_seconds?: number | undefined;
  theme?: PortalTheme | undefined;
  /** The address of your customer that gets an e-mail when an endpoint of the tenant fails or is disabled, if the installation sends e-mail. It is kept for the tenant until you change it. Null removes it. */
  contact_email?: string | null | undefined;
}

export interface PortalTheme {
  /** The color of buttons and links. */
  accent?: string | undefined;
  /** The radius of corners in pixels. */
  radius?: number | undefined;
  /** CSS font families that the browser already has. */
  font?: string | undefined;
  /** `auto` follows the browser. */
  mode?: PortalThemeMode | undefined;
}

/** Created by the service from the contract and the parameters only, or from the texts of a workflow's approval. Invisible characters are spelled out. */
export interface Preview {
  title: string;
  summary: string;
  fields: PreviewField[];
  risk: PreviewRisk;
  /** The host that would be called. Null if nothing is called. */
  target_host: string | null;
  reversible: boolean;
  /** For a write of an operator tool and for a configuration: the number of objects that change. */
  count?: number;
  /** For a write of an operator tool: one of these objects. Null if there is none. */
  example?: unknown;
}

export interface PreviewField {
  name: string;
  description: string;
  value: string;
  /** Whether the value is sensitive and therefore hidden. */
  masked: boolean;
}

/** A product was added to the catalog. */
export interface ProductCreatedData {
  /** The product */
  product: ProductCreatedDataProduct;
  /** Time at which this happened */
  created_at?: string | undefined;
  [member: string]: unknown;
}

/** The product */
export interface ProductCreatedDataProduct {
  /** Id in your system */
  external_id: string;
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** List price, in the currency's smallest unit (cents for EUR) */
  price_minor?: number | undefined;
  /** URL of the product page */
  url?: string | undefined;
  [member: string]: unknown;
}

/** The last piece of a product was sold or reserved. */
export interface ProductOutOfStockData {
  /** The product */
  product: ProductOutOfStockDataProduct;
  /** Name of the stock that ran out */
  warehouse?: string | undefined;
  /** Expected restock date, null when unknown */
  restock_expected_at?: string | null | undefined;
  [member: string]: unknown;
}

/** The product */
export interface ProductOutOfStockDataProduct {
  /** Id in your system */
  external_id: string;
  /** Stock keeping unit */
  sku?: string | undefined;
  /** Name */
  name?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** List price, in the currency's smallest unit (cents for EUR) */
  price_minor?: number | undefined;
  /** URL of the product page */
  url?: string | undefined;
  [member: string]: unknown;
}

export interface PromoteActionContractBody {
  /** Whether to return the difference without changing anything. Default: false. */
  dry_run?: boolean | undefined;
  /** The version in the sandbox that the caller has seen. Another one is refused with 409. */
  source_version?: number | undefined;
  /** The version in live that the caller has seen, or null for none. Another one is refused with 409. */
  live_version?: number | null | undefined;
}

export interface PromoteConnectorBody {
  /** Whether to return the difference without changing anything. Default: false. */
  dry_run?: boolean | undefined;
  /** The version of the sandbox that you have seen. Refused with 409 if it was changed since. */
  source_digest?: string | undefined;
  /** The version of live that you have seen; null if it had none. Refused with 409 if it was changed since. */
  live_digest?: string | null | undefined;
  /** The settings by name, as defined in `settings_schema`. Settings that are omitted keep their values. Null removes a value. */
  settings?: object | undefined;
  /** Whether the version may be older than that of live. Default: false. */
  allow_downgrade?: boolean | undefined;
}

export interface PromoteRuleBody {
  /** Whether to return the difference without changing anything. Default: false. */
  dry_run?: boolean | undefined;
  /** The version in the sandbox that the caller has seen. Another one is refused with 409. */
  source_version?: number | undefined;
  /** The version in live that the caller has seen, or null for none. Another one is refused with 409. */
  live_version?: number | null | undefined;
}

export interface PromoteWorkflowBody {
  /** Whether to return the difference without changing anything. Default: false. */
  dry_run?: boolean | undefined;
  /** The version in the sandbox that the caller has seen. Another one is refused with 409. */
  source_version?: number | undefined;
  /** The version in live that the caller has seen, or null for none. Another one is refused with 409. */
  live_version?: number | null | undefined;
}

export interface Promotion {
  object: "promotion";
  dry_run: boolean;
  /** Whether live gets a new object, a new version of the object that it has, or nothing because both are equal. */
  effect: PromotionEffect;
  /** The id of the object in the sandbox. */
  source_id: string;
  source_version: number;
  /** The id of the object in live. Null if it does not exist yet. */
  live_id: string | null;
  /** The version in live: after the promotion, or at the moment with `dry_run`. */
  live_version: number | null;
  difference: PromotionDifference[];
  warnings: string[];
}

export interface PromotionDifference {
  /** The JSON Pointer of the member. */
  path: string;
  /** The value in live. Omitted if live does not have the member. */
  from?: unknown;
  /** The value from the sandbox. Omitted if the sandbox does not have it. */
  to?: unknown;
}

export interface Proposal {
  /** An id that begins with `prop_`. */
  id: string;
  object: "proposal";
  /** The key of the contract. */
  action: string;
  contract_version: number;
  state: ProposalState;
  /** The surface of the request. */
  surface: RunSurface;
  proposer: ActionActor;
  edited_by: ProposalEditedBy | null;
  /** The workflow that waits for the decision. Null for all other proposals. */
  workflow: ProposalWorkflow | null;
  preview: Preview;
  /** The values, redacted: secrets are hidden if their name, their format or their contract marks them. */
  parameters: { [member: string]: unknown };
  /** Hex SHA-256 of the RFC 8785 form of `{action, contract_version, parameters}`. An approval refers to this hash. */
  params_hash: string;
  prompt: string | null;
  /** The roles whose members may decide. */
  approver_roles: string[];
  /** Whether requesters and editors are prevented from approving the proposal. */
  four_eyes: boolean;
  /** The number of people who must approve. */
  approvals_required: number;
  approvals: ProposalApproval[];
  /** The person who ended the proposal without a run, and the reason. */
  decision: ProposalDecision | null;
  /** The page on which people decide. Opening the page changes nothing. */
  approve_url: string;
  /** An id that begins with `run_`. */
  run_id: string | null;
  /** An id that begins with `prop_`. */
  supersedes: string | null;
  /** An id that begins with `prop_`. */
  superseded_by: string | null;
  /** An id that begins with `sap_`. */
  standing_approval_id: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  run?: Run;
}

export interface ProposalApproval {
  by: ActionActor;
  /** RFC 3339, in UTC, with milliseconds. */
  at: string;
  comment: string | null;
  /** `inline`: the call contained its own confirmation. `standing`: a standing approval, which is `by`. */
  kind: ProposalApprovalKind;
  /** Present if the person decided in another service, with their linked account there. */
  via?: "slack";
  /** Present if the person proved again who they are for this approval, and how. */
  step_up?: ProposalApprovalStepUp;
}

/** The person who ended the proposal without a run, and the reason. */
export interface ProposalDecision {
  by: ActionActor;
  /** RFC 3339, in UTC, with milliseconds. */
  at: string;
  reason: string | null;
  /** Present if the person decided in another service, with their linked account there. */
  via?: "slack";
}

export interface ProposalEdit {
  /** The parameters of the contract, by name. Values are never converted. */
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
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** The event that started the run. */
export interface ProposalTrigger {
  /** An id that begins with `evt_`. */
  id: string;
  type: string;
}

/** The workflow that waits for the decision. Null for all other proposals. */
export interface ProposalWorkflow {
  /** An id that begins with `wf_`. */
  id: string;
  /** The name when the step began. */
  name: string;
  version: number;
  /** An id that begins with `wfr_`. */
  run_id: string;
  step_id: string;
  event: ProposalTrigger;
}

export interface Pull {
  /** The name of the consumer: letters, digits and `_.:-`. Each consumer has its own position. */
  consumer: string;
  /** The maximum number of messages. Default: 100. */
  limit?: number | undefined;
  /** The time for which the call waits for a message. Default: 0. */
  wait_seconds?: number | undefined;
  /** The time for which no other pull of the consumer gets messages. Default: 60. */
  lease_seconds?: number | undefined;
  /** Where a new consumer begins: with the oldest message that is kept, or after the last one. Default: `start`. */
  start?: PullStart | undefined;
}

export interface PullCommit {
  /** The name of the consumer: letters, digits and `_.:-`. Each consumer has its own position. */
  consumer: string;
  /** The `id` of the lease. */
  lease_id: string;
  /** The last offset that is done. Default: the last one of the lease. */
  offset?: number | undefined;
}

export interface PullConsumer {
  /** The name of the consumer: letters, digits and `_.:-`. Each consumer has its own position. */
  consumer: string;
  /** The first offset that is not committed. */
  position: number;
  /** The number of messages from `position` on. */
  lag: number;
  /** Changes when a backup is restored: offsets are then given again, and leases are lost. */
  epoch: string;
  /** The time of the message at `position`. Null if there is none. */
  oldest_unread_at: string | null;
  /** Null while no lease runs. */
  lease_expires_at: string | null;
  /** Within a minute, if pulls get nothing. */
  last_pulled_at: string;
}

export interface PullConsumerList {
  object: "list";
  data: PullConsumer[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface PullRelease {
  /** The name of the consumer: letters, digits and `_.:-`. Each consumer has its own position. */
  consumer: string;
  /** The `id` of the lease. */
  lease_id: string;
}

export interface PullSeek {
  /** The name of the consumer: letters, digits and `_.:-`. Each consumer has its own position. */
  consumer: string;
  /** The new position: `start`, `end`, `{offset}` or `{time}`. */
  to: PullSeekTo1 | PullSeekTo2 | PullSeekTo3;
}

export interface PullSeekTo2 {
  /** The offset of a message. Offsets are dense, from 1. */
  offset: number;
}

export interface PullSeekTo3 {
  /** The first message from this time on. RFC 3339, with a zone. */
  time: string | Date;
}

export interface PulledMessage {
  /** The offset of a message. Offsets are dense, from 1. */
  offset: number;
  /** An id that begins with `dlv_`. */
  delivery_id: string;
  /** The name of the event. */
  event: string;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The headers that a request to a webhook endpoint has, signed at the time of the pull. */
  headers: { [member: string]: string };
  /** The body of such a request, byte for byte. Null if the event was erased. */
  body: string | null;
}

export interface PulledMessages {
  /** In the order of their offsets. */
  messages: PulledMessage[];
  /** Null without messages. */
  lease: PulledMessagesLease | null;
  /** The first offset that is not committed. */
  position: number;
  /** The number of messages from `position` on. */
  lag: number;
  /** Changes when a backup is restored: offsets are then given again, and leases are lost. */
  epoch: string;
  /** The number of messages that retention has deleted before the consumer read them. */
  skipped?: number;
}

/** Null without messages. */
export interface PulledMessagesLease {
  /** The `id` of the lease. */
  id: string;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
}

/** The values that the mapping extracted. Empty if the mapping was not applied. */
export interface ReceiptFields {
  contact_email?: string | null;
  contact_name?: string | null;
  event_type?: string | null;
  idempotency_key?: string | null;
  /** The exact value with all of its digits, in major units. */
  value?: number | null;
  currency?: string | null;
  summary?: string | null;
  score_delta?: number;
  warnings?: MappingWarning[];
}

/** `unmapped` also counts requests of which an element cannot be mapped. */
export interface ReceiptsToSee {
  error: CappedCount;
  unmapped: CappedCount;
}

export interface RecoveryCodes {
  /** Each code works once in place of the app. Shown only once. */
  recovery_codes: string[];
}

export interface RefireEventBody {
  /** An id that begins with `ep_`. */
  endpoint_id?: string | undefined;
}

export interface RegenerateActionSigningSecretBody {
  /** How long the old secret also signs, in seconds. Default: 0. */
  overlap_seconds?: number | undefined;
}

export interface RegenerateInboundSecretBody {
  /** For senders that choose the secret themselves. Default: a generated secret. */
  secret?: string | undefined;
  /** How long the old secret stays valid, in seconds. Default: 0. */
  overlap_seconds?: number | undefined;
}

export interface RegenerateRuleSecretBody {
  /** Overlap of both secrets, in seconds. Default: 0. */
  overlap_seconds?: number | undefined;
}

export interface RegenerateWebhookSecretBody {
  /** Overlap of both secrets, in seconds. Default: 0. */
  overlap_seconds?: number | undefined;
}

export interface RegenerateWorkflowSecretBody {
  /** Overlap of both secrets, in seconds. Default: 0. */
  overlap_seconds?: number | undefined;
}

export interface RejectProposalBody {
  reason?: string | undefined;
}

export interface Replay {
  /** An id that begins with `job_`. */
  id: string;
  object: "replay";
  /** `backfill`: it creates new deliveries of stored events. */
  kind: ReplayKind;
  state: ReplayState;
  /** The number of deliveries to replay. */
  total: number;
  /** Whether the actual number was higher than `total`. */
  total_capped: boolean;
  /** The number of deliveries that have been started so far. */
  done: number;
  /** An id that begins with `ep_`. */
  endpoint_id: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface ReplayCount {
  /** The number of deliveries. */
  count: number;
}

export interface ReplayFilter {
  /** The state of the deliveries. Default: failed. `pending`: only deliveries whose retry waits, which is made now. */
  state?: ReplayFilterState | undefined;
  /** An id that begins with `ep_`. */
  endpoint_id?: string | undefined;
  /** The tenant of the endpoint. */
  tenant?: string | undefined;
  /** The name of the event. */
  event?: string | undefined;
  /** The status code of the last attempt. */
  status_code?: number | undefined;
  /** The class of the status code of the last attempt. */
  status_class?: ReplayFilterStatusClass | undefined;
  /** The kind of error of the last attempt. */
  error_class?: AttemptErrorClass | undefined;
  /** The number of attempts that were made. */
  attempt_count?: number | undefined;
  /** Created at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
}

export interface ReplayIssueBody {
  /** True: only count the deliveries. */
  dry_run?: boolean | undefined;
}

export interface ReplayJob {
  /** The number of deliveries. */
  count: number;
  /** An id that begins with `job_`. */
  job_id: string;
}

export interface ReplayList {
  object: "list";
  data: Replay[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface ReplayTally {
  /** The number of deliveries. */
  count: number;
  /** Whether there are more than 100 000 deliveries. */
  capped: boolean;
}

export interface RequestedScope {
  name: string;
  description: string;
  /** Whether your role allows it. Otherwise, it is not granted. */
  allowed: boolean;
}

export interface ResetLink {
  /** The link, shown only once. Works once, for 24 hours. */
  reset_url: string;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
}

export interface RevealedHeaders {
  /** The headers with their values. */
  headers: { [member: string]: string };
}

export interface RevealedWebhook {
  /** The position of the webhook, as an RFC 6901 pointer. */
  path: string;
  url: string;
  /** The headers with their values. */
  headers: { [member: string]: string };
}

export interface RevealedWebhooks {
  /** The webhooks that have custom headers. */
  webhooks: RevealedWebhook[];
}

export interface Role {
  object: "role";
  role: RoleRole;
  /** The roles that members with this role may assign. */
  may_give: string[];
  operations: RoleOperation[];
}

export interface RoleList {
  object: "list";
  data: Role[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface RoleOperation {
  name: string;
  access: RoleOperationAccess;
  /** True if the operation requires a console session: no key can call it. */
  session_only?: boolean;
}

export interface RollKeyBody {
  /** How long the old key keeps working, in seconds. With 0, it is revoked at once. Default: 0. */
  overlap_seconds?: number | undefined;
}

export interface Rule {
  /** An id that begins with `rule_`. */
  id: string;
  object: "rule";
  name: string;
  on: string[];
  when: Condition;
  /** The actions, which run in order: `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, `notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, `http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?}`. Texts can contain `${$.data.x}`. A webhook is a delivery of the event. With a `body`, it is a delivery of the event `rule.webhook` with the body as its `data`. `notify` tells members: `to` contains roles (`admin`), ids (`mem_…`) or e-mail addresses of members. They find it in `GET /v1/notifications`, and get it by e-mail if the operator has set a mail server. It also fires the system event `notification.created`. If no member is reached, the action is `failed` with `nobody_reached`. */
  then: RuleAction[];
  priority: number;
  enabled: boolean;
  max_runs_per_minute: number;
  /** The number of the version. Each change increases it by one. */
  version: number;
  author: RuleAuthor;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  /** The environment of the credential that made the object. Only credentials of this environment can change it. */
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The environments in which the object acts. A live object also acts in the sandbox, unless the sandbox has its own instead. */
  acts_in: RuleActsInItem[];
  /** An id that begins with `rule_`. */
  promotes_to: string | null;
  /** The sandbox rule, and its version, that was last promoted to this rule. */
  promoted_from: RulePromotedFrom | null;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
}

export interface RuleAction {
  type: RuleActionType;
  [member: string]: unknown;
}

/** The last author. The rule acts with the rights that this key or member has at that moment. */
export interface RuleAuthor {
  kind: RuleAuthorKind;
  /** An id that begins with `key_`. */
  id: string;
  environment: Environment;
}

export interface RuleChange {
  name?: string | undefined;
  /** Event names, or patterns such as `order.*`. `*` means every event except system events. */
  on?: string[] | undefined;
  /** The actions, which run in order: `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, `notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, `http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?}`. Texts can contain `${$.data.x}`. A webhook is a delivery of the event. With a `body`, it is a delivery of the event `rule.webhook` with the body as its `data`. `notify` tells members: `to` contains roles (`admin`), ids (`mem_…`) or e-mail addresses of members. They find it in `GET /v1/notifications`, and get it by e-mail if the operator has set a mail server. It also fires the system event `notification.created`. If no member is reached, the action is `failed` with `nobody_reached`. */
  then?: RuleAction[] | undefined;
  when?: Condition | undefined;
  /** Rules with lower values run first. Default: 100. */
  priority?: number | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** The maximum number of runs per minute. Further runs are `limited` and do nothing. Default: 600. */
  max_runs_per_minute?: number | undefined;
}

export interface RuleLeaf {
  /** The position of the leaf in the condition, as an RFC 6901 pointer. */
  path: string;
  field: string;
  op: RuleLeafOp;
  /** The value of the leaf, as it was written. */
  expected: unknown;
  /** Whether the field existed. */
  found: boolean;
  /** The value of the field, as it was written. A value of more than 500 characters is replaced by a string with its beginning. */
  actual: unknown;
  truth: boolean;
}

export interface RuleList {
  object: "list";
  data: Rule[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** The sandbox rule, and its version, that was last promoted to this rule. */
export interface RulePromotedFrom {
  /** An id that begins with `rule_`. */
  id: string;
  version: number;
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
  /** A machine-readable reason. */
  reason_code: string | null;
  reason: string | null;
  leaves: RuleLeaf[];
  actions: RuleRunAction[];
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  started_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
}

export interface RuleRunAction {
  type: RuleActionType;
  status: RuleRunActionStatus;
}

export interface RuleRunList {
  object: "list";
  data: RuleRun[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** An event with its data, or the `event_id` of a past event. */
export interface RuleTest {
  event?: string | undefined;
  data?: object | undefined;
  /** The tenant of the given event. Default: none. */
  tenant?: string | undefined;
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
  /** Whether the rule is enabled and subscribes to the event. */
  listens: boolean;
  /** Whether the condition is true. */
  matched: boolean;
  would_run: boolean;
  actions: RuleTrialAction[];
  leaves: RuleLeaf[];
}

/** `run_action` and `start_workflow` as they would be requested. `foresight` contains the expected result. */
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
  /** The actions, which run in order: `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, `notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, `http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?}`. Texts can contain `${$.data.x}`. A webhook is a delivery of the event. With a `body`, it is a delivery of the event `rule.webhook` with the body as its `data`. `notify` tells members: `to` contains roles (`admin`), ids (`mem_…`) or e-mail addresses of members. They find it in `GET /v1/notifications`, and get it by e-mail if the operator has set a mail server. It also fires the system event `notification.created`. If no member is reached, the action is `failed` with `nobody_reached`. */
  then: RuleAction[];
  priority: number;
  enabled: boolean;
  max_runs_per_minute: number;
  /** The number of the version. Each change increases it by one. */
  version: number;
  author: RuleAuthor;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  /** The environment of the credential that made the object. Only credentials of this environment can change it. */
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The environments in which the object acts. A live object also acts in the sandbox, unless the sandbox has its own instead. */
  acts_in: RuleActsInItem[];
  /** An id that begins with `rule_`. */
  promotes_to: string | null;
  /** The sandbox rule, and its version, that was last promoted to this rule. */
  promoted_from: RuleWithSecretPromotedFrom | null;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
  /** `whsec_` and 32 bytes in base64. Shown when the secret is created, and to owners on request. */
  signing_secret: string;
}

/** The sandbox rule, and its version, that was last promoted to this rule. */
export interface RuleWithSecretPromotedFrom {
  /** An id that begins with `rule_`. */
  id: string;
  version: number;
}

export interface Run {
  /** An id that begins with `run_`. */
  id: string;
  object: "run";
  /** The key of the contract. */
  action: string;
  contract_version: number;
  /** `queued` and `executing` are in progress. All other statuses are final. */
  status: RunStatus;
  /** The surface of the request. */
  surface: RunSurface;
  actor: ActionActor;
  approver: RunApprover | null;
  /** An id that begins with `prop_`. */
  proposal_id: string | null;
  /** The values, redacted: secrets are hidden if their name, their format or their contract marks them. */
  parameters: { [member: string]: unknown };
  prompt: string | null;
  /** The backend's response, as far as the contract exposes it. The caller who ran the action sees it unchanged; others see it redacted. */
  result: unknown;
  /** Whether this is a simulated sandbox run, because the contract has no `sandbox_endpoint`. Nothing was called. */
  simulated: boolean;
  error: RunError | null;
  backend: RunBackend | null;
  /** An id that begins with `aud_`. */
  audit_id: string | null;
  /** Whether the run can still be undone. */
  reversible: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  undo_until: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  undone_at: string | null;
  undone_by: RunUndoneBy | null;
  duration_ms: number | null;
  /** RFC 3339, in UTC, with milliseconds. */
  started_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface RunAccepted {
  /** An id that begins with `run_`. */
  id?: string;
  object?: "run";
  /** The key of the contract. */
  action: string;
  contract_version?: number;
  status: RunAcceptedStatus;
  /** The surface of the request. */
  surface?: RunSurface;
  actor?: ActionActor;
  approver?: RunAcceptedApprover | null;
  /** An id that begins with `prop_`. */
  proposal_id?: string | null;
  /** The values, redacted: secrets are hidden if their name, their format or their contract marks them. */
  parameters?: { [member: string]: unknown };
  prompt?: string | null;
  /** The backend's response, as far as the contract exposes it. The caller who ran the action sees it unchanged; others see it redacted. */
  result?: unknown;
  /** Whether this is a simulated sandbox run, because the contract has no `sandbox_endpoint`. Nothing was called. */
  simulated?: boolean;
  error?: RunAcceptedError | null;
  backend?: RunAcceptedBackend | null;
  /** An id that begins with `aud_`. */
  audit_id?: string | null;
  /** Whether the run can still be undone. */
  reversible?: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  undo_until?: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  undone_at?: string | null;
  undone_by?: RunAcceptedUndoneBy | null;
  duration_ms?: number | null;
  /** RFC 3339, in UTC, with milliseconds. */
  started_at?: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at?: string | null;
  scope_kind?: "workspace";
  /** An id that begins with `ws_`. */
  scope_key?: string;
  environment?: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at?: string;
  /** The call was confirmed, but still needs an approval. */
  code?: "approval_required";
  /** The effect of `confirmed`. */
  confirmation?: RunAcceptedConfirmation;
  over_budget?: OverBudget;
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

/** The effect of `confirmed`. */
export interface RunAcceptedConfirmation {
  accepted: boolean;
  reason: string;
}

export interface RunAcceptedError {
  /** `outcome_unknown`: it is unknown whether the backend acted. */
  code: string;
  detail: string | null;
  /** Whether the backend may have performed the action despite the error. */
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
  /** The key of the contract. */
  action: string;
  contract_version?: number;
  /** `queued` and `executing` are in progress. All other statuses are final. */
  status: RunStatus;
  /** The surface of the request. */
  surface?: RunSurface;
  actor?: ActionActor;
  approver?: RunAnswerApprover | null;
  /** An id that begins with `prop_`. */
  proposal_id?: string | null;
  /** The values, redacted: secrets are hidden if their name, their format or their contract marks them. */
  parameters?: { [member: string]: unknown };
  prompt?: string | null;
  /** The backend's response, as far as the contract exposes it. The caller who ran the action sees it unchanged; others see it redacted. */
  result?: unknown;
  /** Whether this is a simulated sandbox run, because the contract has no `sandbox_endpoint`. Nothing was called. */
  simulated?: boolean;
  error?: RunAnswerError | null;
  backend?: RunAnswerBackend | null;
  /** An id that begins with `aud_`. */
  audit_id?: string | null;
  /** Whether the run can still be undone. */
  reversible?: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  undo_until?: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  undone_at?: string | null;
  undone_by?: RunAnswerUndoneBy | null;
  duration_ms?: number | null;
  /** RFC 3339, in UTC, with milliseconds. */
  started_at?: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at?: string | null;
  scope_kind?: "workspace";
  /** An id that begins with `ws_`. */
  scope_key?: string;
  environment?: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at?: string;
  /** The expected result of the call, for a dry run. */
  outcome?: RunAnswerOutcome;
  code?: "approval_required";
  /** The effect of `confirmed`. */
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

/** The effect of `confirmed`. */
export interface RunAnswerConfirmation {
  accepted: boolean;
  reason: string;
}

export interface RunAnswerError {
  /** `outcome_unknown`: it is unknown whether the backend acted. */
  code: string;
  detail: string | null;
  /** Whether the backend may have performed the action despite the error. */
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
  /** `outcome_unknown`: it is unknown whether the backend acted. */
  code: string;
  detail: string | null;
  /** Whether the backend may have performed the action despite the error. */
  outcome_unknown: boolean;
}

export interface RunList {
  object: "list";
  data: Run[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
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

/** A workflow with a schedule starts. */
export interface ScheduleDueData {
  /** The workflow */
  workflow_id: string;
  /** Name of the workflow */
  workflow_name?: string | undefined;
  /** Time of the occurrence */
  due_at: string;
  /** The same time on the clocks of the schedule's time zone, with its offset */
  scheduled_at: string;
  /** Time zone of the schedule */
  time_zone: string;
  /** Time of the previous occurrence that was fired, null for the first one */
  previous_due_at?: string | null | undefined;
  /** Number of missed occurrences that this event stands for, at most 100; 0 when it is on time */
  missed?: number | undefined;
  [member: string]: unknown;
}

export interface ScheduleTime {
  /** RFC 3339, in UTC, with milliseconds. */
  at: string;
  /** The same time in the schedule's time zone. */
  local: string;
}

export interface SchemaDifference {
  /** An RFC 6901 pointer into the type. */
  pointer: string;
  code: string;
  message: string;
}

export interface SchemaError {
  /** An RFC 6901 pointer into the event. */
  pointer: string;
  /** The keyword of the schema that the value violates. */
  code: string;
  message: string;
}

/** Events of the last 24 hours whose data did not match the schema. */
export interface SchemaViolations {
  /** Events that were refused. */
  refused: number;
  /** Events that were accepted nevertheless. */
  warned: number;
}

export interface SearchResult {
  object: "search_result";
  kind: SearchResultKind;
  /** The ID of the object. For event types their name, for action contracts their key. */
  id: string;
  title: string;
  detail: string | null;
}

export interface SearchResultList {
  object: "list";
  data: SearchResult[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface Secret {
  object: "secret";
  name: string;
  /** The contracts that use the secret. */
  used_by: string[];
  /** The hosts that the secret may be sent to. Null: none are named. */
  hosts: string[] | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
}

export interface SecretList {
  object: "list";
  data: Secret[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface SecretValue {
  /** The value, on one line. Never shown again. */
  value: string;
  /** The hosts that the secret may be sent to, such as `api.example.com`, or `*.example.com` for all hosts below it. Null: none are named. */
  hosts?: string[] | null | undefined;
}

/** An API key of your platform was revoked. */
export interface SecurityApiKeyRevokedData {
  /** The key */
  key: SecurityApiKeyRevokedDataKey;
  /** The customer concerned */
  customer?: SecurityApiKeyRevokedDataCustomer | null | undefined;
  /** Who revoked the key */
  revoked_by?: string | undefined;
  /** Reason */
  reason?: string | undefined;
  /** Time at which this happened */
  revoked_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface SecurityApiKeyRevokedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The key */
export interface SecurityApiKeyRevokedDataKey {
  /** Id in your system */
  external_id: string;
  /** Name */
  name?: string | undefined;
  /** First characters of the key, never more */
  hint?: string | undefined;
  [member: string]: unknown;
}

/** A sign-in to your platform failed. */
export interface SecurityLoginFailedData {
  /** E-mail address that was used */
  email: string;
  /** The customer concerned */
  customer?: SecurityLoginFailedDataCustomer | null | undefined;
  /** Reason, such as wrong_password or mfa_failed */
  reason?: string | undefined;
  /** Number of consecutive failures */
  failures?: number | undefined;
  /** IP address of the client */
  ip?: string | undefined;
  /** User agent of the client */
  user_agent?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface SecurityLoginFailedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** A person's permissions changed. */
export interface SecurityPermissionChangedData {
  /** The person whose permissions changed */
  member: SecurityPermissionChangedDataMember;
  /** Permissions that were added */
  granted?: string[] | undefined;
  /** Permissions that were removed */
  revoked?: string[] | undefined;
  /** Who changed the permissions */
  changed_by?: string | undefined;
  /** Time at which this happened */
  changed_at?: string | undefined;
  [member: string]: unknown;
}

/** The person whose permissions changed */
export interface SecurityPermissionChangedDataMember {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** An event that a person should investigate. */
export interface SecuritySuspiciousActivityData {
  /** Kind of activity, such as impossible_travel, credential_stuffing or mass_export */
  kind: string;
  /** Severity */
  severity?: AnalyticsAnomalyDataSeverity | undefined;
  /** Score of the detector */
  score?: number | undefined;
  /** Description of the activity */
  details?: string | undefined;
  /** The customer concerned */
  customer?: SecuritySuspiciousActivityDataCustomer | null | undefined;
  /** Time at which this happened */
  detected_at?: string | undefined;
  /** IP address of the client */
  ip?: string | undefined;
  /** User agent of the client */
  user_agent?: string | undefined;
  /** ISO 3166-1 alpha-2 code */
  country?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface SecuritySuspiciousActivityDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

export interface Sender {
  object: "sender";
  key: string;
  title: string;
  category: SenderCategory;
  description: string;
  documentation: string;
  scheme: SignatureScheme;
  secret: SenderSecret;
  event_types: string[];
  handshakes: Handshake[];
  /** The response to accepted requests, for senders that need their own. */
  respond: SenderRespond | null;
  setup: string[];
  sample: SenderSample;
  mapping: SenderMapping;
}

export interface SenderList {
  object: "list";
  data: Sender[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface SenderMapping {
  /** The path to a list of at most 1000 events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates. */
  each: string | null;
  /** `required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact. */
  contact: InboundPresetContact;
  /** The header of the sender's event type. It takes precedence over event_type_path. */
  event_type_header: string | null;
  /** The header of the sender's id of the event. It takes precedence over the path. */
  idempotency_key_header: string | null;
  /** The contact's e-mail address. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_email_path: string | string[] | null;
  /** The sender's event type. Without it, every type is `event`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  event_type_path: string | string[] | null;
  /** The event type of a request whose header and path contain none. Without it, such a request is `unmapped`. */
  event_type_default: string | null;
  /** The sender's id of the event. A repeated id is a `duplicate`. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  idempotency_key_path: string | string[] | null;
  /** The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body. */
  idempotency_key_template: string | null;
  /** The contact's name. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  contact_name_path: string | string[] | null;
  /** An amount or another number. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  value_path: string | string[] | null;
  /** The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones. */
  value_unit: InboundPresetValueUnit;
  /** The currency of the amount, which determines the number of minor units in a major one. An RFC 9535 singular query, such as $.a.b or $.a[0], or up to 8 of them. */
  currency_path: string | string[] | null;
  /** The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source. */
  summary_template: string | null;
  /** Whether an event with the same bytes is a duplicate. */
  dedupe_by_body: boolean;
  /** Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them. */
  dedupe_ignore: string[];
}

/** The response to accepted requests, for senders that need their own. */
export interface SenderRespond {
  status: number;
  content_type: SenderRespondContentType;
  body: string;
}

export interface SenderSample {
  method: string;
  headers: { [member: string]: string };
  body: string;
}

export interface SenderSecret {
  /** The sender's own word for the secret. */
  label: string;
  /** Who chooses the secret. */
  given_by: SenderSecretGivenBy;
}

export interface Session {
  /** An id that begins with `ses_`. */
  id: string;
  object: "session";
  current: boolean;
  ip: string;
  user_agent: string;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  last_used_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
}

export interface SessionList {
  object: "list";
  data: Session[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface SignatureScheme {
  /** How the sender proves that a request is its own. */
  kind: SignatureSchemeKind;
  /** The hash of an HMAC. */
  algorithm?: SignatureSchemeAlgorithm | undefined;
  /** The encoding of the signature. */
  encoding?: SignatureSchemeEncoding | undefined;
  /** The header that contains the signature, the token or the JWT. */
  header?: string | undefined;
  /** The path of the signature in the body, in place of a header. */
  signature_path?: string | undefined;
  /** `plain`: the header is the signature. `list`: several signatures. `pairs`: members such as `t=1,v1=ab`. */
  format?: SignatureSchemeFormat | undefined;
  /** The text between the members of a list or of pairs. Default: a comma. */
  separator?: string | undefined;
  /** The member of the signature in pairs. */
  signature_member?: string | undefined;
  /** The member of the timestamp in pairs. */
  timestamp_member?: string | undefined;
  /** The text before the signature, the token or the JWT. */
  prefix?: string | undefined;
  /** What is signed: a text with {body}, {timestamp}, {id}, {url}, {method}, {form}, {header:Name}, {query:name} and {body:$.path}. Default: {body}. */
  signed?: string | undefined;
  /** The header of the timestamp. */
  timestamp_header?: string | undefined;
  /** The path of the timestamp in the body. */
  timestamp_path?: string | undefined;
  /** Default: `seconds`. */
  timestamp_unit?: SignatureSchemeTimestampUnit | undefined;
  /** The maximum difference between the sender's clock and ours. Default: 300. */
  tolerance_seconds?: number | undefined;
  /** The header of {id}. */
  id_header?: string | undefined;
  /** What is signed of a compressed body: `sent`, the compressed bytes, or `plain`, the bytes before they were compressed. Default: `sent`. */
  over?: SignatureSchemeOver | undefined;
  /** How the secret becomes the key. */
  secret_encoding?: SignatureSchemeSecretEncoding | undefined;
  /** A text before the secret that is not a part of the key. */
  secret_prefix?: string | undefined;
  /** The form of an ECDSA signature. Default: `der`. */
  signature_form?: SignatureSchemeSignatureForm | undefined;
  /** The query parameter that contains the token. */
  query?: string | undefined;
  /** The path of the token in the body. */
  path?: string | undefined;
  algorithms?: SignatureSchemeAlgorithmItem[] | undefined;
  /** The secret of the source is the key of the JWT. */
  key?: "secret" | undefined;
  /** The address of the sender's public keys. */
  jwks_url?: string | undefined;
  /** The issuer that the JWT must have. */
  issuer?: string | undefined;
  /** The audience that the JWT must have; `url` for the URL of the source. */
  audience?: string | undefined;
  body_hash?: SignatureSchemeBodyHash | undefined;
}

export interface SignatureSchemeBodyHash {
  /** The claim of the JWT that contains the hash of the body. */
  claim?: string | undefined;
  /** The query parameter that contains the hash of the body. */
  query?: string | undefined;
  algorithm: SignatureSchemeBodyHashAlgorithm;
  encoding: SignatureSchemeEncoding;
}

export interface SignedIn {
  object: "sign_in";
  /** Must be sent as X-CSRF-Token with every request that changes something. */
  csrf_token: string;
  member: Member;
  /** The workspaces of the person. X-Service-Workspace selects one of them for a request. */
  workspaces: Membership[];
}

export interface SigningSecret {
  /** `whsec_` and 32 bytes in base64. Shown when the secret is created, and to owners on request. */
  secret: string;
  /** `whsec_` and 32 bytes in base64. Shown when the secret is created, and to owners on request. */
  previous_secret?: string;
  /** RFC 3339, in UTC, with milliseconds. */
  previous_expires_at?: string;
}

export interface SlackApp {
  /** An id that begins with `slk_`. */
  id: string;
  object: "slack_app";
  /** The id of the Slack workspace in which the app is installed. */
  team_id: string;
  /** The URL to enter in Slack as the request URL of “Interactivity & Shortcuts”. */
  request_url: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
}

export interface SlackAppSettings {
  /** The id of the Slack workspace in which the app is installed. */
  team_id: string;
  /** The app's signing secret, from its page “Basic Information”. Stored encrypted and never returned. Anyone who knows it can make up decisions of the linked members. */
  signing_secret: string;
  /** The app's token with the scope `chat:write`, from the page “OAuth & Permissions”. Stored encrypted and never returned. */
  bot_token: string;
}

export interface SlackLink {
  /** An id that begins with `slu_`. */
  id: string;
  object: "slack_link";
  /** An id that begins with `mem_`. */
  member_id: string;
  team_id: string;
  /** The id of the account in Slack. */
  slack_user_id: string;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface SlackLinkCode {
  object: "slack_link_code";
  /** Works once, for this member. Shown only here. */
  code: string;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
}

export interface SlackLinkList {
  object: "list";
  data: SlackLink[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface Stage {
  kind: string;
  key: string;
  priority: number;
  state: string;
  /** Whether the next stage began before this one ended. */
  late: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  started_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  error: string | null;
}

export interface StandingApproval {
  /** An id that begins with `sap_`. */
  id: string;
  object: "standing_approval";
  /** What it is for. */
  name: string;
  state: StandingApprovalState;
  /** The key of the contract. */
  action: string;
  /** The version of the contract that was reviewed. A new version ends the standing approval. */
  contract_version: number;
  agents: StandingApprovalAgent[];
  /** A group of nodes, or a leaf. Groups can be nested five levels deep, with at most 100 groups and 100 leaves. */
  when: StandingApprovalWhen | null;
  budget: StandingApprovalBudget;
  used: StandingApprovalUse;
  /** An IANA time zone, in which hours and days begin. */
  time_zone: string;
  /** The number of calls that it has approved. */
  uses: number;
  /** RFC 3339, in UTC, with milliseconds. */
  last_used_at: string | null;
  created_by: ActionActor;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  ended_by: StandingApprovalEndedBy | null;
  /** `ended`: a person ended it. `contract_changed`: the action has another version, or none. `writer_not_owner`: its writer was removed, is no longer an owner, or has taken the account back. */
  end_reason: StandingApprovalEndReason | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface StandingApprovalAgent {
  /** `key`: one AI or service key, and those that replace it. `member`: the AI keys and connected AI clients of a member. */
  type: StandingApprovalAgentType;
  /** The key or the member. */
  id: string;
}

export interface StandingApprovalBudget {
  /** The maximum number of calls. */
  count: number;
  /** The window of the budget: an hour or a calendar day of `time_zone`. */
  per: StandingApprovalBudgetPer;
  sum: StandingApprovalBudgetSum | null;
}

/** Beyond the budget, proposals wait for people. */
export interface StandingApprovalBudgetInput {
  /** The maximum number of calls. */
  count: number;
  /** The window of the budget: an hour or a calendar day of `time_zone`. */
  per: StandingApprovalBudgetPer;
  sum?: StandingApprovalSum | undefined;
}

export interface StandingApprovalBudgetSum {
  /** A parameter of the type int or number. */
  parameter: string;
  /** The maximum sum in one window, as an exact decimal. */
  max: string;
}

export interface StandingApprovalEndedBy {
  type: AuditActorType;
  /** An id that begins with `mem_`. */
  id: string | null;
  display: string | null;
  /** An id that begins with `key_`. */
  key_id: string | null;
  ip: string | null;
}

export interface StandingApprovalInput {
  /** What it is for. Proposals and the audit log show it. */
  name: string;
  /** The key of the contract. */
  action: string;
  /** The version of the contract that was reviewed. A new version ends the standing approval. */
  contract_version: number;
  /** The callers whose proposals it approves. */
  agents: StandingApprovalAgent[];
  when?: Condition | undefined;
  budget: StandingApprovalBudgetInput;
  /** An IANA time zone, in which hours and days begin. */
  time_zone?: string | undefined;
  /** The end, at most 90 days ahead. RFC 3339, with a zone. */
  expires_at: string | Date;
}

export interface StandingApprovalList {
  object: "list";
  data: StandingApproval[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

export interface StandingApprovalSum {
  /** A parameter of the type int or number. */
  parameter: string;
  /** The maximum sum in one window, as an exact decimal. */
  max: string;
}

/** What is used of the budget in the current window. */
export interface StandingApprovalUse {
  count: number;
  /** An exact decimal. Null if no sum is limited. */
  sum: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  window_start: string;
  /** RFC 3339, in UTC, with milliseconds. */
  window_end: string;
}

/** A group of nodes, or a leaf. Groups can be nested five levels deep, with at most 100 groups and 100 leaves. */
export interface StandingApprovalWhen {
  /** True if every node is true. */
  all?: { [member: string]: unknown }[];
  /** True if at least one node is true. */
  any?: { [member: string]: unknown }[];
  /** True if no node is true. */
  not?: { [member: string]: unknown }[];
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string;
  op?: RuleLeafOp;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
}

export interface StepUp {
  /** An id that begins with `stp_`. */
  id: string;
  object: "step_up";
  /** What to prove it with. A person with a passkey that works here uses it. */
  method: StepUpMethod;
  /** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
  passkey_request: StepUpPasskeyRequest | null;
  /** Whether it counts for the decisions that it was begun for. */
  proved: boolean;
  /** RFC 3339, in UTC, with milliseconds. */
  expires_at: string;
}

/** One change of what guards. The proof counts once, for exactly this change. */
export interface StepUpChange {
  /** The operation that asked for the step-up. */
  operation: StepUpChangeOperation;
  /** The id or the key in the path of the request, if it has one. */
  id?: string | undefined;
  /** The body of the request, exactly as it will be sent. Omitted for operations of `auth` and `slack_links`, which are known by their name. */
  body?: object | undefined;
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export interface StepUpPasskeyRequest {
  /** Can be answered once, within 5 minutes, in the session that it was made for. */
  challenge: string;
  /** In milliseconds. */
  timeout: number;
  rpId: string;
  allowCredentials: PasskeyDescriptor[];
  /** Whether the key must check a PIN, fingerprint or face. */
  userVerification: PasskeySelectionUserVerification;
}

export interface StepUpProof {
  assertion?: PasskeyAssertion | undefined;
  /** Six digits from the authenticator app, if `method` is `totp`. Recovery codes do not count. */
  code?: string | undefined;
}

export interface StepUpProposal {
  /** The proposal to approve. */
  id: string;
  /** The `params_hash` of the proposal as it was reviewed. */
  params_hash: string;
}

export interface StepUpRequest {
  /** One proof counts once for each of them. */
  proposals?: StepUpProposal[] | undefined;
  standing_approval?: StandingApprovalInput | undefined;
  change?: StepUpChange | undefined;
}

export interface SubscriberRef {
  kind: SubscriberRefKind;
  /** The key of the subscriber, unique within its kind. */
  key: string;
  /** Lower values come first. */
  priority: number;
}

/** A subscription was cancelled. It may continue to the end of its period. */
export interface SubscriptionCancelledData {
  /** The subscription as it is after the event */
  subscription: SubscriptionCancelledDataSubscription;
  /** The customer concerned */
  customer?: SubscriptionCancelledDataCustomer | undefined;
  /** Reason */
  reason?: string | undefined;
  /** Whether access continues to the end of the paid period */
  at_period_end?: boolean | undefined;
  /** Time of the cancellation */
  cancelled_at?: string | undefined;
  /** Time at which access ends */
  ends_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface SubscriptionCancelledDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The subscription as it is after the event */
export interface SubscriptionCancelledDataSubscription {
  /** Id in your system */
  external_id: string;
  /** Key or name of the plan */
  plan?: string | undefined;
  /** Status, such as trialing, active, past_due or cancelled */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Price per period, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Length of a period */
  interval?: SubscriptionCreatedDataSubscriptionInterval | undefined;
  /** Number of seats or units */
  quantity?: number | undefined;
  /** Start of the current period */
  current_period_start?: string | undefined;
  /** End of the current period */
  current_period_end?: string | undefined;
  [member: string]: unknown;
}

/** A customer subscribed to a plan, with or without a trial. */
export interface SubscriptionCreatedData {
  /** The subscription as it is after the event */
  subscription: SubscriptionCreatedDataSubscription;
  /** The customer concerned */
  customer?: SubscriptionCreatedDataCustomer | undefined;
  /** End of the trial, null without one */
  trial_ends_at?: string | null | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface SubscriptionCreatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The subscription as it is after the event */
export interface SubscriptionCreatedDataSubscription {
  /** Id in your system */
  external_id: string;
  /** Key or name of the plan */
  plan?: string | undefined;
  /** Status, such as trialing, active, past_due or cancelled */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Price per period, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Length of a period */
  interval?: SubscriptionCreatedDataSubscriptionInterval | undefined;
  /** Number of seats or units */
  quantity?: number | undefined;
  /** Start of the current period */
  current_period_start?: string | undefined;
  /** End of the current period */
  current_period_end?: string | undefined;
  [member: string]: unknown;
}

/** A new period of a subscription began. */
export interface SubscriptionRenewedData {
  /** The subscription as it is after the event */
  subscription: SubscriptionRenewedDataSubscription;
  /** The customer concerned */
  customer?: SubscriptionRenewedDataCustomer | undefined;
  /** The invoice for the new period */
  invoice_external_id?: string | undefined;
  /** Time at which this happened */
  renewed_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface SubscriptionRenewedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The subscription as it is after the event */
export interface SubscriptionRenewedDataSubscription {
  /** Id in your system */
  external_id: string;
  /** Key or name of the plan */
  plan?: string | undefined;
  /** Status, such as trialing, active, past_due or cancelled */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Price per period, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Length of a period */
  interval?: SubscriptionCreatedDataSubscriptionInterval | undefined;
  /** Number of seats or units */
  quantity?: number | undefined;
  /** Start of the current period */
  current_period_start?: string | undefined;
  /** End of the current period */
  current_period_end?: string | undefined;
  [member: string]: unknown;
}

/** A trial is about to end, usually in three days. */
export interface SubscriptionTrialEndingData {
  /** The subscription as it is after the event */
  subscription: SubscriptionTrialEndingDataSubscription;
  /** The customer concerned */
  customer?: SubscriptionTrialEndingDataCustomer | undefined;
  /** Time at which this happened */
  trial_ends_at: string;
  /** Whether there is a payment method for the first payment */
  has_payment_method?: boolean | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface SubscriptionTrialEndingDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The subscription as it is after the event */
export interface SubscriptionTrialEndingDataSubscription {
  /** Id in your system */
  external_id: string;
  /** Key or name of the plan */
  plan?: string | undefined;
  /** Status, such as trialing, active, past_due or cancelled */
  status?: string | undefined;
  /** ISO 4217 currency code */
  currency?: string | undefined;
  /** Price per period, in the currency's smallest unit (cents for EUR) */
  amount_minor?: number | undefined;
  /** Length of a period */
  interval?: SubscriptionCreatedDataSubscriptionInterval | undefined;
  /** Number of seats or units */
  quantity?: number | undefined;
  /** Start of the current period */
  current_period_start?: string | undefined;
  /** End of the current period */
  current_period_end?: string | undefined;
  [member: string]: unknown;
}

export interface TakeMessages {
  /** The ids of messages that no longer need to be kept. */
  ids: string[];
}

export interface TakenMessages {
  /** The number of these messages that were still waiting. */
  taken: number;
}

export interface Tenant {
  object: "tenant";
  /** The tenant, by your own id. */
  tenant: string;
  /** The name for people. Default: the tenant. */
  name: string;
  /** Another name of the tenant, which the Svix-compatible API accepts. Null: none. */
  uid: string | null;
  /** Your own values, which the service keeps and returns. */
  metadata: { [member: string]: string };
  /** The id that the tenant had in the product that it was imported from. Null: it was not imported. */
  external_ref: string | null;
  /** The webhook endpoints of the tenant. */
  endpoints: number;
  /** The sources of the tenant. */
  sources: number;
  /** The keys of the tenant that were not revoked. */
  keys: number;
  /** The address that gets an e-mail when an endpoint of the tenant fails or is disabled. Portal sessions set it. Null: none. */
  contact_email: string | null;
  /** The events of the last 24 hours, counted up to 10 000. */
  events_24h: TenantEvents24h;
  /** The deliveries to the tenant's endpoints that failed in the last 24 hours, among the newest 100 000 of the workspace. */
  failures_24h: TenantFailures24h;
  /** RFC 3339, in UTC, with milliseconds. */
  last_seen_at: string | null;
  /** The path of the tenant's usage by hour. `/v1/usage` has it by day. */
  usage_path: string;
  deletion: TenantDeletionValue | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
}

export interface TenantChange {
  name?: string | undefined;
  /** Another name of the tenant, which the Svix-compatible API accepts. Null: none. */
  uid?: string | null | undefined;
  /** Your own values, which the service keeps and returns. */
  metadata?: { [member: string]: string } | undefined;
}

export interface TenantDeletion {
  /** An id that begins with `job_`. */
  id: string;
  object: "tenant_deletion";
  state: TenantDeletionState;
  /** What is deleted at this moment. Null once the deletion has finished. */
  phase: TenantDeletionPhase | null;
  removed: TenantObjects;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
}

export interface TenantDeletionValue {
  /** An id that begins with `job_`. */
  id: string;
  object: "tenant_deletion";
  state: TenantDeletionState;
  /** What is deleted at this moment. Null once the deletion has finished. */
  phase: TenantDeletionPhase | null;
  removed: TenantObjects;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
}

/** The events of the last 24 hours, counted up to 10 000. */
export interface TenantEvents24h {
  /** The number. */
  count: number;
  /** Whether the actual number is higher than `count`. */
  capped: boolean;
}

/** The deliveries to the tenant's endpoints that failed in the last 24 hours, among the newest 100 000 of the workspace. */
export interface TenantFailures24h {
  /** The number. */
  count: number;
  /** Whether the actual number is higher than `count`. */
  capped: boolean;
}

export interface TenantList {
  object: "list";
  data: Tenant[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** What was removed so far. */
export interface TenantObjects {
  /** Keys that were revoked. */
  keys: number;
  /** Webhook endpoints that were deleted. */
  endpoints: number;
  /** Sources that were deleted. */
  sources: number;
  /** Scheduled events that were deleted. */
  scheduled_events: number;
  /** Deliveries whose requests and responses were removed from the log. */
  deliveries: number;
  /** Receipts whose payload was removed. */
  receipts: number;
  /** Events that were deleted. */
  events: number;
}

export interface TestedRequest {
  method: TransformMethod;
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
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
}

/** A ticket was assigned, or reassigned. */
export interface TicketAssignedData {
  /** The ticket as it is after the event */
  ticket: TicketAssignedDataTicket;
  /** The customer concerned */
  customer?: TicketAssignedDataCustomer | undefined;
  /** The assigned agent */
  agent?: TicketAssignedDataAgent | undefined;
  /** The previous assignee, or null */
  previous_assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** The assigned agent */
export interface TicketAssignedDataAgent {
  /** Id in your system */
  external_id?: string | undefined;
  /** E-mail address */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface TicketAssignedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketAssignedDataTicket {
  /** Id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Status, such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Priority, such as low, normal, high or urgent */
  priority?: string | undefined;
  /** Email address or name of the assignee, or null */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

export interface TicketChange {
  subject?: string | null | undefined;
  /** The status of the ticket, such as open, pending, on_hold, resolved or closed. The last two mean that the ticket has ended. */
  status?: string | undefined;
  /** The priority of the ticket, such as low, normal, high or urgent. */
  priority?: string | null | undefined;
  /** The e-mail address or name of the assignee. */
  assignee?: string | null | undefined;
  /** An id that begins with `con_`. */
  customer_id?: string | null | undefined;
  /** Your own id (`external_id`). */
  customer_external_id?: string | undefined;
}

/** A customer, or someone on a customer's behalf, opened a ticket. */
export interface TicketCreatedData {
  /** The ticket as it is after the event */
  ticket: TicketCreatedDataTicket;
  /** The customer concerned */
  customer?: TicketCreatedDataCustomer | undefined;
  /** Channel, such as email, chat, phone or web */
  channel?: string | undefined;
  /** The first message */
  message?: string | undefined;
  /** Labels */
  tags?: string[] | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface TicketCreatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketCreatedDataTicket {
  /** Id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Status, such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Priority, such as low, normal, high or urgent */
  priority?: string | undefined;
  /** Email address or name of the assignee, or null */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** A ticket was moved to a higher support level, manually or because of a time limit. */
export interface TicketEscalatedData {
  /** The ticket as it is after the event */
  ticket: TicketEscalatedDataTicket;
  /** The customer concerned */
  customer?: TicketEscalatedDataCustomer | undefined;
  /** New support level */
  level?: number | undefined;
  /** Reason */
  reason?: string | undefined;
  /** Team or person that the ticket was escalated to */
  escalated_to?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface TicketEscalatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketEscalatedDataTicket {
  /** Id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Status, such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Priority, such as low, normal, high or urgent */
  priority?: string | undefined;
  /** Email address or name of the assignee, or null */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

export interface TicketList {
  object: "list";
  data: Ticket[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
  /** The connectors that were queried. If one failed, its data may be missing. */
  connectors?: AskedConnector[];
}

/** A resolved or closed ticket became active again. */
export interface TicketReopenedData {
  /** The ticket as it is after the event */
  ticket: TicketReopenedDataTicket;
  /** The customer concerned */
  customer?: TicketReopenedDataCustomer | undefined;
  /** Reason */
  reason?: string | undefined;
  /** Time at which this happened */
  reopened_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface TicketReopenedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketReopenedDataTicket {
  /** Id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Status, such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Priority, such as low, normal, high or urgent */
  priority?: string | undefined;
  /** Email address or name of the assignee, or null */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** The customer or an agent replied to a ticket. */
export interface TicketRepliedData {
  /** The ticket as it is after the event */
  ticket: TicketRepliedDataTicket;
  /** The customer concerned */
  customer?: TicketRepliedDataCustomer | undefined;
  /** The reply */
  reply: TicketRepliedDataReply;
  /** Time at which this happened */
  replied_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface TicketRepliedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The reply */
export interface TicketRepliedDataReply {
  /** Id in your system */
  external_id?: string | undefined;
  /** Author of the reply */
  author?: TicketRepliedDataReplyAuthor | undefined;
  /** Text of the reply */
  body?: string | undefined;
  /** Whether the customer can see the reply */
  public?: boolean | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketRepliedDataTicket {
  /** Id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Status, such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Priority, such as low, normal, high or urgent */
  priority?: string | undefined;
  /** Email address or name of the assignee, or null */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** A ticket was marked as resolved. */
export interface TicketResolvedData {
  /** The ticket as it is after the event */
  ticket: TicketResolvedDataTicket;
  /** The customer concerned */
  customer?: TicketResolvedDataCustomer | undefined;
  /** Resolution */
  resolution?: string | undefined;
  /** Seconds from opening to resolution */
  seconds_to_resolve?: number | undefined;
  /** Time at which this happened */
  resolved_at?: string | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface TicketResolvedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketResolvedDataTicket {
  /** Id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Status, such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Priority, such as low, normal, high or urgent */
  priority?: string | undefined;
  /** Email address or name of the assignee, or null */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

/** The status, priority, subject or another field of a ticket changed. */
export interface TicketUpdatedData {
  /** The ticket as it is after the event */
  ticket: TicketUpdatedDataTicket;
  /** The customer concerned */
  customer?: TicketUpdatedDataCustomer | undefined;
  /** Names of the changed fields */
  changed?: string[] | undefined;
  [member: string]: unknown;
}

/** The customer concerned */
export interface TicketUpdatedDataCustomer {
  /** Id in your system */
  external_id: string;
  /** E-mail address, which identifies the contact */
  email?: string | undefined;
  /** Full name */
  name?: string | undefined;
  /** Lifecycle stage, such as lead, trial, customer or churned */
  lifecycle_stage?: string | undefined;
  [member: string]: unknown;
}

/** The ticket as it is after the event */
export interface TicketUpdatedDataTicket {
  /** Id in your system */
  external_id: string;
  /** Subject line */
  subject?: string | undefined;
  /** Status, such as open, pending, on_hold, resolved or closed */
  status?: string | undefined;
  /** Priority, such as low, normal, high or urgent */
  priority?: string | undefined;
  /** Email address or name of the assignee, or null */
  assignee?: string | null | undefined;
  [member: string]: unknown;
}

export interface TotpCode {
  /** Six digits from the authenticator app, or a recovery code. */
  code: string;
}

export interface TotpEnrolment {
  password?: string | undefined;
  /** Six digits from the authenticator app, or a recovery code. */
  code?: string | undefined;
}

export interface TotpSecret {
  secret: string;
  otpauth_url: string;
}

/** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
export interface Transform {
  /** A template has a `body`, and may have a `method` and `headers`. A script has a `source`. */
  kind: TransformKind;
  /** The method of the request. Default: "POST". */
  method?: TransformMethod | undefined;
  /** Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON. */
  headers?: { [member: string]: string } | undefined;
  /** The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string. */
  body?: unknown;
  /** JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt. */
  source?: string | undefined;
  /** Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z. */
  cases?: TransformCase[] | undefined;
}

export interface TransformCase {
  /** The name of the event. */
  event: string;
  /** The data of the event. */
  data: { [member: string]: unknown };
  /** The body that the transformation has to make of the event. Null: it has to return null. Numbers are compared exactly; the order of members does not count. */
  expect: unknown;
}

export interface TransformPreset {
  object: "transform_preset";
  key: string;
  title: string;
  description: string;
  transform: Transform;
}

export interface TransformPresetList {
  object: "list";
  data: TransformPreset[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** An event with its data, or the `event_id` of a past event. Without `transform`, the transformation of the endpoint is tested. */
export interface TransformTest {
  event?: string | undefined;
  data?: object | undefined;
  /** The tenant of the given event. Default: none. */
  tenant?: string | undefined;
  /** An endpoint that has channels gets only the events that share one with it. */
  channels?: string[] | undefined;
  /** An id that begins with `evt_`. */
  event_id?: string | undefined;
  transform?: Transform | undefined;
}

export interface TransformTestResult {
  /** What the transformation reads, as JSON text. */
  before: string;
  after: TransformTestResultAfter | null;
  /** Whether the transformation returned null, so that nothing would be sent. */
  filtered: boolean;
  /** Why the transformation failed. */
  error: string | null;
  /** What it reported, such as paths without a value. */
  log: string[];
}

export interface TransformTestResultAfter {
  method: TransformMethod;
  /** The headers that the transformation adds. */
  headers: { [member: string]: string };
  /** The exact bytes, as text. */
  body: string;
}

export interface TransformVersion {
  object: "transform_version";
  version: number;
  /** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
  transform: TransformVersionTransform | null;
  /** The key or member that made the version. A key of a tenant sees no other authors than its own tenant's keys and portal sessions, without their ids. */
  author: TransformVersionAuthor | null;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

/** The key or member that made the version. A key of a tenant sees no other authors than its own tenant's keys and portal sessions, without their ids. */
export interface TransformVersionAuthor {
  kind: RuleAuthorKind;
  /** An id that begins with `key_`. */
  id: string | null;
  /** The name that the author had then. Null for versions of earlier releases. */
  name: string | null;
}

export interface TransformVersionList {
  object: "list";
  data: TransformVersion[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
export interface TransformVersionTransform {
  /** A template has a `body`, and may have a `method` and `headers`. A script has a `source`. */
  kind: TransformKind;
  /** The method of the request. Default: "POST". */
  method?: TransformMethod;
  /** Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON. */
  headers?: { [member: string]: string };
  /** The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string. */
  body?: unknown;
  /** JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt. */
  source?: string;
  /** Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z. */
  cases?: TransformCase[];
}

export interface Usage {
  object: "usage";
  /** The tenant whose usage this is. Null: the usage of the whole environment. */
  tenant: string | null;
  /** The tenants beyond the limit. Null without `tenant`, and for a tenant's key. */
  other_tenants: UsageOtherTenants | null;
  time_zone: "UTC";
  /** A day, in UTC. */
  from: string;
  /** A day, in UTC. */
  to: string;
  total: UsageTotals;
  data: UsageDay[];
}

export interface UsageDay {
  /** A day, in UTC. */
  day: string;
  /** The number of accepted events. */
  events: number;
  /** The number of deliveries that were created for these events. */
  deliveries: number;
  /** The number of deliveries that succeeded. */
  delivered: number;
  /** The number of deliveries that failed. */
  failed: number;
  /** The number of deliveries that were cancelled when they were about to be sent. */
  cancelled: number;
  /** The number of deliveries that ended because a transformation returned null. */
  filtered: number;
  /** The number of attempts. */
  attempts: number;
  /** The number of failed attempts. */
  failed_attempts: number;
  /** The number of recorded inbound requests. */
  receipts: number;
  /** The number of completed action runs. Always 0 with `tenant`: runs are the workspace's. */
  runs: number;
  /** The number of requests that did not fit into the request log. Always 0 with `tenant`. */
  unlogged_requests: number;
}

export interface UsageHour {
  /** RFC 3339, in UTC, with milliseconds. */
  hour: string;
  /** The number of accepted events. */
  events: number;
  /** The number of deliveries that were created for these events. */
  deliveries: number;
  /** The number of deliveries that succeeded. */
  delivered: number;
  /** The number of deliveries that failed. */
  failed: number;
  /** The number of deliveries that were cancelled when they were about to be sent. */
  cancelled: number;
  /** The number of deliveries that ended because a transformation returned null. */
  filtered: number;
  /** The number of attempts. */
  attempts: number;
  /** The number of failed attempts. */
  failed_attempts: number;
  /** The number of recorded inbound requests. */
  receipts: number;
  /** The number of completed action runs. Always 0 with `tenant`: runs are the workspace's. */
  runs: number;
  /** The number of requests that did not fit into the request log. Always 0 with `tenant`. */
  unlogged_requests: number;
  /** The proportion of attempts that succeeded, from 0 to 1. Null if there were no attempts. */
  success_rate: number | null;
  /** The median time from an event's acceptance to the receiver's 2xx response, for first attempts. In milliseconds, accurate to 6 percent. */
  ack_p50_ms: number | null;
  /** The 95th percentile of the same time. In milliseconds, accurate to 6 percent. */
  ack_p95_ms: number | null;
  /** The 99th percentile of the same time. In milliseconds, accurate to 6 percent. */
  ack_p99_ms: number | null;
}

/** The tenants beyond the limit. Null without `tenant`, and for a tenant's key. */
export interface UsageOtherTenants {
  /** The number of tenants that each process counts by their names in an hour. */
  limit: number;
  /** The number of events of further tenants in the range. They belong to no tenant's usage. */
  events: number;
}

export interface UsageSeries {
  object: "usage_series";
  /** The tenant whose usage this is. Null: the usage of the whole environment. */
  tenant: string | null;
  /** The tenants beyond the limit. Null without `tenant`, and for a tenant's key. */
  other_tenants: UsageSeriesOtherTenants | null;
  /** RFC 3339, in UTC, with milliseconds. */
  from: string;
  /** RFC 3339, in UTC, with milliseconds. */
  to: string;
  /** Oldest first, without gaps. */
  data: UsageHour[];
}

/** The tenants beyond the limit. Null without `tenant`, and for a tenant's key. */
export interface UsageSeriesOtherTenants {
  /** The number of tenants that each process counts by their names in an hour. */
  limit: number;
  /** The number of events of further tenants in the range. They belong to no tenant's usage. */
  events: number;
}

export interface UsageTotals {
  /** The number of accepted events. */
  events: number;
  /** The number of deliveries that were created for these events. */
  deliveries: number;
  /** The number of deliveries that succeeded. */
  delivered: number;
  /** The number of deliveries that failed. */
  failed: number;
  /** The number of deliveries that were cancelled when they were about to be sent. */
  cancelled: number;
  /** The number of deliveries that ended because a transformation returned null. */
  filtered: number;
  /** The number of attempts. */
  attempts: number;
  /** The number of failed attempts. */
  failed_attempts: number;
  /** The number of recorded inbound requests. */
  receipts: number;
  /** The number of completed action runs. Always 0 with `tenant`: runs are the workspace's. */
  runs: number;
  /** The number of requests that did not fit into the request log. Always 0 with `tenant`. */
  unlogged_requests: number;
}

/** The last attempt of a delivery failed, and the delivery can be replayed. Or retention deleted its event while the delivery waited (`event_expired`). */
export interface WebhookDeliveryFailedData {
  /** The delivery */
  delivery_id: string;
  /** The endpoint */
  endpoint_id: string;
  /** The event */
  event_id: string;
  /** Name of the event */
  event: string;
  /** Number of attempts */
  attempt_count?: number | undefined;
  /** HTTP status of the last attempt, null without a response */
  last_status_code?: number | null | undefined;
  /** Kind of error */
  error_class?: string | null | undefined;
  /** Time at which the delivery was marked as failed */
  failed_at?: string | undefined;
  [member: string]: unknown;
}

export interface WebhookEndpoint {
  /** An id that begins with `ep_`. */
  id: string;
  object: "webhook_endpoint";
  /** `webhook`: requests are sent to `url`. `pull`: consumers read the messages with pulls, so `url`, `rate_limit_per_second` and `max_in_flight` must be omitted. Other kinds: messages are sent to the broker in `destination`, with the body and the headers of the requests; `delivered` means that the broker confirmed the message. The kind cannot be changed. */
  kind: WebhookEndpointKind;
  /** The name by which configuration files refer to the endpoint. Null: the host of the URL or of the destination, or `pull` for that kind. */
  name: string;
  /** Null for kinds other than `webhook`. */
  url: string | null;
  /** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
  destination: WebhookEndpointDestination | null;
  events: string[];
  active: boolean;
  description: string;
  /** The endpoint's own headers. The values are `[redacted]`. */
  headers: { [member: string]: string };
  rate_limit_per_second: number | null;
  /** Null for kind `pull`. */
  max_in_flight: number | null;
  /** Your customer that the endpoint belongs to, by your own id. The endpoint gets only the events of this tenant. Null: it gets the events of all tenants. It cannot be changed. */
  tenant: string | null;
  /** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
  filter: WebhookEndpointFilter | null;
  /** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
  transform: WebhookEndpointTransform | null;
  /** The version of the transformation. It increases with each change. Null: there was never one. */
  transform_version: number | null;
  /** The versions of event types that the endpoint gets, by the name of the type. Each version has to exist. The endpoint gets no events of other versions of these types. Null: all versions. */
  event_versions: { [member: string]: number } | null;
  /** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
  ordering: WebhookEndpointOrdering | null;
  /** The wait after each failed attempt of a delivery, in seconds: 1 to 20 waits of 1 second to 24 hours, together at most 7 days. If the attempt after the last wait fails too, the delivery fails. A change applies to pending deliveries from their next attempt. Null: the schedule of the installation. */
  retry_schedule: number[] | null;
  /** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
  auth: WebhookEndpointAuth | null;
  /** The end of the validity of the certificate in `auth`. Null without one. */
  certificate_expires_at: string | null;
  /** The signatures of each request. At least one. Default: ["service","standard"]. */
  signatures: WebhookEndpointSignature[];
  /** The public key of `v1a` signatures: `whpk_` and 32 bytes in base64. Also at `/.well-known/jwks.json`. Null without them. */
  public_key: string | null;
  /** The key before the last rotation, while both sign. Otherwise null. */
  previous_public_key: string | null;
  /** The form of the requests. `mcp`: the endpoint belongs to an AI client, which subscribed with `events/subscribe`. No one else can change it. */
  wire: WebhookEndpointWire;
  /** The endpoint gets only the events that have one of these channels. Empty: all events. */
  channels: string[];
  /** Your own values, which the service keeps and returns. */
  metadata: { [member: string]: string };
  /** Your own id of the endpoint, unique for each tenant. */
  uid: string | null;
  /** The id that the endpoint had in the product that it was imported from. Null: it was not imported. */
  external_ref: string | null;
  /** Amber while attempts fail. Red after the service deactivated the endpoint. */
  health: WebhookEndpointHealth;
  /** RFC 3339, in UTC, with milliseconds. */
  failing_since: string | null;
  /** `gone` after a 410, `failing_for_days` after five days of failures. */
  disabled_reason: string | null;
  /** Since when the endpoint gets no new events. Null while it is active. A backfill sends what it missed. */
  inactive_since: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

/** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
export interface WebhookEndpointAuth {
  /** `bearer`, `basic` and `api_key` send the secret; that of `basic` is `user:password`, or the password of `username`. `oauth2_client_credentials` exchanges it for an access token. `mtls` presents a client certificate. */
  type: WebhookEndpointAuthType;
  /** The name of a secret. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string;
  /** The place of an API key. Default: `header`. */
  in?: HttpCallRequestAuthIn;
  /** The header or query parameter of an API key. Default: the header `X-Api-Key`. */
  name?: string;
  /** The same as `name`, for a header. */
  header?: string;
  /** The user name of `basic`. The secret is the password then. */
  username?: string;
  /** The token endpoint. The secret has to name its host too. */
  token_url?: string;
  client_id?: string;
  /** The scopes of the token, separated by spaces. */
  scope?: string;
  audience?: string;
  /** The client certificate as PEM, followed by those of its issuers, if the receiver needs them. */
  certificate?: string;
  /** The name of the secret that contains the certificate's key as PEM. */
  key_secret_ref?: string;
}

export interface WebhookEndpointChange {
  /** An https URL on the public internet. Required for kind `webhook`. */
  url?: string | undefined;
  /** The events that the endpoint subscribes to: names, patterns such as `order.*` for all events below a prefix, or `*` for all events except system events. */
  events?: string[] | undefined;
  /** Whether events are delivered to the endpoint. Default: true. */
  active?: boolean | undefined;
  /** A description for people. */
  description?: string | undefined;
  /** Headers that are sent with each delivery, in addition to those of the service. The values are stored encrypted. In a change, `[redacted]` keeps the value of a header as long as the URL stays the same. */
  headers?: { [member: string]: string } | undefined;
  /** The maximum number of attempts per second. Null: no limit. */
  rate_limit_per_second?: number | null | undefined;
  /** The maximum number of concurrent attempts. Default: 16. */
  max_in_flight?: number | undefined;
  /** Your customer that the endpoint belongs to, by your own id. The endpoint gets only the events of this tenant. Null: it gets the events of all tenants. It cannot be changed. */
  tenant?: string | null | undefined;
  /** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
  filter?: WebhookEndpointChangeFilter | null | undefined;
  /** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
  transform?: WebhookEndpointChangeTransform | null | undefined;
  /** The versions of event types that the endpoint gets, by the name of the type. Each version has to exist. The endpoint gets no events of other versions of these types. Null: all versions. */
  event_versions?: { [member: string]: number } | null | undefined;
  /** `webhook`: requests are sent to `url`. `pull`: consumers read the messages with pulls, so `url`, `rate_limit_per_second` and `max_in_flight` must be omitted. Other kinds: messages are sent to the broker in `destination`, with the body and the headers of the requests; `delivered` means that the broker confirmed the message. The kind cannot be changed. Default: `webhook`. */
  kind?: WebhookEndpointKind | undefined;
  /** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
  ordering?: WebhookEndpointChangeOrdering | null | undefined;
  /** The wait after each failed attempt of a delivery, in seconds: 1 to 20 waits of 1 second to 24 hours, together at most 7 days. If the attempt after the last wait fails too, the delivery fails. A change applies to pending deliveries from their next attempt. Null: the schedule of the installation. */
  retry_schedule?: number[] | null | undefined;
  /** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
  auth?: WebhookEndpointChangeAuth | null | undefined;
  /** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
  destination?: WebhookEndpointChangeDestination | null | undefined;
  /** The signatures of each request. At least one. Default: ["service","standard"]. */
  signatures?: WebhookEndpointSignature[] | undefined;
  /** The form of the requests. `svix`: the body is the data alone, byte for byte, with `svix-id`, `svix-timestamp` and `svix-signature` and no `X-Service-` headers, for receivers that verify with a library of Svix. Default: `service`. */
  wire?: ImportedEndpointWire | undefined;
  /** The endpoint gets only the events that have one of these channels. Empty: all events. */
  channels?: string[] | undefined;
  /** Your own values, which the service keeps and returns. */
  metadata?: { [member: string]: string } | undefined;
  /** Your own id of the endpoint, unique for each tenant. */
  uid?: string | null | undefined;
  /** The name by which configuration files refer to the endpoint. Null: the host of the URL or of the destination, or `pull` for that kind. */
  name?: string | null | undefined;
}

/** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
export interface WebhookEndpointChangeAuth {
  /** `bearer`, `basic` and `api_key` send the secret; that of `basic` is `user:password`, or the password of `username`. `oauth2_client_credentials` exchanges it for an access token. `mtls` presents a client certificate. */
  type: WebhookEndpointAuthType;
  /** The name of a secret. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string | undefined;
  /** The place of an API key. Default: `header`. */
  in?: HttpCallRequestAuthIn | undefined;
  /** The header or query parameter of an API key. Default: the header `X-Api-Key`. */
  name?: string | undefined;
  /** The same as `name`, for a header. */
  header?: string | undefined;
  /** The user name of `basic`. The secret is the password then. */
  username?: string | undefined;
  /** The token endpoint. The secret has to name its host too. */
  token_url?: string | undefined;
  client_id?: string | undefined;
  /** The scopes of the token, separated by spaces. */
  scope?: string | undefined;
  audience?: string | undefined;
  /** The client certificate as PEM, followed by those of its issuers, if the receiver needs them. */
  certificate?: string | undefined;
  /** The name of the secret that contains the certificate's key as PEM. */
  key_secret_ref?: string | undefined;
}

/** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
export interface WebhookEndpointChangeDestination {
  /** `kafka`: the brokers to ask first, as `host:port`. The guard judges those that they name too. */
  brokers?: string[] | undefined;
  /** `kafka`: the topic, which must exist. */
  topic?: string | undefined;
  /** `kafka`: whether the connections use TLS. Default: true. */
  tls?: boolean | undefined;
  sasl?: WebhookEndpointChangeDestinationSasl | null | undefined;
  /** `kafka`, `sqs` and `sns`: the key of the message, which is the group of a FIFO queue or topic. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. Default: the delivery's `ordering_key`, otherwise the subject of the event. */
  partition_key?: string | undefined;
  /** `rabbitmq`: the broker and its virtual host, without a user name and a password. */
  url?: string | undefined;
  /** `rabbitmq`: the exchange, which must exist. Empty: the default exchange. */
  exchange?: string | undefined;
  /** `rabbitmq`: the routing key. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  routing_key?: string | undefined;
  /** `nats`: the servers, as `nats://host:port` or `tls://host:port`. */
  servers?: string[] | undefined;
  /** `nats`: the subject. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  subject?: string | undefined;
  /** `nats`: whether a stream confirms the message. Without it, the server only has received the message, and no one may have got it. Default: true. */
  jetstream?: boolean | undefined;
  /** `rabbitmq` and `nats`: the user. Without it, the secret is `user:password` (`rabbitmq`), or a token or a credentials file (`nats`). */
  username?: string | undefined;
  /** The region of AWS. */
  region?: string | undefined;
  /** The endpoint of a service that speaks the protocol of AWS. Default: that of the region. */
  endpoint_url?: string | undefined;
  /** The access key of AWS. The secret is its secret access key. */
  access_key_id?: string | undefined;
  queue_url?: string | undefined;
  topic_arn?: string | undefined;
  /** `eventbridge`: the bus, or its ARN. */
  bus?: string | undefined;
  /** `eventbridge`: the source of the events. */
  source?: string | undefined;
  bucket?: string | undefined;
  /** `s3`: the beginning of the names of objects. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  prefix?: string | undefined;
  /** `s3`: the most messages in an object. They wait together, so `max_in_flight` is at least this. Default: 100. */
  max_items?: number | undefined;
  /** `s3`: the longest wait of a message for others, in seconds. Default: 5. */
  max_wait_seconds?: number | undefined;
  /** The name of the secret to sign in with. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string | undefined;
}

export interface WebhookEndpointChangeDestinationSasl {
  mechanism: WebhookEndpointDestinationSaslMechanism;
  username: string;
  /** The name of the secret with the password. */
  secret_ref: string;
}

/** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
export interface WebhookEndpointChangeFilter {
  /** True if every node is true. */
  all?: object[] | undefined;
  /** True if at least one node is true. */
  any?: object[] | undefined;
  /** True if no node is true. */
  not?: object[] | undefined;
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string | undefined;
  op?: RuleLeafOp | undefined;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
  [member: string]: unknown;
}

/** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
export interface WebhookEndpointChangeOrdering {
  /** What the order is kept by: `endpoint` for all deliveries of the endpoint, `subject` or `tenant` of the event, or an RFC 9535 singular query into the event that begins with $.event, $.data, $.subject or $.tenant. Events without a value, or whose value is null, an object or a list, are not ordered. */
  key: string;
  /** What happens when a delivery has failed. `block`, the default: the later ones with its key wait until it is retried or skipped. `skip`: the next one is sent. A change applies to deliveries that wait already. */
  on_failed?: WebhookEndpointOrderingOnFailed | undefined;
}

/** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
export interface WebhookEndpointChangeTransform {
  /** A template has a `body`, and may have a `method` and `headers`. A script has a `source`. */
  kind: TransformKind;
  /** The method of the request. Default: "POST". */
  method?: TransformMethod | undefined;
  /** Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON. */
  headers?: { [member: string]: string } | undefined;
  /** The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string. */
  body?: unknown;
  /** JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt. */
  source?: string | undefined;
  /** Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z. */
  cases?: TransformCase[] | undefined;
}

/** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
export interface WebhookEndpointDestination {
  /** `kafka`: the brokers to ask first, as `host:port`. The guard judges those that they name too. */
  brokers?: string[];
  /** `kafka`: the topic, which must exist. */
  topic?: string;
  /** `kafka`: whether the connections use TLS. Default: true. */
  tls?: boolean;
  sasl?: WebhookEndpointDestinationSasl | null;
  /** `kafka`, `sqs` and `sns`: the key of the message, which is the group of a FIFO queue or topic. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. Default: the delivery's `ordering_key`, otherwise the subject of the event. */
  partition_key?: string;
  /** `rabbitmq`: the broker and its virtual host, without a user name and a password. */
  url?: string;
  /** `rabbitmq`: the exchange, which must exist. Empty: the default exchange. */
  exchange?: string;
  /** `rabbitmq`: the routing key. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  routing_key?: string;
  /** `nats`: the servers, as `nats://host:port` or `tls://host:port`. */
  servers?: string[];
  /** `nats`: the subject. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  subject?: string;
  /** `nats`: whether a stream confirms the message. Without it, the server only has received the message, and no one may have got it. Default: true. */
  jetstream?: boolean;
  /** `rabbitmq` and `nats`: the user. Without it, the secret is `user:password` (`rabbitmq`), or a token or a credentials file (`nats`). */
  username?: string;
  /** The region of AWS. */
  region?: string;
  /** The endpoint of a service that speaks the protocol of AWS. Default: that of the region. */
  endpoint_url?: string;
  /** The access key of AWS. The secret is its secret access key. */
  access_key_id?: string;
  queue_url?: string;
  topic_arn?: string;
  /** `eventbridge`: the bus, or its ARN. */
  bus?: string;
  /** `eventbridge`: the source of the events. */
  source?: string;
  bucket?: string;
  /** `s3`: the beginning of the names of objects. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  prefix?: string;
  /** `s3`: the most messages in an object. They wait together, so `max_in_flight` is at least this. Default: 100. */
  max_items?: number;
  /** `s3`: the longest wait of a message for others, in seconds. Default: 5. */
  max_wait_seconds?: number;
  /** The name of the secret to sign in with. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string;
}

export interface WebhookEndpointDestinationSasl {
  mechanism: WebhookEndpointDestinationSaslMechanism;
  username: string;
  /** The name of the secret with the password. */
  secret_ref: string;
}

/** The service deactivated an endpoint, because it failed for five days or answered 410. */
export interface WebhookEndpointDisabledData {
  /** The endpoint */
  endpoint_id: string;
  /** URL of the endpoint */
  url?: string | undefined;
  /** Reason */
  disabled_reason: string;
  /** Time at which the failures began */
  failing_since?: string | null | undefined;
  /** Time at which this happened */
  disabled_at?: string | undefined;
  [member: string]: unknown;
}

/** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
export interface WebhookEndpointFilter {
  /** True if every node is true. */
  all?: { [member: string]: unknown }[];
  /** True if at least one node is true. */
  any?: { [member: string]: unknown }[];
  /** True if no node is true. */
  not?: { [member: string]: unknown }[];
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string;
  op?: RuleLeafOp;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
}

/** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
export interface WebhookEndpointOrdering {
  /** What the order is kept by: `endpoint` for all deliveries of the endpoint, `subject` or `tenant` of the event, or an RFC 9535 singular query into the event that begins with $.event, $.data, $.subject or $.tenant. Events without a value, or whose value is null, an object or a list, are not ordered. */
  key: string;
  /** What happens when a delivery has failed. `block`, the default: the later ones with its key wait until it is retried or skipped. `skip`: the next one is sent. A change applies to deliveries that wait already. */
  on_failed?: WebhookEndpointOrderingOnFailed;
}

export interface WebhookEndpointStats {
  delivered: number;
  failed: number;
  cancelled: number;
  pending: number;
  /** The median duration of the attempts, in milliseconds. */
  p50_ms: number | null;
  /** The 95th percentile of the attempts' duration, in milliseconds. */
  p95_ms: number | null;
  /** The attempts by hour, oldest first: 24 hours, including the current one. */
  hours: EndpointHour[];
  /** The proportion of successful attempts in these hours. */
  success_rate: number | null;
  /** RFC 3339, in UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** The number of events in these hours that the endpoint subscribes to, but that its filter or its transformation kept from it. A few seconds old. */
  filtered: number;
}

export interface WebhookEndpointSummary {
  /** The attempts by hour, oldest first: 24 hours, including the current one. */
  hours: EndpointHour[];
  /** The proportion of successful attempts in these hours. */
  success_rate: number | null;
  /** RFC 3339, in UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** The number of events in these hours that the endpoint subscribes to, but that its filter or its transformation kept from it. A few seconds old. */
  filtered: number;
  /** The median duration of the attempts, in milliseconds. */
  p50_ms: number | null;
  /** The 95th percentile of the attempts' duration, in milliseconds, accurate to 6 percent. */
  p95_ms: number | null;
  /** The number of pending deliveries, counted up to 1000. */
  pending: number;
  /** Whether there are more than 1000 pending deliveries. */
  pending_capped: boolean;
}

/** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
export interface WebhookEndpointTransform {
  /** A template has a `body`, and may have a `method` and `headers`. A script has a `source`. */
  kind: TransformKind;
  /** The method of the request. Default: "POST". */
  method?: TransformMethod;
  /** Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON. */
  headers?: { [member: string]: string };
  /** The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string. */
  body?: unknown;
  /** JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt. */
  source?: string;
  /** Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z. */
  cases?: TransformCase[];
}

export interface WebhookEndpointWithSecret {
  /** An id that begins with `ep_`. */
  id: string;
  object: "webhook_endpoint";
  /** `webhook`: requests are sent to `url`. `pull`: consumers read the messages with pulls, so `url`, `rate_limit_per_second` and `max_in_flight` must be omitted. Other kinds: messages are sent to the broker in `destination`, with the body and the headers of the requests; `delivered` means that the broker confirmed the message. The kind cannot be changed. */
  kind: WebhookEndpointKind;
  /** The name by which configuration files refer to the endpoint. Null: the host of the URL or of the destination, or `pull` for that kind. */
  name: string;
  /** Null for kinds other than `webhook`. */
  url: string | null;
  /** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
  destination: WebhookEndpointWithSecretDestination | null;
  events: string[];
  active: boolean;
  description: string;
  /** The endpoint's own headers. The values are `[redacted]`. */
  headers: { [member: string]: string };
  rate_limit_per_second: number | null;
  /** Null for kind `pull`. */
  max_in_flight: number | null;
  /** Your customer that the endpoint belongs to, by your own id. The endpoint gets only the events of this tenant. Null: it gets the events of all tenants. It cannot be changed. */
  tenant: string | null;
  /** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
  filter: WebhookEndpointWithSecretFilter | null;
  /** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
  transform: WebhookEndpointWithSecretTransform | null;
  /** The version of the transformation. It increases with each change. Null: there was never one. */
  transform_version: number | null;
  /** The versions of event types that the endpoint gets, by the name of the type. Each version has to exist. The endpoint gets no events of other versions of these types. Null: all versions. */
  event_versions: { [member: string]: number } | null;
  /** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
  ordering: WebhookEndpointWithSecretOrdering | null;
  /** The wait after each failed attempt of a delivery, in seconds: 1 to 20 waits of 1 second to 24 hours, together at most 7 days. If the attempt after the last wait fails too, the delivery fails. A change applies to pending deliveries from their next attempt. Null: the schedule of the installation. */
  retry_schedule: number[] | null;
  /** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
  auth: WebhookEndpointWithSecretAuth | null;
  /** The end of the validity of the certificate in `auth`. Null without one. */
  certificate_expires_at: string | null;
  /** The signatures of each request. At least one. Default: ["service","standard"]. */
  signatures: WebhookEndpointSignature[];
  /** The public key of `v1a` signatures: `whpk_` and 32 bytes in base64. Also at `/.well-known/jwks.json`. Null without them. */
  public_key: string | null;
  /** The key before the last rotation, while both sign. Otherwise null. */
  previous_public_key: string | null;
  /** The form of the requests. `mcp`: the endpoint belongs to an AI client, which subscribed with `events/subscribe`. No one else can change it. */
  wire: WebhookEndpointWire;
  /** The endpoint gets only the events that have one of these channels. Empty: all events. */
  channels: string[];
  /** Your own values, which the service keeps and returns. */
  metadata: { [member: string]: string };
  /** Your own id of the endpoint, unique for each tenant. */
  uid: string | null;
  /** The id that the endpoint had in the product that it was imported from. Null: it was not imported. */
  external_ref: string | null;
  /** Amber while attempts fail. Red after the service deactivated the endpoint. */
  health: WebhookEndpointHealth;
  /** RFC 3339, in UTC, with milliseconds. */
  failing_since: string | null;
  /** `gone` after a 410, `failing_for_days` after five days of failures. */
  disabled_reason: string | null;
  /** Since when the endpoint gets no new events. Null while it is active. A backfill sends what it missed. */
  inactive_since: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** `whsec_` and 32 bytes in base64. Shown when the secret is created, and to owners on request. */
  secret: string;
}

/** How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in. */
export interface WebhookEndpointWithSecretAuth {
  /** `bearer`, `basic` and `api_key` send the secret; that of `basic` is `user:password`, or the password of `username`. `oauth2_client_credentials` exchanges it for an access token. `mtls` presents a client certificate. */
  type: WebhookEndpointAuthType;
  /** The name of a secret. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string;
  /** The place of an API key. Default: `header`. */
  in?: HttpCallRequestAuthIn;
  /** The header or query parameter of an API key. Default: the header `X-Api-Key`. */
  name?: string;
  /** The same as `name`, for a header. */
  header?: string;
  /** The user name of `basic`. The secret is the password then. */
  username?: string;
  /** The token endpoint. The secret has to name its host too. */
  token_url?: string;
  client_id?: string;
  /** The scopes of the token, separated by spaces. */
  scope?: string;
  audience?: string;
  /** The client certificate as PEM, followed by those of its issuers, if the receiver needs them. */
  certificate?: string;
  /** The name of the secret that contains the certificate's key as PEM. */
  key_secret_ref?: string;
}

/** Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`. */
export interface WebhookEndpointWithSecretDestination {
  /** `kafka`: the brokers to ask first, as `host:port`. The guard judges those that they name too. */
  brokers?: string[];
  /** `kafka`: the topic, which must exist. */
  topic?: string;
  /** `kafka`: whether the connections use TLS. Default: true. */
  tls?: boolean;
  sasl?: WebhookEndpointWithSecretDestinationSasl | null;
  /** `kafka`, `sqs` and `sns`: the key of the message, which is the group of a FIFO queue or topic. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. Default: the delivery's `ordering_key`, otherwise the subject of the event. */
  partition_key?: string;
  /** `rabbitmq`: the broker and its virtual host, without a user name and a password. */
  url?: string;
  /** `rabbitmq`: the exchange, which must exist. Empty: the default exchange. */
  exchange?: string;
  /** `rabbitmq`: the routing key. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  routing_key?: string;
  /** `nats`: the servers, as `nats://host:port` or `tls://host:port`. */
  servers?: string[];
  /** `nats`: the subject. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  subject?: string;
  /** `nats`: whether a stream confirms the message. Without it, the server only has received the message, and no one may have got it. Default: true. */
  jetstream?: boolean;
  /** `rabbitmq` and `nats`: the user. Without it, the secret is `user:password` (`rabbitmq`), or a token or a credentials file (`nats`). */
  username?: string;
  /** The region of AWS. */
  region?: string;
  /** The endpoint of a service that speaks the protocol of AWS. Default: that of the region. */
  endpoint_url?: string;
  /** The access key of AWS. The secret is its secret access key. */
  access_key_id?: string;
  queue_url?: string;
  topic_arn?: string;
  /** `eventbridge`: the bus, or its ARN. */
  bus?: string;
  /** `eventbridge`: the source of the events. */
  source?: string;
  bucket?: string;
  /** `s3`: the beginning of the names of objects. It can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`. */
  prefix?: string;
  /** `s3`: the most messages in an object. They wait together, so `max_in_flight` is at least this. Default: 100. */
  max_items?: number;
  /** `s3`: the longest wait of a message for others, in seconds. Default: 5. */
  max_wait_seconds?: number;
  /** The name of the secret to sign in with. See `PUT /v1/secrets/{name}`. */
  secret_ref?: string;
}

export interface WebhookEndpointWithSecretDestinationSasl {
  mechanism: WebhookEndpointDestinationSaslMechanism;
  username: string;
  /** The name of the secret with the password. */
  secret_ref: string;
}

/** A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter. */
export interface WebhookEndpointWithSecretFilter {
  /** True if every node is true. */
  all?: { [member: string]: unknown }[];
  /** True if at least one node is true. */
  any?: { [member: string]: unknown }[];
  /** True if no node is true. */
  not?: { [member: string]: unknown }[];
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string;
  op?: RuleLeafOp;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
}

/** Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events. */
export interface WebhookEndpointWithSecretOrdering {
  /** What the order is kept by: `endpoint` for all deliveries of the endpoint, `subject` or `tenant` of the event, or an RFC 9535 singular query into the event that begins with $.event, $.data, $.subject or $.tenant. Events without a value, or whose value is null, an object or a list, are not ordered. */
  key: string;
  /** What happens when a delivery has failed. `block`, the default: the later ones with its key wait until it is retried or skipped. `skip`: the next one is sent. A change applies to deliveries that wait already. */
  on_failed?: WebhookEndpointOrderingOnFailed;
}

/** What changes the request before it is sent. It runs once, before the first attempt. Its result is kept, signed, and sent by each attempt and replay. */
export interface WebhookEndpointWithSecretTransform {
  /** A template has a `body`, and may have a `method` and `headers`. A script has a `source`. */
  kind: TransformKind;
  /** The method of the request. Default: "POST". */
  method?: TransformMethod;
  /** Headers that are sent in addition to the endpoint's own. They can contain `${…}`, but no credentials. `Content-Type` can be another media type of JSON. */
  headers?: { [member: string]: string };
  /** The body. Its strings can contain `${$.data.x}`: paths that begin with event, data, id, timestamp or attempt. A string that is one path alone becomes the value itself, with its type and all its digits. A missing value becomes null, or nothing within a longer string. */
  body?: unknown;
  /** JavaScript or TypeScript with one exported function `transform({event, data, id, timestamp, tenant, attempt})`. It returns `{body, headers?}`, or null to send nothing. It has 100 ms of processor time and 32 MiB, and neither the network nor other services. Integers beyond 2^53 are BigInt. */
  source?: string;
  /** Test cases, which have to pass before the transformation is saved. In a case, `id` is evt_test and `timestamp` is 2026-01-01T00:00:00.000Z. */
  cases?: TransformCase[];
}

/** The body of a delivery: the same bytes on every attempt. */
export interface WebhookMessage {
  /** The name of the event. */
  event: string;
  /** The id of the delivery. */
  delivery_id: string;
  /** A nonce of the delivery. The same on every attempt. */
  idempotency_key: string;
  /** The id of the event. */
  id: string;
  /** The name of the event again, in the place that Standard Webhooks defines. */
  type: string;
  /** When the event happened. */
  timestamp: string;
  /** The kind of the event's owner. */
  scope_kind: "workspace";
  /** The id of the workspace. */
  scope_key: string;
  /** The environment of the event. */
  environment: Environment;
  /** The data of the event, byte for byte as it was fired. */
  data: { [member: string]: unknown };
  /** `sha256=` and the hex HMAC-SHA256 of the body, calculated with this value empty. */
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
  /** The text that `signature` covers: the body. */
  string_to_sign: string;
  response: WebhookTestResponse | null;
  /** What the broker said when it confirmed the message. */
  confirmation?: string;
  error: WebhookTestError | null;
  /** The throwaway secret of a test with `url`. */
  secret?: string;
}

export interface WebhookTestError {
  class: WebhookTestErrorClass;
  detail: string;
}

export interface WebhookTestRequest {
  /** An id that begins with `ep_`. */
  endpoint_id?: string | undefined;
  /** A URL in place of `endpoint_id`. The request is signed with a throwaway secret. */
  url?: string | undefined;
  /** The name of the event. Default: the first event that the endpoint subscribes to by name, or `order.created`. */
  event?: string | undefined;
  /** The data, sent byte for byte. Default: the example of the event type. */
  data?: object | undefined;
  /** Whether to only sign and show the request, without sending it. */
  dry_run?: boolean | undefined;
}

export interface WebhookTestResponse {
  status: number;
  headers: { [member: string]: string };
  /** The first KiB of the body. */
  body_snippet: string;
  /** The time from the DNS lookup to the end of the response, in milliseconds. */
  latency_ms: number;
}

export interface Workflow {
  /** An id that begins with `wf_`. */
  id: string;
  object: "workflow";
  name: string;
  enabled: boolean;
  max_runs_per_minute: number;
  /** The number of the version. Each change of the trigger or the steps increases it by one. */
  version: number;
  /** The same as `environment`. */
  author_environment: WorkflowAuthorEnvironment;
  trigger: WorkflowTrigger;
  steps: WorkflowStep[];
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  /** The environment of the credential that made the object. Only credentials of this environment can change it. */
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The environments in which the object acts. A live object also acts in the sandbox, unless the sandbox has its own instead. */
  acts_in: RuleActsInItem[];
  /** An id that begins with `wf_`. */
  promotes_to: string | null;
  /** The sandbox workflow, and its version, that was last promoted to this workflow. */
  promoted_from: WorkflowPromotedFrom | null;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
}

export interface WorkflowApprovalField {
  label: string;
  value: string;
}

export interface WorkflowChange {
  name?: string | undefined;
  trigger?: WorkflowTrigger | undefined;
  /** The steps in order, each with an `id` and a `type`. A run starts with the first step and runs each step at most once. */
  steps?: WorkflowStep[] | undefined;
  enabled?: boolean | undefined;
  /** The maximum number of runs that start per minute. Further runs are `limited` and do nothing. The branches and items of a run do not count. Default: 600. */
  max_runs_per_minute?: number | undefined;
}

/** A step of a branch or of a loop: any type except `parallel` and `for_each`. */
export interface WorkflowInnerStep {
  /** A letter, followed by letters, digits, _ and -. Unique in the workflow. */
  id: string;
  /** The next step. Default: the following one in the list. The id of a step, or null to end the run. */
  next?: string | null | undefined;
  when?: Condition | undefined;
  /** The next step if the condition is true. The id of a step, or null to end the run. */
  then?: string | null | undefined;
  /** The next step if the condition is false. Default: the run ends. The id of a step, or null to end the run. */
  else?: string | null | undefined;
  /** The URL of a webhook. */
  url?: string | undefined;
  /** Custom headers of a webhook. */
  headers?: { [member: string]: string } | undefined;
  /** The `data` that a webhook sends, with the event `workflow.webhook`. Default: the trigger's data. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  body?: { [member: string]: unknown } | undefined;
  /** The next step if a webhook or an HTTP call has failed, with no further attempt, or if an action has failed. Without it, the run fails, as after any other failed step. The id of a step, or null to end the run. */
  on_failure?: string | null | undefined;
  /** The next step after an approval and, for an action, its success. Another name for `next`. The id of a step, or null to end the run. */
  on_approved?: string | null | undefined;
  /** The next step if a person rejects. Without it, the run fails. The id of a step, or null to end the run. */
  on_rejected?: string | null | undefined;
  /** The next step if no person decides in time. Without it, the run fails. The id of a step, or null to end the run. */
  on_expired?: string | null | undefined;
  /** The length of a delay in seconds, at most 366 days. */
  seconds?: number | undefined;
  /** The event that `fire_event` fires, or the event or pattern (`order.*`) for which `wait_event` waits. */
  event?: string | undefined;
  /** A condition on the event for which `wait_event` waits, as in rules. Its fields begin with `event` or `data` and read that event; its values can contain the tokens of other texts, such as `${$.data.order}`, which read the run. A missing value fails the step. */
  match?: { [member: string]: unknown } | null | undefined;
  /** How long `wait_event` waits, in seconds, at most 366 days. */
  timeout_seconds?: number | undefined;
  /** The events for which `wait_event` waits, by their tenant. `own` (default): those of the run's own tenant; in a run without a tenant, those without one. `shared`: a run of a tenant also takes events without one; a run without a tenant also takes events of any tenant, and belongs to that tenant from then on. A run of a tenant never takes the event of another one. */
  tenants?: WorkflowStepTenants | undefined;
  /** The next step if no matching event arrives in time. Without it, the run fails. The id of a step, or null to end the run. */
  on_timeout?: string | null | undefined;
  /** The output of a `set` step. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  values?: { [member: string]: unknown } | undefined;
  /** The data of the fired event. Default: the trigger's data. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  data?: { [member: string]: unknown } | undefined;
  /** The key of an action contract whose `surface` includes `workflow`. The run fails if the action fails. */
  action?: string | undefined;
  /** The parameters of the action. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  parameters?: { [member: string]: unknown } | undefined;
  /** Roles of the people who may approve. */
  approver_roles?: string[] | undefined;
  /** The heading of an approval. `title`, `summary` and `fields` can contain the same tokens as other texts. A missing value is shown as `[missing: path]`. */
  title?: string | undefined;
  /** A text below the heading of an approval. */
  summary?: string | undefined;
  /** The facts that approvers see, in order. */
  fields?: WorkflowApprovalField[] | undefined;
  /** The method of an HTTP call. */
  method?: WorkflowStepMethod | undefined;
  /** Parameters that are added to the URL of an HTTP call. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  query?: { [member: string]: unknown } | undefined;
  /** The fields of a form that an HTTP call sends. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  form?: { [member: string]: unknown } | undefined;
  /** The text that an HTTP call sends. */
  text?: string | undefined;
  /** How an HTTP call proves who sends it: `{type: bearer | basic | api_key | oauth2_client_credentials, secret_ref, in?, name?, token_url?, client_id?, scope?}`. */
  auth?: { [member: string]: unknown } | undefined;
  success_when?: Condition | undefined;
  /** The time that an HTTP call has, from 100 to 30000. Default: 10000. */
  timeout_ms?: number | undefined;
  /** How often an HTTP call is sent again after a passing failure, at most 5. Default: 3. */
  retries?: number | undefined;
  /** The members of the response's body that are kept. Default: all. */
  expose?: string[] | undefined;
  /** Whether an HTTP call has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, with the workflow's signing secret. Default: false. */
  sign?: boolean | undefined;
  /** How long the approval waits, in seconds. Default: one day. */
  expires_in_seconds?: number | undefined;
  type: WorkflowInnerStepType;
}

export interface WorkflowList {
  object: "list";
  data: Workflow[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** The sandbox workflow, and its version, that was last promoted to this workflow. */
export interface WorkflowPromotedFrom {
  /** An id that begins with `wf_`. */
  id: string;
  version: number;
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
  /** The rule that started the run. Null: the trigger started it. */
  started_by: string | null;
  /** The run of which this one is a branch or an item. Null for others. */
  parent: WorkflowRunParent | null;
  state: WorkflowRunState;
  /** The current step, or the step at which the run ended early. */
  step: string | null;
  error: string | null;
  /** When the current delay ends, or when a wait for an event is next checked. */
  continues_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface WorkflowRunChild {
  /** An id that begins with `wfr_`. */
  id: string;
  /** The step that started the branch or the item. */
  parent_step: string | null;
  /** The position of the branch or the item, from 0. */
  index: number;
  state: WorkflowRunState;
  step: string | null;
  error: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
}

export interface WorkflowRunList {
  object: "list";
  data: WorkflowRun[];
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. */
  next_cursor: string | null;
}

/** The run of which this one is a branch or an item. Null for others. */
export interface WorkflowRunParent {
  /** An id that begins with `wfr_`. */
  run_id: string;
  /** The position of the branch or the item, from 0. */
  index: number;
}

export interface WorkflowRunStep {
  id: string;
  type: WorkflowStepType;
  state: WorkflowRunStepState;
  error: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  started_at: string;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  /** The output that later steps use as `steps.<id>`: `{result}` of a condition, `{delivery_id, state, status_code}` of a webhook, `{seconds}` of a delay, `{event_id}` of a fired event, the values of a set step, `{branches, count, completed, failed, failures}` of parallel branches, `{items, count, completed, failed, failures}` of a loop. A step that waits for an event has its `{id, type, data, contact?}`, an action its run, an approval its proposal. */
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
  /** The rule that started the run. Null: the trigger started it. */
  started_by: string | null;
  /** The run of which this one is a branch or an item. Null for others. */
  parent: WorkflowRunWithStepsParent | null;
  state: WorkflowRunState;
  /** The current step, or the step at which the run ended early. */
  step: string | null;
  error: string | null;
  /** When the current delay ends, or when a wait for an event is next checked. */
  continues_at: string | null;
  /** RFC 3339, in UTC, with milliseconds. */
  ended_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The input from the rule. Conditions and templates use it as `input`. */
  input: { [member: string]: unknown } | null;
  /** The item that a run in a loop has. Null for others. */
  item: WorkflowRunWithStepsItem | null;
  /** The first 100 branches and items, each with the id of its own run. The list of runs has all of them with `parent_run_id`. */
  children: WorkflowRunChild[];
  steps: WorkflowRunStep[];
}

/** The item that a run in a loop has. Null for others. */
export interface WorkflowRunWithStepsItem {
  /** The item as its list had it. */
  value: unknown;
}

/** The run of which this one is a branch or an item. Null for others. */
export interface WorkflowRunWithStepsParent {
  /** An id that begins with `wfr_`. */
  run_id: string;
  /** The position of the branch or the item, from 0. */
  index: number;
}

export interface WorkflowSchedule {
  object: "workflow_schedule";
  /** An id that begins with `wf_`. */
  workflow_id: string;
  /** A cron expression of five fields: minute, hour, day of month, month, day of week. */
  cron: string;
  /** The IANA time zone of the expression. */
  time_zone: string;
  /** What happens with occurrences that were missed by more than 5 minutes: nothing, or one event for all of them. Default: `skip`. */
  missed: WorkflowScheduleMissed;
  /** Whether the workflow is enabled. Without it, the schedule does not fire. */
  enabled: boolean;
  /** The next five occurrences. Empty if the workflow is disabled. */
  next: ScheduleTime[];
  /** The last occurrence. */
  last_fired: WorkflowScheduleLastFired | null;
  /** The occurrences that the last outage of the service prevented. */
  skipped: WorkflowScheduleSkipped | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
}

/** Starts a run by the clock, with the event `schedule.due`. */
export interface WorkflowScheduleInput {
  /** A cron expression of five fields: minute, hour, day of month, month, day of week. */
  cron: string;
  /** The IANA time zone of the expression. Default: `UTC`. */
  time_zone?: string | undefined;
  /** What happens with occurrences that were missed by more than 5 minutes: nothing, or one event for all of them. Default: `skip`. */
  missed?: WorkflowScheduleMissed | undefined;
}

/** The last occurrence. */
export interface WorkflowScheduleLastFired {
  /** RFC 3339, in UTC, with milliseconds. */
  at: string;
  /** The same time in the schedule's time zone. */
  local: string;
  /** An id that begins with `evt_`. */
  event_id: string;
}

/** The occurrences that the last outage of the service prevented. */
export interface WorkflowScheduleSkipped {
  /** At most 100 occurrences are counted. */
  count: number;
  first: ScheduleTime;
  last: ScheduleTime;
}

/** The members of a step depend on its `type`: `condition {when, then, else?}`, `webhook {url, headers?, body?, on_failure?}`, `delay {seconds}`, `set {values}`, `wait_event {event, match?, tenants?, timeout_seconds, on_timeout?}`, `fire_event {event, data?}`, `action {action, parameters?}`, `wait_approval {approver_roles, expires_in_seconds?, title?, summary?, fields?}`, `http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?, on_failure?}`, `parallel {branches, on_failure?}`, `for_each {in, steps, max?, concurrency?, on_item_failure?, collect?, on_failure?}`. All types except `condition` also accept `next`. `action` and `wait_approval` accept `on_approved` in place of `next`, `on_rejected` and `on_expired`; `action` also accepts `on_failure`. */
export interface WorkflowStep {
  /** A letter, followed by letters, digits, _ and -. Unique in the workflow. */
  id: string;
  /** The next step. Default: the following one in the list. The id of a step, or null to end the run. */
  next?: string | null | undefined;
  when?: Condition | undefined;
  /** The next step if the condition is true. The id of a step, or null to end the run. */
  then?: string | null | undefined;
  /** The next step if the condition is false. Default: the run ends. The id of a step, or null to end the run. */
  else?: string | null | undefined;
  /** The URL of a webhook. */
  url?: string | undefined;
  /** Custom headers of a webhook. */
  headers?: { [member: string]: string } | undefined;
  /** The `data` that a webhook sends, with the event `workflow.webhook`. Default: the trigger's data. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  body?: { [member: string]: unknown } | undefined;
  /** The next step if a webhook or an HTTP call has failed, with no further attempt, or if an action has failed. Without it, the run fails, as after any other failed step. The id of a step, or null to end the run. */
  on_failure?: string | null | undefined;
  /** The next step after an approval and, for an action, its success. Another name for `next`. The id of a step, or null to end the run. */
  on_approved?: string | null | undefined;
  /** The next step if a person rejects. Without it, the run fails. The id of a step, or null to end the run. */
  on_rejected?: string | null | undefined;
  /** The next step if no person decides in time. Without it, the run fails. The id of a step, or null to end the run. */
  on_expired?: string | null | undefined;
  /** The length of a delay in seconds, at most 366 days. */
  seconds?: number | undefined;
  /** The event that `fire_event` fires, or the event or pattern (`order.*`) for which `wait_event` waits. */
  event?: string | undefined;
  /** A condition on the event for which `wait_event` waits, as in rules. Its fields begin with `event` or `data` and read that event; its values can contain the tokens of other texts, such as `${$.data.order}`, which read the run. A missing value fails the step. */
  match?: { [member: string]: unknown } | null | undefined;
  /** How long `wait_event` waits, in seconds, at most 366 days. */
  timeout_seconds?: number | undefined;
  /** The events for which `wait_event` waits, by their tenant. `own` (default): those of the run's own tenant; in a run without a tenant, those without one. `shared`: a run of a tenant also takes events without one; a run without a tenant also takes events of any tenant, and belongs to that tenant from then on. A run of a tenant never takes the event of another one. */
  tenants?: WorkflowStepTenants | undefined;
  /** The next step if no matching event arrives in time. Without it, the run fails. The id of a step, or null to end the run. */
  on_timeout?: string | null | undefined;
  /** The output of a `set` step. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  values?: { [member: string]: unknown } | undefined;
  /** The data of the fired event. Default: the trigger's data. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  data?: { [member: string]: unknown } | undefined;
  /** The key of an action contract whose `surface` includes `workflow`. The run fails if the action fails. */
  action?: string | undefined;
  /** The parameters of the action. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  parameters?: { [member: string]: unknown } | undefined;
  /** Roles of the people who may approve. */
  approver_roles?: string[] | undefined;
  /** The heading of an approval. `title`, `summary` and `fields` can contain the same tokens as other texts. A missing value is shown as `[missing: path]`. */
  title?: string | undefined;
  /** A text below the heading of an approval. */
  summary?: string | undefined;
  /** The facts that approvers see, in order. */
  fields?: WorkflowApprovalField[] | undefined;
  /** The method of an HTTP call. */
  method?: WorkflowStepMethod | undefined;
  /** Parameters that are added to the URL of an HTTP call. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  query?: { [member: string]: unknown } | undefined;
  /** The fields of a form that an HTTP call sends. Texts can contain `${$.data.x}`, `${event}`, `${contact.email}`, `${input.x}` and `${steps.<id>.x}`, and in a loop `${item.x}` and `${index}`; a text that is only one token becomes the value itself. */
  form?: { [member: string]: unknown } | undefined;
  /** The text that an HTTP call sends. */
  text?: string | undefined;
  /** How an HTTP call proves who sends it: `{type: bearer | basic | api_key | oauth2_client_credentials, secret_ref, in?, name?, token_url?, client_id?, scope?}`. */
  auth?: { [member: string]: unknown } | undefined;
  success_when?: Condition | undefined;
  /** The time that an HTTP call has, from 100 to 30000. Default: 10000. */
  timeout_ms?: number | undefined;
  /** How often an HTTP call is sent again after a passing failure, at most 5. Default: 3. */
  retries?: number | undefined;
  /** The members of the response's body that are kept. Default: all. */
  expose?: string[] | undefined;
  /** Whether an HTTP call has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, with the workflow's signing secret. Default: false. */
  sign?: boolean | undefined;
  /** How long the approval waits, in seconds. Default: one day. */
  expires_in_seconds?: number | undefined;
  type: WorkflowStepType;
  /** The branches of `parallel`, which run at the same time. Their ids are unique in the workflow, and their ways lead to steps of the same list. They read the outputs of the steps before. The step ends when all branches have ended, and fails if one failed. */
  branches?: WorkflowInnerStep[][] | undefined;
  /** The list whose items `for_each` runs its steps for: a list, or only one token such as `${$.data.lines}`. A value that is missing or not a list, and a list with more than `max` items, fails the step. */
  in?: unknown;
  /** The steps that `for_each` runs for each item. Their ids are unique in the workflow, and their ways lead to steps of the same list. They read the outputs of the steps before. */
  steps?: WorkflowInnerStep[] | undefined;
  /** The maximum number of items, at most 1000. Default: 1000. */
  max?: number | undefined;
  /** How many items run at the same time, at most 10. Default: 1, so that they run in order. */
  concurrency?: number | undefined;
  /** The effect of failed items, once all items have ended: `fail` (default) fails the step, `continue` counts them in its output. */
  on_item_failure?: WorkflowStepOnItemFailure | undefined;
  /** Whether the output of `for_each` contains the outputs of its items, which must have at most 262144 bytes together. Default: true. */
  collect?: boolean | undefined;
}

export interface WorkflowTest {
  event: string;
  data: object;
  /** The tenant of the event. Default: none. */
  tenant?: string | undefined;
}

export interface WorkflowTestStep {
  id: string;
  type: WorkflowStepType;
  /** The decision that leads here. Null: the way on which every decision is an approval. */
  branch: WorkflowTestStepBranch | null;
  /** The output that later steps use as `steps.<id>`: `{result}` of a condition, `{delivery_id, state, status_code}` of a webhook, `{seconds}` of a delay, `{event_id}` of a fired event, the values of a set step, `{branches, count, completed, failed, failures}` of parallel branches, `{items, count, completed, failed, failures}` of a loop. A step that waits for an event has its `{id, type, data, contact?}`, an action its run, an approval its proposal. */
  output: { [member: string]: unknown } | null;
}

/** The decision that leads here. Null: the way on which every decision is an approval. */
export interface WorkflowTestStepBranch {
  step: string;
  way: string;
}

export interface WorkflowTrial {
  object: "workflow_test";
  /** Whether the event starts a run. */
  matches: boolean;
  steps: WorkflowTestStep[];
}

/** The event or the schedule that starts a run, and the condition that its event must meet. */
export interface WorkflowTrigger {
  /** The event that starts a run, or a pattern such as `order.*`. Required unless there is a `schedule`. */
  event?: string | undefined;
  schedule?: WorkflowScheduleInput | undefined;
  /** A group of nodes, or a leaf. Groups can be nested five levels deep, with at most 100 groups and 100 leaves. */
  when?: WorkflowTriggerWhen | null | undefined;
}

/** A group of nodes, or a leaf. Groups can be nested five levels deep, with at most 100 groups and 100 leaves. */
export interface WorkflowTriggerWhen {
  /** True if every node is true. */
  all?: { [member: string]: unknown }[] | undefined;
  /** True if at least one node is true. */
  any?: { [member: string]: unknown }[] | undefined;
  /** True if no node is true. */
  not?: { [member: string]: unknown }[] | undefined;
  /** The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x. */
  field?: string | undefined;
  op?: RuleLeafOp | undefined;
  /** The value that the field is compared with, without any conversion. */
  value?: unknown;
  [member: string]: unknown;
}

export interface WorkflowWithSecret {
  /** An id that begins with `wf_`. */
  id: string;
  object: "workflow";
  name: string;
  enabled: boolean;
  max_runs_per_minute: number;
  /** The number of the version. Each change of the trigger or the steps increases it by one. */
  version: number;
  /** The same as `environment`. */
  author_environment: WorkflowAuthorEnvironment;
  trigger: WorkflowTrigger;
  steps: WorkflowStep[];
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  /** The environment of the credential that made the object. Only credentials of this environment can change it. */
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
  /** The environments in which the object acts. A live object also acts in the sandbox, unless the sandbox has its own instead. */
  acts_in: RuleActsInItem[];
  /** An id that begins with `wf_`. */
  promotes_to: string | null;
  /** The sandbox workflow, and its version, that was last promoted to this workflow. */
  promoted_from: WorkflowWithSecretPromotedFrom | null;
  /** RFC 3339, in UTC, with milliseconds. */
  updated_at: string;
  /** `whsec_` and 32 bytes in base64. Shown when the secret is created, and to owners on request. */
  signing_secret: string;
}

/** The sandbox workflow, and its version, that was last promoted to this workflow. */
export interface WorkflowWithSecretPromotedFrom {
  /** An id that begins with `wf_`. */
  id: string;
  version: number;
}

export interface Workspace {
  /** An id that begins with `ws_`. */
  id: string;
  object: "workspace";
  name: string;
  settings: WorkspaceSettings;
  /** RFC 3339, in UTC, with milliseconds. */
  deletion_at: string | null;
  scope_kind: "workspace";
  /** An id that begins with `ws_`. */
  scope_key: string;
  environment: Environment;
  /** RFC 3339, in UTC, with milliseconds. */
  created_at: string;
}

export interface WorkspaceChange {
  name?: string | undefined;
  settings?: WorkspaceSettingsChange | undefined;
}

export interface WorkspaceDeletion {
  /** The name of the workspace, as a safeguard. */
  name: string;
}

export interface WorkspaceKeys {
  /** An id that begins with `ws_`. */
  workspace_id: string;
  name: string;
  /** The owner's live key, shown only once. */
  api_key: string;
  /** The sandbox key, shown only once. */
  sandbox_key: string;
}

export interface WorkspaceSettings {
  /** The number of days for which logs are kept. Null: as long as the installation keeps them. */
  retention_days: number | null;
  /** Whether `confirmed: true` in a call can replace the approval. This applies to actions that are not destructive, do not have a high risk, and require one approval, but not by a second person. */
  inline_confirmation: boolean;
  /** Whether the only member of the workspace may approve their own requests, despite `four_eyes`. No effect in workspaces with two or more members. */
  solo_approval: boolean;
  /** Whether people must prove again who they are, with a passkey or an authenticator app, to approve an action of high risk (`POST /v1/step-ups`). Keys, rules and Slack can then not approve such an action. Only a console session can turn it off. */
  require_step_up: boolean;
  /** Whether a plan of the configuration is applied in live only after another person has approved it. `POST /v1/configuration/plans/{id}/apply` then returns a proposal. Only an owner can turn it off. */
  require_approval_for_configuration: boolean;
  /** Whether people can sign in to the workspace with a password. To turn it off, the installation must have OpenID Connect, and an owner must have signed in with it. Sessions that a password opened then end. */
  password_sign_in: boolean;
  /** The provider of the assistant. While it is `off`, the assistant receives nothing. `PATCH /v1/assistant` changes the other settings. */
  assistant: WorkspaceSettingsAssistant;
  /** An IANA time zone name, such as Europe/Berlin. */
  time_zone: string;
  /** The origins of your sites that may show the portal in a frame. Empty: none, but links to it work. */
  portal_origins: string[];
  /** The name of your product, shown to your customers at the top of the portal. Null: none. */
  portal_name: string | null;
  /** The logo of your product, shown to your customers at the top of the portal: a PNG, JPEG, WebP or GIF as a `data:` URL. The page calls no other server for it. Null: none. */
  portal_logo: string | null;
}

export interface WorkspaceSettingsChange {
  /** The number of days for which logs are kept. Null: as long as the installation keeps them. */
  retention_days?: number | null | undefined;
  /** Whether `confirmed: true` in a call can replace the approval. This applies to actions that are not destructive, do not have a high risk, and require one approval, but not by a second person. */
  inline_confirmation?: boolean | undefined;
  /** Whether the only member of the workspace may approve their own requests, despite `four_eyes`. No effect in workspaces with two or more members. */
  solo_approval?: boolean | undefined;
  /** Whether people must prove again who they are, with a passkey or an authenticator app, to approve an action of high risk (`POST /v1/step-ups`). Keys, rules and Slack can then not approve such an action. Only a console session can turn it off. */
  require_step_up?: boolean | undefined;
  /** Whether a plan of the configuration is applied in live only after another person has approved it. `POST /v1/configuration/plans/{id}/apply` then returns a proposal. Only an owner can turn it off. */
  require_approval_for_configuration?: boolean | undefined;
  /** Whether people can sign in to the workspace with a password. To turn it off, the installation must have OpenID Connect, and an owner must have signed in with it. Sessions that a password opened then end. */
  password_sign_in?: boolean | undefined;
  /** The provider of the assistant. While it is `off`, the assistant receives nothing. `PATCH /v1/assistant` changes the other settings. */
  assistant?: WorkspaceSettingsAssistant | undefined;
  /** An IANA time zone name, such as Europe/Berlin. */
  time_zone?: string | undefined;
  /** The origins of your sites that may show the portal in a frame. Empty: none, but links to it work. */
  portal_origins?: string[] | undefined;
  /** The name of your product, shown to your customers at the top of the portal. Null: none. */
  portal_name?: string | null | undefined;
  /** The logo of your product, shown to your customers at the top of the portal: a PNG, JPEG, WebP or GIF as a `data:` URL. The page calls no other server for it. Null: none. */
  portal_logo?: string | null | undefined;
}

/** Of `action_contracts.get`. */
export interface GetActionContractQuery {
  /** The environment of the contract. Default: the caller's, or else the other one. */
  environment?: Environment | undefined;
}

/** Of `action_contracts.list`. */
export interface ListActionContractsQuery {
  /** Whether to return only the contracts that the caller may run from the current surface. */
  runnable?: boolean | undefined;
  /** Restricts the list to objects of this environment. Default: both. */
  environment?: Environment | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `action_contracts.versions`. */
export interface ListActionContractVersionsQuery {
  /** The environment of the contract. Default: the caller's, or else the other one. */
  environment?: Environment | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `ai_history.list`. */
export interface ListAiHistoryQuery {
  /** The caller: the built-in assistant, an MCP client, or an AI key on the API. For the last two, each call of an action is one exchange. */
  source?: AiExchangeSource | undefined;
  /** `question`: to the assistant's model. `call`: of an action, a tool or a method. `dry_run`: what a call would do. `poll`: of a status or of events. */
  kind?: AiExchangeKind | undefined;
  /** The beginning of the client's name. */
  client?: string | undefined;
  /** The final status. */
  status?: string | undefined;
  /** The code of the refusal or the failure. */
  error_code?: string | undefined;
  /** An id that begins with `evt_`. */
  event_id?: string | undefined;
  /** An id that begins with `key_`. */
  key_id?: string | undefined;
  /** An id that begins with `prop_`. */
  proposal_id?: string | undefined;
  /** An id that begins with `run_`. */
  run_id?: string | undefined;
  /** Recorded at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Recorded before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `approval_channels.announcements.list`. */
export interface ListApprovalAnnouncementsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `approval_channels.list`. */
export interface ListApprovalChannelsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `audit.digests.list`. */
export interface ListAuditDigestsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `audit.export`. */
export interface ExportAuditQuery {
  /** The kind of object or activity that the row is about. */
  kind?: AuditRowKind | undefined;
  /** The name of an operation, or the key of a contract. */
  action?: string | undefined;
  /** The kind of actor. */
  actor_type?: ExportAuditQueryActorType | undefined;
  /** The actor. */
  actor_id?: string | undefined;
  /** The final status. */
  status?: string | undefined;
  /** An id that begins with `prop_`. */
  proposal_id?: string | undefined;
  /** An id that begins with `run_`. */
  run_id?: string | undefined;
  /** The tenant: what its keys did, and what was done to its webhook endpoints, sources, keys, portal sessions and events, or to itself. Rows written by a version before this filter are not found. */
  tenant?: string | undefined;
  /** Recorded at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Recorded before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
}

/** Of `audit.list`. */
export interface ListAuditRowsQuery {
  /** The kind of object or activity that the row is about. */
  kind?: AuditRowKind | undefined;
  /** The name of an operation, or the key of a contract. */
  action?: string | undefined;
  /** The kind of actor. */
  actor_type?: ExportAuditQueryActorType | undefined;
  /** The actor. */
  actor_id?: string | undefined;
  /** The final status. */
  status?: string | undefined;
  /** An id that begins with `prop_`. */
  proposal_id?: string | undefined;
  /** An id that begins with `run_`. */
  run_id?: string | undefined;
  /** The tenant: what its keys did, and what was done to its webhook endpoints, sources, keys, portal sessions and events, or to itself. Rows written by a version before this filter are not found. */
  tenant?: string | undefined;
  /** Recorded at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Recorded before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `audit.verify`. */
export interface VerifyAuditQuery {
  /** The `seq` of the first row to verify. Default: 1. */
  from_seq?: number | undefined;
  /** The `seq` of the last row to verify. Default: the last row. */
  to_seq?: number | undefined;
}

/** Of `auth.passkeys.list`. */
export interface ListPasskeysQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `auth.sessions.list`. */
export interface ListSessionsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `connected_apps.list`. */
export interface ListConnectedAppsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `connectors.get`. */
export interface GetConnectorQuery {
  /** Shows the installations of this environment only. Default: that of the caller's environment, or else that of the other one. A sandbox credential cannot choose `live`. */
  environment?: Environment | undefined;
}

/** Of `connectors.list`. */
export interface ListConnectorsQuery {
  /** Shows the installations of this environment only. Default: that of the caller's environment, or else that of the other one. A sandbox credential cannot choose `live`. */
  environment?: Environment | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `connectors.runs.list`. */
export interface ListConnectorRunsQuery {
  /** The part of the connector that was called. */
  hook?: ConnectorRunHook | undefined;
  /** The final status. */
  outcome?: ConnectorRunOutcome | undefined;
  /** An id that begins with `evt_`. */
  event_id?: string | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `contacts.activities.list`. */
export interface ListActivitiesQuery {
  /** The origin of the activity. */
  kind?: ActivityKind | undefined;
  /** Happened at or after this time. RFC 3339, with a zone. */
  occurred_after?: string | Date | undefined;
  /** Happened before this time. RFC 3339, with a zone. */
  occurred_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `contacts.list`. */
export interface ListContactsQuery {
  /** Case-insensitive: compared and stored case-folded. */
  email?: string | undefined;
  /** Your own id (`external_id`). */
  external_id?: string | undefined;
  /** A tag that the contact has. */
  tag?: string | undefined;
  /** The stage of the person, such as lead, trial, customer or churned. Any word is accepted. */
  lifecycle_stage?: string | undefined;
  /** Created at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `customers.list`. */
export interface ListCustomersQuery {
  /** Case-insensitive: compared and stored case-folded. */
  email?: string | undefined;
  /** Your own id (`external_id`). */
  external_id?: string | undefined;
  /** A tag that the contact has. */
  tag?: string | undefined;
  /** The stage of the person, such as lead, trial, customer or churned. Any word is accepted. */
  lifecycle_stage?: string | undefined;
  /** Created at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** `<provider>:<identifier>`: finds a contact by the identifier that a connector's identity provider uses. Other filters are then ignored. */
  identity?: string | undefined;
}

/** Of `deliveries.attempts`. */
export interface ListDeliveryAttemptsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `deliveries.list`. */
export interface ListDeliveriesQuery {
  /** The state of the delivery. */
  state?: DeliveryState | undefined;
  /** An id that begins with `ep_`. */
  endpoint_id?: string | undefined;
  /** The tenant of the endpoint. */
  tenant?: string | undefined;
  /** The name of the event. */
  event?: string | undefined;
  /** The status code of the last attempt. */
  status_code?: number | undefined;
  /** The class of the status code of the last attempt. */
  status_class?: ReplayFilterStatusClass | undefined;
  /** The kind of error of the last attempt. */
  error_class?: AttemptErrorClass | undefined;
  /** The number of attempts that were made. */
  attempt_count?: number | undefined;
  /** Created at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** A path into the event's data and the value at that path, exactly as it was written. A page searches at most 5000 deliveries. It can therefore be short and still have a next page. */
  payload?: string | undefined;
  /** The id of a delivery or of an event, or the name of an event. */
  q?: string | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `deliveries.replay`. */
export interface ReplayDeliveryQuery {
  /** Whether the transformation of the endpoint runs again. Otherwise, the same bytes are sent again. Default: false. */
  retransform?: boolean | undefined;
}

/** Of `event_types.list`. */
export interface ListEventTypesQuery {
  /** Whether to return the archived types instead. */
  archived?: boolean | undefined;
  /** The maximum number of objects on a page. Default: all objects. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `event_types.versions.list`. */
export interface ListEventTypeVersionsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `events.list`. */
export interface ListEventsQuery {
  /** The status of the events. Default: `accepted`. */
  status?: EventStatus | undefined;
  /** The name of the event. */
  event?: string | undefined;
  /** What the event is about. */
  subject?: string | undefined;
  /** The tenant of the events. */
  tenant?: string | undefined;
  /** Created at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `http_calls.list`. */
export interface ListHttpCallsQuery {
  /** `waiting`: it is sent, or sent again later. */
  state?: HttpCallState | undefined;
  /** An id that begins with `rule_`. */
  rule_id?: string | undefined;
  /** An id that begins with `wf_`. */
  workflow_id?: string | undefined;
  /** Only calls of this run of a workflow or rule. */
  run_id?: string | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `inbound_endpoints.list`. */
export interface ListInboundEndpointsQuery {
  /** The tenant of the sources. */
  tenant?: string | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `inbound_presets.list`. */
export interface ListInboundPresetsQuery {
  /** The maximum number of objects on a page. Default: all objects. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `inbound_receipts.list`. */
export interface ListInboundReceiptsQuery {
  /** The result of the request. `unmapped` also lists requests of which an element cannot be mapped. */
  status?: InboundReceiptStatus | undefined;
  /** An id that begins with `src_`. */
  source_id?: string | undefined;
  /** An id that begins with `con_`. */
  contact_id?: string | undefined;
  /** Created at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `inboxes.list`. */
export interface ListInboxesQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `inboxes.messages`. */
export interface ListInboxMessagesQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `issues.list`. */
export interface ListIssuesQuery {
  /** `open`: attempts fail. `acknowledged`: a person looks into it. `resolved`: five attempts in a row succeeded, or a person resolved it. `ignored`: no one is informed of it. */
  state?: IssueState | undefined;
  /** `delivery` and `transform`: attempts of a webhook endpoint, and its transformation. `source`: requests to a source. `connection`: calls of a connector. `action`: runs of an action. `broker`: messages of a broker source; none is reported yet. */
  kind?: IssueKind | undefined;
  /** The id of an endpoint, or the key of a connector or action. */
  object_id?: string | undefined;
  /** An id that begins with `mem_`. */
  owner?: string | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `keys.list`. */
export interface ListKeysQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** The tenant of the keys. */
  tenant?: string | undefined;
}

/** Of `mails.list`. */
export interface ListMailsQuery {
  /** `waiting`: it is sent, or sent again later. `sent`: the mail server accepted it. `skipped`: its reason is gone, for example because the member left. */
  state?: MailState | undefined;
  /** The reason of the e-mail. */
  purpose?: ListMailsQueryPurpose | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `mcp_tokens.list`. */
export interface ListMcpTokensQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Returns only the tokens of this tenant. */
  tenant?: string | undefined;
}

/** Of `members.invitations.list`. */
export interface ListInvitationsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `members.list`. */
export interface ListMembersQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `notifications.list`. */
export interface ListNotificationsQuery {
  /** Only notifications that were not read. */
  unread?: boolean | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `portal_sessions.list`. */
export interface ListPortalSessionsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Returns only the sessions of this tenant. */
  tenant?: string | undefined;
}

/** Of `proposals.list`. */
export interface ListProposalsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** The current state. */
  state?: ProposalState | undefined;
  /** The key of the contract. */
  action?: string | undefined;
  /** The surface of the request. */
  surface?: RunSurface | undefined;
  /** An id that begins with `sap_`. */
  standing_approval_id?: string | undefined;
  /** Proposed at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Proposed before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
}

/** Of `replays.list`. */
export interface ListReplaysQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `requests.list`. */
export interface ListRequestsQuery {
  /** The dotted name of the requested operation. */
  operation?: string | undefined;
  /** The HTTP method. */
  method?: WorkflowStepMethod | undefined;
  /** The status code of the response. */
  status?: number | undefined;
  /** The class of the response's status. Ignored if `status` is set. */
  status_class?: ListRequestsQueryStatusClass | undefined;
  /** The code of the refusal. */
  error_code?: string | undefined;
  /** An id that begins with `key_`. */
  key_id?: string | undefined;
  /** The address that the request came from. */
  ip?: string | undefined;
  /** Received at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Received before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `roles.list`. */
export interface ListRolesQuery {
  /** The maximum number of objects on a page. Default: all objects. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `rules.list`. */
export interface ListRulesQuery {
  /** Restricts the list to objects of this environment. Default: both. */
  environment?: Environment | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `rules.runs`. */
export interface ListRuleRunsQuery {
  /** The final status of the run. */
  status?: RuleRunStatus | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `runs.list`. */
export interface ListRunsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** The current state. */
  status?: ListRunsQueryStatus | undefined;
  /** The key of the contract. */
  action?: string | undefined;
  /** The surface of the request. */
  surface?: RunSurface | undefined;
  /** Started at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Started before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
}

/** Of `search.list`. */
export interface SearchQuery {
  /** A part of a name, a description, a URL or an address, or the beginning of the external ID of a contact or ticket. */
  q: string;
  /** The maximum number of objects on a page. Default: all objects. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `secrets.list`. */
export interface ListSecretsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `senders.list`. */
export interface ListSendersQuery {
  /** Only senders of this category. */
  category?: SenderCategory | undefined;
  /** The maximum number of objects on a page. Default: all objects. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `slack_links.list`. */
export interface ListSlackLinksQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `standing_approvals.list`. */
export interface ListStandingApprovalsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Whether it can still approve. */
  state?: StandingApprovalState | undefined;
  /** The key of the contract. */
  action?: string | undefined;
}

/** Of `tenants.list`. */
export interface ListTenantsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `tickets.list`. */
export interface ListTicketsQuery {
  /** The status of the ticket, such as open, pending, on_hold, resolved or closed. The last two mean that the ticket has ended. */
  status?: string | undefined;
  /** An id that begins with `con_`. */
  customer_id?: string | undefined;
  /** The priority of the ticket, such as low, normal, high or urgent. */
  priority?: string | undefined;
  /** The e-mail address or name of the assignee. */
  assignee?: string | undefined;
  /** Your own id (`external_id`). */
  external_id?: string | undefined;
  /** Created at or after this time. RFC 3339, with a zone. */
  created_after?: string | Date | undefined;
  /** Created before this time. RFC 3339, with a zone. */
  created_before?: string | Date | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `transform_presets.list`. */
export interface ListTransformPresetsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `usage.events`. */
export interface ListEventUsageQuery {
  /** The number of hours, including the current one. Default: 720. */
  hours?: number | undefined;
  /** The maximum number of objects on a page. Default: all objects. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `usage.get`. */
export interface GetUsageQuery {
  /** The first day, in UTC. Default: 30 days before `to`. */
  from?: string | undefined;
  /** The last day, in UTC. Default: today. */
  to?: string | undefined;
  /** The tenant whose usage is returned: its events, the deliveries to its endpoints, and the requests to its sources. A tenant's key always gets its own. */
  tenant?: string | undefined;
}

/** Of `usage.series`. */
export interface GetUsageSeriesQuery {
  /** The number of hours, including the current one. Default: 24. */
  hours?: number | undefined;
  /** The tenant whose usage is returned: its events, the deliveries to its endpoints, and the requests to its sources. A tenant's key always gets its own. */
  tenant?: string | undefined;
}

/** Of `webhook_endpoints.lanes`. */
export interface ListWebhookEndpointLanesQuery {
  /** True: only lanes that a failed delivery blocks. False: only the others. */
  blocked?: boolean | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `webhook_endpoints.list`. */
export interface ListWebhookEndpointsQuery {
  /** The tenant of the endpoints. */
  tenant?: string | undefined;
  /** `stats` adds the figures of each endpoint's last 24 hours. */
  with?: "stats" | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `webhook_endpoints.transform.versions`. */
export interface ListWebhookEndpointTransformVersionsQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `webhooks.consumers.list`. */
export interface ListConsumersQuery {
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `workflows.list`. */
export interface ListWorkflowsQuery {
  /** Restricts the list to objects of this environment. Default: both. */
  environment?: Environment | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Of `workflows.runs.list`. */
export interface ListWorkflowRunsQuery {
  /** The state of the runs. */
  state?: WorkflowRunState | undefined;
  /** An id that begins with `wfr_`. */
  parent_run_id?: string | undefined;
  /** The maximum number of objects on a page. Default: 20. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}
