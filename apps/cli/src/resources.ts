import type { CallOptions, Junction } from "../../../sdks/node/src/index.ts";
import type { Command, Context, Options } from "./command.ts";
import { bytesOf, DATA, readData } from "./data.ts";
import { CommandError, UsageError } from "../../../packages/command-line/src/command-line.ts";
import { EXIT } from "./exit.ts";
import { operations } from "./generated/operations.ts";
import type { OperationFacts } from "./generated/operations.ts";
import type { Io } from "./io.ts";
import type { Column } from "./printer.ts";

/** Names of resources that are shorter here than in the API. */
const SHORTER: Readonly<Record<string, string>> = {
  "webhook-endpoints": "endpoints",
  "inbound-endpoints": "sources",
  "inbound-receipts": "receipts",
  "inbound-presets": "presets",
  "action-contracts": "actions",
};

/** Operations of people with a session, which no key can call. */
const OF_PEOPLE = /^auth\./;

const WRITES: Options = {
  "idempotency-key": {
    type: "string",
    value: "<key>",
    about: "The command takes effect once, even if it is repeated with this key. Default: a new key.",
  },
};
const DELETES: Options = { yes: { type: "boolean", short: "y", about: "Do not ask for confirmation." } };
const LISTS: Options = { all: { type: "boolean", about: "List all pages, up to 10,000 objects." } };

/** Members of bodies that are the bytes of a file in base64, by the operation. */
const FILES: Readonly<Record<string, { readonly option: string; readonly member: string; readonly about: string }>> = {
  "inbound_endpoints.preview": {
    option: "request",
    member: "request_base64",
    about:
      "A file with a whole HTTP request as it was copied or captured. The API accepts it in base64 as request_base64.",
  },
};

/** One command per operation of the API, with the resource's name: `rules list`, `endpoints secret regenerate <id>`. */
export const resourceCommands: readonly Command[] = operations
  .filter(({ name }) => !OF_PEOPLE.test(name))
  .map((operation) => commandOf(operation));

function commandOf(operation: OperationFacts): Command {
  const { path, summary, description, body, deletes, writes, lists } = operation;
  const options: Options = {
    ...Object.fromEntries(operation.query.map(({ name, about }) => [dashed(name), option(about)])),
    ...(body === null ? {} : DATA),
    ...fileOption(operation),
    ...(lists ? LISTS : {}),
    ...(writes ? WRITES : {}),
    ...(deletes ? DELETES : {}),
  };
  return {
    name: nameOf(operation),
    usage: path.map((name) => `<${name}>`).join(" "),
    summary,
    description: `${description}${bodyText(operation)}`,
    options,
    words: { least: path.length, most: path.length },
    run: async (context) => await runOperation(operation, context),
  };
}

function option(about: string): Options[string] {
  return { type: "string", value: "<value>", about };
}

function fileOption({ name }: OperationFacts): Options {
  const file = FILES[name];
  return file === undefined ? {} : { [file.option]: { type: "string", value: "<file>", about: file.about } };
}

/** Returns the data of the options, with the member that a file is. */
async function dataOf({ name }: OperationFacts, context: Context): Promise<Record<string, unknown> | undefined> {
  const data = await readData(context);
  const file = FILES[name];
  const path = file === undefined ? undefined : context.text(file.option);
  if (file === undefined || path === undefined) return data;
  return { ...data, [file.member]: (await bytesOf(path)).toString("base64") };
}

function nameOf({ at }: OperationFacts): string {
  const [first = "", ...rest] = at.map((part) => dashed(part));
  return [SHORTER[first] ?? first, ...rest].join(" ");
}

/** Returns `webhookEndpoints` and `created_after` as words of a command line. */
function dashed(name: string): string {
  return name.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function bodyText({ body }: OperationFacts): string {
  if (body === null || body.fields.length === 0) return "";
  const lines = body.fields.map(({ name, required, about }) => `  ${name}${required ? " (required)" : ""}  ${about}`);
  return `\n\nMembers for --data and --set:\n\n${lines.map((line) => line.trimEnd()).join("\n")}`;
}

async function runOperation(operation: OperationFacts, context: Context): Promise<void> {
  const { body, deletes, lists, answer } = operation;
  const data = body === null ? undefined : await dataOf(operation, context);
  if (body?.required === true && data === undefined) throw missingBody(operation);
  assertKnownMembers(operation, data ?? {});
  if (deletes && !context.has("yes"))
    await agree(context.io, `${operation.summary}: ${context.words.join(" ") || "this one"}?`);
  const given = argumentsOf(operation, context, data);
  const called = methodOf(await context.junction(), operation)(...given);
  if (lists) await printList(context, called as ListOfObjects, COLUMNS[operation.name]);
  else printOne(context, answer, await called);
}

function missingBody({ body }: OperationFacts): CommandError {
  const required = body?.fields.filter((field) => field.required).map(({ name }) => name) ?? [];
  const what = required.length > 0 ? ` Required members: ${required.join(", ")}.` : "";
  return new UsageError(`Set the data with --data <file> or --set <name>=<value>.${what}`);
}

/** Throws for unknown members: the SDK splits the body into arguments and would lose them. */
function assertKnownMembers({ body }: OperationFacts, data: Record<string, unknown>): void {
  if (body === null || body.positional.length === 0) return;
  const names = body.fields.map(({ name }) => name);
  const unknown = Object.keys(data).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new UsageError(`Unknown member "${unknown}". Members: ${names.join(", ")}.`);
}

/** Returns the SDK's arguments: those of the path, the body and the query, and the call options. */
function argumentsOf({ body, query }: OperationFacts, context: Context, data?: Record<string, unknown>): unknown[] {
  const idempotencyKey = context.text("idempotency-key");
  const call: CallOptions = idempotencyKey === undefined ? {} : { idempotencyKey };
  const asked = query.flatMap(({ name }) => {
    const value = context.text(dashed(name));
    return value === undefined ? [] : [[name, value] as const];
  });
  const positional = body?.positional ?? [];
  const first = new Set(positional);
  const named = Object.entries(data ?? {}).filter(([name]) => !first.has(name));
  const bodyArguments = positional.length > 0 ? positional.map((name) => data?.[name]) : body === null ? [] : [data];
  return [
    ...context.words,
    ...bodyArguments,
    ...(query.length > 0 ? [Object.fromEntries(asked)] : []),
    { ...(positional.length > 0 ? camelCased(named) : {}), ...call },
  ];
}

function camelCased(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), value]),
  );
}

type Method = (...given: readonly unknown[]) => PromiseLike<object>;

/** Returns the SDK's method of an operation, bound to its resource. */
function methodOf(junction: Junction, { at, name }: OperationFacts): Method {
  let owner: object = junction;
  for (const part of at.slice(0, -1)) owner = (owner as Record<string, object>)[part] ?? {};
  const method = (owner as Record<string, unknown>)[at.at(-1) ?? ""];
  if (typeof method !== "function") throw new Error(`the SDK has no method for ${name}`);
  return method.bind(owner) as Method;
}

interface ListOfObjects extends PromiseLike<{ readonly data: readonly object[]; readonly has_more?: boolean }> {
  all(): Promise<object[]>;
}

/** Columns of tables for objects whose first members mean little to a person. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  "webhook_endpoints.list": [
    { title: "id", from: "id" },
    { title: "url", from: "url" },
    { title: "description", from: "description" },
    { title: "events", from: "events" },
    { title: "active", from: "active" },
    { title: "health", from: "health" },
  ],
  "proposals.list": [
    { title: "id", from: "id" },
    { title: "state", from: "state" },
    { title: "what", from: "preview.title" },
    { title: "requested by", from: "proposer.display" },
    { title: "created", from: "created_at" },
  ],
};

async function printList(
  { print, io, has }: Context,
  list: ListOfObjects,
  columns: readonly Column[] | undefined,
): Promise<void> {
  if (has("all")) {
    const data = await list.all();
    return print.list({ object: "list", data, has_more: false, next_cursor: null } as { data: object[] }, columns);
  }
  const page = await list;
  print.list(page, columns);
  if (!print.isJson && page.has_more === true) io.err("There are more results. Use --all, or --limit and --cursor.\n");
}

function printOne({ print, io }: Context, answer: OperationFacts["answer"], value: object): void {
  if (answer === "none") print.say("Done.");
  else if (answer === "text") io.out((value as { text: string }).text);
  else if (Array.isArray((value as { data?: unknown }).data)) print.list(value as { data: object[] });
  else print.one(value);
}

/** Asks for a confirmation. Throws if the answer is not yes, or no person can be asked. */
export async function agree(io: Io, question: string): Promise<void> {
  if (!io.canAsk)
    throw new UsageError("This command needs a confirmation, and there is no terminal for a prompt. Use --yes.");
  const answer = await io.ask(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer)) throw new CommandError("Nothing was done.", EXIT.refused);
}
