import type { ActionHandler, OperationHandler } from "../actions/actions.ts";
import type { AddedSecrets, SecretSource, Telling } from "../audit/audit.ts";
import type { CrashKind, Health, Program } from "../connectors/connectors.ts";
import type { ExternalDirectory, PersonalData } from "../contacts/contacts.ts";
import type { DeliverySubscriber, Events, Subscriber } from "../events/events.ts";
import type { ContractGuard } from "../access/access.ts";
import type { Hidden } from "../lib/lib.ts";
import type { IssueObjects } from "../issues/issues.ts";
import type { AttentionParts, NewsReaders, Searchable } from "../insights/insights.ts";
import type { StepPort } from "../automation/automation.ts";
import type { EventRecords, ScriptRunner, SecretFor } from "../webhooks/webhooks.ts";
import type { MailComposers } from "../platform/mail/mail.ts";
import type { Gauges, Signals } from "../platform/telemetry/telemetry.ts";
import type { App, Scope } from "../accounts/accounts.ts";

/**
 * The phases in which workers start. The service stops its workers in the reverse order, so that each can use its
 * dependencies until its end:
 * - `base`: the database, outbound HTTP and traces, which all other workers use.
 * - `records`: counters and logs that are written in the background. They stop late, so that work that ends during the
 *   stop is counted.
 * - `processes`: the processes of connectors. They stop after the workers that call them.
 * - `effects`: the workers of deliveries, runs and tasks.
 * - `reactions`: the workers that dispatch events and run their stages. They stop before the effects that they cause.
 * - `server`: the HTTP server. Once it has closed, no new requests arrive.
 * - `streams`: open streams, and the self-test, which calls the server. The server waits for them before it closes.
 */
export const PHASES = ["base", "records", "processes", "effects", "reactions", "server", "streams"] as const;
export type Phase = (typeof PHASES)[number];

/** A part of the service that runs in the background or holds resources that must be released. */
export interface Worker {
  readonly name: string;
  readonly phase: Phase;
  /** Set if it starts only in processes with the role `worker`. */
  readonly workerOnly?: true;
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** The items that modules add to extension points. Each field is one extension point, described with its reader. */
export interface Provisions {
  /** The server mounts these in processes with the role `api`. */
  readonly routes: readonly ((app: App) => void)[];
  /** The server mounts these in every process. */
  readonly innerRoutes: readonly ((app: App) => void)[];
  /** The service starts and stops these. */
  readonly workers: readonly Worker[];
  /**
   * The service runs these before any worker starts. Each returns the number of rows that it changed. `done` is the log
   * message if there were any.
   */
  readonly upgrades: readonly { readonly of: string; readonly done: string; run(): Promise<number> }[];
  /** Events are offered to these. */
  readonly subscribers: readonly Subscriber[];
  /** The subscriber whose reactions are deliveries. There is exactly one. */
  readonly deliveries: readonly DeliverySubscriber[];
  /** Modules before the audit write to it through this. There is exactly one. */
  readonly auditPorts: readonly Telling[];
  /** Modules before the events announce events through this. There is exactly one. */
  readonly announcers: readonly Events["announce"][];
  /** Returns the catalog's title of an event; undefined for custom events. There is exactly one. */
  readonly eventTitles: readonly ((name: string) => string | undefined)[];
  /** The audit keeps these secrets out of what it writes. */
  readonly redactionSources: readonly SecretSource[];
  /** Returns those of them that were added since the last time. There is exactly one. */
  readonly addedSecrets: readonly AddedSecrets[];
  /** Contacts export and erase these data with a person. */
  readonly personalData: readonly PersonalData[];
  /** The deletion of a tenant removes the data of its events from these. */
  readonly eventRecords: readonly EventRecords[];
  /** Contacts look people up in these. */
  readonly directories: readonly ExternalDirectory[];
  /** The live stream reads changes of these kinds. */
  readonly liveKinds: readonly Partial<NewsReaders>[];
  /** The overview of open tasks for people consists of these. */
  readonly attention: readonly Partial<AttentionParts>[];
  /** The search finds these kinds of objects. */
  readonly searchables: readonly Searchable[];
  /** The texts of the service's e-mail. */
  readonly mailComposers: readonly MailComposers[];
  /** Rules may have actions, and workflows steps, of these types. If two have the same type, the first one counts. */
  readonly stepPorts: readonly StepPort[];
  /** Called after a delivery has ended that its sender awaits. */
  readonly awaitedDeliveries: readonly (() => void)[];
  /** The access checks ask these whether a caller may run an action. */
  readonly contractGuards: readonly ContractGuard[];
  /** Actions without a backend of their own are performed by these. */
  readonly actionHandlers: readonly ActionHandler[];
  /** Approved writes of operator tools are performed by this. There is exactly one. */
  readonly operationHandlers: readonly OperationHandler[];
  /** Approved plans of the configuration are applied by this. There is exactly one. */
  readonly configurationHandlers: readonly OperationHandler[];
  /** Deliveries sign in to receivers with the secrets that this returns. There is exactly one. */
  readonly outboundSecrets: readonly SecretFor[];
  /** Inboxes check what actions send to them with the secrets that these know. */
  readonly actionSecrets: readonly ((scope: Scope, token: string) => Promise<readonly Hidden[]>)[];
  /** Finds the secrets that may sign an HTTP call by its id. */
  readonly callSecrets: readonly ((scope: Scope, id: string) => Promise<readonly Hidden[]>)[];
  /** Transformations of webhooks run their scripts in this. There is exactly one. */
  readonly scriptRunners: readonly ScriptRunner[];
  /** Called after a connector's process was ended because of its behavior. */
  readonly crashListeners: readonly ((program: Program, kind: CrashKind) => void)[];
  /** The list of connectors shows the health of these. */
  readonly connectorHealth: readonly ((
    scope: Scope,
    keys: readonly string[],
  ) => Promise<ReadonlyMap<string, Health>>)[];
  /** Issues read the names of what failed from these, and replay what failed. */
  readonly issueObjects: readonly IssueObjects[];
  /** The metrics read these on each request. */
  readonly gauges: readonly Partial<Gauges>[];
  /** Called for every signal, on hot paths. They touch memory alone. */
  readonly signalListeners: readonly Partial<Signals>[];
}

export type Points = { readonly [Name in keyof Provisions]: () => Provisions[Name] };

/** Merges objects that each have some of the fields. If two have the same field, the first one counts. */
export function merged<T extends object>(parts: readonly Partial<T>[]): T {
  return Object.assign({}, ...parts.toReversed()) as T;
}

/** Returns the item of a list. Throws unless the list has exactly one. */
export function only<Item>(name: keyof Provisions, list: readonly Item[]): Item {
  const [item, ...others] = list;
  if (item === undefined || others.length > 0)
    throw new Error(`"${name}" must be provided once, not ${list.length} times.`);
  return item;
}
