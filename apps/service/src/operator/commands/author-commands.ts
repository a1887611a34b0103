import { CommandError } from "../../../../../packages/command-line/src/command-line.ts";
import {
  createConnector,
  develop,
  KitUnavailableError,
  reportText,
  testConnector,
} from "../../connectors/connectors.ts";
import { outcomeOf } from "./command.ts";
import type { ConnectorAuthorEnvironment, CommandResult } from "./command.ts";
import { optionalText, textOption } from "./usage.ts";
import type { Form, ReadCommand, TypedArguments } from "./usage.ts";

type Work = (author: ConnectorAuthorEnvironment) => Promise<CommandResult>;

/** The exit code for an unavailable service (sysexits.h), here a language runtime. */
const EX_UNAVAILABLE = 69;
const RUNTIME: Form = { pattern: /^(?:ts|php)$/, what: "ts or php" };
const BASE_URL = "http://127.0.0.1:4000";
const DEVELOPMENT_KEY = "development";

export const connectorCreate: ReadCommand = (given, key) => ({ on: "files", run: createCommand(key, given) });
export const connectorTest: ReadCommand = (given, folder) => ({ on: "files", run: testCommand(folder, given) });
export const connectorDev: ReadCommand = (given, folder) => ({ on: "files", run: devCommand(folder, given) });

function createCommand(key: string, given: TypedArguments): Work {
  const runtime = textOption(given, "runtime", RUNTIME) === "php" ? "php" : "ts";
  const into = optionalText(given, "out") ?? ".";
  return async () => {
    const made = await explained(async () => await createConnector(into, key, runtime));
    return outcomeOf(made);
  };
}

function testCommand(folder: string, given: TypedArguments): Work {
  const isJson = given.has("json");
  return async ({ php }) => {
    const report = await explained(async () => await testConnector(folder, { php }));
    const exit = report.ok ? 0 : 1;
    return isJson ? outcomeOf(report, exit) : { text: reportText(report), exit };
  };
}

function devCommand(folder: string, given: TypedArguments): Work {
  const key = optionalText(given, "key") ?? DEVELOPMENT_KEY;
  const settingsFile = optionalText(given, "settings") ?? null;
  return async ({ baseUrl, apiKey }) => {
    if (apiKey === null) throw new CommandError("Set JUNCTION_API_KEY to a sandbox key of the service.");
    await explained(
      async () =>
        await develop({
          folder,
          baseUrl: baseUrl ?? BASE_URL,
          apiKey,
          keyName: key.replace(/\.key$/, ""),
          settingsFile,
          print: (line) => void process.stdout.write(`${line}\n`),
          // It runs until the process is ended.
          signal: new AbortController().signal,
        }),
    );
    return { text: "", exit: 0 };
  };
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KitUnavailableError) throw new CommandError(error.message, EX_UNAVAILABLE, error);
    throw error instanceof Error ? new CommandError(error.message, undefined, error) : error;
  }
}
