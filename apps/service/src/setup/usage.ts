import { parseArgs } from "node:util";

const MAIN = "node apps/service/src/main.ts";
const USAGE = `Usage, beside a running service or without one:
  ${MAIN} workspace create --name <name> --owner-email <e-mail>
  ${MAIN} workspace sandbox-key [--name <name>]
  ${MAIN} member reset-link --email <e-mail> [--clear-totp]
  ${MAIN} connector trust
  ${MAIN} connector trust --name <name> --public-key <file or base64> [--connectors <key,key>] [--development]
  ${MAIN} connector trust --revoke <key id>
  ${MAIN} backup [--out <file>] [--include-master-key]
  ${MAIN} migrate
  ${MAIN} setup link
  ${MAIN} master-key rotate
  ${MAIN} doctor [--egress <host:port,host:port>] [--public-name <name>|none]

While no service runs on the database:
  ${MAIN} restore <file> [--force]

On the machine of a connector's author, without any service:
  ${MAIN} connector keygen --name <name> [--out <folder>]
  ${MAIN} connector sign <folder> --key <private key file> [--second-key <private key file>]
  ${MAIN} connector verify <folder> --public-key <file or base64>
  ${MAIN} connector pack <folder> --public-key <file or base64> [--out <folder>]
  ${MAIN} connector create <key> --runtime <ts or php> [--out <folder>]
  ${MAIN} connector test <folder> [--json]

Beside a running service, with a sandbox key in JUNCTION_API_KEY and the service's address in JUNCTION_BASE_URL:
  ${MAIN} connector dev <folder> [--key <development key, made if missing>] [--settings <JSON file>]`;

const OPTIONS = {
  name: { type: "string" },
  "owner-email": { type: "string" },
  email: { type: "string" },
  "clear-totp": { type: "boolean" },
  key: { type: "string" },
  "second-key": { type: "string" },
  "public-key": { type: "string" },
  connectors: { type: "string" },
  development: { type: "boolean" },
  revoke: { type: "string" },
  out: { type: "string" },
  force: { type: "boolean" },
  "include-master-key": { type: "boolean" },
  egress: { type: "string" },
  "public-name": { type: "string" },
  runtime: { type: "string" },
  settings: { type: "string" },
  json: { type: "boolean" },
} as const;

/** A command line that is not of its form (sysexits.h). */
const EX_USAGE = 64;

export type Option = keyof typeof OPTIONS;
export type Values = Readonly<Partial<Record<Option, string | boolean>>>;

/** What was typed is no command; the message says what is. */
export class UsageError extends Error {
  constructor(fault: string, cause?: unknown) {
    super(`${fault}\n\n${USAGE}`, { cause });
    this.name = "UsageError";
  }
}

/** What was typed is a command, and failed for a reason that the message says. */
export class CommandError extends Error {
  /** What the process exits with (sysexits.h). */
  readonly status: number;

  constructor(message: string, cause?: unknown, status = 1) {
    super(message, { cause });
    this.name = "CommandError";
    this.status = status;
  }
}

export function readArguments(args: readonly string[]): { positionals: string[]; values: Values } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), error);
  }
}

/** What an option's value may be, in a pattern and in words. */
export interface Form {
  readonly pattern: RegExp;
  readonly what: string;
}

export const NAME_FORM: Form = {
  pattern: /^[^\p{Cc}]{1,100}$/u,
  what: "1 to 100 characters without control characters",
};
const ANY_FORM: Form = { pattern: /./, what: "a text that is not empty" };

/** Throws UsageError where the option is missing, and CommandError where its value is not of the form. */
export function textOption(values: Values, name: Option, { pattern, what }: Form = ANY_FORM): string {
  const value = values[name];
  if (typeof value !== "string") throw new UsageError(`--${name} is missing.`);
  if (!pattern.test(value))
    throw new CommandError(`--${name} must be ${what}; got ${JSON.stringify(value)}.`, undefined, EX_USAGE);
  return value;
}

/** Every fault of the environment at once; the process exits 78 with them. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const [first = ""] = faults;
    const list = faults.map((fault) => `  - ${fault}`).join("\n");
    super(faults.length === 1 ? first : `The configuration has ${faults.length} faults:\n${list}`);
    this.name = "ConfigError";
    this.faults = faults;
  }
}
