import { webhooks } from "../../../../sdks/node/src/index.ts";
import type { Command, Context } from "../command.ts";
import { textOf } from "../data.ts";
import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { variable } from "../settings.ts";

const SECRET = "JUNCTION_WEBHOOK_SECRET";

const verify: Command = {
  name: "verify",
  usage: "[file]",
  summary: "Check the signatures of a delivery",
  description: `The body is read from the file or standard input, exactly as received. Set ${SECRET} to the endpoint's secret, or to two secrets separated by a space during a rotation. Exit code 1 if the delivery is not authentic.`,
  options: {
    header: {
      type: "string",
      short: "H",
      multiple: true,
      value: '"<name>: <value>"',
      about: "A received header. Repeat for each: webhook-id, webhook-timestamp, webhook-signature.",
    },
    headers: { type: "string", value: "<file>", about: "Read all headers from a file, one per line." },
    tolerance: { type: "string", value: "<seconds>", about: "The maximum age of the delivery. Default: 300." },
  },
  words: { least: 0, most: 1 },
  async run(context) {
    const secrets = readSecret(context).split(/\s+/);
    const headers = await readHeaders(context);
    const tolerance = readSeconds(context.text("tolerance"));
    const body = await textOf(context, context.words[0] ?? "-");
    const { event, delivery_id: id, timestamp } = webhooks.verify(body, headers, secrets, { tolerance });
    const verdict = { object: "verification", valid: true, event, delivery_id: id, timestamp };
    context.print.line(verdict, `${context.print.tint("green", "Valid")}: ${event}, ${id}`);
  },
};

const sign: Command = {
  name: "sign",
  usage: "[file]",
  summary: "Sign a body and print the headers",
  description: `Prints the headers that the service would send, to test a receiver: \`junction sign body.json | curl -H @- --data-binary @body.json <url>\`. The secret is ${SECRET}.`,
  options: {
    id: { type: "string", value: "<id>", about: "The delivery's ID. Default: the ID in the body." },
    timestamp: { type: "string", value: "<seconds>", about: "Unix seconds. Default: now." },
  },
  words: { least: 0, most: 1 },
  async run(context) {
    const secret = readSecret(context);
    const body = await textOf(context, context.words[0] ?? "-");
    const headers = webhooks.sign(body, secret, {
      id: context.text("id"),
      timestamp: readSeconds(context.text("timestamp")),
    });
    // curl reads these lines, so that a pipe gets them too.
    if (context.has("json")) return context.print.one(headers);
    for (const [name, value] of Object.entries(headers)) context.io.out(`${name}: ${value}\n`);
  },
};

export const signatureCommands: readonly Command[] = [verify, sign];

function readSecret({ io }: Context): string {
  const secret = variable(io, SECRET);
  if (secret === undefined)
    throw new CommandError(`Set ${SECRET} to the endpoint's secret, which starts with whsec_.`, EXIT.config);
  return secret;
}

async function readHeaders(context: Context): Promise<Record<string, string>> {
  const file = context.text("headers");
  const fromFile = file === undefined ? [] : (await textOf(context, file)).split(/\r?\n/);
  const lines = [...fromFile, ...context.texts("header")].filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      if (at < 1) throw new UsageError('A header must have the form "<name>: <value>".');
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw new UsageError("Seconds must be a whole number.");
  return Number(text);
}
