import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createService } from "./app.ts";
import type { Service } from "./app.ts";
import type { Config } from "./config.ts";
import { migrate, runningEmbedded, startEmbedded } from "./db/db.ts";
import { ServiceError, VERSION } from "./kernel/kernel.ts";
import { keptMasterKey } from "./setup/setup.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";

/** What was typed is no command; the message says what is. */
export class UsageError extends Error {
  constructor(fault: string, cause?: unknown) {
    super(`${fault}\n\n${USAGE}`, { cause });
    this.name = "UsageError";
  }
}

const USAGE = `Usage, beside a running service or without one:
  node apps/service/src/main.ts workspace create --name <name> --owner-email <e-mail>
  node apps/service/src/main.ts member reset-link --email <e-mail> [--clear-totp]`;

const OPTIONS = {
  name: { type: "string" },
  "owner-email": { type: "string" },
  email: { type: "string" },
  "clear-totp": { type: "boolean" },
} as const;

type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | boolean>>>;
type Command = (service: Service, values: Values) => Promise<object>;

const COMMANDS: Readonly<Record<string, Command>> = {
  "workspace create": async ({ people }, values) =>
    await people.found(text(values, "name", /^[^\p{Cc}]{1,100}$/u), text(values, "owner-email", EMAIL)),
  "member reset-link": async ({ people }, values) =>
    await people.resetLink(text(values, "email", EMAIL), values["clear-totp"] === true),
};
const EMAIL = /^[^@\s]{1,200}@[^@\s]{1,253}$/;

/** Runs one command on the database that the configuration names; answers JSON to print. Secrets in it are shown this once. */
export async function runCommand(args: readonly string[], config: Config): Promise<string> {
  const { command, values } = commandOf(args);
  return await withDatabase(config, async (databaseUrl) => {
    await migrate(databaseUrl, new URL("db/migrations/", import.meta.url));
    const service = await createService({
      config,
      databaseUrl,
      masterKey: config.masterKey ?? (await keptMasterKey(config.dataDir)),
      version: { version: VERSION, node: process.version, git_sha: null },
      telemetry: createTelemetry("silent"),
    });
    try {
      return `${JSON.stringify(await command(service, values), null, 2)}\n`;
    } catch (error) {
      if (error instanceof ServiceError) throw new UsageError(error.details.detail ?? error.kind.title, error);
      throw error;
    } finally {
      await service.stop();
    }
  });
}

function commandOf(args: readonly string[]): { command: Command; values: Values } {
  try {
    const { positionals, values } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    const command = COMMANDS[positionals.join(" ")];
    if (command === undefined) throw new Error(`"${positionals.join(" ")}" is no command.`);
    return { command, values };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), error);
  }
}

function text(values: Values, name: keyof typeof OPTIONS, form: RegExp): string {
  const value = values[name];
  if (typeof value !== "string" || !form.test(value)) throw new UsageError(`--${name} is missing or not well formed.`);
  return value;
}

/** The external database, the embedded one of a service that runs now, or the embedded one started for this command. */
async function withDatabase(config: Config, run: (databaseUrl: string) => Promise<string>): Promise<string> {
  const there = config.databaseUrl ?? (await runningEmbedded(config.dataDir));
  if (there !== undefined) return await run(there);
  const embedded = await startEmbedded({ dataDir: resolve(config.dataDir), log: createTelemetry("silent").log });
  try {
    return await run(embedded.url);
  } finally {
    await embedded.stop();
  }
}
