import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import type { Command, Context } from "../command.ts";
import { objectIn } from "../data.ts";
import { readTypes, writeTypes } from "../event-types/files.ts";
import type { TypeFile } from "../event-types/files.ts";
import { namesOf, php, python, typescript } from "../event-types/languages.ts";
import type { Writer } from "../event-types/languages.ts";
import { shapeOf } from "../event-types/shape.ts";
import { EXIT } from "../exit.ts";
import { clientOf } from "../settings.ts";

const PRUNE = { prune: { type: "boolean", about: "Archive your own types that have no file." } } as const;
const ONE_FOLDER = { least: 1, most: 1 };

const diff: Command = {
  name: "event-types diff",
  usage: "<dir>",
  summary: "Show what the event types in a folder would change",
  description:
    "Reads every .json file of the folder: one type each, with the members of POST /v1/event-types and a version. Ends with 0 if nothing would change, and with 1 otherwise.",
  options: PRUNE,
  words: ONE_FOLDER,
  async run(context) {
    const changes = await put(context, true);
    return changes === 0 ? EXIT.done : EXIT.refused;
  },
};

const push: Command = {
  name: "event-types push",
  usage: "<dir>",
  summary: "Write the event types in a folder",
  description:
    "Writes all types or none. A schema that is not compatible with the current version is refused, unless the file has the next version.",
  options: PRUNE,
  words: ONE_FOLDER,
  async run(context) {
    await put(context, false);
  },
};

const pull: Command = {
  name: "event-types pull",
  usage: "<dir>",
  summary: "Write your event types into a folder",
  description:
    "Writes one .json file for each type that the workspace defines, and for each type of the catalog that it enforces. Files that are equal stay as they are.",
  options: { prune: { type: "boolean", about: "Delete the files of types that the workspace does not have." } },
  words: ONE_FOLDER,
  async run(context) {
    const [folder = ""] = context.words;
    const types = await definedTypes(context);
    const pulled = await writeTypes(context, folder, { types, prune: context.has("prune") });
    if (context.print.isJson) context.print.one(pulled);
    const { create, update, remove } = pulled;
    const lines = Object.entries({ create, update, remove }).flatMap(([what, names]) =>
      names.map((name) => `${what}  ${name}`),
    );
    for (const line of lines) context.print.say(line);
    if (lines.length === 0) context.print.say("No changes.");
  },
};

const types: Command = {
  name: "types",
  usage: "",
  summary: "Print the event types as source",
  description: "The data of every canonical event and of your own types, for code that fires or receives events.",
  options: { lang: { type: "string", value: "typescript|python|php", about: "The language." } },
  words: { least: 0, most: 0 },
  async run(context) {
    const writer = writerOf(context);
    const { data } = await (await context.junction()).eventTypes.list();
    const shown = data.filter(({ origin }) => origin !== "system");
    const names = namesOf(shown.map(({ name }) => name));
    context.io.out(
      writer(
        shown.map(({ name: event, version, schema }, at) => ({
          event,
          version,
          name: names[at] ?? event,
          shape: shapeOf(schema),
        })),
      ),
    );
  },
};

export const eventTypeCommands: readonly Command[] = [diff, push, pull, types];

const WRITERS = new Map<string | undefined, Writer>([
  ["typescript", typescript],
  ["python", python],
  ["php", php],
]);

function writerOf(context: Context): Writer {
  const writer = WRITERS.get(context.text("lang"));
  if (writer === undefined) throw new UsageError("--lang must be typescript, python or php.");
  return writer;
}

/** Sends the types of the folder and prints the changes. Returns how many there are. */
async function put(context: Context, isDryRun: boolean): Promise<number> {
  const [folder = ""] = context.words;
  const set = await typesIn(context, folder);
  const body = { types: set, prune: context.has("prune"), dry_run: isDryRun };
  const changes = await (await context.junction()).eventTypes.put(body);
  if (context.print.isJson) context.print.one(changes);
  const { create, update, archive, incompatible } = changes;
  for (const [what, names] of Object.entries({ create, update, archive }))
    for (const name of names) context.print.say(`${what}  ${name}`);
  for (const { name, errors } of incompatible) {
    context.print.say(context.print.tint("red", `incompatible  ${name}`));
    for (const { pointer, message } of errors) context.print.say(`  ${pointer} ${message}`);
  }
  const count = create.length + update.length + archive.length + incompatible.length;
  if (count === 0) context.print.say("No changes.");
  return count;
}

type EventType = Awaited<ReturnType<Awaited<ReturnType<Context["junction"]>>["eventTypes"]["list"]>>["data"][number];
type SetMembers = Parameters<Awaited<ReturnType<Context["junction"]>>["eventTypes"]["put"]>[0]["types"];

async function typesIn(context: Context, folder: string): Promise<SetMembers> {
  const files = await readTypes(context, folder);
  if (files.length === 0) throw new CommandError(`${folder} has no .json files.`, EXIT.data);
  return files.map(({ type }) => type);
}

/** Returns the members of a file for each type that the workspace defines. Numbers keep their digits. */
async function definedTypes(context: Context): Promise<TypeFile["type"][]> {
  let text = "{}";
  // The SDK reads numbers as JavaScript does, which rounds some of them.
  const client = clientOf(await context.account(), async (url, init) => {
    const response = await fetch(url, init as RequestInit);
    const { status, headers } = response;
    text = await response.text();
    return { status, headers, text: async () => await Promise.resolve(text) };
  });
  await client.eventTypes.list();
  const { data } = objectIn(text, "The response") as unknown as { readonly data: readonly EventType[] };
  return data.flatMap((type) => fileOf(type));
}

function fileOf({ origin, name, version, title, description, enforcement, visibility, ...rest }: EventType) {
  if (origin === "custom") {
    const deprecated = rest.deprecated_at !== null;
    const { schema, examples } = rest;
    return [{ name, version, title, description, enforcement, visibility, deprecated, schema, examples }];
  }
  // The workspace owns only the enforcement of a type of the catalog.
  return origin === "canonical" && enforcement !== "off" ? [{ name, enforcement }] : [];
}
