import { ServiceError } from "../lib/lib.ts";
import type { People } from "../accounts/workspaces/workspaces.ts";
import { authorCommand, AUTHOR_VERBS } from "../operator/commands/author-commands.ts";
import { outcomeOf } from "../operator/commands/command.ts";
import type { Command, Outcome } from "../operator/commands/command.ts";
import { connectorCommand } from "./connector-commands.ts";
import { operatorCommand } from "../operator/commands/operator-commands.ts";
import { NAME_FORM, readArguments, textOption, UsageError } from "./usage.ts";
import type { Form, Values } from "./usage.ts";

const EMAIL: Form = { pattern: /^[^@\s]{1,100}@[^@\s]{1,150}$/, what: "an e-mail address" };

/** The command of these arguments, checked before any database is opened. Throws UsageError. */
export function commandOf(args: readonly string[]): Command {
  const { positionals, values } = readArguments(args);
  const [area = "", verb = "", ...rest] = positionals;
  if (area === "connector") {
    if (AUTHOR_VERBS.has(verb)) return { on: "files", run: authorCommand(verb, rest, values) };
    const command = connectorCommand(verb, rest, values);
    if (command.on === "files") return { on: "files", run: async () => await printed(command.run) };
    return { on: "installation", run: async (site) => await printed(async () => await command.run(site.connectors)) };
  }
  const operating = operatorCommand(positionals, values);
  if (operating !== undefined) return operating;
  const run = asked(positionals.join(" "), values);
  return { on: "installation", run: async ({ people }) => await printed(async () => await run(people)) };
}

function asked(name: string, values: Values): (people: People) => Promise<object> {
  if (name === "workspace create") {
    const [workspace, email] = [textOption(values, "name", NAME_FORM), textOption(values, "owner-email", EMAIL)];
    return async (people) => await people.found(workspace, email);
  }
  if (name === "member reset-link") {
    const email = textOption(values, "email", EMAIL);
    return async (people) => await people.resetLink(email, values["clear-totp"] === true);
  }
  throw new UsageError(`"${name}" is no command.`);
}

async function printed(run: () => Promise<object>): Promise<Outcome> {
  try {
    return outcomeOf(await run());
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(error.details.detail ?? error.kind.title, error);
    throw error;
  }
}
