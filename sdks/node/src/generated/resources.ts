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

  /** Show an action's signing secret. For owners only, and audited. While a regenerated secret overlaps, the one before is shown too. */
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

  /** Make a new signing secret for an action. With `overlap_seconds` both secrets sign for so long, so that the backend can change over. */
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

/** Which actions there are: who may run them, what they take, and which backend does them. */
export class ActionContractsResource {
  readonly #transport: Transport;
  readonly secret: ActionContractsSecretResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new ActionContractsSecretResource(transport);
  }

  /** Register an action. Says what may be asked for, by whom, with which parameters, and which backend does it. The answer shows the secret that signs the calls to the backend. */
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

  /** Delete an action. Nobody can run it from now on. What was run stays; its key may be registered anew. One that a connector brought goes when that is disabled. */
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

  /** Show an action. The contract as it counts now, with every default filled in. */
  async get(key: string, options: CallOptions = {}): Promise<Answered<t.ActionContract>> {
    return await this.#transport.send(
      {
        operation: "action_contracts.get",
        method: "GET",
        path: `/v1/action-contracts/${escape(key, "key")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List actions. Newest first. Who may write contracts sees all of them; others see those that they may run from here. */
  list(query: t.ListActionContractsQuery = {}, options: CallOptions = {}): List<t.ActionContract> {
    return listOf(
      this.#transport,
      { operation: "action_contracts.list", method: "GET", path: "/v1/action-contracts" },
      query,
      options,
    );
  }

  /** Change an action. What the body names is replaced as a whole, and a new version is made. Proposals of an older one can no longer be approved. One that a connector brought is not changed by hand. */
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

  /** List an action's versions. Newest first. Every change made one, and none is ever changed. */
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
  /** `true` stands for an approval where the contract and the workspace let it; never for an AI. By default false. */
  confirmed?: boolean | undefined;
  /** Narrows where the call counts as coming from: the contract must list both. */
  surface?: t.RunSurface | undefined;
  /** What led to the call, for the audit. Nobody who approves sees it in the preview. */
  prompt?: string | undefined;
  /** Shows what would come of the call, and calls nothing. By default false. */
  dryRun?: boolean | undefined;
}

/** What the service may do in your product, under contracts and with approval. */
export class ActionsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Run an action, or propose it. With 200 it ran, and this is its result. With 202 it waits for a person's approval, or, where the contract's delivery is async, for its backend. With 502 and 504 the backend failed, and `execution` names the run. */
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

/** What was asked of a model, what it answered, and what came of it. */
export class AiHistoryResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show an exchange with a model. With the results of its tool calls. */
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

  /** List the AI history. Each prompt, what the model answered, and what came of it, newest first. */
  list(query: t.ListAiHistoryQuery = {}, options: CallOptions = {}): List<t.AiExchange> {
    return listOf(
      this.#transport,
      { operation: "ai_history.list", method: "GET", path: "/v1/ai-history" },
      query,
      options,
    );
  }
}

/** A model that hears of events and asks for actions. */
export class AssistantResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show the assistant. Its settings, and what is missing before it hears of events. */
  async get(options: CallOptions = {}): Promise<Answered<t.Assistant>> {
    return await this.#transport.send(
      { operation: "assistant.get", method: "GET", path: "/v1/assistant", write: false, answer: "json" },
      options,
    );
  }

  /** Try the assistant. Asks the model about an event that nobody fired, and shows what it would propose. Nothing is proposed; the question counts towards the budgets. */
  async test(body: t.AssistantTest, options: CallOptions = {}): Promise<Answered<t.AssistantTestResult>> {
    return await this.#transport.send(
      { operation: "assistant.test", method: "POST", path: "/v1/assistant/test", body, write: true, answer: "json" },
      options,
    );
  }

  /** Change the assistant. Only the members that are sent change. The provider is not among them: it is the workspace's setting `assistant` (`PATCH /v1/workspaces/current`), which is `off` at first. */
  async update(body: t.AssistantChange, options: CallOptions = {}): Promise<Answered<t.Assistant>> {
    return await this.#transport.send(
      { operation: "assistant.update", method: "PATCH", path: "/v1/assistant", body, write: true, answer: "json" },
      options,
    );
  }
}

/** What waits for a person. */
export class AttentionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show what needs somebody. Failing endpoints, parked deliveries, proposals that wait, inbound receipts to look at, and the backlog: counted as of now. `self_test` is the latest result of the process that answers; one older than a minute starts the next run. */
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

  /** List signed digests. Where the chain stood at each hour's end, signed. Keep them elsewhere: they tell if it was made anew. */
  list(query: t.ListAuditDigestsQuery = {}, options: CallOptions = {}): List<t.AuditDigest> {
    return listOf(
      this.#transport,
      { operation: "audit.digests.list", method: "GET", path: "/v1/audit/digests" },
      query,
      options,
    );
  }
}

/** Who did what; append-only and hash-chained. */
export class AuditResource {
  readonly #transport: Transport;
  readonly digests: AuditDigestsResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.digests = new AuditDigestsResource(transport);
  }

  /** Export the audit. A CSV file of all rows, or of those that a filter names, in the order of the chain, streamed. Of a file without filters the chain can be checked without the service. Each export is itself a row. */
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

  /** Show a row of the audit. With its place in the chain. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.AuditRow>> {
    return await this.#transport.send(
      { operation: "audit.get", method: "GET", path: `/v1/audit/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** List the audit. What was done, by whom and how it ended, newest first, with filters. */
  list(query: t.ListAuditRowsQuery = {}, options: CallOptions = {}): List<t.AuditRow> {
    return listOf(this.#transport, { operation: "audit.list", method: "GET", path: "/v1/audit" }, query, options);
  }

  /** Check the audit's chain. Reads it through, or a part of it, and says where it is first not what was written. */
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

/** `auth.sessions`. */
export class AuthSessionsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** End a session. Its next request is refused. */
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

  /** List sessions. Where the person is signed in. */
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

  /** Give up the second factor. With a code of the app, or a recovery code. */
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

  /** Begin with a second factor. Shows the secret for the app; it counts once it was verified. */
  async enrol(body: t.TotpEnrolment, options: CallOptions = {}): Promise<Answered<t.TotpSecret>> {
    return await this.#transport.send(
      { operation: "auth.totp.enrol", method: "POST", path: "/v1/auth/totp/enrol", body, write: true, answer: "json" },
      options,
    );
  }

  /** Confirm the second factor. With a code of the app. Shows the recovery codes this once. */
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

/** Signing in, and the first claim of an installation. */
export class AuthResource {
  readonly #transport: Transport;
  readonly sessions: AuthSessionsResource;
  readonly totp: AuthTotpResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.sessions = new AuthSessionsResource(transport);
    this.totp = new AuthTotpResource(transport);
  }

  /** Change the password. Ends the person's other sessions. */
  async password(body: t.PasswordChange, options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      { operation: "auth.password", method: "POST", path: "/v1/auth/password", body, write: true, answer: "none" },
      options,
    );
  }

  /** Show the session. Who is signed in, with the CSRF token of a page that was loaded anew. */
  async session(options: CallOptions = {}): Promise<Answered<t.SignedIn>> {
    return await this.#transport.send(
      { operation: "auth.session", method: "GET", path: "/v1/auth/session", write: false, answer: "json" },
      options,
    );
  }

  /** Sign out. Ends this session. */
  async signOut(options: CallOptions = {}): Promise<NoContent> {
    return await this.#transport.send(
      { operation: "auth.sign_out", method: "POST", path: "/v1/auth/sign-out", write: true, answer: "none" },
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

  /** List a connector's runs. Each call of its code, newest first: how it ended, what it asked of the service, what it logged. Kept as long as deliveries are. */
  list(key: string, query: t.ListConnectorRunsQuery = {}, options: CallOptions = {}): List<t.ConnectorRun> {
    return listOf(
      this.#transport,
      { operation: "connectors.runs.list", method: "GET", path: `/v1/connectors/${escape(key, "key")}/runs` },
      query,
      options,
    );
  }
}

/** Connections to other services. */
export class ConnectorsResource {
  readonly #transport: Transport;
  readonly runs: ConnectorsRunsResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.runs = new ConnectorsRunsResource(transport);
  }

  /** Disable a connector. It hears of nothing any more, and its actions can be run no more. Its settings and its version are kept. */
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

  /** Enable a connector. Pins its version, wires it to its events and registers its actions. Another version in its folder does not run until it is enabled by its digest. Refused where its code is not what its files say (`code_mismatch`), or cannot be used (`code_failed`, `runtime_unavailable`). Lifts a quarantine. */
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

  /** Show a connector. What it is, what it may do, and how the workspace set it up. */
  async get(key: string, options: CallOptions = {}): Promise<Answered<t.Connector>> {
    return await this.#transport.send(
      {
        operation: "connectors.get",
        method: "GET",
        path: `/v1/connectors/${escape(key, "key")}`,
        write: false,
        answer: "json",
      },
      options,
    );
  }

  /** List connectors. Those whose folders lie on the installation, refused ones with the reason, and those that the workspace set up. */
  list(query: t.ListConnectorsQuery = {}, options: CallOptions = {}): List<t.Connector> {
    return listOf(
      this.#transport,
      { operation: "connectors.list", method: "GET", path: "/v1/connectors" },
      query,
      options,
    );
  }

  /** Look for connectors. Looks through the installation's folders, as each start does, and says how many hold what. */
  async rescan(options: CallOptions = {}): Promise<Answered<t.ConnectorScan>> {
    return await this.#transport.send(
      { operation: "connectors.rescan", method: "POST", path: "/v1/connectors/rescan", write: true, answer: "json" },
      options,
    );
  }

  /** Try a connector's settings. As the connector itself does it, with the settings that are set, before or after it is enabled. What does not work is an answer too. */
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

  /** Change a connector's settings. Before it is enabled they need not be complete. Secrets are kept sealed, and never shown. */
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

  /** Hand on a webhook to a connector. For whoever receives the other service's webhooks already and hands them on with an API key: the body as it came. The sender's own signature must hold where it is there; without one the key is enough. Other services send to `webhook_url`. */
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

  /** Put a note on a timeline. An activity that a person writes. */
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

  /** List a contact's activities. The timeline, latest first. */
  list(id: string, query: t.ListActivitiesQuery = {}, options: CallOptions = {}): List<t.Activity> {
    return listOf(
      this.#transport,
      { operation: "contacts.activities.list", method: "GET", path: `/v1/contacts/${escape(id, "id")}/activities` },
      query,
      options,
    );
  }
}

/** People and companies, and what they did. */
export class ContactsResource {
  readonly #transport: Transport;
  readonly activities: ContactsActivitiesResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.activities = new ContactsActivitiesResource(transport);
  }

  /** Add a contact. An address or an external id that another contact has is refused. */
  async create(body: t.NewContact, options: CallOptions = {}): Promise<Answered<t.Contact>> {
    return await this.#transport.send(
      { operation: "contacts.create", method: "POST", path: "/v1/contacts", body, write: true, answer: "json" },
      options,
    );
  }

  /** Erase a person. The contact and its timeline go; what remains names nobody. */
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

  /** Export a person. Everything that is kept of a person, as one document. */
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

  /** Show a contact. With its score, tags and ids. */
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

  /** Merge a contact into another. The one in the path becomes part of the one in the body; its id leads there from now on. */
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

  /** Change a contact. Only the members that are sent change. */
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

/** Contacts that your product knows by an id of its own. */
export class CustomersResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a customer. With open tickets, and what connectors know. */
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

  /** List customers. Contacts that have an id of yours, newest first, with filters; or whom a connector knows by an `identity`. */
  list(query: t.ListCustomersQuery = {}, options: CallOptions = {}): List<t.Customer> {
    return listOf(
      this.#transport,
      { operation: "customers.list", method: "GET", path: "/v1/customers" },
      query,
      options,
    );
  }

  /** Set a customer by your own id. `id` is yours (`external_id`). Sets what the body names and leaves the rest; 201 when it was made. */
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

/** One event to one endpoint, with each attempt; replay and cancel. */
export class DeliveriesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the attempts of a delivery. Oldest first: status, timing, and the beginning of the answer. */
  attempts(id: string, query: t.ListDeliveryAttemptsQuery = {}, options: CallOptions = {}): List<t.Attempt> {
    return listOf(
      this.#transport,
      { operation: "deliveries.attempts", method: "GET", path: `/v1/deliveries/${escape(id, "id")}/attempts` },
      query,
      options,
    );
  }

  /** Cancel a delivery. Only one that is still pending. */
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

  /** Show a delivery. With the request as it is sent. */
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

  /** Replay a delivery. One further attempt under the same delivery id, for a failed or a delivered one. A pending or cancelled one, and one of an inactive endpoint, is refused. */
  async replay(id: string, options: CallOptions = {}): Promise<Answered<t.Delivery>> {
    return await this.#transport.send(
      {
        operation: "deliveries.replay",
        method: "POST",
        path: `/v1/deliveries/${escape(id, "id")}/replay`,
        write: true,
        answer: "json",
      },
      options,
    );
  }
}

/** The catalogue of events that the service knows by name, with a schema and an example of each. */
export class EventTypesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show an event type. Its schema, an example, and who would react to it now. */
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

  /** List the event catalogue. The canonical events and those that the service fires about itself. */
  list(query: t.ListEventTypesQuery = {}, options: CallOptions = {}): List<t.EventType> {
    return listOf(
      this.#transport,
      { operation: "event_types.list", method: "GET", path: "/v1/event-types" },
      query,
      options,
    );
  }
}

/** Of `events.fire`: fields of its body, besides the options of the call. */
export interface FireEventOptions extends CallOptions {
  /** When it happened, at most a day ahead; now, unless given. RFC 3339, with a zone. */
  occurredAt?: string | Date | undefined;
  /** What the event is about; a filter of the event list. */
  subject?: string | undefined;
}

/** What happened in your product. A 202 means committed: event, deliveries and idempotency record are one transaction. */
export class EventsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fire up to 500 events, all or none. One transaction, and one call against the limit. One bad event refuses all of them. */
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

  /** Fire an event. The answer means that the event and its deliveries are committed. `data` reaches receivers byte for byte. The data schemas of canonical events are customary, not enforced. A `traceparent` header (W3C) is kept and sent to receivers. */
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
        body: { event, data, occurred_at: options.occurredAt, subject: options.subject },
        write: true,
        answer: "json",
      },
      options,
    );
  }

  /** Show an event. With the stages of its dispatch and its deliveries. */
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

  /** Fire an event again. The same name and data as a new event with a new id. Events of the service itself are refused: replay their deliveries. */
  async refire(id: string, options: CallOptions = {}): Promise<Answered<t.FiredEvent>> {
    return await this.#transport.send(
      {
        operation: "events.refire",
        method: "POST",
        path: `/v1/events/${escape(id, "id")}/refire`,
        write: true,
        answer: "json",
      },
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

  /** Make a new inbound secret. With `overlap_seconds` both are good for so long. */
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

  /** Make a new inbound URL. The old one is dead at once. */
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

/** Addresses that other services send to, and what becomes of what they send. */
export class InboundEndpointsResource {
  readonly #transport: Transport;
  readonly secret: InboundEndpointsSecretResource;
  readonly token: InboundEndpointsTokenResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new InboundEndpointsSecretResource(transport);
    this.token = new InboundEndpointsTokenResource(transport);
  }

  /** Add an inbound endpoint. A preset fills in what its sender does. The answer shows the secret. */
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

  /** Delete an inbound endpoint. Its URL is dead at once; its receipts stay. */
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

  /** Show an inbound endpoint. With its URL and mapping. */
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

  /** List inbound endpoints. Newest first. */
  list(query: t.ListInboundEndpointsQuery = {}, options: CallOptions = {}): List<t.InboundEndpoint> {
    return listOf(
      this.#transport,
      { operation: "inbound_endpoints.list", method: "GET", path: "/v1/inbound-endpoints" },
      query,
      options,
    );
  }

  /** Try a mapping. What the source would make of a payload; writes nothing. */
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

  /** Switch an inbound endpoint on or off. While it is off, what comes is refused with 403. */
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

  /** Change an inbound endpoint. Only the members that are sent change. */
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

/** What the service knows of common senders. */
export class InboundPresetsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List inbound presets. What the service knows of common senders. */
  list(query: t.ListInboundPresetsQuery = {}, options: CallOptions = {}): List<t.InboundPreset> {
    return listOf(
      this.#transport,
      { operation: "inbound_presets.list", method: "GET", path: "/v1/inbound-presets" },
      query,
      options,
    );
  }
}

/** What came in, and what became of it. */
export class InboundReceiptsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a receipt. With the payload as it came. */
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

  /** Process a receipt again. An unmapped or failed one, by what its source says now. */
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

/** Built-in receivers with a name, which keep what they receive until it is taken: what `junction listen` reads. */
export class InboxesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Delete an inbox. With what waits in it. A webhook endpoint that delivers to it stays and fails from then on: delete that first. */
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

  /** List inboxes that have a name. The newest first, each with how many messages wait in it. */
  list(query: t.ListInboxesQuery = {}, options: CallOptions = {}): List<t.NamedInbox> {
    return listOf(this.#transport, { operation: "inboxes.list", method: "GET", path: "/v1/inboxes" }, query, options);
  }

  /** List what waits in an inbox. Oldest first, with the bytes as they came and, where these were rightly signed, time and signature of now. */
  messages(name: string, query: t.ListInboxMessagesQuery = {}, options: CallOptions = {}): List<t.InboxMessage> {
    return listOf(
      this.#transport,
      { operation: "inboxes.messages", method: "GET", path: `/v1/inboxes/${escape(name, "name")}/messages` },
      query,
      options,
    );
  }

  /** Make an inbox, or find it. A receiver that keeps what it is sent until it is taken, at most 2000 messages: then it answers 503, and deliveries are tried again. */
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

  /** Take messages out of an inbox. They no longer wait. What was taken before, or is not there, is no error. */
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

/** Where this installation keeps its data, for its operator. */
export class InstallationResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show the installation. The address and version of this installation. In the workspace that its first start made, which is the operator's, also where the data lies and when the last backup was made; in every other workspace `operator` is null. */
  async get(options: CallOptions = {}): Promise<Answered<t.Installation>> {
    return await this.#transport.send(
      { operation: "installation.get", method: "GET", path: "/v1/installation", write: false, answer: "json" },
      options,
    );
  }
}

/** API keys: what each may do, and its limits. */
export class KeysResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Make an API key. It may do no more than the caller. Its text is in this answer alone. */
  async create(body: t.NewApiKey, options: CallOptions = {}): Promise<Answered<t.ApiKeyWithText>> {
    return await this.#transport.send(
      { operation: "keys.create", method: "POST", path: "/v1/keys", body, write: true, answer: "json" },
      options,
    );
  }

  /** Show an API key. What it may do and when it was last used; never the key itself. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.ApiKey>> {
    return await this.#transport.send(
      { operation: "keys.get", method: "GET", path: `/v1/keys/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** List API keys. The keys of the caller's environment, revoked and expired ones too, newest first. */
  list(query: t.ListKeysQuery = {}, options: CallOptions = {}): List<t.ApiKey> {
    return listOf(this.#transport, { operation: "keys.list", method: "GET", path: "/v1/keys" }, query, options);
  }

  /** Revoke an API key. Ends it at once and for good, on every node. */
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

  /** Roll an API key. Replaces it by a new one of the same rights, limits and idempotency records. */
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

  /** Try what a key may do. Whether the gate would let a rightly signed call of this key in now; nothing is called or counted. */
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

  /** Change an API key. Only the members that are sent change, and the next request obeys. */
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

  /** Show the use of a key. What it has used of its limits, and its calls of the last 24 hours. */
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

/** Who the caller is. */
export class MeResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show the caller. Who it is, what it may do, and what is left of its limits. */
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

  /** Invite a person. The answer has the link to pass on; it is shown this once. The service sends no e-mail. */
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

  /** List invitations. Those that are still open, newest first. */
  list(query: t.ListInvitationsQuery = {}, options: CallOptions = {}): List<t.Invitation> {
    return listOf(
      this.#transport,
      { operation: "members.invitations.list", method: "GET", path: "/v1/members/invitations" },
      query,
      options,
    );
  }

  /** Take back an invitation. Its link stops working at once. */
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

/** People of the workspace. */
export class MembersResource {
  readonly #transport: Transport;
  readonly invitations: MembersInvitationsResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.invitations = new MembersInvitationsResource(transport);
  }

  /** List members. The people of the workspace, newest first. */
  list(query: t.ListMembersQuery = {}, options: CallOptions = {}): List<t.Member> {
    return listOf(this.#transport, { operation: "members.list", method: "GET", path: "/v1/members" }, query, options);
  }

  /** Remove a member. Their sessions here end and their keys are revoked. */
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

  /** Make a link for a new password. For a member who cannot sign in any more. Works once, for a day. */
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

  /** Change a member. Their role, or their operator permissions. Obeyed by their next request. */
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

/** Actions that wait for a person. */
export class ProposalsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Approve a proposal. By a person, once each. With the last approval that is needed the action runs, once; the answer shows the proposal with its run, whether the backend did it or failed. */
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

  /** Cancel a proposal. By whoever made it, or by an owner or admin. Nothing runs. */
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

  /** Show a proposal. With its preview, its approvals and the hash that an approval is of. */
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

  /** List proposals. Newest first, with filters. `state=proposed` are those that wait for a decision. */
  list(query: t.ListProposalsQuery = {}, options: CallOptions = {}): List<t.Proposal> {
    return listOf(
      this.#transport,
      { operation: "proposals.list", method: "GET", path: "/v1/proposals" },
      query,
      options,
    );
  }

  /** Reject a proposal. By a person who may approve it. Nothing runs. */
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

  /** Edit a proposal. Makes a new proposal with these parameters, which the answer shows; the old one is superseded. By whoever made it, or by a person who may approve it. */
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

/** Many deliveries sent again: counted first, looked at while they run, and stopped. */
export class ReplaysResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Stop a replay. What it has set going already is sent; the rest stays as it is. */
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

  /** Replay many deliveries. All that a filter finds, or those that are named: each gets one further attempt, under its own id. Those of inactive endpoints, and those that wait or were cancelled, are left out. With `dry_run` they are only counted. */
  async create(body: t.NewReplay, options: CallOptions = {}): Promise<Answered<t.ReplayTally | t.Replay>> {
    return await this.#transport.send(
      { operation: "replays.create", method: "POST", path: "/v1/replays", body, write: true, answer: "json" },
      options,
    );
  }

  /** Show a replay. How far it is. */
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

  /** List replays. Newest first, those of `replay-failed` too. */
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

  /** Show an API request. By the id that its answer had as `X-Service-Request-Id`. */
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

  /** List API requests. Newest first, for 30 days, a second or two behind. Each request whose credential held, without bodies and arguments; of the console's own, what it did or was refused. Beyond 500 answers of a kind in a second and process they are counted (`unlogged_requests` of the usage) and not kept. */
  list(query: t.ListRequestsQuery = {}, options: CallOptions = {}): List<t.LoggedRequest> {
    return listOf(this.#transport, { operation: "requests.list", method: "GET", path: "/v1/requests" }, query, options);
  }
}

/** What each role may do. */
export class RolesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List roles. What each role may do, read off the routes themselves. */
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

  /** Show a rule's signing secret. For owners only, and audited. While a regenerated secret overlaps, the one before is shown too. */
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

  /** Make a new signing secret for a rule. With `overlap_seconds` both secrets sign for so long, so that receivers can change over without a failure. */
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

/** If this event, then that. */
export class RulesResource {
  readonly #transport: Transport;
  readonly secret: RulesSecretResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new RulesSecretResource(transport);
  }

  /** Add a rule. When one of these events happens and the condition holds, do this. The rule acts with the rights that its author has then. The answer has the `signing_secret` of its webhooks, this once. */
  async create(body: t.NewRule, options: CallOptions = {}): Promise<Answered<t.RuleWithSecret>> {
    return await this.#transport.send(
      { operation: "rules.create", method: "POST", path: "/v1/rules", body, write: true, answer: "json" },
      options,
    );
  }

  /** Delete a rule. It stops at once; calls that it still had to make are not made. */
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

  /** Show a rule. As it was written, with all digits of its numbers. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Rule>> {
    return await this.#transport.send(
      { operation: "rules.get", method: "GET", path: `/v1/rules/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** Show the values of a rule's headers. For owners only, and audited. Everywhere else they are `[redacted]`. */
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

  /** List rules. Newest first, of both environments: a rule belongs to the workspace. */
  list(query: t.ListRulesQuery = {}, options: CallOptions = {}): List<t.Rule> {
    return listOf(this.#transport, { operation: "rules.list", method: "GET", path: "/v1/rules" }, query, options);
  }

  /** List a rule's runs. In the environment of the caller, the newest event first: what each leaf found, and what became of each action. */
  runs(id: string, query: t.ListRuleRunsQuery = {}, options: CallOptions = {}): List<t.RuleRun> {
    return listOf(
      this.#transport,
      { operation: "rules.runs", method: "GET", path: `/v1/rules/${escape(id, "id")}/runs` },
      query,
      options,
    );
  }

  /** Try a rule. What it would make of an event, given or past, leaf by leaf. Nothing is done. */
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

  /** Change a rule. Only the members that are sent change. Whoever changes a rule is its author from then on. */
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

  /** Show a run of an action. Parameters and result are redacted. */
  async get(id: string, options: CallOptions = {}): Promise<Answered<t.Run>> {
    return await this.#transport.send(
      { operation: "runs.get", method: "GET", path: `/v1/runs/${escape(id, "id")}`, write: false, answer: "json" },
      options,
    );
  }

  /** List runs of actions. Newest first, with filters. */
  list(query: t.ListRunsQuery = {}, options: CallOptions = {}): List<t.Run> {
    return listOf(this.#transport, { operation: "runs.list", method: "GET", path: "/v1/runs" }, query, options);
  }

  /** Take a run back. Once, within the window of the contract that it ran under, by that contract's undo endpoint; where the action needed a confirmation, by a person who may approve it. 502 and 504: the backend failed, and the run is `undo_failed`. */
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

/** Credentials that contracts name; write-only. */
export class SecretsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Delete a secret. Refused while a contract names it. */
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

  /** List secrets. Newest first: their names, and the contracts that use them. */
  list(query: t.ListSecretsQuery = {}, options: CallOptions = {}): List<t.Secret> {
    return listOf(this.#transport, { operation: "secrets.list", method: "GET", path: "/v1/secrets" }, query, options);
  }

  /** Set a secret. A credential for a backend, by the name that `secret_ref` of a contract gives it. It is kept sealed, and no answer ever shows it. Live and sandbox have secrets of their own; 201 when it was made. */
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

/** Support tickets, projected from events and connectors. */
export class TicketsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a ticket. As events, connectors and calls have told it. */
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

  /** List tickets. Newest first, with filters. The first page of one customer's (`customer_id`) is asked of connectors too, for at most 800 ms. */
  list(query: t.ListTicketsQuery = {}, options: CallOptions = {}): List<t.Ticket> {
    return listOf(this.#transport, { operation: "tickets.list", method: "GET", path: "/v1/tickets" }, query, options);
  }

  /** Set a ticket by your own id. `id` is yours (`external_id`). Sets what the body names and leaves the rest; 201 when it was made. */
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

/** How much was used. */
export class UsageResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the events that happened. Canonical and custom ones, the most frequent first, at most 1000. */
  events(query: t.ListEventUsageQuery = {}, options: CallOptions = {}): List<t.EventUsage> {
    return listOf(
      this.#transport,
      { operation: "usage.events", method: "GET", path: "/v1/usage/events" },
      query,
      options,
    );
  }

  /** Show what was used, by day. Events, deliveries, receipts and runs of each day of UTC, for 400 days. A few seconds behind; what a process counted in its last five seconds is lost if it is killed. */
  async get(query: t.GetUsageQuery = {}, options: CallOptions = {}): Promise<Answered<t.Usage>> {
    return await this.#transport.send(
      { operation: "usage.get", method: "GET", path: `/v1/usage${queryText(query)}`, write: false, answer: "json" },
      options,
    );
  }

  /** Show what was used, by hour. With the success rate, and how long it took from an event's acceptance to the receiver's answer: what a plot needs. Hours are kept for 30 days. */
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

/** `webhook_endpoints.secret`. */
export class WebhookEndpointsSecretResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show a signing secret. For owners, and for the key or person that made the secret; audited. While a regenerated secret overlaps, owners are shown the one before, too. */
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

  /** Make a new signing secret. With `overlap_seconds` both secrets sign for so long, so that receivers can change over without a failure. */
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

/** Addresses that events are delivered to, signed and retried. */
export class WebhookEndpointsResource {
  readonly #transport: Transport;
  readonly secret: WebhookEndpointsSecretResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new WebhookEndpointsSecretResource(transport);
  }

  /** Add a webhook endpoint. The address is checked at once: https, and every address that its name resolves to must be public. The answer shows the signing secret. */
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

  /** Delete a webhook endpoint. Deliveries that wait are cancelled; the log of those that were made stays. */
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

  /** Show a webhook endpoint. With its health: green, amber while deliveries fail, red once it was deactivated. */
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

  /** Show the values of an endpoint's headers. For owners only, and audited. Everywhere else they are `[redacted]`. */
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

  /** Replay all failed deliveries of a time. Each gets one further attempt, under its own id. With `dry_run` they are only counted. */
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

  /** Show an endpoint's last 24 hours. Deliveries by state, and how long attempts took. */
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

  /** Switch a webhook endpoint on or off. While it is off, deliveries that exist wait, and none are added. */
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

  /** Change a webhook endpoint. Only the members that are sent change. Deliveries that wait use the new values. */
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

/** Try an endpoint, or an address, with a signed sample. */
export class WebhooksResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Send a signed sample, or only show it. Shows the request byte for byte and what the receiver answered, whatever it was. Not retried, and not in the delivery log. */
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

  /** Cancel a run. Ends a run that is under way, and the delivery that it waits for. */
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

  /** Show a run. Each step with its state, times, output and error. */
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

  /** List a workflow's runs. Newest first, of this environment. */
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

  /** Show a workflow's signing secret. For owners only, and audited. While a regenerated secret overlaps, the one before is shown too. */
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

  /** Make a new signing secret for a workflow. With `overlap_seconds` both secrets sign for so long, so that receivers can change over without a failure. */
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

/** Steps in order, which survive restarts. */
export class WorkflowsResource {
  readonly #transport: Transport;
  readonly runs: WorkflowsRunsResource;
  readonly secret: WorkflowsSecretResource;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.runs = new WorkflowsRunsResource(transport);
    this.secret = new WorkflowsSecretResource(transport);
  }

  /** Add a workflow. Steps that an event starts: conditions, webhooks, actions, delays, approvals and events. The answer shows the `signing_secret` of its webhooks, this once. */
  async create(body: t.NewWorkflow, options: CallOptions = {}): Promise<Answered<t.WorkflowWithSecret>> {
    return await this.#transport.send(
      { operation: "workflows.create", method: "POST", path: "/v1/workflows", body, write: true, answer: "json" },
      options,
    );
  }

  /** Delete a workflow. It starts no more runs; those under way go on to their end. */
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

  /** Show a workflow. As it was written, with all digits of its numbers. */
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

  /** Show the values of a workflow's headers. For owners only, and audited. Everywhere else they are `[redacted]`. */
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

  /** List workflows. Newest first, of both environments: a workflow belongs to the workspace. */
  list(query: t.ListWorkflowsQuery = {}, options: CallOptions = {}): List<t.Workflow> {
    return listOf(
      this.#transport,
      { operation: "workflows.list", method: "GET", path: "/v1/workflows" },
      query,
      options,
    );
  }

  /** Try a workflow. Which steps an event would run, if every delivery succeeded. Writes and sends nothing. */
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

  /** Change a workflow. Only the members that are sent change. Another trigger or other steps are another version; runs under way keep theirs. */
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

  /** Make a workspace. The caller becomes its owner. The answer shows its keys this once. */
  async create(body: t.NewWorkspace, options: CallOptions = {}): Promise<Answered<t.WorkspaceKeys>> {
    return await this.#transport.send(
      { operation: "workspaces.create", method: "POST", path: "/v1/workspaces", body, write: true, answer: "json" },
      options,
    );
  }

  /** Delete the workspace. It is erased in seven days, unless it is restored. The name is typed as a safeguard. */
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

  /** Show the workspace. With its settings. */
  async get(options: CallOptions = {}): Promise<Answered<t.Workspace>> {
    return await this.#transport.send(
      { operation: "workspaces.get", method: "GET", path: "/v1/workspaces/current", write: false, answer: "json" },
      options,
    );
  }

  /** Restore the workspace. Within the seven days. */
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

  /** Change the workspace. Its name and settings; only the members that are sent change. */
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
  /** Which actions there are: who may run them, what they take, and which backend does them. */
  readonly actionContracts: ActionContractsResource;
  /** What the service may do in your product, under contracts and with approval. */
  readonly actions: ActionsResource;
  /** What was asked of a model, what it answered, and what came of it. */
  readonly aiHistory: AiHistoryResource;
  /** A model that hears of events and asks for actions. */
  readonly assistant: AssistantResource;
  /** What waits for a person. */
  readonly attention: AttentionResource;
  /** Who did what; append-only and hash-chained. */
  readonly audit: AuditResource;
  /** Signing in, and the first claim of an installation. */
  readonly auth: AuthResource;
  /** Connections to other services. */
  readonly connectors: ConnectorsResource;
  /** People and companies, and what they did. */
  readonly contacts: ContactsResource;
  /** Contacts that your product knows by an id of its own. */
  readonly customers: CustomersResource;
  /** One event to one endpoint, with each attempt; replay and cancel. */
  readonly deliveries: DeliveriesResource;
  /** The catalogue of events that the service knows by name, with a schema and an example of each. */
  readonly eventTypes: EventTypesResource;
  /** What happened in your product. A 202 means committed: event, deliveries and idempotency record are one transaction. */
  readonly events: EventsResource;
  /** Addresses that other services send to, and what becomes of what they send. */
  readonly inboundEndpoints: InboundEndpointsResource;
  /** What the service knows of common senders. */
  readonly inboundPresets: InboundPresetsResource;
  /** What came in, and what became of it. */
  readonly inboundReceipts: InboundReceiptsResource;
  /** Built-in receivers with a name, which keep what they receive until it is taken: what `junction listen` reads. */
  readonly inboxes: InboxesResource;
  /** Where this installation keeps its data, for its operator. */
  readonly installation: InstallationResource;
  /** API keys: what each may do, and its limits. */
  readonly keys: KeysResource;
  /** Who the caller is. */
  readonly me: MeResource;
  /** People of the workspace. */
  readonly members: MembersResource;
  /** Actions that wait for a person. */
  readonly proposals: ProposalsResource;
  /** Many deliveries sent again: counted first, looked at while they run, and stopped. */
  readonly replays: ReplaysResource;
  /** The log of API requests. */
  readonly requests: RequestsResource;
  /** What each role may do. */
  readonly roles: RolesResource;
  /** If this event, then that. */
  readonly rules: RulesResource;
  /** Actions that were executed. */
  readonly runs: RunsResource;
  /** Credentials that contracts name; write-only. */
  readonly secrets: SecretsResource;
  /** Support tickets, projected from events and connectors. */
  readonly tickets: TicketsResource;
  /** How much was used. */
  readonly usage: UsageResource;
  /** Addresses that events are delivered to, signed and retried. */
  readonly webhookEndpoints: WebhookEndpointsResource;
  /** Try an endpoint, or an address, with a signed sample. */
  readonly webhooks: WebhooksResource;
  /** Steps in order, which survive restarts. */
  readonly workflows: WorkflowsResource;
  /** The workspace itself. */
  readonly workspaces: WorkspacesResource;

  constructor(transport: Transport) {
    this.actionContracts = new ActionContractsResource(transport);
    this.actions = new ActionsResource(transport);
    this.aiHistory = new AiHistoryResource(transport);
    this.assistant = new AssistantResource(transport);
    this.attention = new AttentionResource(transport);
    this.audit = new AuditResource(transport);
    this.auth = new AuthResource(transport);
    this.connectors = new ConnectorsResource(transport);
    this.contacts = new ContactsResource(transport);
    this.customers = new CustomersResource(transport);
    this.deliveries = new DeliveriesResource(transport);
    this.eventTypes = new EventTypesResource(transport);
    this.events = new EventsResource(transport);
    this.inboundEndpoints = new InboundEndpointsResource(transport);
    this.inboundPresets = new InboundPresetsResource(transport);
    this.inboundReceipts = new InboundReceiptsResource(transport);
    this.inboxes = new InboxesResource(transport);
    this.installation = new InstallationResource(transport);
    this.keys = new KeysResource(transport);
    this.me = new MeResource(transport);
    this.members = new MembersResource(transport);
    this.proposals = new ProposalsResource(transport);
    this.replays = new ReplaysResource(transport);
    this.requests = new RequestsResource(transport);
    this.roles = new RolesResource(transport);
    this.rules = new RulesResource(transport);
    this.runs = new RunsResource(transport);
    this.secrets = new SecretsResource(transport);
    this.tickets = new TicketsResource(transport);
    this.usage = new UsageResource(transport);
    this.webhookEndpoints = new WebhookEndpointsResource(transport);
    this.webhooks = new WebhooksResource(transport);
    this.workflows = new WorkflowsResource(transport);
    this.workspaces = new WorkspacesResource(transport);
  }
}
