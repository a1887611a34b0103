import type { Delivery, Junction } from "../../../../sdks/node/src/index.ts";
import type { Command, Context } from "../command.ts";
import { UsageError } from "../../../../packages/command-line/src/command-line.ts";
import { withBar } from "../progress.ts";
import { waitForReplay } from "./replay-wait.ts";
import type { Color, Printer } from "../printer.ts";
import { readTime } from "../times.ts";
import { visible } from "../text.ts";
import { repeat } from "../wait.ts";

const POLL_MS = 1000;
/** Deliveries that were committed late may be older than those that were already shown. */
const OVERLAP_MS = 60_000;

const tail: Command = {
  name: "tail",
  usage: "",
  summary: "Show deliveries as they happen",
  description: "Each delivery is shown when it appears, and again when its state changes. Press Ctrl-C to stop.",
  options: {
    endpoint: { type: "string", value: "<id>", about: "Show only deliveries of this endpoint." },
    event: { type: "string", value: "<name>", about: "Show only deliveries of this event." },
    since: {
      type: "string",
      value: "<time>",
      about: "Start with deliveries since this time: 10m, 2h, or RFC 3339. Default: now.",
    },
    "no-follow": { type: "boolean", about: "Show the existing deliveries, then exit." },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    const junction = await context.junction();
    const since = readTime(context.text("since") ?? "0s").getTime();
    const watch: Watch = { since, shown: new Map(), endpoint: context.text("endpoint"), event: context.text("event") };
    if (context.has("no-follow")) return await showNews(context.print, junction, watch);
    if (!context.print.isJson) context.io.err("Waiting for deliveries. Press Ctrl-C to stop.\n");
    await repeat(context.io, async () => {
      await showNews(context.print, junction, watch);
      return POLL_MS;
    });
  },
};

const replay: Command = {
  name: "replay",
  usage: "[delivery…]",
  summary: "Replay deliveries",
  description:
    "Sends the deliveries with the given IDs now, which keep their IDs, or all failed deliveries of an endpoint. A pending delivery that waits for its retry gets that retry now.",
  options: {
    endpoint: { type: "string", value: "<id>", about: "Replay all failed deliveries of this endpoint." },
    since: {
      type: "string",
      value: "<time>",
      about: "With --endpoint: only deliveries created since this time. Default: 24h.",
    },
    until: {
      type: "string",
      value: "<time>",
      about: "With --endpoint: only deliveries created before this time. Default: now.",
    },
    pending: {
      type: "boolean",
      about: "With --endpoint: also send the pending deliveries that wait for their retry.",
    },
    wait: { type: "boolean", about: "With --endpoint: wait until all of them are delivered or have failed again." },
    "dry-run": { type: "boolean", about: "With --endpoint: only count the deliveries." },
  },
  words: { least: 0, most: 1000 },
  async run(context) {
    const endpoint = context.text("endpoint");
    if ((endpoint === undefined) === (context.words.length === 0))
      throw new UsageError("Specify delivery IDs or --endpoint <id>.");
    if (endpoint !== undefined) return await replayFailed(context, endpoint);
    for (const name of ["wait", "pending"])
      if (context.has(name)) throw new UsageError(`--${name} requires --endpoint <id>.`);
    await replayEach(context);
  },
};

export const deliveryCommands: readonly Command[] = [tail, replay];

async function replayEach(context: Context): Promise<void> {
  const { words, print } = context;
  const junction = await context.junction();
  await withBar(context.io, async (bar) => {
    for (const [at, id] of words.entries()) {
      const delivery = await junction.deliveries.replay(id);
      bar.end();
      print.line(delivery, lineOf(print, delivery));
      if (words.length > 1) bar.at("replayed", at + 1, words.length);
    }
  });
}

async function replayFailed(context: Context, endpoint: string): Promise<void> {
  const junction = await context.junction();
  const range = { since: readTime(context.text("since") ?? "24h"), until: readTime(context.text("until") ?? "0s") };
  const isDry = context.has("dry-run");
  const withPending = context.has("pending");
  const asked = { ...range, dry_run: isDry, ...(withPending && { include_pending: true }) };
  const job = await junction.webhookEndpoints.replayFailed(endpoint, asked);
  const verb = isDry ? "would be replayed" : "are being replayed";
  const told = `${job.count} failed ${withPending ? "or waiting " : ""}deliveries ${verb}`;
  if (!("job_id" in job) || !context.has("wait")) return context.print.line(job, `${told}.`);
  const { text, ...end } = await waitForReplay(context, { job: job.job_id, endpoint, ...range });
  context.print.line({ ...job, ...end }, `${told}; ${text}.`);
}

interface Watch {
  /** Unix milliseconds. Older deliveries are not requested again. */
  since: number;
  /** The state in which each delivery was shown. */
  readonly shown: Map<string, Shown>;
  readonly endpoint: string | undefined;
  readonly event: string | undefined;
}

interface Shown {
  readonly at: number;
  readonly text: string;
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
