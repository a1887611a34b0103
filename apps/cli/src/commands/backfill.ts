import type { Command } from "../command.ts";
import { withBar } from "../progress.ts";
import { commaList } from "../text.ts";
import { readTime } from "../times.ts";
import { waitForJob } from "../wait.ts";

const backfill: Command = {
  name: "backfill",
  usage: "<endpoint>",
  summary: "Send an endpoint the events that it missed",
  description:
    "Creates deliveries of stored events to the endpoint, oldest first: of events that happened while it was disabled or before it was created.",
  options: {
    from: { type: "string", value: "<time>", about: "Events since this time: 2h, or RFC 3339. Default: 24h." },
    to: { type: "string", value: "<time>", about: "Events before this time. Default: now." },
    events: {
      type: "string",
      value: "<list>",
      about: "Only these events, separated by commas: names, or patterns such as order.*.",
    },
    all: { type: "boolean", about: "Send also the events that the endpoint has deliveries of." },
    wait: { type: "boolean", about: "Wait until all deliveries are created." },
    "dry-run": { type: "boolean", about: "Only count the events." },
  },
  words: { least: 1, most: 1 },
  async run(context) {
    const [endpoint = ""] = context.words;
    const to = context.text("to");
    const events = context.text("events");
    const isDry = context.has("dry-run");
    const junction = await context.junction();
    const job = await junction.webhookEndpoints.backfill(endpoint, {
      from: readTime(context.text("from") ?? "24h"),
      ...(to !== undefined && { to: readTime(to) }),
      ...(events !== undefined && { events: commaList(events) }),
      missing_only: !context.has("all"),
      dry_run: isDry,
    });
    const count = job.capped === true ? `At least ${job.count}` : String(job.count);
    const told = `${count} events ${isDry ? "would be sent" : "are being sent"}`;
    if (!("job_id" in job) || !context.has("wait")) return context.print.line(job, `${told}.`);
    const { signal } = context.io;
    const { state, done } = await withBar(context.io, async (bar) => {
      return await waitForJob(junction, job.job_id, { label: "created", bar, signal });
    });
    context.print.line({ ...job, state, done }, `${told}; ${state}: ${done} deliveries were created.`);
  },
};

const send: Command = {
  name: "send",
  usage: "<event> <endpoint…>",
  summary: "Send an event to endpoints",
  description:
    "Each endpoint gets a new delivery of the stored event. No event is created, and no other subscriber reacts.",
  options: {},
  words: { least: 2, most: 100 },
  async run(context) {
    const [event = "", ...endpoints] = context.words;
    const junction = await context.junction();
    for (const endpoint_id of endpoints) {
      const sent = await junction.events.refire(event, { endpoint_id });
      context.print.line(sent, `Sent ${event} to ${endpoint_id}: ${sent.deliveries[0]?.id ?? ""}.`);
    }
  },
};

export const backfillCommands: readonly Command[] = [backfill, send];
