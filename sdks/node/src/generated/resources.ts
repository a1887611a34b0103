// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.

import type { Answered, CallOptions, NoContent, TextAnswer, Transport } from "../calls.ts";
import { escape, queryText } from "../calls.ts";
import { listOf } from "../pagination.ts";
import type { List } from "../pagination.ts";
import type { DataOf, EventName } from "./events.ts";
import type * as t from "./types.ts";

export const API_VERSION = "2026-11-21";

/** `action_contracts.secret`. */
export class ActionContractsSecretResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show an action's signing secret. For owners only, and audited. While a regenerated secret overlaps with the previous one, the response contains both. */
  async get(key: string, options: CallOptions = {}): Promise<Answered<t.ActionSigningSecret>> {
    return await this.#transport.send(
      {
        operation: "action_contracts.secret",
        method: "GET",
        path: `/v1/action-contracts/${escape(key, "key")}/secret`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Regenerate an action's signing secret. With `overlap_seconds`, both secrets sign for that time, so that the backend can change to the new one. */
  async regenerate(
    key: string,
    body?: t.RegenerateActionSigningSecretBody,
    options: CallOptions = {},
  ): Promise<Answered<t.ActionContractWithSecret>> {
    return await this.#transport.send(
      {
        operation: "action_contracts.secret.regenerate",
        method: "POST",
        path: `/v1/action-contracts/${escape(key, "key")}/secret/regenerate`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** The definitions of actions: parameters, roles, surfaces, confirmation and backend. */
export class ActionContractsResource {
  readonly #transport: Transport;
  readonly secret: ActionContractsSecretResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new ActionContractsSecretResource(transport);
  }

  /** Register an action. Defines who can request the action, its parameters and the backend that performs it. The response contains the secret that signs the calls to the backend. */
  async create(body: t.NewActionContract, options: CallOptions = {}): Promise<Answered<t.ActionContractWithSecret>> {
    return await this.#transport.send(
      {
        operation: "action_contracts.create",
        method: "POST",
        path: "/v1/action-contracts",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Delete an action. The action can no longer be run. Its runs are kept, and its key can be registered again. A connector's contract is deleted when the connector is disabled. */
  async delete(key: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "action_contracts.delete",
        method: "DELETE",
        path: `/v1/action-contracts/${escape(key, "key")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Show an action. Returns the current version of the contract, with every default filled in. The sandbox and live can each have a contract of this key. */
  async get(
    key: string,
    query: t.GetActionContractQuery = {},
    options: CallOptions = {},
  ): Promise<Answered<t.ActionContract>> {
    return await this.#transport.send(
      {
        operation: "action_contracts.get",
        method: "GET",
        path: `/v1/action-contracts/${escape(key, "key")}${queryText(query)}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List actions. Newest first, in both environments. Callers who may write contracts see all of them. Others see only the contracts that they may run from the current surface. */
  list(query: t.ListActionContractsQuery = {}, options: CallOptions = {}): List<t.ActionContract> {
    return listOf(
      this.#transport,
      { operation: "action_contracts.list", method: "GET", path: "/v1/action-contracts" },
      query,
      options,
    );
  }

  /** Promote an action to live. Copies the sandbox's contract to live: as a new contract, or as a new version of the live contract with the same key. With `dry_run`, only returns the difference. A promotion needs what the same edit needs: only an owner can loosen a contract, with a step-up if the workspace asks for them and the risk was high. Live keeps its own `approval.allow_rule`. A secret that the contract names must exist in live. */
  async promote(
    key: string,
    body?: t.PromoteActionContractBody,
    options: CallOptions = {},
  ): Promise<Answered<t.Promotion>> {
    return await this.#transport.send(
      {
        operation: "action_contracts.promote",
        method: "POST",
        path: `/v1/action-contracts/${escape(key, "key")}/promote`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Change an action. Replaces each member in the request as a whole, and creates a new version. Proposals of an older version can no longer be approved. A connector's contract cannot be edited. */
  async update(
    key: string,
    body: t.ActionContractChange,
    options: CallOptions = {},
  ): Promise<Answered<t.ActionContract>> {
    return await this.#transport.send(
      {
        operation: "action_contracts.update",
        method: "PATCH",
        path: `/v1/action-contracts/${escape(key, "key")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** List an action's versions. Newest first. Each change created a version, and versions never change. */
  versions(
    key: string,
    query: t.ListActionContractVersionsQuery = {},
    options: CallOptions = {},
  ): List<t.ActionContractVersion> {
    return listOf(
      this.#transport,
      {
        operation: "action_contracts.versions",
        method: "GET",
        path: `/v1/action-contracts/${escape(key, "key")}/versions`,
      },
      query,
      options,
    );
  }
}

/** Of `actions.run`: fields of its body, besides the options of the call. */
export interface RunActionOptions extends CallOptions {
  /** `true` replaces an approval if the contract and the workspace allow it. Ignored for calls by an AI. Default: false. */
  confirmed?: boolean | undefined;
  /** Narrows the surface of the call. The contract must list both this surface and the actual one. */
  surface?: t.RunSurface | undefined;
  /** The reason for the call, for the audit log. Approvers do not see it in the preview. */
  prompt?: string | undefined;
  /** Whether to return only what the call would do. Nothing is called. Default: false. */
  dryRun?: boolean | undefined;
}

/** Operations that your backend can run on request, under action contracts and with approvals. */
export class ActionsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Run or propose an action. Status 200: the action ran, and this is its result. Status 202: the run waits for a person's approval, or, if the contract's delivery is async, for its backend. A standing approval can approve it at once. Status 502 or 504: the backend failed, and `execution` names the run. */
  async run(
    action: string,
    parameters?: object,
    options: RunActionOptions = {},
  ): Promise<Answered<t.RunAnswer | t.RunAccepted>> {
    return await this.#transport.send(
      {
        operation: "actions.run",
        method: "POST",
        path: "/v1/actions/run",
        body: {
          action,
          parameters,
          confirmed: options.confirmed,
          surface: options.surface,
          prompt: options.prompt,
          dry_run: options.dryRun,
        },
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** The requests of AI clients and the assistant, with the model's answers and the results. */
export class AiHistoryResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show an AI exchange. Returns the exchange with the results of its tool calls. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.AiExchange>> {
    return await this.#transport.send(
      {
        operation: "ai_history.get",
        method: "GET",
        path: `/v1/ai-history/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List the AI history. Returns the questions to the assistant's model, and each call of an action by an AI key or an MCP client, newest first: prompt, calls, redacted parameters, and what came of each. Polls, reads, dry runs and refusals are counted, one entry for alike ones of a minute. `proposal_id` and `run_id` find the exchange that led to them. */
  list(query: t.ListAiHistoryQuery = {}, options: CallOptions = {}): List<t.AiExchange> {
    return listOf(
      this.#transport,
      { operation: "ai_history.list", method: "GET", path: "/v1/ai-history" },
      query,
      options,
    );
  }
}

/** `approval_channels.announcements`. */
export class ApprovalChannelsAnnouncementsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List a channel's announcements. Newest first: what was announced, what failed and why, and what is sent again. */
  list(
    id: string,
    query: t.ListApprovalAnnouncementsQuery = {},
    options: CallOptions = {},
  ): List<t.ApprovalAnnouncement> {
    return listOf(
      this.#transport,
      {
        operation: "approval_channels.announcements.list",
        method: "GET",
        path: `/v1/approval-channels/${escape(id, "id")}/announcements`,
      },
      query,
      options,
    );
  }
}

/** Where proposals are announced besides the console: channels of Slack, and e-mail. */
export class ApprovalChannelsResource {
  readonly #transport: Transport;
  readonly announcements: ApprovalChannelsAnnouncementsResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.announcements = new ApprovalChannelsAnnouncementsResource(transport);
  }

  /** Create an approval channel. Announces waiting proposals with the service's preview, in a channel of Slack or by e-mail. A button in Slack counts only for a member who has linked that Slack account, with the role, the second-person rule and the proposal of that moment. E-mail only links to the console's page. */
  async create(body: t.NewApprovalChannel, options: CallOptions = {}): Promise<Answered<t.ApprovalChannel>> {
    return await this.#transport.send(
      {
        operation: "approval_channels.create",
        method: "POST",
        path: "/v1/approval-channels",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Delete an approval channel. Nothing more is announced. The buttons of earlier messages no longer decide anything. */
  async delete(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "approval_channels.delete",
        method: "DELETE",
        path: `/v1/approval-channels/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Show an approval channel. Returns where and when the channel announces proposals. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.ApprovalChannel>> {
    return await this.#transport.send(
      {
        operation: "approval_channels.get",
        method: "GET",
        path: `/v1/approval-channels/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List approval channels. Newest first. Live and sandbox have separate channels. */
  list(query: t.ListApprovalChannelsQuery = {}, options: CallOptions = {}): List<t.ApprovalChannel> {
    return listOf(
      this.#transport,
      { operation: "approval_channels.list", method: "GET", path: "/v1/approval-channels" },
      query,
      options,
    );
  }

  /** Test an approval channel. Sends a message that says only that the channel works. In Slack, it has the button with which members link their accounts. A failed test is also a successful response. */
  async test(id: string, options: CallOptions = {}): Promise<Answered<t.ApprovalChannelTest>> {
    return await this.#transport.send(
      {
        operation: "approval_channels.test",
        method: "POST",
        path: `/v1/approval-channels/${escape(id, "id")}/test`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Change an approval channel. Only the members in the request change. Proposals that were announced before keep their messages. */
  async update(
    id: string,
    body: t.ApprovalChannelChange,
    options: CallOptions = {},
  ): Promise<Answered<t.ApprovalChannel>> {
    return await this.#transport.send(
      {
        operation: "approval_channels.update",
        method: "PATCH",
        path: `/v1/approval-channels/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** An AI model that receives events and proposes actions. */
export class AssistantResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show the assistant. Returns the settings, and the settings that are missing before the assistant receives events. */
  async get(options: CallOptions = {}): Promise<Answered<t.Assistant>> {
    return await this.#transport.send(
      { operation: "assistant.get", method: "GET", path: "/v1/assistant", write: false, answer: "json" },
      options,
    );
  }

  /** Test the assistant. Sends the model an event that was not fired, and returns the calls that the model would propose. Nothing is proposed. The request counts toward the assistant's budgets. */
  async test(body: t.AssistantTest, options: CallOptions = {}): Promise<Answered<t.AssistantTestResult>> {
    return await this.#transport.send(
      { operation: "assistant.test", method: "POST", path: "/v1/assistant/test", body, write: true, answer: "json" },
      options,
    );
  }

  /** Change the assistant. Only the members in the request change. The provider is not one of them: it is the workspace setting `assistant` (`PATCH /v1/workspaces/current`), which is `off` by default. */
  async update(body: t.AssistantChange, options: CallOptions = {}): Promise<Answered<t.Assistant>> {
    return await this.#transport.send(
      { operation: "assistant.update", method: "PATCH", path: "/v1/assistant", body, write: true, answer: "json" },
      options,
    );
  }
}

/** Items that need a person's attention. */
export class AttentionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show items that need attention. Returns the failing endpoints, open issues, failed deliveries, waiting proposals, inbound receipts that need attention, and the backlog, all counted at this moment. `self_test` is the latest result of the process that responds; if it is older than a minute, the next self-test starts. */
  async get(options: CallOptions = {}): Promise<Answered<t.Attention>> {
    return await this.#transport.send(
      { operation: "attention.get", method: "GET", path: "/v1/attention", write: false, answer: "json" },
      options,
    );
  }
}

/** `audit.digests`. */
export class AuditDigestsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List signed digests. Returns the signed states of the chain. After each hour (`from` to `to`) in which it grew, its state at the time `at` is signed. It can include rows that were written after the hour. Store the digests in another place: they reveal whether the chain was rewritten. */
  list(query: t.ListAuditDigestsQuery = {}, options: CallOptions = {}): List<t.AuditDigest> {
    return listOf(
      this.#transport,
      { operation: "audit.digests.list", method: "GET", path: "/v1/audit/digests" },
      query,
      options,
    );
  }
}

/** The audit log: an append-only, hash-chained record of who did what. */
export class AuditResource {
  readonly #transport: Transport;
  readonly digests: AuditDigestsResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.digests = new AuditDigestsResource(transport);
  }

  /** Export the audit log. Streams a CSV file of all rows, or of the rows that match the filters, in the order of the chain. The chain of a file without filters can be verified without the service. Each export is itself recorded as a row. */
  async export(query: t.ExportAuditQuery = {}, options: CallOptions = {}): Promise<TextAnswer> {
    return await this.#transport.send(
      {
        operation: "audit.export",
        method: "GET",
        path: `/v1/audit/export.csv${queryText(query)}`,
        write: false,
        answer: "text",
      },
      options,
    );
  }

  /** Show a row of the audit log. Returns the row with its position in the chain. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.AuditRow>> {
    return await this.#transport.send(
      { operation: "audit.get", method: "GET", path: `/v1/audit/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** List the audit log. Returns what was done, by whom and with which result, newest first, with filters. */
  list(query: t.ListAuditRowsQuery = {}, options: CallOptions = {}): List<t.AuditRow> {
    return listOf(this.#transport, { operation: "audit.list", method: "GET", path: "/v1/audit" }, query, options);
  }

  /** Verify the chain of the audit log. Reads all rows, or a range of them, and reports the first row that differs from what was written. */
  async verify(query: t.VerifyAuditQuery = {}, options: CallOptions = {}): Promise<Answered<t.AuditVerification>> {
    return await this.#transport.send(
      {
        operation: "audit.verify",
        method: "GET",
        path: `/v1/audit/verify${queryText(query)}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }
}

/** `auth.passkeys`. */
export class AuthPasskeysResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Begin a passkey. Returns what a browser needs to create a passkey or to use a security key, with a challenge for 5 minutes. An installation whose base URL names an IP address, or has no https, cannot have passkeys (`conflict`). A person with a second factor needs a step-up for `auth.passkeys.begin`, or a code; a password alone is refused with `step_up_required`. */
  async begin(body: t.OwnProof, options: CallOptions = {}): Promise<Answered<t.PasskeyCreationOptions>> {
    return await this.#transport.send(
      {
        operation: "auth.passkeys.begin",
        method: "POST",
        path: "/v1/auth/passkeys/begin",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Add a passkey. Registers what the browser created for the open challenge of this session. Signing in with a password then requires it, or another second factor. Returns recovery codes with the first second factor. */
  async create(body: t.NewPasskey, options: CallOptions = {}): Promise<Answered<t.PasskeyRegistration>> {
    return await this.#transport.send(
      {
        operation: "auth.passkeys.create",
        method: "POST",
        path: "/v1/auth/passkeys",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Remove a passkey. It no longer works from the next request. Recovery codes end with the last second factor. Requires a step-up for `auth.passkeys.delete` with the id, or a recovery code. */
  async delete(id: string, body: t.OwnProof, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "auth.passkeys.delete",
        method: "DELETE",
        path: `/v1/auth/passkeys/${escape(id, "id")}`,
        body,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** List passkeys. Returns the person's passkeys and security keys, newest first. */
  list(query: t.ListPasskeysQuery = {}, options: CallOptions = {}): List<t.Passkey> {
    return listOf(
      this.#transport,
      { operation: "auth.passkeys.list", method: "GET", path: "/v1/auth/passkeys" },
      query,
      options,
    );
  }

  /** Rename a passkey. Changes the name that the person sees. */
  async update(id: string, body: t.PasskeyName, options: CallOptions = {}): Promise<Answered<t.Passkey>> {
    return await this.#transport.send(
      {
        operation: "auth.passkeys.update",
        method: "PATCH",
        path: `/v1/auth/passkeys/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** `auth.sessions`. */
export class AuthSessionsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** End a session. The session's next request is refused. */
  async end(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "auth.sessions.end",
        method: "DELETE",
        path: `/v1/auth/sessions/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** List sessions. Returns the person's open sessions. */
  list(query: t.ListSessionsQuery = {}, options: CallOptions = {}): List<t.Session> {
    return listOf(
      this.#transport,
      { operation: "auth.sessions.list", method: "GET", path: "/v1/auth/sessions" },
      query,
      options,
    );
  }
}

/** `auth.totp`. */
export class AuthTotpResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Turn off the authenticator app. Requires a code of the authenticator app, or a recovery code. Passkeys stay. */
  async disable(body: t.TotpCode, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "auth.totp.disable",
        method: "POST",
        path: "/v1/auth/totp/disable",
        body,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Set up an authenticator app. Returns the secret for the authenticator app. The second factor takes effect after it is confirmed. Requires the password. A person with a passkey needs a step-up for `auth.totp.enrol`, or a recovery code. */
  async enrol(body: t.TotpEnrolment, options: CallOptions = {}): Promise<Answered<t.TotpSecret>> {
    return await this.#transport.send(
      { operation: "auth.totp.enrol", method: "POST", path: "/v1/auth/totp/enrol", body, write: true, answer: "json" },
      options,
    );
  }

  /** Confirm the authenticator app. Requires a code of the authenticator app. Returns the recovery codes, which are shown only once. */
  async verify(body: t.TotpCode, options: CallOptions = {}): Promise<Answered<t.RecoveryCodes>> {
    return await this.#transport.send(
      {
        operation: "auth.totp.verify",
        method: "POST",
        path: "/v1/auth/totp/verify",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Signing in, and the initial claim of an installation. */
export class AuthResource {
  readonly #transport: Transport;
  readonly passkeys: AuthPasskeysResource;
  readonly sessions: AuthSessionsResource;
  readonly totp: AuthTotpResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.passkeys = new AuthPasskeysResource(transport);
    this.sessions = new AuthSessionsResource(transport);
    this.totp = new AuthTotpResource(transport);
  }

  /** Change the password. Ends the person's other sessions and the links of their Slack accounts. A person with a second factor also needs a step-up for `auth.password`, or a code. Without either: `step_up_required`. */
  async password(body: t.PasswordChange, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      { operation: "auth.password", method: "POST", path: "/v1/auth/password", body, write: true, answer: "none" },
      options,
    );
  }

  /** Show the session. Returns the signed-in person, and the CSRF token for a reloaded page. */
  async session(options: CallOptions = {}): Promise<Answered<t.SignedIn>> {
    return await this.#transport.send(
      { operation: "auth.session", method: "GET", path: "/v1/auth/session", write: false, answer: "json" },
      options,
    );
  }

  /** Sign out. Ends the current session. */
  async signOut(options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      { operation: "auth.sign_out", method: "POST", path: "/v1/auth/sign-out", write: true, answer: "none" },
      options,
    );
  }
}

/** The configuration of a workspace as one file: exported, compared, planned and applied. */
export class ConfigurationResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Apply a plan. Makes all changes of the plan in one transaction, with the caller's rights of the moment. Ids, secrets and logs of changed objects stay. If an object that the plan concerns was changed since, nothing is changed. A plan that was applied before returns the first response. Status 202: the workspace requires an approval (`require_approval_for_configuration`), and this is the proposal. Once another person has approved it, the plan is applied. */
  async apply(id: string, options: CallOptions = {}): Promise<Answered<t.ConfigurationApplication | t.Proposal>> {
    return await this.#transport.send(
      {
        operation: "configuration.apply",
        method: "POST",
        path: `/v1/configuration/plans/${escape(id, "id")}/apply`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Compare the configuration. Returns how the workspace differs from a configuration, and changes nothing. */
  async drift(body: t.ConfigurationComparison, options: CallOptions = {}): Promise<Answered<t.ConfigurationDrift>> {
    return await this.#transport.send(
      {
        operation: "configuration.drift",
        method: "POST",
        path: "/v1/configuration/drift",
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Export the configuration. Returns what configures the environment as one file, by names instead of ids: without secrets, values of headers, members, keys, connectors and objects of tenants. Members with their defaults are left out. The same configuration has the same bytes and the same `ETag`. Sections that the caller may not read are left out. */
  async get(options: CallOptions = {}): Promise<Answered<t.Configuration>> {
    return await this.#transport.send(
      { operation: "configuration.get", method: "GET", path: "/v1/configuration", write: false, answer: "json" },
      options,
    );
  }

  /** Plan a change of the configuration. Returns the changes that would turn the workspace into the configuration. They are tried out, and refused as a whole with all places that are wrong, or that the caller could not change by hand. The plan can be applied for an hour. */
  async plan(body: t.NewConfigurationPlan, options: CallOptions = {}): Promise<Answered<t.ConfigurationPlan>> {
    return await this.#transport.send(
      {
        operation: "configuration.plan",
        method: "POST",
        path: "/v1/configuration/plans",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** AI apps that members have connected by OAuth, for `/mcp`. */
export class ConnectedAppsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Connect an app. Gives an app access to `/mcp` in this workspace and environment, with the requested scopes that your role allows. Only in a session of the console. */
  async connect(body: t.ConnectionApproval, options: CallOptions = {}): Promise<Answered<t.Connection>> {
    return await this.#transport.send(
      {
        operation: "connected_apps.connect",
        method: "POST",
        path: "/v1/connected-apps",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Disconnect an app. Ends the access of an app. Its next request is refused. Owners and admins can disconnect those of all members. */
  async end(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "connected_apps.end",
        method: "DELETE",
        path: `/v1/connected-apps/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** List connected apps. Returns the apps that you have connected, newest first. Owners and admins see those of all members. */
  list(query: t.ListConnectedAppsQuery = {}, options: CallOptions = {}): List<t.ConnectedApp> {
    return listOf(
      this.#transport,
      { operation: "connected_apps.list", method: "GET", path: "/v1/connected-apps" },
      query,
      options,
    );
  }

  /** Review an app that asks for access. Returns what an app asks for, and what it could do in this workspace and environment. For the console's page, in a session. */
  async review(body: t.ConnectionRequestReview, options: CallOptions = {}): Promise<Answered<t.ConnectionRequest>> {
    return await this.#transport.send(
      {
        operation: "connected_apps.review",
        method: "POST",
        path: "/v1/connected-apps/review",
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }
}

/** `connectors.runs`. */
export class ConnectorsRunsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List a connector's runs. Returns each call of the connector's code, newest first, with its outcome, its requests to the service and its log. Runs are kept as long as deliveries. */
  list(key: string, query: t.ListConnectorRunsQuery = {}, options: CallOptions = {}): List<t.ConnectorRun> {
    return listOf(
      this.#transport,
      { operation: "connectors.runs.list", method: "GET", path: `/v1/connectors/${escape(key, "key")}/runs` },
      query,
      options,
    );
  }
}

/** `connectors.sandbox`. */
export class ConnectorsSandboxResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Remove a connector from the sandbox. Deletes the settings, the secrets and the pinned version that the sandbox has on its own. The sandbox then uses the live ones again. Live does not change. */
  async delete(key: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "connectors.sandbox.delete",
        method: "DELETE",
        path: `/v1/connectors/${escape(key, "key")}/sandbox`,
        write: true,
        answer: "none",
      },
      options,
    );
  }
}

/** Connections to other services. */
export class ConnectorsResource {
  readonly #transport: Transport;
  readonly runs: ConnectorsRunsResource;
  readonly sandbox: ConnectorsSandboxResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.runs = new ConnectorsRunsResource(transport);
    this.sandbox = new ConnectorsSandboxResource(transport);
  }

  /** Disable a connector. The connector receives no more events in the caller's environment, and its actions can no longer be run. Its settings and its version are kept. A live credential disables the sandbox's, if live has none. */
  async disable(key: string, options: CallOptions = {}): Promise<Answered<t.Connector>> {
    return await this.#transport.send(
      {
        operation: "connectors.disable",
        method: "POST",
        path: `/v1/connectors/${escape(key, "key")}/disable`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Enable a connector. Pins its version in the caller's environment, subscribes it to its events and registers its actions. Another version in its folder does not run until it is enabled by its digest. Refused if the code differs from what the connector's files declare (`code_mismatch`), or cannot be used (`code_failed`, `runtime_unavailable`). Lifts a quarantine. A sandbox credential enables it for the sandbox alone, with settings of its own; the live one does not change. */
  async enable(key: string, body?: t.EnableConnectorBody, options: CallOptions = {}): Promise<Answered<t.Connector>> {
    return await this.#transport.send(
      {
        operation: "connectors.enable",
        method: "POST",
        path: `/v1/connectors/${escape(key, "key")}/enable`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show a connector. Returns the connector's description, its permissions, and its settings in the caller's environment, or else in the other one. */
  async get(key: string, query: t.GetConnectorQuery = {}, options: CallOptions = {}): Promise<Answered<t.Connector>> {
    return await this.#transport.send(
      {
        operation: "connectors.get",
        method: "GET",
        path: `/v1/connectors/${escape(key, "key")}${queryText(query)}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List connectors. Returns the connectors in the installation's folders, including refused ones with the reason, and the connectors that the workspace has set up. Live and sandbox can have different settings and versions of a connector: `installed_in` names the environment whose are shown. */
  list(query: t.ListConnectorsQuery = {}, options: CallOptions = {}): List<t.Connector> {
    return listOf(
      this.#transport,
      { operation: "connectors.list", method: "GET", path: "/v1/connectors" },
      query,
      options,
    );
  }

  /** Promote a connector to live. Enables in live the version that the sandbox runs. Live keeps its own settings and secrets; those that it lacks can be sent. With `dry_run`, only returns the difference. Refused if the sandbox does not run the connector on its own (`not_running`, `already_live`), or if a version was changed since you saw the difference (`version_changed`). */
  async promote(
    key: string,
    body?: t.PromoteConnectorBody,
    options: CallOptions = {},
  ): Promise<Answered<t.ConnectorPromotion>> {
    return await this.#transport.send(
      {
        operation: "connectors.promote",
        method: "POST",
        path: `/v1/connectors/${escape(key, "key")}/promote`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Scan for connectors. Scans the installation's folders, as each start does, and returns the number of connectors found and refused. */
  async rescan(options: CallOptions = {}): Promise<Answered<t.ConnectorScan>> {
    return await this.#transport.send(
      { operation: "connectors.rescan", method: "POST", path: "/v1/connectors/rescan", write: true, answer: "json" },
      options,
    );
  }

  /** Test a connector's settings. Runs the connector's own test with its current settings, before or after it is enabled. A failed test is also a successful response. */
  async test(key: string, options: CallOptions = {}): Promise<Answered<t.ConnectorTest>> {
    return await this.#transport.send(
      {
        operation: "connectors.test",
        method: "POST",
        path: `/v1/connectors/${escape(key, "key")}/test`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Change a connector's settings. Changes the settings of the caller's environment. They may be incomplete until the connector is enabled. Secrets are stored encrypted and never shown. */
  async update(key: string, body: t.ConnectorChange, options: CallOptions = {}): Promise<Answered<t.Connector>> {
    return await this.#transport.send(
      {
        operation: "connectors.update",
        method: "PATCH",
        path: `/v1/connectors/${escape(key, "key")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Forward a webhook to a connector. For systems that already receive the other service's webhooks and forward them with an API key. Send the body unchanged. If the sender's own signature is present, it must be valid; without one, the API key is enough. Other services send to `webhook_url`. */
  async webhook(key: string, body: unknown, options: CallOptions = {}): Promise<Answered<t.ConnectorWebhook>> {
    return await this.#transport.send(
      {
        operation: "connectors.webhook",
        method: "POST",
        path: `/v1/connectors/${escape(key, "key")}/webhook`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** `contacts.activities`. */
export class ContactsActivitiesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Add a note to a timeline. Adds an activity that a person writes. */
  async create(id: string, body: t.NewActivity, options: CallOptions = {}): Promise<Answered<t.Activity>> {
    return await this.#transport.send(
      {
        operation: "contacts.activities.create",
        method: "POST",
        path: `/v1/contacts/${escape(id, "id")}/activities`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** List a contact's activities. Returns the timeline, latest first. */
  list(id: string, query: t.ListActivitiesQuery = {}, options: CallOptions = {}): List<t.Activity> {
    return listOf(
      this.#transport,
      { operation: "contacts.activities.list", method: "GET", path: `/v1/contacts/${escape(id, "id")}/activities` },
      query,
      options,
    );
  }
}

/** People and companies, with their activities. */
export class ContactsResource {
  readonly #transport: Transport;
  readonly activities: ContactsActivitiesResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.activities = new ContactsActivitiesResource(transport);
  }

  /** Create a contact. An e-mail address or external id that belongs to another contact is refused. */
  async create(body: t.NewContact, options: CallOptions = {}): Promise<Answered<t.Contact>> {
    return await this.#transport.send(
      { operation: "contacts.create", method: "POST", path: "/v1/contacts", body, write: true, answer: "json" },
      options,
    );
  }

  /** Erase a contact. Deletes the contact and its timeline. The remaining data does not identify the person. */
  async delete(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "contacts.delete",
        method: "DELETE",
        path: `/v1/contacts/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Export a contact. Returns all data that is stored about the person, as one document. */
  async export(id: string, options: CallOptions = {}): Promise<Answered<t.ContactExport>> {
    return await this.#transport.send(
      {
        operation: "contacts.export",
        method: "GET",
        path: `/v1/contacts/${escape(id, "id")}/export`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Show a contact. Returns the contact with its score, tags and ids. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Contact>> {
    return await this.#transport.send(
      {
        operation: "contacts.get",
        method: "GET",
        path: `/v1/contacts/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List contacts. Newest first, with filters. */
  list(query: t.ListContactsQuery = {}, options: CallOptions = {}): List<t.Contact> {
    return listOf(this.#transport, { operation: "contacts.list", method: "GET", path: "/v1/contacts" }, query, options);
  }

  /** Merge a contact into another. Merges the contact in the path into the contact in the body. The merged contact's id then leads to the other contact. */
  async merge(id: string, body: t.ContactMerge, options: CallOptions = {}): Promise<Answered<t.Contact>> {
    return await this.#transport.send(
      {
        operation: "contacts.merge",
        method: "POST",
        path: `/v1/contacts/${escape(id, "id")}/merge`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Change a contact. Only the members in the request change. */
  async update(id: string, body: t.ContactChange, options: CallOptions = {}): Promise<Answered<t.Contact>> {
    return await this.#transport.send(
      {
        operation: "contacts.update",
        method: "PATCH",
        path: `/v1/contacts/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Contacts that have an external id of your product. */
export class CustomersResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a customer. Returns the customer with open tickets, and with the data of connectors. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Customer>> {
    return await this.#transport.send(
      {
        operation: "customers.get",
        method: "GET",
        path: `/v1/customers/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List customers. Returns every contact in the form of a customer, newest first, with filters. With `identity`, returns the customers that a connector finds. */
  list(query: t.ListCustomersQuery = {}, options: CallOptions = {}): List<t.Customer> {
    return listOf(
      this.#transport,
      { operation: "customers.list", method: "GET", path: "/v1/customers" },
      query,
      options,
    );
  }

  /** Create or update a customer by your own id. `id` is your own id (`external_id`). Sets the members in the request and keeps the others. The status is 201 if the object was created. */
  async put(id: string, body: t.CustomerChange, options: CallOptions = {}): Promise<Answered<t.Customer>> {
    return await this.#transport.send(
      {
        operation: "customers.put",
        method: "PUT",
        path: `/v1/customers/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** One event for one endpoint, with each attempt. Deliveries can be replayed and cancelled. */
export class DeliveriesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the attempts of a delivery. Oldest first, with the status, the timing and the beginning of the response. */
  attempts(id: string, query: t.ListDeliveryAttemptsQuery = {}, options: CallOptions = {}): List<t.Attempt> {
    return listOf(
      this.#transport,
      { operation: "deliveries.attempts", method: "GET", path: `/v1/deliveries/${escape(id, "id")}/attempts` },
      query,
      options,
    );
  }

  /** Cancel a delivery. Only a pending delivery can be cancelled. */
  async cancel(id: string, options: CallOptions = {}): Promise<Answered<t.Delivery>> {
    return await this.#transport.send(
      {
        operation: "deliveries.cancel",
        method: "POST",
        path: `/v1/deliveries/${escape(id, "id")}/cancel`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show a delivery. Returns the delivery with the request that is sent. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.DeliveryDetail>> {
    return await this.#transport.send(
      {
        operation: "deliveries.get",
        method: "GET",
        path: `/v1/deliveries/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List deliveries. Newest first, with filters. */
  list(query: t.ListDeliveriesQuery = {}, options: CallOptions = {}): List<t.Delivery> {
    return listOf(
      this.#transport,
      { operation: "deliveries.list", method: "GET", path: "/v1/deliveries" },
      query,
      options,
    );
  }

  /** Replay a delivery. Sends the delivery now, with the same delivery id. A failed, delivered, filtered or cancelled delivery gets one more attempt. If a pending delivery waits for its retry, that retry is made now, and the schedule continues from there. Refused with 409 while an attempt is running or another replay waits, before the first attempt, and for an inactive endpoint. A request that a transformation made is sent again with the same bytes, unless `retransform` is true. */
  async replay(
    id: string,
    query: t.ReplayDeliveryQuery = {},
    options: CallOptions = {},
  ): Promise<Answered<t.Delivery>> {
    return await this.#transport.send(
      {
        operation: "deliveries.replay",
        method: "POST",
        path: `/v1/deliveries/${escape(id, "id")}/replay${queryText(query)}`,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** `event_types.versions`. */
export class EventTypesVersionsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Make a new version of an event type. The new version is the current one: events have it unless `version` names an earlier one. Its schema need not be compatible. Earlier versions no longer change. Endpoints with `event_versions` get only the events of their version. */
  async create(
    name: string,
    body: t.NewEventTypeVersion,
    options: CallOptions = {},
  ): Promise<Answered<t.EventTypeVersion>> {
    return await this.#transport.send(
      {
        operation: "event_types.versions.create",
        method: "POST",
        path: `/v1/event-types/${escape(name, "name")}/versions`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** List the versions of an event type. Newest first. The list of a canonical or system event is empty: it always has version 1. */
  list(name: string, query: t.ListEventTypeVersionsQuery = {}, options: CallOptions = {}): List<t.EventTypeVersion> {
    return listOf(
      this.#transport,
      {
        operation: "event_types.versions.list",
        method: "GET",
        path: `/v1/event-types/${escape(name, "name")}/versions`,
      },
      query,
      options,
    );
  }
}

/** The catalog of event types, with a schema and an example of each. */
export class EventTypesResource {
  readonly #transport: Transport;
  readonly versions: EventTypesVersionsResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.versions = new EventTypesVersionsResource(transport);
  }

  /** Archive an event type. Events of this name can still be fired. They have no version, and their data is not compared with a schema. */
  async archive(name: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "event_types.archive",
        method: "DELETE",
        path: `/v1/event-types/${escape(name, "name")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Create an event type. Both environments share event types. If a type of this name was archived, the new type continues its version numbers. */
  async create(body: t.NewEventType, options: CallOptions = {}): Promise<Answered<t.EventType>> {
    return await this.#transport.send(
      { operation: "event_types.create", method: "POST", path: "/v1/event-types", body, write: true, answer: "json" },
      options,
    );
  }

  /** Show an event type. Returns the schema, examples, the subscribers that would react to the event now, and its last data. */
  async get(name: string, options: CallOptions = {}): Promise<Answered<t.EventTypeDetail>> {
    return await this.#transport.send(
      {
        operation: "event_types.get",
        method: "GET",
        path: `/v1/event-types/${escape(name, "name")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List event types. Returns the canonical events, the system events, and your own types. */
  list(query: t.ListEventTypesQuery = {}, options: CallOptions = {}): List<t.EventType> {
    return listOf(
      this.#transport,
      { operation: "event_types.list", method: "GET", path: "/v1/event-types" },
      query,
      options,
    );
  }

  /** Write a whole set of event types. For definitions that are kept in files. All types are written, or none. Members that a type leaves out stay as they are. Within a version, a schema may get optional members, looser limits, more values of an `enum` and other annotations. Anything else could refuse data that was valid or drop what receivers rely on, and is refused with 409 `schema_incompatible`: make a new version instead. */
  async put(body: t.EventTypeSet, options: CallOptions = {}): Promise<Answered<t.EventTypeChanges>> {
    return await this.#transport.send(
      { operation: "event_types.put", method: "PUT", path: "/v1/event-types", body, write: true, answer: "json" },
      options,
    );
  }

  /** Change an event type. Only the members in the request change. Of canonical types, only `enforcement` and `visibility` can be changed. Within a version, a schema may get optional members, looser limits, more values of an `enum` and other annotations. Anything else could refuse data that was valid or drop what receivers rely on, and is refused with 409 `schema_incompatible`: make a new version instead. */
  async update(name: string, body: t.EventTypePatch, options: CallOptions = {}): Promise<Answered<t.EventType>> {
    return await this.#transport.send(
      {
        operation: "event_types.update",
        method: "PATCH",
        path: `/v1/event-types/${escape(name, "name")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Of `events.fire`: fields of its body, besides the options of the call. */
export interface FireEventOptions extends CallOptions {
  /** When the event happened, at most a day in the future. Default: now. RFC 3339, with a zone. */
  occurredAt?: string | Date | undefined;
  /** What the event is about. The list of events can be filtered by it. */
  subject?: string | undefined;
  /** When the event is fired and all reactions begin, at most 30 days in the future. Default, and for a past time: now. RFC 3339, with a zone. */
  deliverAt?: string | Date | undefined;
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

/** Events of your product. A 202 response means that the event, its deliveries and its idempotency record were committed in one transaction. */
export class EventsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fire up to 500 events, all or none. Runs in one transaction, and counts as one call against the rate limit. One invalid event refuses the whole batch. */
  async batch(events: t.NewEvent[], options: CallOptions = {}): Promise<Answered<t.FiredEvents>> {
    return await this.#transport.send(
      {
        operation: "events.batch",
        method: "POST",
        path: "/v1/events/batch",
        body: { events },
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Cancel a scheduled event. The event is not fired. It stays visible with the status `cancelled`. Has no effect if it was cancelled before. */
  async cancel(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "events.cancel",
        method: "DELETE",
        path: `/v1/events/${escape(id, "id")}/schedule`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Fire an event. The response means that the event and its deliveries are committed. Receivers get `data` byte for byte. If the event type enforces its schema, data that does not match is refused with 422 `event_data_invalid`, or noted in `schema_errors`. With `tenant`, it goes to the endpoints of that tenant and to those without a tenant. The key of a tenant fires events of that tenant only, and sees only the deliveries to its endpoints. With `deliver_at`, the event is stored now and fired then. A `traceparent` header (W3C) is stored and sent to receivers. */
  async fire<Name extends EventName>(
    event: Name,
    data: DataOf<Name>,
    options: FireEventOptions = {},
  ): Promise<Answered<t.FiredEvent>> {
    return await this.#transport.send(
      {
        operation: "events.fire",
        method: "POST",
        path: "/v1/events/fire",
        body: {
          event,
          data,
          occurred_at: options.occurredAt,
          subject: options.subject,
          deliver_at: options.deliverAt,
          tenant: options.tenant,
          version: options.version,
          uid: options.uid,
          channels: options.channels,
          metadata: options.metadata,
        },
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show an event. Returns the event with the stages of its dispatch and its deliveries. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.EventDetail>> {
    return await this.#transport.send(
      { operation: "events.get", method: "GET", path: `/v1/events/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** List events. Newest first, with filters. */
  list(query: t.ListEventsQuery = {}, options: CallOptions = {}): List<t.Event> {
    return listOf(this.#transport, { operation: "events.list", method: "GET", path: "/v1/events" }, query, options);
  }

  /** Fire an event again, or send it to one endpoint. Creates a new event with the same name, data and tenant, and with a new id. System events are refused: replay their deliveries instead. With `endpoint_id`, no event is created: the endpoint gets a new delivery of this event, regardless of its other deliveries and of its filter. The endpoint must be active and subscribe to the event, and the event must be of its tenant. */
  async refire(id: string, body?: t.RefireEventBody, options: CallOptions = {}): Promise<Answered<t.FiredEvent>> {
    return await this.#transport.send(
      {
        operation: "events.refire",
        method: "POST",
        path: `/v1/events/${escape(id, "id")}/refire`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Requests of rules and workflows to other APIs, with their responses. */
export class HttpCallsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show an HTTP call. Returns the request, without secrets, and the response of the last try. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.HttpCall>> {
    return await this.#transport.send(
      {
        operation: "http_calls.get",
        method: "GET",
        path: `/v1/http-calls/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List HTTP calls. Returns the requests of rules and workflows in the caller's environment, newest first. */
  list(query: t.ListHttpCallsQuery = {}, options: CallOptions = {}): List<t.HttpCall> {
    return listOf(
      this.#transport,
      { operation: "http_calls.list", method: "GET", path: "/v1/http-calls" },
      query,
      options,
    );
  }

  /** Replay an HTTP call. Sends the same request again, as a new call with an `Idempotency-Key` of its own. The run that made the call does not change. A call that has not ended is refused. */
  async replay(id: string, options: CallOptions = {}): Promise<Answered<t.HttpCall>> {
    return await this.#transport.send(
      {
        operation: "http_calls.replay",
        method: "POST",
        path: `/v1/http-calls/${escape(id, "id")}/replay`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Test an HTTP call. Fills in the values, sends the request once and returns the response. With `dry_run`, it only returns the request. Nothing is stored. A call with `sign` is signed with a new secret, which the response shows: the secrets of rules and workflows sign no tests. */
  async test(body: t.HttpCallTest, options: CallOptions = {}): Promise<Answered<t.HttpCallTestResult>> {
    return await this.#transport.send(
      { operation: "http_calls.test", method: "POST", path: "/v1/http-calls/test", body, write: true, answer: "json" },
      options,
    );
  }
}

/** The configuration of other products, which moves in. */
export class ImportsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Import the configuration of another product. Creates event types, tenants and webhook endpoints, all in one transaction. Their ids are kept as `external_ref`, and endpoints keep their signing secrets. Objects that exist already stay as they are, so that a repeated import changes nothing. With `dry_run`, nothing is written. `junction import` reads the other product and calls this. */
  async create(body: t.Import, options: CallOptions = {}): Promise<Answered<t.ImportResult>> {
    return await this.#transport.send(
      { operation: "imports.create", method: "POST", path: "/v1/imports", body, write: true, answer: "json" },
      options,
    );
  }
}

/** `inbound_endpoints.secret`. */
export class InboundEndpointsSecretResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Regenerate a source's secret. With `overlap_seconds`, both secrets are valid for that time. */
  async regenerate(
    id: string,
    body?: t.RegenerateInboundSecretBody,
    options: CallOptions = {},
  ): Promise<Answered<t.InboundEndpointWithSecret>> {
    return await this.#transport.send(
      {
        operation: "inbound_endpoints.secret.regenerate",
        method: "POST",
        path: `/v1/inbound-endpoints/${escape(id, "id")}/secret/regenerate`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** `inbound_endpoints.token`. */
export class InboundEndpointsTokenResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Regenerate a source's URL. The old URL stops working at once. */
  async regenerate(id: string, options: CallOptions = {}): Promise<Answered<t.InboundEndpoint>> {
    return await this.#transport.send(
      {
        operation: "inbound_endpoints.token.regenerate",
        method: "POST",
        path: `/v1/inbound-endpoints/${escape(id, "id")}/token/regenerate`,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Sources: addresses that receive the webhooks of other systems, with their mappings. */
export class InboundEndpointsResource {
  readonly #transport: Transport;
  readonly secret: InboundEndpointsSecretResource;
  readonly token: InboundEndpointsTokenResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new InboundEndpointsSecretResource(transport);
    this.token = new InboundEndpointsTokenResource(transport);
  }

  /** Create a source. A sender or preset fills in the signature scheme and the mapping. The response contains the secret. */
  async create(body: t.NewInboundEndpoint, options: CallOptions = {}): Promise<Answered<t.InboundEndpointWithSecret>> {
    return await this.#transport.send(
      {
        operation: "inbound_endpoints.create",
        method: "POST",
        path: "/v1/inbound-endpoints",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Delete a source. Its URL stops working at once. Its receipts are kept. */
  async delete(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "inbound_endpoints.delete",
        method: "DELETE",
        path: `/v1/inbound-endpoints/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Show a source. Returns the source with its URL and mapping. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.InboundEndpoint>> {
    return await this.#transport.send(
      {
        operation: "inbound_endpoints.get",
        method: "GET",
        path: `/v1/inbound-endpoints/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List sources. Newest first. */
  list(query: t.ListInboundEndpointsQuery = {}, options: CallOptions = {}): List<t.InboundEndpoint> {
    return listOf(
      this.#transport,
      { operation: "inbound_endpoints.list", method: "GET", path: "/v1/inbound-endpoints" },
      query,
      options,
    );
  }

  /** Test a mapping. Returns the result that the source would produce for a body, or for a whole request as it was copied or captured. The signature is not checked. Nothing is written or fired. */
  async preview(id: string, body: t.InboundTrial, options: CallOptions = {}): Promise<Answered<t.InboundPreview>> {
    return await this.#transport.send(
      {
        operation: "inbound_endpoints.preview",
        method: "POST",
        path: `/v1/inbound-endpoints/${escape(id, "id")}/preview`,
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Enable or disable a source. While a source is disabled, inbound requests are refused with 403. */
  async toggle(id: string, options: CallOptions = {}): Promise<Answered<t.InboundEndpoint>> {
    return await this.#transport.send(
      {
        operation: "inbound_endpoints.toggle",
        method: "POST",
        path: `/v1/inbound-endpoints/${escape(id, "id")}/toggle`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Change a source. Only the members in the request change. */
  async update(
    id: string,
    body: t.InboundEndpointChange,
    options: CallOptions = {},
  ): Promise<Answered<t.InboundEndpoint>> {
    return await this.#transport.send(
      {
        operation: "inbound_endpoints.update",
        method: "PATCH",
        path: `/v1/inbound-endpoints/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Templates for the sources of common senders. */
export class InboundPresetsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List presets. Templates for the sources of common senders. */
  list(query: t.ListInboundPresetsQuery = {}, options: CallOptions = {}): List<t.InboundPreset> {
    return listOf(
      this.#transport,
      { operation: "inbound_presets.list", method: "GET", path: "/v1/inbound-presets" },
      query,
      options,
    );
  }
}

/** Inbound requests and their results. */
export class InboundReceiptsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a receipt. Returns the receipt with the payload as it was received. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.InboundReceiptDetail>> {
    return await this.#transport.send(
      {
        operation: "inbound_receipts.get",
        method: "GET",
        path: `/v1/inbound-receipts/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List receipts. Newest first, with filters. */
  list(query: t.ListInboundReceiptsQuery = {}, options: CallOptions = {}): List<t.InboundReceipt> {
    return listOf(
      this.#transport,
      { operation: "inbound_receipts.list", method: "GET", path: "/v1/inbound-receipts" },
      query,
      options,
    );
  }

  /** Reprocess a receipt. Processes an unmapped or failed receipt again, with the current settings of its source. */
  async reprocess(id: string, options: CallOptions = {}): Promise<Answered<t.InboundReceiptDetail>> {
    return await this.#transport.send(
      {
        operation: "inbound_receipts.reprocess",
        method: "POST",
        path: `/v1/inbound-receipts/${escape(id, "id")}/reprocess`,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Built-in receivers with a name, which keep the requests they receive until a client takes them. `junction listen` reads them. */
export class InboxesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Delete an inbox. Deletes the inbox and its messages. A webhook endpoint that delivers to the inbox is kept, and its deliveries fail from then on: delete that endpoint first. */
  async delete(name: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "inboxes.delete",
        method: "DELETE",
        path: `/v1/inboxes/${escape(name, "name")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** List named inboxes. Newest first, each with the number of waiting messages. */
  list(query: t.ListInboxesQuery = {}, options: CallOptions = {}): List<t.NamedInbox> {
    return listOf(this.#transport, { operation: "inboxes.list", method: "GET", path: "/v1/inboxes" }, query, options);
  }

  /** List the messages in an inbox. Oldest first, with the bytes as they were received. If a message had a valid signature, the response contains a current timestamp and signature. */
  messages(name: string, query: t.ListInboxMessagesQuery = {}, options: CallOptions = {}): List<t.InboxMessage> {
    return listOf(
      this.#transport,
      { operation: "inboxes.messages", method: "GET", path: `/v1/inboxes/${escape(name, "name")}/messages` },
      query,
      options,
    );
  }

  /** Create or find an inbox. A receiver that stores the messages it receives until they are taken, at most 2000. A full inbox answers 503, and deliveries to it are retried. */
  async put(name: string, options: CallOptions = {}): Promise<Answered<t.NamedInbox>> {
    return await this.#transport.send(
      {
        operation: "inboxes.put",
        method: "PUT",
        path: `/v1/inboxes/${escape(name, "name")}`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Take messages from an inbox. Removes the messages from the inbox. IDs of messages that do not exist, or were taken before, are not errors. */
  async take(name: string, body: t.TakeMessages, options: CallOptions = {}): Promise<Answered<t.TakenMessages>> {
    return await this.#transport.send(
      {
        operation: "inboxes.take",
        method: "POST",
        path: `/v1/inboxes/${escape(name, "name")}/take`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Where this installation stores its data, for its operator. */
export class InstallationResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show the installation. The address and version of this installation. In the workspace that the first start created, which is the operator's workspace, the response also contains where the data is stored and when the last backup was completed. In every other workspace, `operator` is null. */
  async get(options: CallOptions = {}): Promise<Answered<t.Installation>> {
    return await this.#transport.send(
      { operation: "installation.get", method: "GET", path: "/v1/installation", write: false, answer: "json" },
      options,
    );
  }
}

/** The failures of endpoints, sources, connectors and actions, grouped by what fails. */
export class IssuesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show an issue. Adds the failures by hour, the tenants whose events failed, and the last failures. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.IssueDetail>> {
    return await this.#transport.send(
      { operation: "issues.get", method: "GET", path: `/v1/issues/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** List issues. An issue groups the failures of one object: an endpoint, source, connector or action. It is opened by the third failure within ten minutes, unless five successes in a row come between, and resolved by five successes in a row. Newest first. */
  list(query: t.ListIssuesQuery = {}, options: CallOptions = {}): List<t.Issue> {
    return listOf(this.#transport, { operation: "issues.list", method: "GET", path: "/v1/issues" }, query, options);
  }

  /** Replay the deliveries of an issue. Replays the deliveries that failed since the issue began, and makes retries that wait now. Only for the kinds `delivery` and `transform`, whose transformations are run again. With `dry_run`, the deliveries are only counted. */
  async replay(
    id: string,
    body?: t.ReplayIssueBody,
    options: CallOptions = {},
  ): Promise<Answered<t.IssueReplayCount | t.IssueReplayJob>> {
    return await this.#transport.send(
      {
        operation: "issues.replay",
        method: "POST",
        path: `/v1/issues/${escape(id, "id")}/replay`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Update an issue. Sets the state, the owner, or the time until which the issue is ignored. An issue that was resolved by hand stays so, and new failures open another one. */
  async update(id: string, body: t.IssueChange, options: CallOptions = {}): Promise<Answered<t.Issue>> {
    return await this.#transport.send(
      {
        operation: "issues.update",
        method: "PATCH",
        path: `/v1/issues/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** API keys, with their rights and limits. */
export class KeysResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create an API key. The key cannot have more rights than the caller. Its text is shown only in this response. */
  async create(body: t.NewApiKey, options: CallOptions = {}): Promise<Answered<t.ApiKeyWithText>> {
    return await this.#transport.send(
      { operation: "keys.create", method: "POST", path: "/v1/keys", body, write: true, answer: "json" },
      options,
    );
  }

  /** Show an API key. Returns the key's rights and its last use, never the key itself. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.ApiKey>> {
    return await this.#transport.send(
      { operation: "keys.get", method: "GET", path: `/v1/keys/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** List API keys. Returns the keys of the caller's environment, including revoked and expired keys, newest first. */
  list(query: t.ListKeysQuery = {}, options: CallOptions = {}): List<t.ApiKey> {
    return listOf(this.#transport, { operation: "keys.list", method: "GET", path: "/v1/keys" }, query, options);
  }

  /** Revoke an API key. Revokes the key at once and permanently, on every node. */
  async revoke(id: string, options: CallOptions = {}): Promise<Answered<t.ApiKey>> {
    return await this.#transport.send(
      {
        operation: "keys.revoke",
        method: "POST",
        path: `/v1/keys/${escape(id, "id")}/revoke`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Roll an API key. Replaces the key with a new one that has the same rights, limits and idempotency records. */
  async roll(id: string, body?: t.RollKeyBody, options: CallOptions = {}): Promise<Answered<t.ApiKeyWithText>> {
    return await this.#transport.send(
      {
        operation: "keys.roll",
        method: "POST",
        path: `/v1/keys/${escape(id, "id")}/roll`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Test an API key. Returns whether a correctly signed call of this key would pass the access checks now. Nothing is called or counted. */
  async test(id: string, body: t.KeyTrial, options: CallOptions = {}): Promise<Answered<t.KeyTrialResult>> {
    return await this.#transport.send(
      {
        operation: "keys.test",
        method: "POST",
        path: `/v1/keys/${escape(id, "id")}/test`,
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Change an API key. Only the members in the request change. The next request of the key follows the change. */
  async update(id: string, body: t.ApiKeyChange, options: CallOptions = {}): Promise<Answered<t.ChangedApiKey>> {
    return await this.#transport.send(
      {
        operation: "keys.update",
        method: "PATCH",
        path: `/v1/keys/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show a key's usage. Returns how much of its limits the key has used, and its calls of the last 24 hours. */
  async usage(id: string, options: CallOptions = {}): Promise<Answered<t.KeyUsage>> {
    return await this.#transport.send(
      {
        operation: "keys.usage",
        method: "GET",
        path: `/v1/keys/${escape(id, "id")}/usage`,
        write: false,
        answer: "json",
      },
      options,
    );
  }
}

/** `mails.preferences`. */
export class MailsPreferencesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show your e-mail preferences. Returns which e-mail of this workspace the person of the session or key gets. */
  async get(options: CallOptions = {}): Promise<Answered<t.MailPreferences>> {
    return await this.#transport.send(
      {
        operation: "mails.preferences.get",
        method: "GET",
        path: "/v1/mails/preferences",
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Change your e-mail preferences. Turns e-mail of this workspace on or off, for the person of the session or key. Mail about your account is always sent. */
  async update(body: t.MailPreferencesChange, options: CallOptions = {}): Promise<Answered<t.MailPreferences>> {
    return await this.#transport.send(
      {
        operation: "mails.preferences.update",
        method: "PATCH",
        path: "/v1/mails/preferences",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** The service's own e-mail. */
export class MailsResource {
  readonly #transport: Transport;
  readonly preferences: MailsPreferencesResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.preferences = new MailsPreferencesResource(transport);
  }

  /** List e-mail. Returns the service's e-mail of the workspace, newest first, without its text. Mail of connectors is in their run log. Mail about an account, such as a new password, belongs to no workspace. The list stays empty if the operator has set no mail server. */
  list(query: t.ListMailsQuery = {}, options: CallOptions = {}): List<t.Mail> {
    return listOf(this.#transport, { operation: "mails.list", method: "GET", path: "/v1/mails" }, query, options);
  }
}

/** Tokens with which an AI client works for one of your customers, by the operator tools of `/mcp`. */
export class McpTokensResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create an MCP token for a tenant. Returns a token with which an AI client, such as Claude or Cursor, works for one of your customers by the operator tools of `/mcp`. In live, a write waits for a person of your workspace. A portal session with the capability `mcp_tokens` creates tokens of its own tenant. A tenant has at most 20. */
  async create(body: t.McpTokenRequest, options: CallOptions = {}): Promise<Answered<t.NewMcpToken>> {
    return await this.#transport.send(
      { operation: "mcp_tokens.create", method: "POST", path: "/v1/mcp-tokens", body, write: true, answer: "json" },
      options,
    );
  }

  /** List MCP tokens. Newest first, until a day after their expiry. The texts of the tokens are not shown again. */
  list(query: t.ListMcpTokensQuery = {}, options: CallOptions = {}): List<t.McpToken> {
    return listOf(
      this.#transport,
      { operation: "mcp_tokens.list", method: "GET", path: "/v1/mcp-tokens" },
      query,
      options,
    );
  }

  /** Revoke an MCP token. Revokes the token at once and permanently, on every node. What it requested and no one has approved yet is not done. */
  async revoke(id: string, options: CallOptions = {}): Promise<Answered<t.McpToken>> {
    return await this.#transport.send(
      {
        operation: "mcp_tokens.revoke",
        method: "POST",
        path: `/v1/mcp-tokens/${escape(id, "id")}/revoke`,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** The identity of the caller. */
export class MeResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show the caller. Returns the caller's identity, rights and remaining limits. */
  async get(options: CallOptions = {}): Promise<Answered<t.Caller>> {
    return await this.#transport.send(
      { operation: "me.get", method: "GET", path: "/v1/me", write: false, answer: "json" },
      options,
    );
  }
}

/** `members.invitations`. */
export class MembersInvitationsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Invite a person. The response contains the invitation link, which is shown only once. If the operator has set a mail server, the person also gets it by e-mail (`emailed`). */
  async create(body: t.InvitationRequest, options: CallOptions = {}): Promise<Answered<t.NewInvitation>> {
    return await this.#transport.send(
      {
        operation: "members.invitations.create",
        method: "POST",
        path: "/v1/members/invitations",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** List invitations. Returns the open invitations, newest first. */
  list(query: t.ListInvitationsQuery = {}, options: CallOptions = {}): List<t.Invitation> {
    return listOf(
      this.#transport,
      { operation: "members.invitations.list", method: "GET", path: "/v1/members/invitations" },
      query,
      options,
    );
  }

  /** Withdraw an invitation. The link stops working at once. */
  async revoke(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "members.invitations.revoke",
        method: "DELETE",
        path: `/v1/members/invitations/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }
}

/** The people of the workspace. */
export class MembersResource {
  readonly #transport: Transport;
  readonly invitations: MembersInvitationsResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.invitations = new MembersInvitationsResource(transport);
  }

  /** List members. Returns the people of the workspace, newest first. */
  list(query: t.ListMembersQuery = {}, options: CallOptions = {}): List<t.Member> {
    return listOf(this.#transport, { operation: "members.list", method: "GET", path: "/v1/members" }, query, options);
  }

  /** Remove a member. Ends the member's sessions in this workspace and revokes their keys. */
  async remove(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "members.remove",
        method: "DELETE",
        path: `/v1/members/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Create a password reset link. For a member who can no longer sign in. The link works once, for 24 hours. */
  async resetLink(id: string, body?: t.CreateResetLinkBody, options: CallOptions = {}): Promise<Answered<t.ResetLink>> {
    return await this.#transport.send(
      {
        operation: "members.reset_link",
        method: "POST",
        path: `/v1/members/${escape(id, "id")}/reset-link`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Change a member. Changes the role or the operator permissions. The member's next request follows the change. */
  async update(id: string, body: t.MemberChange, options: CallOptions = {}): Promise<Answered<t.Member>> {
    return await this.#transport.send(
      {
        operation: "members.update",
        method: "PATCH",
        path: `/v1/members/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** What rules have sent to members. */
export class NotificationsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List notifications. Returns what rules (`notify`) have sent to the person of the session or key, newest first. A key without a person has no notifications. */
  list(query: t.ListNotificationsQuery = {}, options: CallOptions = {}): List<t.Notification> {
    return listOf(
      this.#transport,
      { operation: "notifications.list", method: "GET", path: "/v1/notifications" },
      query,
      options,
    );
  }

  /** Mark notifications as read. A notification that was read is not sent by e-mail. Notifications of others are left as they are. */
  async read(body: t.NotificationsRead, options: CallOptions = {}): Promise<Answered<t.NotificationsReadResult>> {
    return await this.#transport.send(
      {
        operation: "notifications.read",
        method: "POST",
        path: "/v1/notifications/read",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Links to the portal, where your customers manage their own webhook endpoints. */
export class PortalSessionsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a portal session. Returns a link to a page where one of your customers manages its own webhook endpoints. Embed it with `<junction-portal>`, or redirect to it. */
  async create(body: t.PortalSessionRequest, options: CallOptions = {}): Promise<Answered<t.NewPortalSession>> {
    return await this.#transport.send(
      {
        operation: "portal_sessions.create",
        method: "POST",
        path: "/v1/portal-sessions",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** List portal sessions. Newest first, until a day after their end. The links are not shown again. */
  list(query: t.ListPortalSessionsQuery = {}, options: CallOptions = {}): List<t.PortalSession> {
    return listOf(
      this.#transport,
      { operation: "portal_sessions.list", method: "GET", path: "/v1/portal-sessions" },
      query,
      options,
    );
  }

  /** Revoke a portal session. Ends the session and its link at once, on every node. Open pages can no longer read or change anything. */
  async revoke(id: string, options: CallOptions = {}): Promise<Answered<t.PortalSession>> {
    return await this.#transport.send(
      {
        operation: "portal_sessions.revoke",
        method: "POST",
        path: `/v1/portal-sessions/${escape(id, "id")}/revoke`,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Actions that wait for a person's approval. */
export class ProposalsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Approve a proposal. Only a person can approve, once each. If the workspace requires it (`require_step_up`), an action of high risk needs a proved step-up of the session for this proposal first. After the last required approval, the action runs once. The response contains the proposal and its run, whether the backend succeeded or failed. */
  async approve(id: string, body: t.ApproveProposal, options: CallOptions = {}): Promise<Answered<t.Proposal>> {
    return await this.#transport.send(
      {
        operation: "proposals.approve",
        method: "POST",
        path: `/v1/proposals/${escape(id, "id")}/approve`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Cancel a proposal. Available to its creator, owners and admins. Nothing runs. */
  async cancel(id: string, options: CallOptions = {}): Promise<Answered<t.Proposal>> {
    return await this.#transport.send(
      {
        operation: "proposals.cancel",
        method: "POST",
        path: `/v1/proposals/${escape(id, "id")}/cancel`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show a proposal. Returns the proposal with its preview, its approvals and the hash that an approval refers to. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Proposal>> {
    return await this.#transport.send(
      {
        operation: "proposals.get",
        method: "GET",
        path: `/v1/proposals/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List proposals. Newest first, with filters. `state=proposed` returns the proposals that wait for a decision. */
  list(query: t.ListProposalsQuery = {}, options: CallOptions = {}): List<t.Proposal> {
    return listOf(
      this.#transport,
      { operation: "proposals.list", method: "GET", path: "/v1/proposals" },
      query,
      options,
    );
  }

  /** Reject a proposal. Available to people who may approve the proposal. Nothing runs. */
  async reject(id: string, body?: t.RejectProposalBody, options: CallOptions = {}): Promise<Answered<t.Proposal>> {
    return await this.#transport.send(
      {
        operation: "proposals.reject",
        method: "POST",
        path: `/v1/proposals/${escape(id, "id")}/reject`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Edit a proposal. Creates a new proposal with these parameters and returns it. The old proposal is superseded. Available to its creator, and to people who can approve it. */
  async update(id: string, body: t.ProposalEdit, options: CallOptions = {}): Promise<Answered<t.Proposal>> {
    return await this.#transport.send(
      {
        operation: "proposals.update",
        method: "PATCH",
        path: `/v1/proposals/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Replays of many deliveries. You can count the deliveries first, follow the progress of a replay and stop it. */
export class ReplaysResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Stop a replay. Deliveries that the replay has already started are sent. The others are not changed. */
  async cancel(id: string, options: CallOptions = {}): Promise<Answered<t.Replay>> {
    return await this.#transport.send(
      {
        operation: "replays.cancel",
        method: "POST",
        path: `/v1/replays/${escape(id, "id")}/cancel`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Replay many deliveries. Replays all deliveries that match a filter, or the deliveries with the given ids. Each gets one more attempt, with the same delivery id. A pending delivery whose retry waits gets that retry now, and its schedule continues from there. Other pending deliveries, and deliveries of inactive endpoints, are skipped. With `dry_run`, the deliveries are only counted. */
  async create(body: t.NewReplay, options: CallOptions = {}): Promise<Answered<t.ReplayTally | t.Replay>> {
    return await this.#transport.send(
      { operation: "replays.create", method: "POST", path: "/v1/replays", body, write: true, answer: "json" },
      options,
    );
  }

  /** Show a replay. Returns the progress of the replay. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Replay>> {
    return await this.#transport.send(
      {
        operation: "replays.get",
        method: "GET",
        path: `/v1/replays/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List replays. Newest first, including the replays of `replay-failed` and of `backfill`. */
  list(query: t.ListReplaysQuery = {}, options: CallOptions = {}): List<t.Replay> {
    return listOf(this.#transport, { operation: "replays.list", method: "GET", path: "/v1/replays" }, query, options);
  }
}

/** The log of API requests. */
export class RequestsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show an API request. The id is the `X-Service-Request-Id` header of the request's response. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.LoggedRequest>> {
    return await this.#transport.send(
      {
        operation: "requests.get",
        method: "GET",
        path: `/v1/requests/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List API requests. Returns the requests of the last 30 days, newest first, with a delay of one or two seconds. The log contains each request with a valid credential, without bodies and arguments. Of the console's own requests, it contains only those that changed something or were refused. Each process logs at most 500 requests per second with a status below 400, and 500 others. Further requests are only counted (`unlogged_requests` of the usage). */
  list(query: t.ListRequestsQuery = {}, options: CallOptions = {}): List<t.LoggedRequest> {
    return listOf(this.#transport, { operation: "requests.list", method: "GET", path: "/v1/requests" }, query, options);
  }
}

/** The roles and the operations that each may call. */
export class RolesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List roles. Returns the operations of each role, as the routes declare them. */
  list(query: t.ListRolesQuery = {}, options: CallOptions = {}): List<t.Role> {
    return listOf(this.#transport, { operation: "roles.list", method: "GET", path: "/v1/roles" }, query, options);
  }
}

/** `rules.secret`. */
export class RulesSecretResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a rule's signing secret. For owners only, and audited. While a regenerated secret overlaps with the previous one, the response contains both. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.SigningSecret>> {
    return await this.#transport.send(
      {
        operation: "rules.secret",
        method: "GET",
        path: `/v1/rules/${escape(id, "id")}/secret`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Regenerate a rule's signing secret. With `overlap_seconds`, both secrets sign for that time, so that receivers can change to the new one without a failure. */
  async regenerate(
    id: string,
    body?: t.RegenerateRuleSecretBody,
    options: CallOptions = {},
  ): Promise<Answered<t.RuleWithSecret>> {
    return await this.#transport.send(
      {
        operation: "rules.secret.regenerate",
        method: "POST",
        path: `/v1/rules/${escape(id, "id")}/secret/regenerate`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Automations that run actions when an event meets a condition. */
export class RulesResource {
  readonly #transport: Transport;
  readonly secret: RulesSecretResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new RulesSecretResource(transport);
  }

  /** Create a rule. A rule runs its actions when one of its events happens and its condition holds. It acts with the rights that its author has at that moment. The response contains the `signing_secret` of its webhooks, which is shown only once. */
  async create(body: t.NewRule, options: CallOptions = {}): Promise<Answered<t.RuleWithSecret>> {
    return await this.#transport.send(
      { operation: "rules.create", method: "POST", path: "/v1/rules", body, write: true, answer: "json" },
      options,
    );
  }

  /** Delete a rule. The rule stops at once. Calls that it has not yet made are cancelled. */
  async delete(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "rules.delete",
        method: "DELETE",
        path: `/v1/rules/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Show a rule. Returns the definition as it was written, with all digits of its numbers. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Rule>> {
    return await this.#transport.send(
      { operation: "rules.get", method: "GET", path: `/v1/rules/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** Show the values of a rule's headers. For owners only, and audited. Other responses show `[redacted]` instead of the values. */
  async headers(id: string, options: CallOptions = {}): Promise<Answered<t.RevealedWebhooks>> {
    return await this.#transport.send(
      {
        operation: "rules.headers",
        method: "GET",
        path: `/v1/rules/${escape(id, "id")}/headers`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List rules. Newest first, in both environments. */
  list(query: t.ListRulesQuery = {}, options: CallOptions = {}): List<t.Rule> {
    return listOf(this.#transport, { operation: "rules.list", method: "GET", path: "/v1/rules" }, query, options);
  }

  /** Promote a rule to live. Copies a rule of the sandbox to live: as a new rule, or as a new version of the rule in `promotes_to`. The caller becomes its author. With `dry_run`, only returns the difference. The contracts, secrets and workflows that the rule names must exist in live. A workflow of the sandbox is replaced by the one that it was promoted to. */
  async promote(id: string, body?: t.PromoteRuleBody, options: CallOptions = {}): Promise<Answered<t.Promotion>> {
    return await this.#transport.send(
      {
        operation: "rules.promote",
        method: "POST",
        path: `/v1/rules/${escape(id, "id")}/promote`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** List a rule's runs. Returns the runs in the caller's environment, newest event first, with the result of each leaf and each action. */
  runs(id: string, query: t.ListRuleRunsQuery = {}, options: CallOptions = {}): List<t.RuleRun> {
    return listOf(
      this.#transport,
      { operation: "rules.runs", method: "GET", path: `/v1/rules/${escape(id, "id")}/runs` },
      query,
      options,
    );
  }

  /** Test a rule. Returns the result that the rule would have for a given or past event, with each leaf. Nothing is run. */
  async test(id: string, body: t.RuleTest, options: CallOptions = {}): Promise<Answered<t.RuleTrial>> {
    return await this.#transport.send(
      {
        operation: "rules.test",
        method: "POST",
        path: `/v1/rules/${escape(id, "id")}/test`,
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Change a rule. Only the members in the request change. The caller becomes the rule's author, and must use a credential of the rule's environment. */
  async update(id: string, body: t.RuleChange, options: CallOptions = {}): Promise<Answered<t.Rule>> {
    return await this.#transport.send(
      {
        operation: "rules.update",
        method: "PATCH",
        path: `/v1/rules/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Actions that were executed. */
export class RunsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show an action run. Parameters and result are redacted. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Run>> {
    return await this.#transport.send(
      { operation: "runs.get", method: "GET", path: `/v1/runs/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** List action runs. Newest first, with filters. */
  list(query: t.ListRunsQuery = {}, options: CallOptions = {}): List<t.Run> {
    return listOf(this.#transport, { operation: "runs.list", method: "GET", path: "/v1/runs" }, query, options);
  }

  /** Undo an action run. Works once, within the undo window of the contract version that ran, through the `undo` endpoint of that version. If the action needed a confirmation, only a person who may approve it can undo it, with a step-up for `runs.undo` if the approval needs one. Status 502 or 504: the backend failed, and the run's status is `undo_failed`. */
  async undo(id: string, options: CallOptions = {}): Promise<Answered<t.Run>> {
    return await this.#transport.send(
      {
        operation: "runs.undo",
        method: "POST",
        path: `/v1/runs/${escape(id, "id")}/undo`,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** One search for the objects of a workspace, over all kinds that the caller may list. */
export class SearchResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Search. Finds endpoints, sources, event types, events by their subject, rules, workflows, action contracts, contacts, tickets, API keys and members. Returns only objects that the caller may list, the newest 10 of each kind. Of kinds with very many objects, only the newest are searched. */
  list(query: t.SearchQuery, options: CallOptions = {}): List<t.SearchResult> {
    return listOf(this.#transport, { operation: "search.list", method: "GET", path: "/v1/search" }, query, options);
  }
}

/** Credentials that action contracts refer to by name. They are write-only. */
export class SecretsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Delete a secret. Refused while a contract uses the secret. */
  async delete(name: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "secrets.delete",
        method: "DELETE",
        path: `/v1/secrets/${escape(name, "name")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** List secrets. Newest first, with their names and the contracts that use them. */
  list(query: t.ListSecretsQuery = {}, options: CallOptions = {}): List<t.Secret> {
    return listOf(this.#transport, { operation: "secrets.list", method: "GET", path: "/v1/secrets" }, query, options);
  }

  /** Set a secret. Sets a credential for a backend, under the name that a contract uses as `secret_ref`. The value is stored encrypted and never returned. `hosts` names the hosts that it may be sent to: without them, a live secret is only for what owners and admins configure. A request without `hosts` keeps those that the secret has. Live and sandbox have separate secrets. The status is 201 if the secret was created. */
  async put(name: string, body: t.SecretValue, options: CallOptions = {}): Promise<Answered<t.Secret>> {
    return await this.#transport.send(
      {
        operation: "secrets.put",
        method: "PUT",
        path: `/v1/secrets/${escape(name, "name")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Systems whose webhooks a source understands without a mapping of your own. */
export class SendersResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List senders. The senders that a source can be created for, with their signature, mapping and setup. */
  list(query: t.ListSendersQuery = {}, options: CallOptions = {}): List<t.Sender> {
    return listOf(this.#transport, { operation: "senders.list", method: "GET", path: "/v1/senders" }, query, options);
  }
}

/** The Slack app that announces proposals and whose buttons decide. */
export class SlackAppResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Delete the Slack app. Deletes the app with its secrets and all linked accounts. Its messages no longer decide anything. */
  async delete(options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      { operation: "slack_app.delete", method: "DELETE", path: "/v1/slack-app", write: true, answer: "none" },
      options,
    );
  }

  /** Show the Slack app. Returns the app of this environment, with the request URL to enter in Slack. */
  async get(options: CallOptions = {}): Promise<Answered<t.SlackApp>> {
    return await this.#transport.send(
      { operation: "slack_app.get", method: "GET", path: "/v1/slack-app", write: false, answer: "json" },
      options,
    );
  }

  /** Set the Slack app. Sets the Slack app of this environment, which sends the messages and whose signing secret proves the taps. Live and sandbox have separate apps. With another signing secret or Slack workspace, all members link their Slack accounts again. */
  async put(body: t.SlackAppSettings, options: CallOptions = {}): Promise<Answered<t.SlackApp>> {
    return await this.#transport.send(
      { operation: "slack_app.put", method: "PUT", path: "/v1/slack-app", body, write: true, answer: "json" },
      options,
    );
  }
}

/** Slack accounts that members have linked, so that a tap counts as theirs. */
export class SlackLinksResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Link your Slack account. Returns a code for the member of the console session. Enter it within ten minutes in Slack, with the button “Enter the code” of a message of the app. The code works once, and links the Slack account that enters it. A linked account decides as the member, so that this needs a step-up for `slack_links.create`, or a code; without a second factor the password. */
  async create(body: t.OwnProof, options: CallOptions = {}): Promise<Answered<t.SlackLinkCode>> {
    return await this.#transport.send(
      { operation: "slack_links.create", method: "POST", path: "/v1/slack-links", body, write: true, answer: "json" },
      options,
    );
  }

  /** End the link of a Slack account. Ends your own link. Owners and admins can end those of all members. Works at the next tap. */
  async delete(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "slack_links.delete",
        method: "DELETE",
        path: `/v1/slack-links/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** List linked Slack accounts. Returns your own links. Owners and admins see those of all members. Newest first. */
  list(query: t.ListSlackLinksQuery = {}, options: CallOptions = {}): List<t.SlackLink> {
    return listOf(
      this.#transport,
      { operation: "slack_links.list", method: "GET", path: "/v1/slack-links" },
      query,
      options,
    );
  }
}

/** Approvals that owners give in advance to AI clients and programs, with a budget. */
export class StandingApprovalsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Approve in advance. Approves matching proposals of AI clients and programs at once, within a budget, until it ends. For owners in a console session. Not available for destructive actions, or for actions that need several people. It cannot be edited: end it, and create another one. */
  async create(body: t.StandingApprovalInput, options: CallOptions = {}): Promise<Answered<t.StandingApproval>> {
    return await this.#transport.send(
      {
        operation: "standing_approvals.create",
        method: "POST",
        path: "/v1/standing-approvals",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** End a standing approval. Proposals wait for people again, from the next call. Ending it again changes nothing. */
  async end(id: string, options: CallOptions = {}): Promise<Answered<t.StandingApproval>> {
    return await this.#transport.send(
      {
        operation: "standing_approvals.end",
        method: "POST",
        path: `/v1/standing-approvals/${escape(id, "id")}/end`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show a standing approval. `GET /v1/proposals?standing_approval_id=` lists what it has approved. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.StandingApproval>> {
    return await this.#transport.send(
      {
        operation: "standing_approvals.get",
        method: "GET",
        path: `/v1/standing-approvals/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List standing approvals. Newest first, with filters and with what is used of each budget. */
  list(query: t.ListStandingApprovalsQuery = {}, options: CallOptions = {}): List<t.StandingApproval> {
    return listOf(
      this.#transport,
      { operation: "standing_approvals.list", method: "GET", path: "/v1/standing-approvals" },
      query,
      options,
    );
  }
}

/** Repeated proofs of identity before decisions about actions of high risk. */
export class StepUpsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Begin a step-up. Begins a repeated proof of identity, for a console session only. It is for approvals of the named proposals in the form that was reviewed, for one standing approval with exactly these terms, or for one change of a guard exactly as it will be sent. It ends after 5 minutes. `step_up_required`: the person has no second factor. */
  async create(body: t.StepUpRequest, options: CallOptions = {}): Promise<Answered<t.StepUp>> {
    return await this.#transport.send(
      { operation: "step_ups.create", method: "POST", path: "/v1/step-ups", body, write: true, answer: "json" },
      options,
    );
  }

  /** Prove a step-up. Accepts the assertion of a passkey that checked the person (`userVerification`), or a code of the authenticator app. Each decision that it was begun for can then be made once, in this session. */
  async prove(id: string, body: t.StepUpProof, options: CallOptions = {}): Promise<Answered<t.StepUp>> {
    return await this.#transport.send(
      {
        operation: "step_ups.prove",
        method: "POST",
        path: `/v1/step-ups/${escape(id, "id")}/prove`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Your own customers, with their endpoints, sources and events. */
export class TenantsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Delete a tenant. Deletes the tenant's webhook endpoints, sources and events, revokes its keys, and removes the bodies from its logs, within the hour. `GET /v1/tenants/{tenant}` shows the progress. Pending deliveries of its events are cancelled. What is created for the tenant after this call is kept. */
  async delete(tenant: string, options: CallOptions = {}): Promise<Answered<t.TenantDeletion>> {
    return await this.#transport.send(
      {
        operation: "tenants.delete",
        method: "DELETE",
        path: `/v1/tenants/${escape(tenant, "tenant")}`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show a tenant. Returns what the tenant has, and the progress of its last deletion. */
  async get(tenant: string, options: CallOptions = {}): Promise<Answered<t.Tenant>> {
    return await this.#transport.send(
      {
        operation: "tenants.get",
        method: "GET",
        path: `/v1/tenants/${escape(tenant, "tenant")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List tenants. Your own customers with a webhook endpoint, a source or a key, or with an event since yesterday, in order of their ids. A tenant exists as soon as an event, an endpoint, a source or a key names it. */
  list(query: t.ListTenantsQuery = {}, options: CallOptions = {}): List<t.Tenant> {
    return listOf(this.#transport, { operation: "tenants.list", method: "GET", path: "/v1/tenants" }, query, options);
  }

  /** Change a tenant. Sets the name and your own values of a tenant. Only the members in the request change. The tenant need not exist. */
  async update(tenant: string, body: t.TenantChange, options: CallOptions = {}): Promise<Answered<t.Tenant>> {
    return await this.#transport.send(
      {
        operation: "tenants.update",
        method: "PATCH",
        path: `/v1/tenants/${escape(tenant, "tenant")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Support tickets, built from events and from connectors. */
export class TicketsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a ticket. The ticket, as known from events, connectors and API calls. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Ticket>> {
    return await this.#transport.send(
      {
        operation: "tickets.get",
        method: "GET",
        path: `/v1/tickets/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List tickets. Newest first, with filters. For the first page of one customer (`customer_id`), connectors are also queried, for at most 800 ms. */
  list(query: t.ListTicketsQuery = {}, options: CallOptions = {}): List<t.Ticket> {
    return listOf(this.#transport, { operation: "tickets.list", method: "GET", path: "/v1/tickets" }, query, options);
  }

  /** Create or update a ticket by your own id. `id` is your own id (`external_id`). Sets the members in the request and keeps the others. The status is 201 if the object was created. */
  async put(id: string, body: t.TicketChange, options: CallOptions = {}): Promise<Answered<t.Ticket>> {
    return await this.#transport.send(
      {
        operation: "tickets.put",
        method: "PUT",
        path: `/v1/tickets/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Templates for the bodies that common receivers expect. */
export class TransformPresetsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List presets of transformations. Templates for the bodies that common receivers expect, to be copied into an endpoint and adapted. */
  list(query: t.ListTransformPresetsQuery = {}, options: CallOptions = {}): List<t.TransformPreset> {
    return listOf(
      this.#transport,
      { operation: "transform_presets.list", method: "GET", path: "/v1/transform-presets" },
      query,
      options,
    );
  }
}

/** Usage figures. */
export class UsageResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List events by frequency. Returns canonical and custom events, the most frequent first, at most 1000. */
  events(query: t.ListEventUsageQuery = {}, options: CallOptions = {}): List<t.EventUsage> {
    return listOf(
      this.#transport,
      { operation: "usage.events", method: "GET", path: "/v1/usage/events" },
      query,
      options,
    );
  }

  /** Show usage by day. Returns the events, deliveries, receipts and action runs of each UTC day, for 400 days, or those of one tenant for 30 days. The counts lag by a few seconds. If a process is killed, its counts of the last five seconds are lost. */
  async get(query: t.GetUsageQuery = {}, options: CallOptions = {}): Promise<Answered<t.Usage>> {
    return await this.#transport.send(
      { operation: "usage.get", method: "GET", path: `/v1/usage${queryText(query)}`, write: false, answer: "json" },
      options,
    );
  }

  /** Show usage by hour. Returns the counts with the success rate, and with the time from an event's acceptance to the receiver's response, for charts. Hours are kept for 30 days. With `tenant`, the counts are those of its events, of the deliveries to its endpoints and of its sources, without times. */
  async series(query: t.GetUsageSeriesQuery = {}, options: CallOptions = {}): Promise<Answered<t.UsageSeries>> {
    return await this.#transport.send(
      {
        operation: "usage.series",
        method: "GET",
        path: `/v1/usage/series${queryText(query)}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }
}

/** `webhook_endpoints.filter`. */
export class WebhookEndpointsFilterResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Preview a filter. Returns which of the last 100 events the endpoint would have got with this filter. Nothing is changed. */
  async preview(
    id: string,
    body: t.FilterPreview,
    options: CallOptions = {},
  ): Promise<Answered<t.FilterPreviewResult>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.filter.preview",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/filter/preview`,
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }
}

/** `webhook_endpoints.lanes`. */
export class WebhookEndpointsLanesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the lanes of an ordered endpoint. A lane is the deliveries of an endpoint with the same ordering key. The list has the lanes that hold deliveries, by their keys. */
  list(id: string, query: t.ListWebhookEndpointLanesQuery = {}, options: CallOptions = {}): List<t.Lane> {
    return listOf(
      this.#transport,
      { operation: "webhook_endpoints.lanes", method: "GET", path: `/v1/webhook-endpoints/${escape(id, "id")}/lanes` },
      query,
      options,
    );
  }

  /** Retry what lanes wait for. Sends the delivery at the head of the lane now. If it fails again, the lane stays as it is. With `all`, the heads of all lanes are sent that have failed or wait for a retry. */
  async retry(id: string, body: t.LaneChoice, options: CallOptions = {}): Promise<Answered<t.LaneCount>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.lanes.retry",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/lanes/retry`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Skip what lanes wait for. Cancels the delivery at the head of the lane, and sends the next one. With `all`, the heads of all lanes are cancelled that have failed or wait for a retry, unless they are being sent. */
  async skip(id: string, body: t.LaneChoice, options: CallOptions = {}): Promise<Answered<t.LaneCount>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.lanes.skip",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/lanes/skip`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** `webhook_endpoints.secret`. */
export class WebhookEndpointsSecretResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a signing secret. For owners, and for the key or person that created the secret. Each call is audited. While a regenerated secret overlaps with the previous one, owners see both. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.SigningSecret>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.secret",
        method: "GET",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/secret`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Regenerate a signing secret. With `overlap_seconds`, both secrets sign for that time, so that receivers can change to the new one without a failure. */
  async regenerate(
    id: string,
    body?: t.RegenerateWebhookSecretBody,
    options: CallOptions = {},
  ): Promise<Answered<t.WebhookEndpointWithSecret>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.secret.regenerate",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/secret/regenerate`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** `webhook_endpoints.transform`. */
export class WebhookEndpointsTransformResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Test a transformation. Returns what the transformation of the endpoint, or the given one, makes of a given or past event. Nothing is sent or changed. */
  async test(id: string, body: t.TransformTest, options: CallOptions = {}): Promise<Answered<t.TransformTestResult>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.transform.test",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/transform/test`,
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List the versions of a transformation. Newest first: the last 50. Each change of the transformation made a version. */
  versions(
    id: string,
    query: t.ListWebhookEndpointTransformVersionsQuery = {},
    options: CallOptions = {},
  ): List<t.TransformVersion> {
    return listOf(
      this.#transport,
      {
        operation: "webhook_endpoints.transform.versions",
        method: "GET",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/transform/versions`,
      },
      query,
      options,
    );
  }
}

/** URLs that subscribe to event types and receive them as signed webhooks, with retries. */
export class WebhookEndpointsResource {
  readonly #transport: Transport;
  readonly filter: WebhookEndpointsFilterResource;
  readonly lanes: WebhookEndpointsLanesResource;
  readonly secret: WebhookEndpointsSecretResource;
  readonly transform: WebhookEndpointsTransformResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.filter = new WebhookEndpointsFilterResource(transport);
    this.lanes = new WebhookEndpointsLanesResource(transport);
    this.secret = new WebhookEndpointsSecretResource(transport);
    this.transform = new WebhookEndpointsTransformResource(transport);
  }

  /** Send an endpoint the events that it missed. Creates deliveries of stored events to this endpoint, oldest first: of events that happened while it was disabled or before it was created. The endpoint's tenant, events, filter and transformation are applied as they are now. Runs in the background, and is shown and cancelled as a replay. It ends as cancelled if the endpoint is disabled. With `dry_run`, the events are only counted. */
  async backfill(
    id: string,
    body: t.NewBackfill,
    options: CallOptions = {},
  ): Promise<Answered<t.BackfillCount | t.BackfillJob>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.backfill",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/backfill`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Create a webhook endpoint. The URL is checked at once: it must use https, and every address that its host name resolves to must be public. The response contains the signing secret. */
  async create(body: t.NewWebhookEndpoint, options: CallOptions = {}): Promise<Answered<t.WebhookEndpointWithSecret>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.create",
        method: "POST",
        path: "/v1/webhook-endpoints",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Delete a webhook endpoint. Pending deliveries are cancelled. The delivery log is kept. */
  async delete(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.delete",
        method: "DELETE",
        path: `/v1/webhook-endpoints/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Explain whether an endpoint gets an event. Judges a given, past or scheduled event by the endpoint as it is now, and returns each check with each leaf of the filter. Nothing is sent. */
  async explain(
    id: string,
    body: t.EndpointQuestion,
    options: CallOptions = {},
  ): Promise<Answered<t.EndpointExplanation>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.explain",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/explain`,
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Show a webhook endpoint. Returns the endpoint with its health: green; amber while deliveries fail; red after it was deactivated. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.WebhookEndpoint>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.get",
        method: "GET",
        path: `/v1/webhook-endpoints/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Show the values of an endpoint's headers. For owners only, and audited. Other responses show `[redacted]` instead of the values. */
  async headers(id: string, options: CallOptions = {}): Promise<Answered<t.RevealedHeaders>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.headers",
        method: "GET",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/headers`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List webhook endpoints. Newest first. */
  list(query: t.ListWebhookEndpointsQuery = {}, options: CallOptions = {}): List<t.ListedWebhookEndpoint> {
    return listOf(
      this.#transport,
      { operation: "webhook_endpoints.list", method: "GET", path: "/v1/webhook-endpoints" },
      query,
      options,
    );
  }

  /** Replay an endpoint's failed deliveries. Each failed delivery in the time range gets one more attempt, with the same delivery id. With `include_pending`, the waiting retries of pending deliveries are made now too. With `dry_run`, the deliveries are only counted. */
  async replayFailed(
    id: string,
    body: t.FailedReplay,
    options: CallOptions = {},
  ): Promise<Answered<t.ReplayCount | t.ReplayJob>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.replay_failed",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/replay-failed`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show an endpoint's last 24 hours. Returns the deliveries by state, and the duration of attempts. */
  async stats(id: string, options: CallOptions = {}): Promise<Answered<t.WebhookEndpointStats>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.stats",
        method: "GET",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/stats`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Test the connection to a broker. Connects to the destination of an endpoint and signs in, as an attempt does, and names the step that failed. No message is sent: `POST /v1/webhooks/test` sends one. For the kinds of AWS, the sign-in is one signed read. */
  async testConnection(id: string, options: CallOptions = {}): Promise<Answered<t.ConnectionTest>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.test_connection",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/test-connection`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Enable or disable a webhook endpoint. While an endpoint is disabled, its existing deliveries wait, and no new ones are created. */
  async toggle(id: string, options: CallOptions = {}): Promise<Answered<t.WebhookEndpoint>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.toggle",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/toggle`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Change a webhook endpoint. Only the members in the request change. Pending deliveries use the new values. */
  async update(
    id: string,
    body: t.WebhookEndpointChange,
    options: CallOptions = {},
  ): Promise<Answered<t.WebhookEndpoint>> {
    return await this.#transport.send(
      {
        operation: "webhook_endpoints.update",
        method: "PATCH",
        path: `/v1/webhook-endpoints/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** `webhooks.consumers`. */
export class WebhooksConsumersResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Delete a consumer. Its position is forgotten, and its lease is lost. Messages are kept for other consumers. */
  async delete(id: string, consumer: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "webhooks.consumers.delete",
        method: "DELETE",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/consumers/${escape(consumer, "consumer")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** List the consumers of an endpoint. In the order of their names, with their positions. A consumer is created by its first pull. */
  list(id: string, query: t.ListConsumersQuery = {}, options: CallOptions = {}): List<t.PullConsumer> {
    return listOf(
      this.#transport,
      {
        operation: "webhooks.consumers.list",
        method: "GET",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/consumers`,
      },
      query,
      options,
    );
  }
}

/** Tests of an endpoint or a URL with a signed sample. */
export class WebhooksResource {
  readonly #transport: Transport;
  readonly consumers: WebhooksConsumersResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.consumers = new WebhooksConsumersResource(transport);
  }

  /** Commit pulled messages. Moves the consumer behind `offset`, by default behind the last message of the lease, which then ends. A smaller offset keeps the lease for the rest, and extends it. A commit after the end of the lease counts unless another pull has leased the messages since. A repeated commit changes nothing. */
  async commit(id: string, body: t.PullCommit, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "webhooks.commit",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/commit`,
        body,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Pull the next messages of an endpoint. For endpoints of kind `pull`. Leases the next messages to the consumer, in the order of their offsets. While the lease runs, other pulls of the consumer are refused with 409 `consumer_busy`; the same call with the same `Idempotency-Key` gets the lease again. Other consumers are not affected. A response has at most 8 MiB of bodies, but at least one message. With `wait_seconds`, the call waits for a message. `body` and `headers` are those of a request to a webhook endpoint, so that its signature can be verified. */
  async pull(id: string, body: t.Pull, options: CallOptions = {}): Promise<Answered<t.PulledMessages>> {
    return await this.#transport.send(
      {
        operation: "webhooks.pull",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/pull`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Release a lease. Ends the lease. Messages that were not committed are pulled again. */
  async release(id: string, body: t.PullRelease, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "webhooks.release",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/release`,
        body,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Move a consumer. Moves the consumer to an offset, a time, the oldest message or the end. Its lease ends. */
  async seek(id: string, body: t.PullSeek, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "webhooks.seek",
        method: "POST",
        path: `/v1/webhook-endpoints/${escape(id, "id")}/seek`,
        body,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Send or preview a signed sample. Returns the exact bytes of the request, and the receiver's response. The request is not retried and does not appear in the delivery log. */
  async test(body: t.WebhookTestRequest, options: CallOptions = {}): Promise<Answered<t.WebhookTest>> {
    return await this.#transport.send(
      { operation: "webhooks.test", method: "POST", path: "/v1/webhooks/test", body, write: true, answer: "json" },
      options,
    );
  }
}

/** `workflows.runs`. */
export class WorkflowsRunsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Cancel a workflow run. Ends a current run with its branches and items, and the deliveries that they wait for. */
  async cancel(id: string, options: CallOptions = {}): Promise<Answered<t.WorkflowRunWithSteps>> {
    return await this.#transport.send(
      {
        operation: "workflows.runs.cancel",
        method: "POST",
        path: `/v1/workflows/runs/${escape(id, "id")}/cancel`,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show a workflow run. Returns each step with its state, times, output and error, and the first branches and items. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.WorkflowRunWithSteps>> {
    return await this.#transport.send(
      {
        operation: "workflows.runs.get",
        method: "GET",
        path: `/v1/workflows/runs/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List a workflow's runs. Newest first, in the caller's environment, without branches and items. With `parent_run_id`, the branches and items that this run started, in their order. */
  list(id: string, query: t.ListWorkflowRunsQuery = {}, options: CallOptions = {}): List<t.WorkflowRun> {
    return listOf(
      this.#transport,
      { operation: "workflows.runs.list", method: "GET", path: `/v1/workflows/${escape(id, "id")}/runs` },
      query,
      options,
    );
  }
}

/** `workflows.secret`. */
export class WorkflowsSecretResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a workflow's signing secret. For owners only, and audited. While a regenerated secret overlaps with the previous one, the response contains both. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.SigningSecret>> {
    return await this.#transport.send(
      {
        operation: "workflows.secret",
        method: "GET",
        path: `/v1/workflows/${escape(id, "id")}/secret`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Regenerate a workflow's signing secret. With `overlap_seconds`, both secrets sign for that time, so that receivers can change to the new one without a failure. */
  async regenerate(
    id: string,
    body?: t.RegenerateWorkflowSecretBody,
    options: CallOptions = {},
  ): Promise<Answered<t.WorkflowWithSecret>> {
    return await this.#transport.send(
      {
        operation: "workflows.secret.regenerate",
        method: "POST",
        path: `/v1/workflows/${escape(id, "id")}/secret/regenerate`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Automations of several steps, which survive restarts. */
export class WorkflowsResource {
  readonly #transport: Transport;
  readonly runs: WorkflowsRunsResource;
  readonly secret: WorkflowsSecretResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.runs = new WorkflowsRunsResource(transport);
    this.secret = new WorkflowsSecretResource(transport);
  }

  /** Create a workflow. A workflow runs steps when its event happens: conditions, webhooks, actions, delays, approvals and events. The response contains the `signing_secret` of its webhooks, which is shown only once. */
  async create(body: t.NewWorkflow, options: CallOptions = {}): Promise<Answered<t.WorkflowWithSecret>> {
    return await this.#transport.send(
      { operation: "workflows.create", method: "POST", path: "/v1/workflows", body, write: true, answer: "json" },
      options,
    );
  }

  /** Delete a workflow. The workflow starts no more runs, and its current runs are cancelled, with what they wait for. A step that is under way ends first. */
  async delete(id: string, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      {
        operation: "workflows.delete",
        method: "DELETE",
        path: `/v1/workflows/${escape(id, "id")}`,
        write: true,
        answer: "none",
      },
      options,
    );
  }

  /** Show a workflow. Returns the definition as it was written, with all digits of its numbers. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Workflow>> {
    return await this.#transport.send(
      {
        operation: "workflows.get",
        method: "GET",
        path: `/v1/workflows/${escape(id, "id")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Show the values of a workflow's headers. For owners only, and audited. Other responses show `[redacted]` instead of the values. */
  async headers(id: string, options: CallOptions = {}): Promise<Answered<t.RevealedWebhooks>> {
    return await this.#transport.send(
      {
        operation: "workflows.headers",
        method: "GET",
        path: `/v1/workflows/${escape(id, "id")}/headers`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List workflows. Newest first, in both environments. */
  list(query: t.ListWorkflowsQuery = {}, options: CallOptions = {}): List<t.Workflow> {
    return listOf(
      this.#transport,
      { operation: "workflows.list", method: "GET", path: "/v1/workflows" },
      query,
      options,
    );
  }

  /** Promote a workflow to live. Copies a workflow of the sandbox to live: as a new workflow, or as a new version of the workflow in `promotes_to`. The caller becomes its author. With `dry_run`, only returns the difference. The contracts and secrets that its steps name must exist in live. */
  async promote(id: string, body?: t.PromoteWorkflowBody, options: CallOptions = {}): Promise<Answered<t.Promotion>> {
    return await this.#transport.send(
      {
        operation: "workflows.promote",
        method: "POST",
        path: `/v1/workflows/${escape(id, "id")}/promote`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show a workflow's schedule. Returns the next five occurrences, the last one that was fired, and the ones that the last outage prevented. Only workflows with a schedule have this resource. */
  async schedule(id: string, options: CallOptions = {}): Promise<Answered<t.WorkflowSchedule>> {
    return await this.#transport.send(
      {
        operation: "workflows.schedule",
        method: "GET",
        path: `/v1/workflows/${escape(id, "id")}/schedule`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Test a workflow. Returns the steps that an event would run if every delivery succeeded. Nothing is written or sent. */
  async test(id: string, body: t.WorkflowTest, options: CallOptions = {}): Promise<Answered<t.WorkflowTrial>> {
    return await this.#transport.send(
      {
        operation: "workflows.test",
        method: "POST",
        path: `/v1/workflows/${escape(id, "id")}/test`,
        body,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** Change a workflow. Only the members in the request change. A change of the trigger or the steps creates a new version. Current runs keep their version. The caller must use a credential of the workflow's environment. */
  async update(id: string, body: t.WorkflowChange, options: CallOptions = {}): Promise<Answered<t.Workflow>> {
    return await this.#transport.send(
      {
        operation: "workflows.update",
        method: "PATCH",
        path: `/v1/workflows/${escape(id, "id")}`,
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** The workspace itself. */
export class WorkspacesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a workspace. The caller becomes its owner. The response contains its API keys, which are shown only once. */
  async create(body: t.NewWorkspace, options: CallOptions = {}): Promise<Answered<t.WorkspaceKeys>> {
    return await this.#transport.send(
      { operation: "workspaces.create", method: "POST", path: "/v1/workspaces", body, write: true, answer: "json" },
      options,
    );
  }

  /** Delete the workspace. Erases the workspace after seven days, unless it is restored. The request must contain the workspace's name as a safeguard. */
  async delete(body: t.WorkspaceDeletion, options: CallOptions = {}): Promise<Answered<t.Workspace>> {
    return await this.#transport.send(
      {
        operation: "workspaces.delete",
        method: "DELETE",
        path: "/v1/workspaces/current",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show the workspace. Returns the workspace with its settings. */
  async get(options: CallOptions = {}): Promise<Answered<t.Workspace>> {
    return await this.#transport.send(
      { operation: "workspaces.get", method: "GET", path: "/v1/workspaces/current", write: false, answer: "json" },
      options,
    );
  }

  /** Restore the workspace. Possible within the seven days after its deletion. */
  async restore(options: CallOptions = {}): Promise<Answered<t.Workspace>> {
    return await this.#transport.send(
      {
        operation: "workspaces.restore",
        method: "POST",
        path: "/v1/workspaces/current/restore",
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Change the workspace. Changes the name and the settings. Only the members in the request change. Turning a protection off needs an owner, and all owners are informed by e-mail. If the workspace asks for step-ups, it needs a step-up for exactly this change, and so does turning `require_step_up` off. */
  async update(body: t.WorkspaceChange, options: CallOptions = {}): Promise<Answered<t.Workspace>> {
    return await this.#transport.send(
      {
        operation: "workspaces.update",
        method: "PATCH",
        path: "/v1/workspaces/current",
        body,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** Every resource of the API. */
export class Resources {
  /** The definitions of actions: parameters, roles, surfaces, confirmation and backend. */
  readonly actionContracts: ActionContractsResource;
  /** Operations that your backend can run on request, under action contracts and with approvals. */
  readonly actions: ActionsResource;
  /** The requests of AI clients and the assistant, with the model's answers and the results. */
  readonly aiHistory: AiHistoryResource;
  /** Where proposals are announced besides the console: channels of Slack, and e-mail. */
  readonly approvalChannels: ApprovalChannelsResource;
  /** An AI model that receives events and proposes actions. */
  readonly assistant: AssistantResource;
  /** Items that need a person's attention. */
  readonly attention: AttentionResource;
  /** The audit log: an append-only, hash-chained record of who did what. */
  readonly audit: AuditResource;
  /** Signing in, and the initial claim of an installation. */
  readonly auth: AuthResource;
  /** The configuration of a workspace as one file: exported, compared, planned and applied. */
  readonly configuration: ConfigurationResource;
  /** AI apps that members have connected by OAuth, for `/mcp`. */
  readonly connectedApps: ConnectedAppsResource;
  /** Connections to other services. */
  readonly connectors: ConnectorsResource;
  /** People and companies, with their activities. */
  readonly contacts: ContactsResource;
  /** Contacts that have an external id of your product. */
  readonly customers: CustomersResource;
  /** One event for one endpoint, with each attempt. Deliveries can be replayed and cancelled. */
  readonly deliveries: DeliveriesResource;
  /** The catalog of event types, with a schema and an example of each. */
  readonly eventTypes: EventTypesResource;
  /** Events of your product. A 202 response means that the event, its deliveries and its idempotency record were committed in one transaction. */
  readonly events: EventsResource;
  /** Requests of rules and workflows to other APIs, with their responses. */
  readonly httpCalls: HttpCallsResource;
  /** The configuration of other products, which moves in. */
  readonly imports: ImportsResource;
  /** Sources: addresses that receive the webhooks of other systems, with their mappings. */
  readonly inboundEndpoints: InboundEndpointsResource;
  /** Templates for the sources of common senders. */
  readonly inboundPresets: InboundPresetsResource;
  /** Inbound requests and their results. */
  readonly inboundReceipts: InboundReceiptsResource;
  /** Built-in receivers with a name, which keep the requests they receive until a client takes them. `junction listen` reads them. */
  readonly inboxes: InboxesResource;
  /** Where this installation stores its data, for its operator. */
  readonly installation: InstallationResource;
  /** The failures of endpoints, sources, connectors and actions, grouped by what fails. */
  readonly issues: IssuesResource;
  /** API keys, with their rights and limits. */
  readonly keys: KeysResource;
  /** The service's own e-mail. */
  readonly mails: MailsResource;
  /** Tokens with which an AI client works for one of your customers, by the operator tools of `/mcp`. */
  readonly mcpTokens: McpTokensResource;
  /** The identity of the caller. */
  readonly me: MeResource;
  /** The people of the workspace. */
  readonly members: MembersResource;
  /** What rules have sent to members. */
  readonly notifications: NotificationsResource;
  /** Links to the portal, where your customers manage their own webhook endpoints. */
  readonly portalSessions: PortalSessionsResource;
  /** Actions that wait for a person's approval. */
  readonly proposals: ProposalsResource;
  /** Replays of many deliveries. You can count the deliveries first, follow the progress of a replay and stop it. */
  readonly replays: ReplaysResource;
  /** The log of API requests. */
  readonly requests: RequestsResource;
  /** The roles and the operations that each may call. */
  readonly roles: RolesResource;
  /** Automations that run actions when an event meets a condition. */
  readonly rules: RulesResource;
  /** Actions that were executed. */
  readonly runs: RunsResource;
  /** One search for the objects of a workspace, over all kinds that the caller may list. */
  readonly search: SearchResource;
  /** Credentials that action contracts refer to by name. They are write-only. */
  readonly secrets: SecretsResource;
  /** Systems whose webhooks a source understands without a mapping of your own. */
  readonly senders: SendersResource;
  /** The Slack app that announces proposals and whose buttons decide. */
  readonly slackApp: SlackAppResource;
  /** Slack accounts that members have linked, so that a tap counts as theirs. */
  readonly slackLinks: SlackLinksResource;
  /** Approvals that owners give in advance to AI clients and programs, with a budget. */
  readonly standingApprovals: StandingApprovalsResource;
  /** Repeated proofs of identity before decisions about actions of high risk. */
  readonly stepUps: StepUpsResource;
  /** Your own customers, with their endpoints, sources and events. */
  readonly tenants: TenantsResource;
  /** Support tickets, built from events and from connectors. */
  readonly tickets: TicketsResource;
  /** Templates for the bodies that common receivers expect. */
  readonly transformPresets: TransformPresetsResource;
  /** Usage figures. */
  readonly usage: UsageResource;
  /** URLs that subscribe to event types and receive them as signed webhooks, with retries. */
  readonly webhookEndpoints: WebhookEndpointsResource;
  /** Tests of an endpoint or a URL with a signed sample. */
  readonly webhooks: WebhooksResource;
  /** Automations of several steps, which survive restarts. */
  readonly workflows: WorkflowsResource;
  /** The workspace itself. */
  readonly workspaces: WorkspacesResource;

  constructor(transport: Transport) {
    this.actionContracts = new ActionContractsResource(transport);
    this.actions = new ActionsResource(transport);
    this.aiHistory = new AiHistoryResource(transport);
    this.approvalChannels = new ApprovalChannelsResource(transport);
    this.assistant = new AssistantResource(transport);
    this.attention = new AttentionResource(transport);
    this.audit = new AuditResource(transport);
    this.auth = new AuthResource(transport);
    this.configuration = new ConfigurationResource(transport);
    this.connectedApps = new ConnectedAppsResource(transport);
    this.connectors = new ConnectorsResource(transport);
    this.contacts = new ContactsResource(transport);
    this.customers = new CustomersResource(transport);
    this.deliveries = new DeliveriesResource(transport);
    this.eventTypes = new EventTypesResource(transport);
    this.events = new EventsResource(transport);
    this.httpCalls = new HttpCallsResource(transport);
    this.imports = new ImportsResource(transport);
    this.inboundEndpoints = new InboundEndpointsResource(transport);
    this.inboundPresets = new InboundPresetsResource(transport);
    this.inboundReceipts = new InboundReceiptsResource(transport);
    this.inboxes = new InboxesResource(transport);
    this.installation = new InstallationResource(transport);
    this.issues = new IssuesResource(transport);
    this.keys = new KeysResource(transport);
    this.mails = new MailsResource(transport);
    this.mcpTokens = new McpTokensResource(transport);
    this.me = new MeResource(transport);
    this.members = new MembersResource(transport);
    this.notifications = new NotificationsResource(transport);
    this.portalSessions = new PortalSessionsResource(transport);
    this.proposals = new ProposalsResource(transport);
    this.replays = new ReplaysResource(transport);
    this.requests = new RequestsResource(transport);
    this.roles = new RolesResource(transport);
    this.rules = new RulesResource(transport);
    this.runs = new RunsResource(transport);
    this.search = new SearchResource(transport);
    this.secrets = new SecretsResource(transport);
    this.senders = new SendersResource(transport);
    this.slackApp = new SlackAppResource(transport);
    this.slackLinks = new SlackLinksResource(transport);
    this.standingApprovals = new StandingApprovalsResource(transport);
    this.stepUps = new StepUpsResource(transport);
    this.tenants = new TenantsResource(transport);
    this.tickets = new TicketsResource(transport);
    this.transformPresets = new TransformPresetsResource(transport);
    this.usage = new UsageResource(transport);
    this.webhookEndpoints = new WebhookEndpointsResource(transport);
    this.webhooks = new WebhooksResource(transport);
    this.workflows = new WorkflowsResource(transport);
    this.workspaces = new WorkspacesResource(transport);
  }
}
