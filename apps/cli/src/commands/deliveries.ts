import type { Delivery, Junction } from "../../../../sdks/node/src/index.ts";
import type { Command, Context } from "../command.ts";
import { CommandError } from "../exit.ts";
import { isPassing } from "../failure.ts";
import type { Color, Printer } from "../printer.ts";
import { readTime } from "../times.ts";
import { visible } from "../text.ts";
import { wait } from "../wait.ts";

const POLL_MS = 1000;
/** What is committed late may be older than what was already shown. */
const OVERLAP_MS = 60_000;

const tail: Command = {
  name: "tail",
  usage: "",
  summary: "Show deliveries as they happen",
  description: "Each one when it appears, and again when its state changes. Ends with Ctrl-C.",
  options: {
    endpoint: { type: "string", value: "<id>", about: "Of this endpoint only." },
    event: { type: "string", value: "<name>", about: "Of this event only." },
    since: {
      type: "string",
      value: "<time>",
      about: "Begin with those since then: 10m, 2h, or RFC 3339. By default now.",
    },
    "no-follow": { type: "boolean", about: "Show those there are, and end." },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    const junction = await context.junction();
    const since = readTime(context.text("since") ?? "0s").getTime();
    const watch: Watch = { since, shown: new Map(), endpoint: context.text("endpoint"), event: context.text("event") };
    if (context.has("no-follow")) return await showNews(context.print, junction, watch);
    if (!context.print.isJson) context.io.err("Waiting for deliveries. Ctrl-C ends.\n");
    await follow(context, junction, watch);
  },
};

const replay: Command = {
  name: "replay",
  usage: "[delivery…]",
  summary: "Deliver again",
  description: "The deliveries that are named, each under its own id; or all that failed of an endpoint.",
  options: {
    endpoint: { type: "string", value: "<id>", about: "All that failed of this endpoint." },
    since: { type: "string", value: "<time>", about: "With --endpoint: created since then. By default 24h." },
    until: { type: "string", value: "<time>", about: "With --endpoint: created before. By default now." },
    "dry-run": { type: "boolean", about: "With --endpoint: only count them." },
  },
  words: { least: 0, most: 1000 },
  async run(context) {
    const endpoint = context.text("endpoint");
    if ((endpoint === undefined) === (context.words.length === 0))
      throw new CommandError("Name deliveries, or give --endpoint <id>.");
    if (endpoint !== undefined) return await replayFailed(context, endpoint);
    const junction = await context.junction();
    for (const id of context.words) {
      const delivery = await junction.deliveries.replay(id);
      context.print.line(delivery, lineOf(context.print, delivery));
    }
  },
};

export const deliveryCommands: readonly Command[] = [tail, replay];

async function replayFailed(context: Context, endpoint: string): Promise<void> {
  const job = await (
    await context.junction()
  ).webhookEndpoints.replayFailed(endpoint, {
    since: readTime(context.text("since") ?? "24h"),
    until: readTime(context.text("until") ?? "0s"),
    dry_run: context.has("dry-run"),
  });
  const verb = context.has("dry-run") ? "would be delivered again" : "are delivered again";
  context.print.line(job, `${job.count} failed deliveries ${verb}.`);
}

interface Watch {
  /** Unix milliseconds: what is older is not asked for again. */
  since: number;
  /** The state in which each was shown. */
  readonly shown: Map<string, Shown>;
  readonly endpoint: string | undefined;
  readonly event: string | undefined;
}

interface Shown {
  readonly at: number;
  readonly text: string;
}

/** Until the signal; goes on by itself after a time without the service. */
async function follow({ io, print }: Context, junction: Junction, watch: Watch): Promise<void> {
  let isLost = false;
  while (!io.signal.aborted) {
    try {
      await showNews(print, junction, watch);
      if (isLost) io.err("The service answers again.\n");
      isLost = false;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!isLost) io.err("The service does not answer. Waiting for it.\n");
      isLost = true;
    }
    await wait(POLL_MS, io.signal);
  }
}

async function showNews(print: Printer, junction: Junction, watch: Watch): Promise<void> {
  const query = {
    created_after: new Date(watch.since),
    limit: 100,
    endpoint_id: watch.endpoint,
    event: watch.event,
  };
  const found = await junction.deliveries.list(query).all();
  for (const delivery of found.toReversed()) {
    const at = Date.parse(delivery.created_at);
    const text = `${delivery.state} ${delivery.attempt_count}`;
    if (watch.shown.get(delivery.id)?.text === text) continue;
    watch.shown.set(delivery.id, { at, text });
    print.line(delivery, lineOf(print, delivery));
  }
  forget(watch);
}

function forget(watch: Watch): void {
  const newest = Math.max(watch.since, ...[...watch.shown.values()].map(({ at }) => at - OVERLAP_MS));
  watch.since = newest;
  for (const [id, { at }] of watch.shown) if (at < newest) watch.shown.delete(id);
}

const LIGHTS: Readonly<Record<string, Color>> = { green: "green", amber: "amber", red: "red" };

function lineOf(print: Printer, delivery: Delivery): string {
  const { created_at: at, state, last_status_code: status, event, id, attempt_count: tries, light } = delivery;
  const color = LIGHTS[light ?? ""] ?? "faint";
  const shown = print.tint(color, `${state.padEnd(9)} ${String(status ?? "–").padEnd(3)}`);
  return `${at.slice(11, 19)}  ${shown}  ${visible(event).padEnd(24)}  ${id}${tries > 1 ? `  attempt ${tries}` : ""}`;
}
