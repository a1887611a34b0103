import { createConnector, develop, KitUnavailable, reportText, testConnector } from "../../connectors/testkit/kit.ts";
import { outcomeOf } from "./command.ts";
import type { Author, Outcome } from "./command.ts";
import { CommandError, textOption, UsageError } from "../../setup/usage.ts";
import type { Form, Values } from "../../setup/usage.ts";

type Work = (author: Author) => Promise<Outcome>;

export const AUTHOR_VERBS: ReadonlySet<string> = new Set(["create", "test", "dev"]);

/** A service that is not there (sysexits.h): here a language. */
const EX_UNAVAILABLE = 69;
const RUNTIME: Form = { pattern: /^(?:ts|php)$/, what: "ts or php" };
const BASE_URL = "http://127.0.0.1:4000";
const DEVELOPMENT_KEY = "development";

/** Throws UsageError for what is no command, before anything is read. */
export function authorCommand(verb: string, rest: readonly string[], values: Values): Work {
  const [subject, ...more] = rest;
  if (subject === undefined || more.length > 0)
    throw new UsageError(`"connector ${verb}" wants ${verb === "create" ? "one key" : "one folder"}.`);
  if (verb === "create") return createCommand(subject, values);
  return verb === "test" ? testCommand(subject, values) : devCommand(subject, values);
}

function createCommand(key: string, values: Values): Work {
  const runtime = textOption(values, "runtime", RUNTIME) === "php" ? "php" : "ts";
  const into = values.out === undefined ? "." : textOption(values, "out");
  return async () => {
    const made = await explained(async () => await createConnector(into, key, runtime));
    return outcomeOf(made);
  };
}

function testCommand(folder: string, values: Values): Work {
  const isJson = values.json === true;
  return async ({ php }) => {
    const report = await explained(async () => await testConnector(folder, { php }));
    const exit = report.ok ? 0 : 1;
    return isJson ? outcomeOf(report, exit) : { text: reportText(report), exit };
  };
}

function devCommand(folder: string, values: Values): Work {
  const key = values.key === undefined ? DEVELOPMENT_KEY : textOption(values, "key");
  const settingsFile = values.settings === undefined ? null : textOption(values, "settings");
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
          // It goes on until the process is ended.
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
    if (error instanceof KitUnavailable) throw new CommandError(error.message, error, EX_UNAVAILABLE);
    throw error instanceof Error ? new CommandError(error.message, error) : error;
  }
}
