import { fileURLToPath } from "node:url";
import { PATH } from "./connectors.ts";
import { startService } from "./service.ts";
import { UNLIMITED } from "./subscription.ts";
import type { Parsed, TestService } from "./test-service.ts";

/** The folder of the connectors in this repository. */
export const CONNECTORS_HERE = fileURLToPath(new URL("../../../../connectors/", import.meta.url));

export interface ServiceWithConnectors extends TestService {
  /** Enables a connector. Returns its view. */
  enable(key: string, settings: object, as?: string): Promise<Parsed>;
  /** Runs the connector's own test of its settings. */
  tryOut(key: string, as?: string): Promise<Parsed>;
  /** Returns its runs, newest first. */
  runs(key: string, as?: string): Promise<Parsed[]>;
  /** Waits until one of its runs meets the condition. */
  ran(key: string, wanted: (run: Parsed) => boolean, as?: string): Promise<Parsed>;
}

/** Starts a service with the connectors of this repository, which are trusted by default. */
export async function startWithConnectors(env: Readonly<Record<string, string>> = {}): Promise<ServiceWithConnectors> {
  const service = await startService({
    env: { ...UNLIMITED, JUNCTION_CONNECTORS_DIR: CONNECTORS_HERE, JUNCTION_CONNECTOR_TRUST: "", ...env },
  });
  return {
    ...service,
    async enable(key, settings, as = service.key) {
      const answer = await service.api("POST", `${PATH}/${key}/enable`, { settings }, { key: as });
      if (answer.status !== 200) throw new Error(`${key} is not enabled: ${answer.text}`);
      return answer.body;
    },
    async tryOut(key, as = service.key) {
      return (await service.api("POST", `${PATH}/${key}/test`, undefined, { key: as })).body;
    },
    runs: async (key, as) => await runsOf(service, key, as),
    ran: async (key, wanted, as) => await until(async () => await runsOf(service, key, as), wanted),
  };
}

async function runsOf(service: TestService, key: string, as = service.key): Promise<Parsed[]> {
  const answer = await service.api("GET", `${PATH}/${key}/runs?limit=100`, undefined, { key: as });
  if (answer.status !== 200) throw new Error(`no runs: ${answer.text}`);
  return answer.body["data"];
}

/** Polls until an item meets the condition. The deadline only ends a test that hangs. */
async function until(list: () => Promise<Parsed[]>, wanted: (one: Parsed) => boolean): Promise<Parsed> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const all = await list();
    const found = all.find(wanted);
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`none is as wanted: ${JSON.stringify(all).slice(0, 4000)}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
