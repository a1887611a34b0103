import cluster from "node:cluster";
import type { Config } from "../config/config.ts";
import { exitOnSignal } from "./exit.ts";
import { commandOf, USAGE } from "../operator/operator.ts";
import type { ConnectorAuthorEnvironment } from "../operator/operator.ts";

export interface Program {
  /** Loads the functions that read the settings of the environment. */
  readonly loadConfig: () => Promise<Environment>;
  /** Work that begins with the start, after the preflight checks. The service is ready only when it has ended. */
  readonly prepare?: () => Promise<unknown>;
}

export interface Environment {
  readonly readConfig: () => Config;
  readonly readAuthor: () => ConnectorAuthorEnvironment;
}

/**
 * Runs a process of the service, or a command. Exits on an error. Loads only what it needs: the service itself takes many times as long to
 * load as most commands take to run.
 */
export async function main({ loadConfig, prepare }: Program): Promise<void> {
  try {
    const args = process.argv.slice(2);
    if (cluster.isWorker) await join(await loadConfig());
    else if (args.length === 0) await start(await loadConfig(), prepare);
    else await runCommandLine(args, loadConfig);
  } catch (error) {
    const { processRefusal } = await import("./refusal.ts");
    const { message, exit } = processRefusal(error);
    if (cluster.isWorker) await (await import("./cluster.ts")).reportRefusal({ message, exit });
    else process.stderr.write(`${message}\n`);
    process.exit(exit);
  }
}

async function join({ readConfig }: Environment): Promise<void> {
  const { joinFleet } = await import("./cluster.ts");
  await joinFleet(readConfig());
}

async function start({ readConfig }: Environment, prepare: Program["prepare"]): Promise<void> {
  const { startService } = await import("./start.ts");
  await startService(readConfig(), prepare);
}

async function runCommandLine(args: readonly string[], loadConfig: Program["loadConfig"]): Promise<void> {
  if (args.some((argument) => argument === "--help" || argument === "-h"))
    return void process.stdout.write(`${USAGE}\n`);
  exitOnSignal();
  const command = await commandOf(args);
  const [{ runCommand }, environment] = await Promise.all([import("./commands.ts"), loadConfig()]);
  const { text, exit } = await runCommand(command, environment);
  process.stdout.write(text);
  process.exitCode = exit;
  // The channel for progress messages would otherwise keep the process alive.
  process.disconnect?.();
}
