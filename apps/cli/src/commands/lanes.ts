import { UsageError } from "../../../../packages/command-line/src/command-line.ts";
import type { Lane } from "../../../../sdks/node/src/index.ts";
import type { Command, Context } from "../command.ts";
import { visible } from "../text.ts";

const lanes: Command = {
  name: "lanes",
  usage: "<endpoint>",
  summary: "Show what the lanes of an ordered endpoint wait for",
  description:
    "Deliveries with the same ordering key are sent one at a time. With --retry or --skip, the delivery that a lane waits for is sent now or cancelled.",
  options: {
    blocked: { type: "boolean", about: "Show only lanes that a failed delivery blocks." },
    retry: { type: "string", value: "<key>", about: "Send the delivery that this lane waits for now." },
    skip: { type: "string", value: "<key>", about: "Cancel the delivery that this lane waits for." },
    "retry-all": { type: "boolean", about: "Send all deliveries that failed or wait for a retry." },
    "skip-all": { type: "boolean", about: "Cancel all deliveries that failed or wait for a retry." },
  },
  words: { least: 1, most: 1 },
  async run(context) {
    const [endpoint = ""] = context.words;
    const junction = await context.junction();
    const changes = [...changeOf(context, "retry", "are being sent"), ...changeOf(context, "skip", "were cancelled")];
    if (changes.length > 1) throw new UsageError("Use only one of --retry, --skip, --retry-all and --skip-all.");
    const [change] = changes;
    if (change === undefined) {
      const query = context.has("blocked") ? { blocked: true } : {};
      for await (const lane of junction.webhookEndpoints.lanes.list(endpoint, query))
        context.print.line(lane, textOf(lane));
      return;
    }
    const done = await junction.webhookEndpoints.lanes[change.name](endpoint, change.choice);
    context.print.line(done, `${done.count} deliveries ${change.told}.`);
  },
};

export const laneCommands: readonly Command[] = [lanes];

interface Change {
  readonly name: "retry" | "skip";
  readonly choice: { readonly key: string } | { readonly all: true };
  readonly told: string;
}

function changeOf(context: Context, name: Change["name"], told: string): readonly Change[] {
  const key = context.text(name);
  return [
    ...(key === undefined ? [] : [{ name, told, choice: { key } }]),
    ...(context.has(`${name}-all`) ? [{ name, told, choice: { all: true } as const }] : []),
  ];
}

function textOf({ key, waiting, head, blocked_since: since }: Lane): string {
  const state = since === null ? `${head.state}, ${head.attempt_count} attempts` : `blocked since ${since}`;
  return `${visible(key)}  ${waiting} waiting for ${head.delivery_id} (${state})`;
}
