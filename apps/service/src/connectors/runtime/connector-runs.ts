import type { ActionHandler } from "../../actions/actions.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { ExternalDirectory } from "../../contacts/contacts.ts";
import type { Subscriber } from "../../events/events.ts";
import type { Hosts } from "../sandbox/hosts.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { createCalling } from "./invoke-hook.ts";
import { createFixtures } from "./fixtures.ts";
import { createPerforming } from "./connector-actions.ts";
import { createProviders } from "./providers.ts";
import { createResidents } from "./active-processes.ts";
import { createRunLog } from "./run-log.ts";
import type { RunLog, RunLogDeps } from "./run-log.ts";
import { createServices } from "./services.ts";
import type { ServicesDeps } from "./services.ts";
import { createSubscribers } from "./connector-subscriber.ts";
import { createTrial } from "./connector-test.ts";
import type { TrialEnd } from "./connector-test.ts";
import { createWebhooks } from "./webhooks.ts";
import type { Webhooks } from "./webhooks.ts";
import { createWebhookWorker } from "./webhooks.worker.ts";

export type { CallContext } from "./context.ts";
export { fire } from "./fire-service.ts";
export { fixtureFor, FIXTURES, readFixtures } from "./fixtures.ts";
export type { Fixture } from "./fixtures.ts";
export { createHandles } from "./handles.ts";
export type { Handles } from "./handles.ts";
export { contentOf, readHttpRequest } from "./http-request.ts";
export { http } from "./http-service.ts";
export { createMailService } from "./mail-service.ts";
export { addActivity, find, upsert } from "./people-service.ts";

/**
 * Connects the code of enabled connectors with the service: events, webhooks, providers, actions, and the services that
 * the code may use.
 */
export interface ConnectorRuns {
  /** The subscribers to register with `dispatch`. */
  readonly subscribers: readonly Subscriber[];
  /** The directory to connect with `contacts`. */
  readonly elsewhere: ExternalDirectory;
  /** Runs actions that have no backend of their own. */
  readonly handler: ActionHandler;
  readonly webhooks: Webhooks;
  readonly runs: Pick<RunLog, "list" | "health">;
  /** Tests the settings with the connector's own method. Throws 409 if it has none, or if the connector may not run. */
  test(scope: Scope, key: string): Promise<TrialEnd>;
  /** Returns the scope whose webhook URL contains the token. */
  readonly scopeOfToken: Connectors["scopeOfToken"];
  /** Handles a crash of a child process. The hosts call it. */
  crashed(programId: string, kind: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ConnectorRunsDeps extends Omit<ServicesDeps, "fixtures">, RunLogDeps {
  readonly hosts: Pick<Hosts, "call" | "end">;
  readonly connectors: Pick<Connectors, "pins" | "quarantine" | "inventory" | "scopeOfToken">;
  readonly tasks: Tasks;
}

export function createConnectorRuns(deps: ConnectorRunsDeps): ConnectorRuns {
  const { connectors, hosts } = deps;
  const { pins } = connectors;
  const runLog = createRunLog(deps);
  const fixtures = createFixtures(pins);
  const services = createServices({ ...deps, fixtures });
  const residents = createResidents({ ...deps, pins, quarantine: connectors.quarantine });
  const calling = createCalling({ ...deps, hosts, pins, runLog, services, residents });
  const worker = createWebhookWorker({ ...deps, calling });
  return {
    subscribers: createSubscribers({ ...deps, pins, calling, runLog }),
    elsewhere: createProviders({ pins, calling }),
    handler: createPerforming({ pins, calling, fixtures }),
    webhooks: createWebhooks({ ...deps, pins, inventory: connectors.inventory, runLog, wake: worker.wake }),
    runs: {
      health: runLog.health,
      async list(scope, key, query) {
        // Throws 404 for an unknown connector.
        await connectors.inventory.get(scope, key);
        return await runLog.list(scope, key, query);
      },
    },
    test: createTrial({ inventory: connectors.inventory, calling }),
    scopeOfToken: connectors.scopeOfToken,
    crashed(id, kind) {
      // Deadlines are counted in the call itself, because those of providers do not count: they have little time, and
      // slow is not broken.
      if (kind !== "deadline") residents.crashed(id, kind);
    },
    async start() {
      await residents.start();
      worker.start();
    },
    async stop() {
      await worker.stop();
      await residents.stop();
      await runLog.flushed();
      services.close();
    },
  };
}
