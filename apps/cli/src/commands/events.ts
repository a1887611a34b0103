import { PermissionError } from "../../../../sdks/node/src/index.ts";
import type { Command, Context } from "../command.ts";
import { DATA, objectIn, readData } from "../data.ts";
import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { typosOf } from "../text.ts";

const trigger: Command = {
  name: "trigger",
  usage: "[event]",
  summary: "Fire an event",
  description:
    "The data comes from a file, from an earlier delivery, or from the catalog's example. --set changes members of it. Numbers are sent exactly as written.",
  options: {
    ...DATA,
    from: {
      type: "string",
      value: "<delivery>",
      about: "Use the data of this delivery, and its event unless you specify one.",
    },
    subject: { type: "string", value: "<text>", about: "The subject of the event: order:10482." },
    tenant: { type: "string", value: "<id>", about: "Your customer that the event concerns, by your own id." },
    "occurred-at": { type: "string", value: "<time>", about: "RFC 3339. Default: now." },
    custom: { type: "boolean", about: "Fire a custom event, even if its name is similar to a catalog event." },
    "idempotency-key": {
      type: "string",
      value: "<key>",
      about: "The event is fired once, even if the command is repeated with this key.",
    },
  },
  words: { least: 0, most: 1 },
  async run(context) {
    const from = await earlier(context);
    const event = await eventOf(context, from);
    const isGiven = context.text("data") !== undefined || from !== undefined;
    const data = await readData(context, from?.data ?? (isGiven ? undefined : await example(context, event)));
    const fired = await (
      await context.junction()
    ).events.fire(event, data ?? {}, {
      idempotencyKey: context.text("idempotency-key"),
      ...optional("subject", context.text("subject")),
      ...optional("tenant", context.text("tenant")),
      ...optional("occurredAt", context.text("occurred-at")),
    });
    const { id, deliveries } = fired;
    context.print.line(fired, `Fired ${event}: ${id}, ${deliveries.length} deliveries.`);
  },
};

export const eventCommands: readonly Command[] = [trigger];

interface Earlier {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

async function earlier(context: Context): Promise<Earlier | undefined> {
  const id = context.text("from");
  if (id === undefined) return undefined;
  const { event, request } = await (await context.junction()).deliveries.get(id);
  if (request === null)
    throw new CommandError(`${id} has no request yet, or its request was deleted. Use --data instead.`, EXIT.refused);
  return { event, data: objectIn(request.body, id)["data"] as Record<string, unknown> };
}

/** Returns the named event unless it looks like a misspelled catalog name, or the event of an earlier delivery. */
async function eventOf(context: Context, from: Earlier | undefined): Promise<string> {
  const [named] = context.words;
  if (named !== undefined && !context.has("custom")) await assertNotMisspelt(context, named);
  const event = named ?? from?.event;
  if (event === undefined) throw new UsageError("The event is missing. Example: `junction trigger order.created`");
  return event;
}

/** A custom event may have any name, so that a misspelled canonical name would be accepted silently. */
async function assertNotMisspelt(context: Context, event: string): Promise<void> {
  const names = (await catalog(context).catch(hidden)).map(({ name }) => name);
  const near = names.includes(event) ? [] : typosOf(event, names).map((name) => `\`${name}\``);
  if (near.length === 0) return;
  throw new UsageError(
    `The catalog has no event "${event}". Did you mean ${near.join(" or ")}? --custom fires a custom event of this name.`,
  );
}

/** Returns no names if the key may fire events but not list event types. */
function hidden(error: unknown): never[] {
  if (error instanceof PermissionError) return [];
  throw error;
}

/** Returns the example of the catalog; a custom event has none. */
async function example(context: Context, event: string): Promise<Record<string, unknown>> {
  return { ...(await catalog(context)).find(({ name }) => name === event)?.example };
}

async function catalog(context: Context) {
  return (await (await context.junction()).eventTypes.list()).data;
}

function optional<Name extends string>(name: Name, value: string | undefined): { [Key in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]: string });
}
