import { parseArgs } from "node:util";
import { ServiceError } from "../kernel/kernel.ts";
import type { People } from "../workspaces/workspaces.ts";

/** What was typed is no command; the message says what is. */
export class UsageError extends Error {
  constructor(fault: string, cause?: unknown) {
    super(`${fault}\n\n${USAGE}`, { cause });
    this.name = "UsageError";
  }
}

/** What the operator asks of the installation; answers JSON to print. Secrets in it are shown this once. */
export type Command = (people: People) => Promise<string>;

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

const EMAIL = /^[^@\s]{1,100}@[^@\s]{1,150}$/;
const NAME = /^[^\p{Cc}]{1,100}$/u;

/** The command of these arguments, checked before any database is opened. Throws UsageError. */
export function commandOf(args: readonly string[]): Command {
  const { positionals, values } = parsed(args);
  const run = asked(positionals.join(" "), values);
  return async (people) => {
    try {
      return `${JSON.stringify(await run(people), null, 2)}\n`;
    } catch (error) {
      if (error instanceof ServiceError) throw new UsageError(error.details.detail ?? error.kind.title, error);
      throw error;
    }
  };
}

function asked(name: string, values: Values): (people: People) => Promise<object> {
  if (name === "workspace create") {
    const [workspace, email] = [text(values, "name", NAME), text(values, "owner-email", EMAIL)];
    return async (people) => await people.found(workspace, email);
  }
  if (name === "member reset-link") {
    const email = text(values, "email", EMAIL);
    return async (people) => await people.resetLink(email, values["clear-totp"] === true);
  }
  throw new UsageError(`"${name}" is no command.`);
}

function parsed(args: readonly string[]): { positionals: string[]; values: Values } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), error);
  }
}

function text(values: Values, name: keyof typeof OPTIONS, form: RegExp): string {
  const value = values[name];
  if (typeof value !== "string" || !form.test(value)) throw new UsageError(`--${name} is missing or not well formed.`);
  return value;
}
