import { readFile } from "node:fs/promises";
import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import type { Command, Context } from "../command.ts";
import { EXIT } from "../exit.ts";
import { readConvoy } from "../imports/convoy.ts";
import { readCsv } from "../imports/csv.ts";
import type { Imported, Note } from "../imports/objects.ts";
import { readOutpost } from "../imports/outpost.ts";
import { createPeer } from "../imports/peer.ts";
import type { Peer } from "../imports/peer.ts";
import { readSvix } from "../imports/svix.ts";
import { largeCall } from "../large-call.ts";
import { variable, withoutTrailingSlashes } from "../settings.ts";

interface Product {
  readonly token: string;
  read(peer: Peer): Promise<Imported>;
}

const PRODUCTS: Readonly<Record<string, Product>> = {
  svix: { token: "SVIX_TOKEN", read: readSvix },
  convoy: { token: "CONVOY_TOKEN", read: readConvoy },
  outpost: { token: "OUTPOST_TOKEN", read: readOutpost },
};
const SOURCES = [...Object.keys(PRODUCTS), "csv"];

export const importCommand: Command = {
  name: "import",
  usage: "<svix|convoy|outpost|csv>",
  summary: "Import tenants, endpoints and event types of another product",
  description:
    "Reads the other product, and shows what would be created and what cannot come along. Ends with 2 if something would be created, and with 0 otherwise. With --apply, everything is created in one transaction. Ids and signing secrets are kept, and what exists already stays as it is. The token of the other product is SVIX_TOKEN, CONVOY_TOKEN or OUTPOST_TOKEN.",
  options: {
    from: {
      type: "string",
      value: "<url|file>",
      about: "The address of the product, or the table. - is standard input.",
    },
    apply: { type: "boolean", about: "Create the objects." },
  },
  words: { least: 1, most: 1 },
  async run(context) {
    const [source = ""] = context.words;
    if (!SOURCES.includes(source)) throw new UsageError(`The source must be one of ${SOURCES.join(", ")}.`);
    const found = await read(context, source);
    const isDry = !context.has("apply");
    const outcome = await send(context, { source, dry_run: isDry }, found);
    show(context, outcome, found.notes);
    return isDry && outcome.create.length > 0 ? EXIT.changes : EXIT.done;
  },
};

async function read(context: Context, source: string): Promise<Imported> {
  const from = context.text("from");
  if (from === undefined) throw new UsageError("Name the address or the table with --from.");
  const product = PRODUCTS[source];
  if (product === undefined) return readCsv(from === "-" ? await context.io.input() : await tableOf(from));
  const token = variable(context.io, product.token);
  if (token === undefined) throw new CommandError(`Set ${product.token} to a token of ${from}.`, EXIT.config);
  context.io.hide(token);
  if (URL.parse(from) === null) throw new UsageError("--from must be a URL.");
  return await product.read(createPeer({ url: withoutTrailingSlashes(from), token, signal: context.io.signal }));
}

async function tableOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, EXIT.data);
  }
}

interface Outcome {
  readonly dry_run: boolean;
  readonly create: readonly { readonly kind: string; readonly name: string }[];
  readonly unchanged: number;
  readonly left_out: readonly Note[];
}

async function send(
  context: Context,
  head: { readonly source: string; readonly dry_run: boolean },
  { event_types, applications, endpoints }: Imported,
): Promise<Outcome> {
  const body = JSON.stringify({ ...head, event_types, applications, endpoints });
  const call = { method: "POST", path: "/v1/imports", failed: "Nothing was imported.", invalid: EXIT.refused } as const;
  return JSON.parse(await largeCall(context, { ...call, body })) as Outcome;
}

function show({ print }: Context, outcome: Outcome, notes: readonly Note[]): void {
  const leftOut = [...outcome.left_out, ...notes];
  if (print.isJson) {
    print.one({ ...outcome, left_out: outcome.left_out, notes });
    return;
  }
  const verb = outcome.dry_run ? "create" : "created";
  for (const { kind, name } of outcome.create) print.say(`${verb} ${kind} ${name}`);
  for (const { kind, name, reason } of leftOut) print.say(`note ${kind} ${name}: ${reason}`);
  const { length } = outcome.create;
  print.say(
    `${length} ${outcome.dry_run ? "to create" : "created"}, ${outcome.unchanged} unchanged, ${outcome.left_out.length} left out.`,
  );
  if (outcome.dry_run && length > 0) print.say("Nothing was written. Add --apply to create them.");
}
