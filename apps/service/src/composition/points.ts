import type { ActionHandler } from "../actions/actions.ts";
import type { SecretSource } from "../audit/audit.ts";
import type { CrashKind, Health, Program } from "../connectors/connectors.ts";
import type { ExternalDirectory, PersonalData } from "../contacts/contacts.ts";
import type { DeliverySubscriber, Subscriber } from "../events/events.ts";
import type { ContractGuard } from "../access/access.ts";
import type { Hidden } from "../lib/lib.ts";
import type { AttentionParts, NewsReaders } from "../insights/insights.ts";
import type { Capabilities, StepPort } from "../automation/automation.ts";
import type { Gauges, Signals } from "../platform/telemetry/telemetry.ts";
import type { App, Scope } from "../accounts/accounts.ts";

/**
 * When a worker starts. The service stops its workers in the reverse order, so that each can still use what it is made of:
 * - `base`: what everything else uses: the database, outbound HTTP, traces.
 * - `records`: counters and logs that are written in the background. They stop late, so that what ends while the service stops is counted.
 * - `processes`: the processes of connectors. They outlive whatever calls them.
 * - `effects`: what works off deliveries, runs and tasks.
 * - `reactions`: what takes events and runs their stages. It stops before the effects that it leads to.
 * - `server`: the HTTP server. When it has closed, nothing new comes in.
 * - `streams`: what the server waits for before it closes: open streams, and the self-test, which calls the server.
 */
export const PHASES = ["base", "records", "processes", "effects", "reactions", "server", "streams"] as const;
export type Phase = (typeof PHASES)[number];

/** Something that runs in the background, or holds what has to be given back. */
export interface Worker {
  readonly name: string;
  readonly phase: Phase;
  /** Whether it starts only in processes with the role `worker`. */
  readonly workerOnly?: true;
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** What modules add to what others offer. Each field is an extension point; the module that reads it is named with it. */
export interface Provisions {
  /** The server mounts these in processes with the role `api`. */
  readonly routes: readonly ((app: App) => void)[];
  /** The server mounts these in every process. */
  readonly innerRoutes: readonly ((app: App) => void)[];
  /** The service starts and stops these. */
  readonly workers: readonly Worker[];
  /** The service runs these before any worker starts. Each answers how many rows it changed. */
  readonly upgrades: readonly { readonly of: string; run(): Promise<number> }[];
  /** Events are offered to these. */
  readonly subscribers: readonly Subscriber[];
  /** The subscriber whose reactions are deliveries: one. */
  readonly deliveries: readonly DeliverySubscriber[];
  /** The audit keeps these secrets out of what it writes. */
  readonly redactionSources: readonly SecretSource[];
  /** Contacts export and erase these data with a person. */
  readonly personalData: readonly PersonalData[];
  /** Contacts look people up in these. */
  readonly directories: readonly ExternalDirectory[];
  /** The live stream reads changes of these kinds. */
  readonly liveKinds: readonly Partial<NewsReaders>[];
  /** The overview of what waits for a person is made of these. */
  readonly attention: readonly Partial<AttentionParts>[];
  /** Rules may do these. */
  readonly ruleActions: readonly Capabilities[];
  /** Workflows may have steps of these kinds. */
  readonly workflowSteps: readonly StepPort[];
  /** Called after a delivery has ended that its sender awaits. */
  readonly awaitedDeliveries: readonly (() => void)[];
  /** The access checks ask these whether a caller may run an action. */
  readonly contractGuards: readonly ContractGuard[];
  /** Actions without a backend of their own are performed by these. */
  readonly actionHandlers: readonly ActionHandler[];
  /** Inboxes check what actions send to them with the secrets that these know. */
  readonly actionSecrets: readonly ((scope: Scope, token: string) => Promise<readonly Hidden[]>)[];
  /** Called when a connector's process was ended for what it did. */
  readonly crashListeners: readonly ((program: Program, kind: CrashKind) => void)[];
  /** The list of connectors shows how these are. */
  readonly connectorHealth: readonly ((
    scope: Scope,
    keys: readonly string[],
  ) => Promise<ReadonlyMap<string, Health>>)[];
  /** The metrics read these when they are asked for. */
  readonly gauges: readonly Partial<Gauges>[];
  /** Called for every signal, on hot paths: they touch memory alone. */
  readonly signalListeners: readonly Partial<Signals>[];
}

export type Points = { readonly [Name in keyof Provisions]: () => Provisions[Name] };

/** One object of many that each have some of its fields. Of two that have the same one, the first counts. */
export function merged<T extends object>(parts: readonly Partial<T>[]): T {
  return Object.assign({}, ...parts.toReversed()) as T;
}

/** The item of a list that has exactly one. */
export function only<Item>(name: keyof Provisions, list: readonly Item[]): Item {
  const [item, ...others] = list;
  if (item === undefined || others.length > 0)
    throw new Error(`"${name}" must be provided once, not ${list.length} times.`);
  return item;
}
