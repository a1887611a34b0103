import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import type { Command, Context } from "../command.ts";
import { objectIn, textOf } from "../data.ts";
import { namesOf, php, python, typescript } from "../event-types/languages.ts";
import type { Writer } from "../event-types/languages.ts";
import { shapeOf } from "../event-types/shape.ts";
import { EXIT } from "../exit.ts";

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

export const eventTypeCommands: readonly Command[] = [diff, push, types];

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

type SetMembers = Parameters<Awaited<ReturnType<Context["junction"]>>["eventTypes"]["put"]>[0]["types"];

async function typesIn(context: Context, folder: string): Promise<SetMembers> {
  const files = await readdir(folder).catch((error: unknown): never => {
    throw new CommandError(`${folder} cannot be read: ${(error as Error).message}`, EXIT.data);
  });
  const names = files.filter((file) => file.endsWith(".json")).toSorted();
  if (names.length === 0) throw new CommandError(`${folder} has no .json files.`, EXIT.data);
  return await Promise.all(
    names.map(async (file) => {
      const path = join(folder, file);
      const type = objectIn(await textOf(context, path), path);
      const { name } = type;
      if (typeof name !== "string") throw new CommandError(`${path} must have the member name.`, EXIT.data);
      return { ...type, name };
    }),
  );
}
