import { webhooks } from "../../../../sdks/node/src/index.ts";
import type { Command, Context } from "../command.ts";
import { textOf } from "../data.ts";
import { CommandError, EXIT } from "../exit.ts";
import { variable } from "../settings.ts";

const SECRET = "JUNCTION_WEBHOOK_SECRET";

const verify: Command = {
  name: "verify",
  usage: "[file]",
  summary: "Check the signatures of a delivery",
  description: `The body, exactly as it came, is read from the file or standard input; the endpoint's secret is ${SECRET}, or two with a blank between while one replaces the other. Exit code 1 where the delivery is not to be trusted.`,
  options: {
    header: {
      type: "string",
      short: "H",
      multiple: true,
      value: '"<name>: <value>"',
      about: "A header that came with it; again for each: webhook-id, webhook-timestamp, webhook-signature.",
    },
    headers: { type: "string", value: "<file>", about: "All headers from a file, one a line." },
    tolerance: { type: "string", value: "<seconds>", about: "How old it may be: 300." },
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
  summary: "Print the headers that the service would send with a body",
  description: `For tests of a receiver: \`junction sign body.json | curl -H @- --data-binary @body.json <url>\`. The secret is ${SECRET}.`,
  options: {
    id: { type: "string", value: "<id>", about: "The delivery's id; by default the body's." },
    timestamp: { type: "string", value: "<seconds>", about: "Unix seconds; by default now." },
  },
  words: { least: 0, most: 1 },
  async run(context) {
    const secret = readSecret(context);
    const body = await textOf(context, context.words[0] ?? "-");
    const headers = webhooks.sign(body, secret, {
      id: context.text("id"),
      timestamp: readSeconds(context.text("timestamp")),
    });
    // Lines are what curl reads, so a pipe gets them too.
    if (context.has("json")) return context.print.one(headers);
    for (const [name, value] of Object.entries(headers)) context.io.out(`${name}: ${value}\n`);
  },
};

export const signatureCommands: readonly Command[] = [verify, sign];

function readSecret({ io }: Context): string {
  const secret = variable(io, SECRET);
  if (secret === undefined)
    throw new CommandError(`Set ${SECRET} to the endpoint's secret: it begins with whsec_.`, EXIT.config);
  return secret;
}

async function readHeaders(context: Context): Promise<Record<string, string>> {
  const file = context.text("headers");
  const fromFile = file === undefined ? [] : (await textOf(context, file)).split(/\r?\n/);
  const lines = [...fromFile, ...context.texts("header")].filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      if (at < 1) throw new CommandError('A header is written "<name>: <value>".');
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw new CommandError("Seconds are a whole number.");
  return Number(text);
}
