import { join } from "node:path";
import { connectorApi, connectorFiles, CONNECTORS, drop, freshKey, PATH, signed } from "./connectors.ts";
import type { Files } from "./connectors.ts";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

/** The definition of a connector with a test's own code. */
export interface Coded {
  /** The members of the class, in addition to `key()`. */
  readonly members: string;
  /** Members of connector.json. */
  readonly description?: Readonly<Record<string, unknown>>;
  readonly actions?: readonly Record<string, unknown>[];
  /** The content of settings.json. Default: an address and a secret. */
  readonly form?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly files?: Files;
  /** The key that enables it. Default: the owner's live key. */
  readonly as?: string;
}

export interface RunningConnector {
  readonly key: string;
  /** The namespace of its actions: `crm_1` for the key `crm-1`. */
  readonly namespace: string;
  readonly enabled: ApiAnswer;
  /** Returns its runs, newest first, by default with the owner's key. */
  runs(query?: string, as?: string): Promise<Parsed[]>;
  /** Waits until this number of its runs meet the condition. */
  until(wanted: (run: Parsed) => boolean, count?: number, as?: string): Promise<Parsed[]>;
  show(as?: string): Promise<Parsed>;
  disable(): Promise<ApiAnswer>;
  enable(body?: object): Promise<ApiAnswer>;
}

const FORM = {
  type: "object",
  properties: {
    base_url: { type: "string", format: "uri" },
    api_key: { type: "string", writeOnly: true, minLength: 4 },
  },
};
export const SECRET = "sk-live-never-seen-inside-0123456789";

/** Returns the files of a signed connector with this code. */
export function codedFiles(key: string, coded: Coded): Files {
  const code = `import { AbstractConnector } from "@junction/connector";
export class Tested extends AbstractConnector {
  key() { return ${JSON.stringify(key)}; }
${coded.members}
}
`;
  const files = connectorFiles(key, { egress: [], events: [], fires: [], reads: [], ...coded.description }, [
    ...(coded.actions ?? []),
  ]);
  return signed(key, {
    ...files,
    "connector.ts": code,
    "settings.json": JSON.stringify(coded.form ?? FORM),
    ...coded.files,
  });
}

/** Installs a connector with this code, and enables it. */
export async function runConnector(service: TestService, coded: Coded, key = freshKey()): Promise<RunningConnector> {
  const api = connectorApi(service);
  await drop(join(CONNECTORS, key), codedFiles(key, coded));
  const scanned = await service.api("POST", `${PATH}/rescan`);
  if (scanned.status !== 200) throw new Error(`not scanned: ${scanned.text}`);
  const enabled = await api.enable(key, { settings: coded.settings ?? {} }, coded.as);
  const runs: RunningConnector["runs"] = async (query = "", as = service.key) => {
    const answer = await service.api("GET", `${PATH}/${key}/runs?limit=100${query}`, undefined, { key: as });
    if (answer.status !== 200) throw new Error(`no runs: ${answer.text}`);
    return answer.body["data"];
  };
  return {
    key,
    namespace: key.replaceAll("-", "_"),
    enabled,
    runs,
    async until(wanted, count = 1, as = service.key) {
      // The deadline only ends a test that hangs.
      const deadline = Date.now() + 60_000;
      for (;;) {
        const all = await runs("", as);
        const found = all.filter(wanted);
        if (found.length >= count) return found;
        if (Date.now() > deadline) throw new Error(`no such run: ${JSON.stringify(all).slice(0, 3000)}`);
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    },
    show: async (as) => await api.show(key, as),
    disable: async () => await api.disable(key),
    enable: async (body = {}) => await api.enable(key, body),
  };
}

/**
 * Returns members of a class that subscribes to `event` and makes the calls in its data: `calls`, each with a service's name and its
 * arguments. In these, `{api_key}` is the handle of that setting, and `{x:9}` is nine letters. Each result or error code is logged.
 */
export function obedient(event: string): string {
  return `subscribers() { return { ${JSON.stringify(event)}: ["obey"] }; }
  async obey(event) { await this.obeyAll(event.data.calls); }
  async obeyAll(calls) {
    const filled = (value) => {
      if (typeof value === "string") 
        return value.replaceAll("{api_key}", () => String(this.settings("api_key"))).replace(/\\{x:(\\d+)\\}/, (all, count) => "x".repeat(count));
      if (Array.isArray(value)) return value.map(filled);
      if (typeof value === "object" && value !== null)
        return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]));
      return value;
    };
    for (const [name, ...args] of calls) {
      try {
        const path = name.split(".");
        const holder = path.length === 1 ? this : this[path[0]];
        const value = await holder[path.at(-1)](...filled(args));
        this.log("info", "answered", { value: value === undefined ? null : value });
      } catch (error) {
        this.log("error", error.code ?? "thrown", { message: error.message });
      }
    }
  }`;
}

export type Call = readonly [service: string, ...args: unknown[]];

/** Fires an event that makes an obedient connector perform these calls. Returns its run. */
export async function obeyed(
  service: TestService,
  connector: RunningConnector,
  event: string,
  calls: readonly Call[],
): Promise<Parsed> {
  const fired = await service.fire(event, { calls });
  const [run] = await connector.until((one) => one.event_id === fired["id"]);
  return run;
}

/** Returns the result of each call of a run: its value, or `code: message`. */
export function answersOf(run: Parsed): unknown[] {
  return run.log.map((line: Parsed) =>
    line.level === "info" ? line.fields.value : `${line.message}: ${line.fields.message}`,
  );
}
