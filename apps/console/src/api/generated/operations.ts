// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.

import type * as t from "../../../../../sdks/node/src/generated/types.ts";

/** By dotted name: what its path, query and body take, what it answers, and what a list lists. */
export interface Operations {
  "action_contracts.create": { path: undefined; query: undefined; body: t.NewActionContract; answer: t.ActionContractWithSecret; item: never };
  "action_contracts.delete": { path: { key: string }; query: undefined; body: undefined; answer: null; item: never };
  "action_contracts.get": { path: { key: string }; query: t.GetActionContractQuery; body: undefined; answer: t.ActionContract; item: never };
  "action_contracts.list": { path: undefined; query: t.ListActionContractsQuery; body: undefined; answer: t.ActionContractList; item: t.ActionContract };
  "action_contracts.promote": { path: { key: string }; query: undefined; body: t.PromoteActionContractBody | undefined; answer: t.Promotion; item: never };
  "action_contracts.secret": { path: { key: string }; query: undefined; body: undefined; answer: t.ActionSigningSecret; item: never };
  "action_contracts.secret.regenerate": { path: { key: string }; query: undefined; body: t.RegenerateActionSigningSecretBody | undefined; answer: t.ActionContractWithSecret; item: never };
  "action_contracts.update": { path: { key: string }; query: undefined; body: t.ActionContractChange; answer: t.ActionContract; item: never };
  "action_contracts.versions": { path: { key: string }; query: t.ListActionContractVersionsQuery; body: undefined; answer: t.ActionContractVersionList; item: t.ActionContractVersion };
  "actions.run": { path: undefined; query: undefined; body: t.ActionCall; answer: t.RunAnswer | t.RunAccepted; item: never };
  "ai_history.get": { path: { id: string }; query: undefined; body: undefined; answer: t.AiExchange; item: never };
  "ai_history.list": { path: undefined; query: t.ListAiHistoryQuery; body: undefined; answer: t.AiExchangeList; item: t.AiExchange };
  "approval_channels.announcements.list": { path: { id: string }; query: t.ListApprovalAnnouncementsQuery; body: undefined; answer: t.ApprovalAnnouncementList; item: t.ApprovalAnnouncement };
  "approval_channels.create": { path: undefined; query: undefined; body: t.NewApprovalChannel; answer: t.ApprovalChannel; item: never };
  "approval_channels.delete": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "approval_channels.get": { path: { id: string }; query: undefined; body: undefined; answer: t.ApprovalChannel; item: never };
  "approval_channels.list": { path: undefined; query: t.ListApprovalChannelsQuery; body: undefined; answer: t.ApprovalChannelList; item: t.ApprovalChannel };
  "approval_channels.test": { path: { id: string }; query: undefined; body: undefined; answer: t.ApprovalChannelTest; item: never };
  "approval_channels.update": { path: { id: string }; query: undefined; body: t.ApprovalChannelChange; answer: t.ApprovalChannel; item: never };
  "assistant.get": { path: undefined; query: undefined; body: undefined; answer: t.Assistant; item: never };
  "assistant.test": { path: undefined; query: undefined; body: t.AssistantTest; answer: t.AssistantTestResult; item: never };
  "assistant.update": { path: undefined; query: undefined; body: t.AssistantChange; answer: t.Assistant; item: never };
  "attention.get": { path: undefined; query: undefined; body: undefined; answer: t.Attention; item: never };
  "audit.digests.list": { path: undefined; query: t.ListAuditDigestsQuery; body: undefined; answer: t.AuditDigestList; item: t.AuditDigest };
  "audit.export": { path: undefined; query: t.ExportAuditQuery; body: undefined; answer: string; item: never };
  "audit.get": { path: { id: string }; query: undefined; body: undefined; answer: t.AuditRow; item: never };
  "audit.list": { path: undefined; query: t.ListAuditRowsQuery; body: undefined; answer: t.AuditRowList; item: t.AuditRow };
  "audit.verify": { path: undefined; query: t.VerifyAuditQuery; body: undefined; answer: t.AuditVerification; item: never };
  "auth.passkeys.begin": { path: undefined; query: undefined; body: t.OwnProof; answer: t.PasskeyCreationOptions; item: never };
  "auth.passkeys.create": { path: undefined; query: undefined; body: t.NewPasskey; answer: t.PasskeyRegistration; item: never };
  "auth.passkeys.delete": { path: { id: string }; query: undefined; body: t.OwnProof; answer: null; item: never };
  "auth.passkeys.list": { path: undefined; query: t.ListPasskeysQuery; body: undefined; answer: t.PasskeyList; item: t.Passkey };
  "auth.passkeys.update": { path: { id: string }; query: undefined; body: t.PasskeyName; answer: t.Passkey; item: never };
  "auth.password": { path: undefined; query: undefined; body: t.PasswordChange; answer: null; item: never };
  "auth.session": { path: undefined; query: undefined; body: undefined; answer: t.SignedIn; item: never };
  "auth.sessions.end": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "auth.sessions.list": { path: undefined; query: t.ListSessionsQuery; body: undefined; answer: t.SessionList; item: t.Session };
  "auth.sign_out": { path: undefined; query: undefined; body: undefined; answer: null; item: never };
  "auth.totp.disable": { path: undefined; query: undefined; body: t.TotpCode; answer: null; item: never };
  "auth.totp.enrol": { path: undefined; query: undefined; body: t.TotpEnrolment; answer: t.TotpSecret; item: never };
  "auth.totp.verify": { path: undefined; query: undefined; body: t.TotpCode; answer: t.RecoveryCodes; item: never };
  "configuration.apply": { path: { id: string }; query: undefined; body: undefined; answer: t.ConfigurationApplication | t.Proposal; item: never };
  "configuration.drift": { path: undefined; query: undefined; body: t.ConfigurationComparison; answer: t.ConfigurationDrift; item: never };
  "configuration.get": { path: undefined; query: undefined; body: undefined; answer: t.Configuration; item: never };
  "configuration.plan": { path: undefined; query: undefined; body: t.NewConfigurationPlan; answer: t.ConfigurationPlan; item: never };
  "connected_apps.connect": { path: undefined; query: undefined; body: t.ConnectionApproval; answer: t.Connection; item: never };
  "connected_apps.end": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "connected_apps.list": { path: undefined; query: t.ListConnectedAppsQuery; body: undefined; answer: t.ConnectedAppList; item: t.ConnectedApp };
  "connected_apps.review": { path: undefined; query: undefined; body: t.ConnectionRequestReview; answer: t.ConnectionRequest; item: never };
  "connectors.disable": { path: { key: string }; query: undefined; body: undefined; answer: t.Connector; item: never };
  "connectors.enable": { path: { key: string }; query: undefined; body: t.EnableConnectorBody | undefined; answer: t.Connector; item: never };
  "connectors.get": { path: { key: string }; query: t.GetConnectorQuery; body: undefined; answer: t.Connector; item: never };
  "connectors.list": { path: undefined; query: t.ListConnectorsQuery; body: undefined; answer: t.ConnectorList; item: t.Connector };
  "connectors.promote": { path: { key: string }; query: undefined; body: t.PromoteConnectorBody | undefined; answer: t.ConnectorPromotion; item: never };
  "connectors.rescan": { path: undefined; query: undefined; body: undefined; answer: t.ConnectorScan; item: never };
  "connectors.runs.list": { path: { key: string }; query: t.ListConnectorRunsQuery; body: undefined; answer: t.ConnectorRunList; item: t.ConnectorRun };
  "connectors.sandbox.delete": { path: { key: string }; query: undefined; body: undefined; answer: null; item: never };
  "connectors.test": { path: { key: string }; query: undefined; body: undefined; answer: t.ConnectorTest; item: never };
  "connectors.update": { path: { key: string }; query: undefined; body: t.ConnectorChange; answer: t.Connector; item: never };
  "connectors.webhook": { path: { key: string }; query: undefined; body: unknown; answer: t.ConnectorWebhook; item: never };
  "contacts.activities.create": { path: { id: string }; query: undefined; body: t.NewActivity; answer: t.Activity; item: never };
  "contacts.activities.list": { path: { id: string }; query: t.ListActivitiesQuery; body: undefined; answer: t.ActivityList; item: t.Activity };
  "contacts.create": { path: undefined; query: undefined; body: t.NewContact; answer: t.Contact; item: never };
  "contacts.delete": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "contacts.export": { path: { id: string }; query: undefined; body: undefined; answer: t.ContactExport; item: never };
  "contacts.get": { path: { id: string }; query: undefined; body: undefined; answer: t.Contact; item: never };
  "contacts.list": { path: undefined; query: t.ListContactsQuery; body: undefined; answer: t.ContactList; item: t.Contact };
  "contacts.merge": { path: { id: string }; query: undefined; body: t.ContactMerge; answer: t.Contact; item: never };
  "contacts.update": { path: { id: string }; query: undefined; body: t.ContactChange; answer: t.Contact; item: never };
  "customers.get": { path: { id: string }; query: undefined; body: undefined; answer: t.Customer; item: never };
  "customers.list": { path: undefined; query: t.ListCustomersQuery; body: undefined; answer: t.CustomerList; item: t.Customer };
  "customers.put": { path: { id: string }; query: undefined; body: t.CustomerChange; answer: t.Customer; item: never };
  "deliveries.attempts": { path: { id: string }; query: t.ListDeliveryAttemptsQuery; body: undefined; answer: t.AttemptList; item: t.Attempt };
  "deliveries.cancel": { path: { id: string }; query: undefined; body: undefined; answer: t.Delivery; item: never };
  "deliveries.get": { path: { id: string }; query: undefined; body: undefined; answer: t.DeliveryDetail; item: never };
  "deliveries.list": { path: undefined; query: t.ListDeliveriesQuery; body: undefined; answer: t.DeliveryList; item: t.Delivery };
  "deliveries.replay": { path: { id: string }; query: t.ReplayDeliveryQuery; body: undefined; answer: t.Delivery; item: never };
  "event_types.archive": { path: { name: string }; query: undefined; body: undefined; answer: null; item: never };
  "event_types.create": { path: undefined; query: undefined; body: t.NewEventType; answer: t.EventType; item: never };
  "event_types.get": { path: { name: string }; query: undefined; body: undefined; answer: t.EventTypeDetail; item: never };
  "event_types.list": { path: undefined; query: t.ListEventTypesQuery; body: undefined; answer: t.EventTypeList; item: t.EventType };
  "event_types.put": { path: undefined; query: undefined; body: t.EventTypeSet; answer: t.EventTypeChanges; item: never };
  "event_types.update": { path: { name: string }; query: undefined; body: t.EventTypePatch; answer: t.EventType; item: never };
  "event_types.versions.create": { path: { name: string }; query: undefined; body: t.NewEventTypeVersion; answer: t.EventTypeVersion; item: never };
  "event_types.versions.list": { path: { name: string }; query: t.ListEventTypeVersionsQuery; body: undefined; answer: t.EventTypeVersionList; item: t.EventTypeVersion };
  "events.batch": { path: undefined; query: undefined; body: t.NewEvents; answer: t.FiredEvents; item: never };
  "events.cancel": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "events.fire": { path: undefined; query: undefined; body: t.NewEvent; answer: t.FiredEvent; item: never };
  "events.get": { path: { id: string }; query: undefined; body: undefined; answer: t.EventDetail; item: never };
  "events.list": { path: undefined; query: t.ListEventsQuery; body: undefined; answer: t.EventList; item: t.Event };
  "events.refire": { path: { id: string }; query: undefined; body: t.RefireEventBody | undefined; answer: t.FiredEvent; item: never };
  "http_calls.get": { path: { id: string }; query: undefined; body: undefined; answer: t.HttpCall; item: never };
  "http_calls.list": { path: undefined; query: t.ListHttpCallsQuery; body: undefined; answer: t.HttpCallList; item: t.HttpCall };
  "http_calls.replay": { path: { id: string }; query: undefined; body: undefined; answer: t.HttpCall; item: never };
  "http_calls.test": { path: undefined; query: undefined; body: t.HttpCallTest; answer: t.HttpCallTestResult; item: never };
  "imports.create": { path: undefined; query: undefined; body: t.Import; answer: t.ImportResult; item: never };
  "inbound_endpoints.create": { path: undefined; query: undefined; body: t.NewInboundEndpoint; answer: t.InboundEndpointWithSecret; item: never };
  "inbound_endpoints.delete": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "inbound_endpoints.get": { path: { id: string }; query: undefined; body: undefined; answer: t.InboundEndpoint; item: never };
  "inbound_endpoints.list": { path: undefined; query: t.ListInboundEndpointsQuery; body: undefined; answer: t.InboundEndpointList; item: t.InboundEndpoint };
  "inbound_endpoints.preview": { path: { id: string }; query: undefined; body: t.InboundTrial; answer: t.InboundPreview; item: never };
  "inbound_endpoints.secret.regenerate": { path: { id: string }; query: undefined; body: t.RegenerateInboundSecretBody | undefined; answer: t.InboundEndpointWithSecret; item: never };
  "inbound_endpoints.toggle": { path: { id: string }; query: undefined; body: undefined; answer: t.InboundEndpoint; item: never };
  "inbound_endpoints.token.regenerate": { path: { id: string }; query: undefined; body: undefined; answer: t.InboundEndpoint; item: never };
  "inbound_endpoints.update": { path: { id: string }; query: undefined; body: t.InboundEndpointChange; answer: t.InboundEndpoint; item: never };
  "inbound_presets.list": { path: undefined; query: t.ListInboundPresetsQuery; body: undefined; answer: t.InboundPresetList; item: t.InboundPreset };
  "inbound_receipts.get": { path: { id: string }; query: undefined; body: undefined; answer: t.InboundReceiptDetail; item: never };
  "inbound_receipts.list": { path: undefined; query: t.ListInboundReceiptsQuery; body: undefined; answer: t.InboundReceiptList; item: t.InboundReceipt };
  "inbound_receipts.reprocess": { path: { id: string }; query: undefined; body: undefined; answer: t.InboundReceiptDetail; item: never };
  "inboxes.delete": { path: { name: string }; query: undefined; body: undefined; answer: null; item: never };
  "inboxes.list": { path: undefined; query: t.ListInboxesQuery; body: undefined; answer: t.NamedInboxList; item: t.NamedInbox };
  "inboxes.messages": { path: { name: string }; query: t.ListInboxMessagesQuery; body: undefined; answer: t.InboxMessageList; item: t.InboxMessage };
  "inboxes.put": { path: { name: string }; query: undefined; body: undefined; answer: t.NamedInbox; item: never };
  "inboxes.take": { path: { name: string }; query: undefined; body: t.TakeMessages; answer: t.TakenMessages; item: never };
  "installation.get": { path: undefined; query: undefined; body: undefined; answer: t.Installation; item: never };
  "issues.get": { path: { id: string }; query: undefined; body: undefined; answer: t.IssueDetail; item: never };
  "issues.list": { path: undefined; query: t.ListIssuesQuery; body: undefined; answer: t.IssueList; item: t.Issue };
  "issues.replay": { path: { id: string }; query: undefined; body: t.ReplayIssueBody | undefined; answer: t.IssueReplayCount | t.IssueReplayJob; item: never };
  "issues.update": { path: { id: string }; query: undefined; body: t.IssueChange; answer: t.Issue; item: never };
  "keys.create": { path: undefined; query: undefined; body: t.NewApiKey; answer: t.ApiKeyWithText; item: never };
  "keys.get": { path: { id: string }; query: undefined; body: undefined; answer: t.ApiKey; item: never };
  "keys.list": { path: undefined; query: t.ListKeysQuery; body: undefined; answer: t.ApiKeyList; item: t.ApiKey };
  "keys.revoke": { path: { id: string }; query: undefined; body: undefined; answer: t.ApiKey; item: never };
  "keys.roll": { path: { id: string }; query: undefined; body: t.RollKeyBody | undefined; answer: t.ApiKeyWithText; item: never };
  "keys.test": { path: { id: string }; query: undefined; body: t.KeyTrial; answer: t.KeyTrialResult; item: never };
  "keys.update": { path: { id: string }; query: undefined; body: t.ApiKeyChange; answer: t.ChangedApiKey; item: never };
  "keys.usage": { path: { id: string }; query: undefined; body: undefined; answer: t.KeyUsage; item: never };
  "mails.list": { path: undefined; query: t.ListMailsQuery; body: undefined; answer: t.MailList; item: t.Mail };
  "mails.preferences.get": { path: undefined; query: undefined; body: undefined; answer: t.MailPreferences; item: never };
  "mails.preferences.update": { path: undefined; query: undefined; body: t.MailPreferencesChange; answer: t.MailPreferences; item: never };
  "mcp_tokens.create": { path: undefined; query: undefined; body: t.McpTokenRequest; answer: t.NewMcpToken; item: never };
  "mcp_tokens.list": { path: undefined; query: t.ListMcpTokensQuery; body: undefined; answer: t.McpTokenList; item: t.McpToken };
  "mcp_tokens.revoke": { path: { id: string }; query: undefined; body: undefined; answer: t.McpToken; item: never };
  "me.get": { path: undefined; query: undefined; body: undefined; answer: t.Caller; item: never };
  "members.invitations.create": { path: undefined; query: undefined; body: t.InvitationRequest; answer: t.NewInvitation; item: never };
  "members.invitations.list": { path: undefined; query: t.ListInvitationsQuery; body: undefined; answer: t.InvitationList; item: t.Invitation };
  "members.invitations.revoke": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "members.list": { path: undefined; query: t.ListMembersQuery; body: undefined; answer: t.MemberList; item: t.Member };
  "members.remove": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "members.reset_link": { path: { id: string }; query: undefined; body: t.CreateResetLinkBody | undefined; answer: t.ResetLink; item: never };
  "members.update": { path: { id: string }; query: undefined; body: t.MemberChange; answer: t.Member; item: never };
  "notifications.list": { path: undefined; query: t.ListNotificationsQuery; body: undefined; answer: t.NotificationList; item: t.Notification };
  "notifications.read": { path: undefined; query: undefined; body: t.NotificationsRead; answer: t.NotificationsReadResult; item: never };
  "portal_sessions.create": { path: undefined; query: undefined; body: t.PortalSessionRequest; answer: t.NewPortalSession; item: never };
  "portal_sessions.list": { path: undefined; query: t.ListPortalSessionsQuery; body: undefined; answer: t.PortalSessionList; item: t.PortalSession };
  "portal_sessions.revoke": { path: { id: string }; query: undefined; body: undefined; answer: t.PortalSession; item: never };
  "proposals.approve": { path: { id: string }; query: undefined; body: t.ApproveProposal; answer: t.Proposal; item: never };
  "proposals.cancel": { path: { id: string }; query: undefined; body: undefined; answer: t.Proposal; item: never };
  "proposals.get": { path: { id: string }; query: undefined; body: undefined; answer: t.Proposal; item: never };
  "proposals.list": { path: undefined; query: t.ListProposalsQuery; body: undefined; answer: t.ProposalList; item: t.Proposal };
  "proposals.reject": { path: { id: string }; query: undefined; body: t.RejectProposalBody | undefined; answer: t.Proposal; item: never };
  "proposals.update": { path: { id: string }; query: undefined; body: t.ProposalEdit; answer: t.Proposal; item: never };
  "replays.cancel": { path: { id: string }; query: undefined; body: undefined; answer: t.Replay; item: never };
  "replays.create": { path: undefined; query: undefined; body: t.NewReplay; answer: t.ReplayTally | t.Replay; item: never };
  "replays.get": { path: { id: string }; query: undefined; body: undefined; answer: t.Replay; item: never };
  "replays.list": { path: undefined; query: t.ListReplaysQuery; body: undefined; answer: t.ReplayList; item: t.Replay };
  "requests.get": { path: { id: string }; query: undefined; body: undefined; answer: t.LoggedRequest; item: never };
  "requests.list": { path: undefined; query: t.ListRequestsQuery; body: undefined; answer: t.LoggedRequestList; item: t.LoggedRequest };
  "roles.list": { path: undefined; query: t.ListRolesQuery; body: undefined; answer: t.RoleList; item: t.Role };
  "rules.create": { path: undefined; query: undefined; body: t.NewRule; answer: t.RuleWithSecret; item: never };
  "rules.delete": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "rules.get": { path: { id: string }; query: undefined; body: undefined; answer: t.Rule; item: never };
  "rules.headers": { path: { id: string }; query: undefined; body: undefined; answer: t.RevealedWebhooks; item: never };
  "rules.list": { path: undefined; query: t.ListRulesQuery; body: undefined; answer: t.RuleList; item: t.Rule };
  "rules.promote": { path: { id: string }; query: undefined; body: t.PromoteRuleBody | undefined; answer: t.Promotion; item: never };
  "rules.runs": { path: { id: string }; query: t.ListRuleRunsQuery; body: undefined; answer: t.RuleRunList; item: t.RuleRun };
  "rules.secret": { path: { id: string }; query: undefined; body: undefined; answer: t.SigningSecret; item: never };
  "rules.secret.regenerate": { path: { id: string }; query: undefined; body: t.RegenerateRuleSecretBody | undefined; answer: t.RuleWithSecret; item: never };
  "rules.test": { path: { id: string }; query: undefined; body: t.RuleTest; answer: t.RuleTrial; item: never };
  "rules.update": { path: { id: string }; query: undefined; body: t.RuleChange; answer: t.Rule; item: never };
  "runs.get": { path: { id: string }; query: undefined; body: undefined; answer: t.Run; item: never };
  "runs.list": { path: undefined; query: t.ListRunsQuery; body: undefined; answer: t.RunList; item: t.Run };
  "runs.undo": { path: { id: string }; query: undefined; body: undefined; answer: t.Run; item: never };
  "search.list": { path: undefined; query: t.SearchQuery; body: undefined; answer: t.SearchResultList; item: t.SearchResult };
  "secrets.delete": { path: { name: string }; query: undefined; body: undefined; answer: null; item: never };
  "secrets.list": { path: undefined; query: t.ListSecretsQuery; body: undefined; answer: t.SecretList; item: t.Secret };
  "secrets.put": { path: { name: string }; query: undefined; body: t.SecretValue; answer: t.Secret; item: never };
  "senders.list": { path: undefined; query: t.ListSendersQuery; body: undefined; answer: t.SenderList; item: t.Sender };
  "slack_app.delete": { path: undefined; query: undefined; body: undefined; answer: null; item: never };
  "slack_app.get": { path: undefined; query: undefined; body: undefined; answer: t.SlackApp; item: never };
  "slack_app.put": { path: undefined; query: undefined; body: t.SlackAppSettings; answer: t.SlackApp; item: never };
  "slack_links.create": { path: undefined; query: undefined; body: t.OwnProof; answer: t.SlackLinkCode; item: never };
  "slack_links.delete": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "slack_links.list": { path: undefined; query: t.ListSlackLinksQuery; body: undefined; answer: t.SlackLinkList; item: t.SlackLink };
  "standing_approvals.create": { path: undefined; query: undefined; body: t.StandingApprovalInput; answer: t.StandingApproval; item: never };
  "standing_approvals.end": { path: { id: string }; query: undefined; body: undefined; answer: t.StandingApproval; item: never };
  "standing_approvals.get": { path: { id: string }; query: undefined; body: undefined; answer: t.StandingApproval; item: never };
  "standing_approvals.list": { path: undefined; query: t.ListStandingApprovalsQuery; body: undefined; answer: t.StandingApprovalList; item: t.StandingApproval };
  "step_ups.create": { path: undefined; query: undefined; body: t.StepUpRequest; answer: t.StepUp; item: never };
  "step_ups.prove": { path: { id: string }; query: undefined; body: t.StepUpProof; answer: t.StepUp; item: never };
  "tenants.delete": { path: { tenant: string }; query: undefined; body: undefined; answer: t.TenantDeletion; item: never };
  "tenants.get": { path: { tenant: string }; query: undefined; body: undefined; answer: t.Tenant; item: never };
  "tenants.list": { path: undefined; query: t.ListTenantsQuery; body: undefined; answer: t.TenantList; item: t.Tenant };
  "tenants.update": { path: { tenant: string }; query: undefined; body: t.TenantChange; answer: t.Tenant; item: never };
  "tickets.get": { path: { id: string }; query: undefined; body: undefined; answer: t.Ticket; item: never };
  "tickets.list": { path: undefined; query: t.ListTicketsQuery; body: undefined; answer: t.TicketList; item: t.Ticket };
  "tickets.put": { path: { id: string }; query: undefined; body: t.TicketChange; answer: t.Ticket; item: never };
  "transform_presets.list": { path: undefined; query: t.ListTransformPresetsQuery; body: undefined; answer: t.TransformPresetList; item: t.TransformPreset };
  "usage.events": { path: undefined; query: t.ListEventUsageQuery; body: undefined; answer: t.EventUsageList; item: t.EventUsage };
  "usage.get": { path: undefined; query: t.GetUsageQuery; body: undefined; answer: t.Usage; item: never };
  "usage.series": { path: undefined; query: t.GetUsageSeriesQuery; body: undefined; answer: t.UsageSeries; item: never };
  "webhook_endpoints.backfill": { path: { id: string }; query: undefined; body: t.NewBackfill; answer: t.BackfillCount | t.BackfillJob; item: never };
  "webhook_endpoints.create": { path: undefined; query: undefined; body: t.NewWebhookEndpoint; answer: t.WebhookEndpointWithSecret; item: never };
  "webhook_endpoints.delete": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "webhook_endpoints.explain": { path: { id: string }; query: undefined; body: t.EndpointQuestion; answer: t.EndpointExplanation; item: never };
  "webhook_endpoints.filter.preview": { path: { id: string }; query: undefined; body: t.FilterPreview; answer: t.FilterPreviewResult; item: never };
  "webhook_endpoints.get": { path: { id: string }; query: undefined; body: undefined; answer: t.WebhookEndpoint; item: never };
  "webhook_endpoints.headers": { path: { id: string }; query: undefined; body: undefined; answer: t.RevealedHeaders; item: never };
  "webhook_endpoints.lanes": { path: { id: string }; query: t.ListWebhookEndpointLanesQuery; body: undefined; answer: t.LaneList; item: t.Lane };
  "webhook_endpoints.lanes.retry": { path: { id: string }; query: undefined; body: t.LaneChoice; answer: t.LaneCount; item: never };
  "webhook_endpoints.lanes.skip": { path: { id: string }; query: undefined; body: t.LaneChoice; answer: t.LaneCount; item: never };
  "webhook_endpoints.list": { path: undefined; query: t.ListWebhookEndpointsQuery; body: undefined; answer: t.ListedWebhookEndpointList; item: t.ListedWebhookEndpoint };
  "webhook_endpoints.replay_failed": { path: { id: string }; query: undefined; body: t.FailedReplay; answer: t.ReplayCount | t.ReplayJob; item: never };
  "webhook_endpoints.secret": { path: { id: string }; query: undefined; body: undefined; answer: t.SigningSecret; item: never };
  "webhook_endpoints.secret.regenerate": { path: { id: string }; query: undefined; body: t.RegenerateWebhookSecretBody | undefined; answer: t.WebhookEndpointWithSecret; item: never };
  "webhook_endpoints.stats": { path: { id: string }; query: undefined; body: undefined; answer: t.WebhookEndpointStats; item: never };
  "webhook_endpoints.test_connection": { path: { id: string }; query: undefined; body: undefined; answer: t.ConnectionTest; item: never };
  "webhook_endpoints.toggle": { path: { id: string }; query: undefined; body: undefined; answer: t.WebhookEndpoint; item: never };
  "webhook_endpoints.transform.test": { path: { id: string }; query: undefined; body: t.TransformTest; answer: t.TransformTestResult; item: never };
  "webhook_endpoints.transform.versions": { path: { id: string }; query: t.ListWebhookEndpointTransformVersionsQuery; body: undefined; answer: t.TransformVersionList; item: t.TransformVersion };
  "webhook_endpoints.update": { path: { id: string }; query: undefined; body: t.WebhookEndpointChange; answer: t.WebhookEndpoint; item: never };
  "webhooks.commit": { path: { id: string }; query: undefined; body: t.PullCommit; answer: null; item: never };
  "webhooks.consumers.delete": { path: { id: string; consumer: string }; query: undefined; body: undefined; answer: null; item: never };
  "webhooks.consumers.list": { path: { id: string }; query: t.ListConsumersQuery; body: undefined; answer: t.PullConsumerList; item: t.PullConsumer };
  "webhooks.pull": { path: { id: string }; query: undefined; body: t.Pull; answer: t.PulledMessages; item: never };
  "webhooks.release": { path: { id: string }; query: undefined; body: t.PullRelease; answer: null; item: never };
  "webhooks.seek": { path: { id: string }; query: undefined; body: t.PullSeek; answer: null; item: never };
  "webhooks.test": { path: undefined; query: undefined; body: t.WebhookTestRequest; answer: t.WebhookTest; item: never };
  "workflows.create": { path: undefined; query: undefined; body: t.NewWorkflow; answer: t.WorkflowWithSecret; item: never };
  "workflows.delete": { path: { id: string }; query: undefined; body: undefined; answer: null; item: never };
  "workflows.get": { path: { id: string }; query: undefined; body: undefined; answer: t.Workflow; item: never };
  "workflows.headers": { path: { id: string }; query: undefined; body: undefined; answer: t.RevealedWebhooks; item: never };
  "workflows.list": { path: undefined; query: t.ListWorkflowsQuery; body: undefined; answer: t.WorkflowList; item: t.Workflow };
  "workflows.promote": { path: { id: string }; query: undefined; body: t.PromoteWorkflowBody | undefined; answer: t.Promotion; item: never };
  "workflows.runs.cancel": { path: { id: string }; query: undefined; body: undefined; answer: t.WorkflowRunWithSteps; item: never };
  "workflows.runs.get": { path: { id: string }; query: undefined; body: undefined; answer: t.WorkflowRunWithSteps; item: never };
  "workflows.runs.list": { path: { id: string }; query: t.ListWorkflowRunsQuery; body: undefined; answer: t.WorkflowRunList; item: t.WorkflowRun };
  "workflows.schedule": { path: { id: string }; query: undefined; body: undefined; answer: t.WorkflowSchedule; item: never };
  "workflows.secret": { path: { id: string }; query: undefined; body: undefined; answer: t.SigningSecret; item: never };
  "workflows.secret.regenerate": { path: { id: string }; query: undefined; body: t.RegenerateWorkflowSecretBody | undefined; answer: t.WorkflowWithSecret; item: never };
  "workflows.test": { path: { id: string }; query: undefined; body: t.WorkflowTest; answer: t.WorkflowTrial; item: never };
  "workflows.update": { path: { id: string }; query: undefined; body: t.WorkflowChange; answer: t.Workflow; item: never };
  "workspaces.create": { path: undefined; query: undefined; body: t.NewWorkspace; answer: t.WorkspaceKeys; item: never };
  "workspaces.delete": { path: undefined; query: undefined; body: t.WorkspaceDeletion; answer: t.Workspace; item: never };
  "workspaces.get": { path: undefined; query: undefined; body: undefined; answer: t.Workspace; item: never };
  "workspaces.restore": { path: undefined; query: undefined; body: undefined; answer: t.Workspace; item: never };
  "workspaces.update": { path: undefined; query: undefined; body: t.WorkspaceChange; answer: t.Workspace; item: never };
}

/** Method and path. */
export const routes: Readonly<Record<keyof Operations, string>> = {
  "action_contracts.create": "POST /v1/action-contracts",
  "action_contracts.delete": "DELETE /v1/action-contracts/{key}",
  "action_contracts.get": "GET /v1/action-contracts/{key}",
  "action_contracts.list": "GET /v1/action-contracts",
  "action_contracts.promote": "POST /v1/action-contracts/{key}/promote",
  "action_contracts.secret": "GET /v1/action-contracts/{key}/secret",
  "action_contracts.secret.regenerate": "POST /v1/action-contracts/{key}/secret/regenerate",
  "action_contracts.update": "PATCH /v1/action-contracts/{key}",
  "action_contracts.versions": "GET /v1/action-contracts/{key}/versions",
  "actions.run": "POST /v1/actions/run",
  "ai_history.get": "GET /v1/ai-history/{id}",
  "ai_history.list": "GET /v1/ai-history",
  "approval_channels.announcements.list": "GET /v1/approval-channels/{id}/announcements",
  "approval_channels.create": "POST /v1/approval-channels",
  "approval_channels.delete": "DELETE /v1/approval-channels/{id}",
  "approval_channels.get": "GET /v1/approval-channels/{id}",
  "approval_channels.list": "GET /v1/approval-channels",
  "approval_channels.test": "POST /v1/approval-channels/{id}/test",
  "approval_channels.update": "PATCH /v1/approval-channels/{id}",
  "assistant.get": "GET /v1/assistant",
  "assistant.test": "POST /v1/assistant/test",
  "assistant.update": "PATCH /v1/assistant",
  "attention.get": "GET /v1/attention",
  "audit.digests.list": "GET /v1/audit/digests",
  "audit.export": "GET /v1/audit/export.csv",
  "audit.get": "GET /v1/audit/{id}",
  "audit.list": "GET /v1/audit",
  "audit.verify": "GET /v1/audit/verify",
  "auth.passkeys.begin": "POST /v1/auth/passkeys/begin",
  "auth.passkeys.create": "POST /v1/auth/passkeys",
  "auth.passkeys.delete": "DELETE /v1/auth/passkeys/{id}",
  "auth.passkeys.list": "GET /v1/auth/passkeys",
  "auth.passkeys.update": "PATCH /v1/auth/passkeys/{id}",
  "auth.password": "POST /v1/auth/password",
  "auth.session": "GET /v1/auth/session",
  "auth.sessions.end": "DELETE /v1/auth/sessions/{id}",
  "auth.sessions.list": "GET /v1/auth/sessions",
  "auth.sign_out": "POST /v1/auth/sign-out",
  "auth.totp.disable": "POST /v1/auth/totp/disable",
  "auth.totp.enrol": "POST /v1/auth/totp/enrol",
  "auth.totp.verify": "POST /v1/auth/totp/verify",
  "configuration.apply": "POST /v1/configuration/plans/{id}/apply",
  "configuration.drift": "POST /v1/configuration/drift",
  "configuration.get": "GET /v1/configuration",
  "configuration.plan": "POST /v1/configuration/plans",
  "connected_apps.connect": "POST /v1/connected-apps",
  "connected_apps.end": "DELETE /v1/connected-apps/{id}",
  "connected_apps.list": "GET /v1/connected-apps",
  "connected_apps.review": "POST /v1/connected-apps/review",
  "connectors.disable": "POST /v1/connectors/{key}/disable",
  "connectors.enable": "POST /v1/connectors/{key}/enable",
  "connectors.get": "GET /v1/connectors/{key}",
  "connectors.list": "GET /v1/connectors",
  "connectors.promote": "POST /v1/connectors/{key}/promote",
  "connectors.rescan": "POST /v1/connectors/rescan",
  "connectors.runs.list": "GET /v1/connectors/{key}/runs",
  "connectors.sandbox.delete": "DELETE /v1/connectors/{key}/sandbox",
  "connectors.test": "POST /v1/connectors/{key}/test",
  "connectors.update": "PATCH /v1/connectors/{key}",
  "connectors.webhook": "POST /v1/connectors/{key}/webhook",
  "contacts.activities.create": "POST /v1/contacts/{id}/activities",
  "contacts.activities.list": "GET /v1/contacts/{id}/activities",
  "contacts.create": "POST /v1/contacts",
  "contacts.delete": "DELETE /v1/contacts/{id}",
  "contacts.export": "GET /v1/contacts/{id}/export",
  "contacts.get": "GET /v1/contacts/{id}",
  "contacts.list": "GET /v1/contacts",
  "contacts.merge": "POST /v1/contacts/{id}/merge",
  "contacts.update": "PATCH /v1/contacts/{id}",
  "customers.get": "GET /v1/customers/{id}",
  "customers.list": "GET /v1/customers",
  "customers.put": "PUT /v1/customers/{id}",
  "deliveries.attempts": "GET /v1/deliveries/{id}/attempts",
  "deliveries.cancel": "POST /v1/deliveries/{id}/cancel",
  "deliveries.get": "GET /v1/deliveries/{id}",
  "deliveries.list": "GET /v1/deliveries",
  "deliveries.replay": "POST /v1/deliveries/{id}/replay",
  "event_types.archive": "DELETE /v1/event-types/{name}",
  "event_types.create": "POST /v1/event-types",
  "event_types.get": "GET /v1/event-types/{name}",
  "event_types.list": "GET /v1/event-types",
  "event_types.put": "PUT /v1/event-types",
  "event_types.update": "PATCH /v1/event-types/{name}",
  "event_types.versions.create": "POST /v1/event-types/{name}/versions",
  "event_types.versions.list": "GET /v1/event-types/{name}/versions",
  "events.batch": "POST /v1/events/batch",
  "events.cancel": "DELETE /v1/events/{id}/schedule",
  "events.fire": "POST /v1/events/fire",
  "events.get": "GET /v1/events/{id}",
  "events.list": "GET /v1/events",
  "events.refire": "POST /v1/events/{id}/refire",
  "http_calls.get": "GET /v1/http-calls/{id}",
  "http_calls.list": "GET /v1/http-calls",
  "http_calls.replay": "POST /v1/http-calls/{id}/replay",
  "http_calls.test": "POST /v1/http-calls/test",
  "imports.create": "POST /v1/imports",
  "inbound_endpoints.create": "POST /v1/inbound-endpoints",
  "inbound_endpoints.delete": "DELETE /v1/inbound-endpoints/{id}",
  "inbound_endpoints.get": "GET /v1/inbound-endpoints/{id}",
  "inbound_endpoints.list": "GET /v1/inbound-endpoints",
  "inbound_endpoints.preview": "POST /v1/inbound-endpoints/{id}/preview",
  "inbound_endpoints.secret.regenerate": "POST /v1/inbound-endpoints/{id}/secret/regenerate",
  "inbound_endpoints.toggle": "POST /v1/inbound-endpoints/{id}/toggle",
  "inbound_endpoints.token.regenerate": "POST /v1/inbound-endpoints/{id}/token/regenerate",
  "inbound_endpoints.update": "PATCH /v1/inbound-endpoints/{id}",
  "inbound_presets.list": "GET /v1/inbound-presets",
  "inbound_receipts.get": "GET /v1/inbound-receipts/{id}",
  "inbound_receipts.list": "GET /v1/inbound-receipts",
  "inbound_receipts.reprocess": "POST /v1/inbound-receipts/{id}/reprocess",
  "inboxes.delete": "DELETE /v1/inboxes/{name}",
  "inboxes.list": "GET /v1/inboxes",
  "inboxes.messages": "GET /v1/inboxes/{name}/messages",
  "inboxes.put": "PUT /v1/inboxes/{name}",
  "inboxes.take": "POST /v1/inboxes/{name}/take",
  "installation.get": "GET /v1/installation",
  "issues.get": "GET /v1/issues/{id}",
  "issues.list": "GET /v1/issues",
  "issues.replay": "POST /v1/issues/{id}/replay",
  "issues.update": "PATCH /v1/issues/{id}",
  "keys.create": "POST /v1/keys",
  "keys.get": "GET /v1/keys/{id}",
  "keys.list": "GET /v1/keys",
  "keys.revoke": "POST /v1/keys/{id}/revoke",
  "keys.roll": "POST /v1/keys/{id}/roll",
  "keys.test": "POST /v1/keys/{id}/test",
  "keys.update": "PATCH /v1/keys/{id}",
  "keys.usage": "GET /v1/keys/{id}/usage",
  "mails.list": "GET /v1/mails",
  "mails.preferences.get": "GET /v1/mails/preferences",
  "mails.preferences.update": "PATCH /v1/mails/preferences",
  "mcp_tokens.create": "POST /v1/mcp-tokens",
  "mcp_tokens.list": "GET /v1/mcp-tokens",
  "mcp_tokens.revoke": "POST /v1/mcp-tokens/{id}/revoke",
  "me.get": "GET /v1/me",
  "members.invitations.create": "POST /v1/members/invitations",
  "members.invitations.list": "GET /v1/members/invitations",
  "members.invitations.revoke": "DELETE /v1/members/invitations/{id}",
  "members.list": "GET /v1/members",
  "members.remove": "DELETE /v1/members/{id}",
  "members.reset_link": "POST /v1/members/{id}/reset-link",
  "members.update": "PATCH /v1/members/{id}",
  "notifications.list": "GET /v1/notifications",
  "notifications.read": "POST /v1/notifications/read",
  "portal_sessions.create": "POST /v1/portal-sessions",
  "portal_sessions.list": "GET /v1/portal-sessions",
  "portal_sessions.revoke": "POST /v1/portal-sessions/{id}/revoke",
  "proposals.approve": "POST /v1/proposals/{id}/approve",
  "proposals.cancel": "POST /v1/proposals/{id}/cancel",
  "proposals.get": "GET /v1/proposals/{id}",
  "proposals.list": "GET /v1/proposals",
  "proposals.reject": "POST /v1/proposals/{id}/reject",
  "proposals.update": "PATCH /v1/proposals/{id}",
  "replays.cancel": "POST /v1/replays/{id}/cancel",
  "replays.create": "POST /v1/replays",
  "replays.get": "GET /v1/replays/{id}",
  "replays.list": "GET /v1/replays",
  "requests.get": "GET /v1/requests/{id}",
  "requests.list": "GET /v1/requests",
  "roles.list": "GET /v1/roles",
  "rules.create": "POST /v1/rules",
  "rules.delete": "DELETE /v1/rules/{id}",
  "rules.get": "GET /v1/rules/{id}",
  "rules.headers": "GET /v1/rules/{id}/headers",
  "rules.list": "GET /v1/rules",
  "rules.promote": "POST /v1/rules/{id}/promote",
  "rules.runs": "GET /v1/rules/{id}/runs",
  "rules.secret": "GET /v1/rules/{id}/secret",
  "rules.secret.regenerate": "POST /v1/rules/{id}/secret/regenerate",
  "rules.test": "POST /v1/rules/{id}/test",
  "rules.update": "PATCH /v1/rules/{id}",
  "runs.get": "GET /v1/runs/{id}",
  "runs.list": "GET /v1/runs",
  "runs.undo": "POST /v1/runs/{id}/undo",
  "search.list": "GET /v1/search",
  "secrets.delete": "DELETE /v1/secrets/{name}",
  "secrets.list": "GET /v1/secrets",
  "secrets.put": "PUT /v1/secrets/{name}",
  "senders.list": "GET /v1/senders",
  "slack_app.delete": "DELETE /v1/slack-app",
  "slack_app.get": "GET /v1/slack-app",
  "slack_app.put": "PUT /v1/slack-app",
  "slack_links.create": "POST /v1/slack-links",
  "slack_links.delete": "DELETE /v1/slack-links/{id}",
  "slack_links.list": "GET /v1/slack-links",
  "standing_approvals.create": "POST /v1/standing-approvals",
  "standing_approvals.end": "POST /v1/standing-approvals/{id}/end",
  "standing_approvals.get": "GET /v1/standing-approvals/{id}",
  "standing_approvals.list": "GET /v1/standing-approvals",
  "step_ups.create": "POST /v1/step-ups",
  "step_ups.prove": "POST /v1/step-ups/{id}/prove",
  "tenants.delete": "DELETE /v1/tenants/{tenant}",
  "tenants.get": "GET /v1/tenants/{tenant}",
  "tenants.list": "GET /v1/tenants",
  "tenants.update": "PATCH /v1/tenants/{tenant}",
  "tickets.get": "GET /v1/tickets/{id}",
  "tickets.list": "GET /v1/tickets",
  "tickets.put": "PUT /v1/tickets/{id}",
  "transform_presets.list": "GET /v1/transform-presets",
  "usage.events": "GET /v1/usage/events",
  "usage.get": "GET /v1/usage",
  "usage.series": "GET /v1/usage/series",
  "webhook_endpoints.backfill": "POST /v1/webhook-endpoints/{id}/backfill",
  "webhook_endpoints.create": "POST /v1/webhook-endpoints",
  "webhook_endpoints.delete": "DELETE /v1/webhook-endpoints/{id}",
  "webhook_endpoints.explain": "POST /v1/webhook-endpoints/{id}/explain",
  "webhook_endpoints.filter.preview": "POST /v1/webhook-endpoints/{id}/filter/preview",
  "webhook_endpoints.get": "GET /v1/webhook-endpoints/{id}",
  "webhook_endpoints.headers": "GET /v1/webhook-endpoints/{id}/headers",
  "webhook_endpoints.lanes": "GET /v1/webhook-endpoints/{id}/lanes",
  "webhook_endpoints.lanes.retry": "POST /v1/webhook-endpoints/{id}/lanes/retry",
  "webhook_endpoints.lanes.skip": "POST /v1/webhook-endpoints/{id}/lanes/skip",
  "webhook_endpoints.list": "GET /v1/webhook-endpoints",
  "webhook_endpoints.replay_failed": "POST /v1/webhook-endpoints/{id}/replay-failed",
  "webhook_endpoints.secret": "GET /v1/webhook-endpoints/{id}/secret",
  "webhook_endpoints.secret.regenerate": "POST /v1/webhook-endpoints/{id}/secret/regenerate",
  "webhook_endpoints.stats": "GET /v1/webhook-endpoints/{id}/stats",
  "webhook_endpoints.test_connection": "POST /v1/webhook-endpoints/{id}/test-connection",
  "webhook_endpoints.toggle": "POST /v1/webhook-endpoints/{id}/toggle",
  "webhook_endpoints.transform.test": "POST /v1/webhook-endpoints/{id}/transform/test",
  "webhook_endpoints.transform.versions": "GET /v1/webhook-endpoints/{id}/transform/versions",
  "webhook_endpoints.update": "PATCH /v1/webhook-endpoints/{id}",
  "webhooks.commit": "POST /v1/webhook-endpoints/{id}/commit",
  "webhooks.consumers.delete": "DELETE /v1/webhook-endpoints/{id}/consumers/{consumer}",
  "webhooks.consumers.list": "GET /v1/webhook-endpoints/{id}/consumers",
  "webhooks.pull": "POST /v1/webhook-endpoints/{id}/pull",
  "webhooks.release": "POST /v1/webhook-endpoints/{id}/release",
  "webhooks.seek": "POST /v1/webhook-endpoints/{id}/seek",
  "webhooks.test": "POST /v1/webhooks/test",
  "workflows.create": "POST /v1/workflows",
  "workflows.delete": "DELETE /v1/workflows/{id}",
  "workflows.get": "GET /v1/workflows/{id}",
  "workflows.headers": "GET /v1/workflows/{id}/headers",
  "workflows.list": "GET /v1/workflows",
  "workflows.promote": "POST /v1/workflows/{id}/promote",
  "workflows.runs.cancel": "POST /v1/workflows/runs/{id}/cancel",
  "workflows.runs.get": "GET /v1/workflows/runs/{id}",
  "workflows.runs.list": "GET /v1/workflows/{id}/runs",
  "workflows.schedule": "GET /v1/workflows/{id}/schedule",
  "workflows.secret": "GET /v1/workflows/{id}/secret",
  "workflows.secret.regenerate": "POST /v1/workflows/{id}/secret/regenerate",
  "workflows.test": "POST /v1/workflows/{id}/test",
  "workflows.update": "PATCH /v1/workflows/{id}",
  "workspaces.create": "POST /v1/workspaces",
  "workspaces.delete": "DELETE /v1/workspaces/current",
  "workspaces.get": "GET /v1/workspaces/current",
  "workspaces.restore": "POST /v1/workspaces/current/restore",
  "workspaces.update": "PATCH /v1/workspaces/current",
};

/** They change what live and sandbox share, so that they are called in the live environment, whichever is looked at. */
export const liveOnly: ReadonlySet<string> = new Set([
  "action_contracts.promote",
  "assistant.update",
  "connectors.promote",
  "event_types.archive",
  "event_types.create",
  "event_types.put",
  "event_types.update",
  "event_types.versions.create",
  "mails.preferences.update",
  "members.invitations.create",
  "members.invitations.revoke",
  "members.remove",
  "members.reset_link",
  "members.update",
  "rules.promote",
  "workflows.promote",
  "workspaces.create",
  "workspaces.delete",
  "workspaces.restore",
  "workspaces.update",
]);
