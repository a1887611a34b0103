import type { ConsumedMessage, Junction } from "../../../../sdks/node/src/index.ts";
import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import type { Command, Context } from "../command.ts";
import { EXIT } from "../exit.ts";
import { createPrinter } from "../printer.ts";
import { visible } from "../text.ts";
import { wait } from "../wait.ts";
import { forwardOnce, readUrl } from "./forward.ts";
import { createPullProgress } from "./pull-progress.ts";
import type { PullProgress } from "./pull-progress.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

export const pullCommand: Command = {
  name: "pull",
  usage: "<endpoint>",
  summary: "Forward the messages of a pull endpoint to a URL",
  description:
    "For receivers in a private network: only this command connects to the service. It pulls the messages in order, sends each to the URL with the bytes and headers of a webhook request, and commits it after a 2xx response. After any other response, it tries the same message again, after 1 second and later up to a minute. A restart continues with the first message that was not committed.",
  options: {
    consumer: { type: "string", value: "<name>", about: "The name of the consumer, which has its own position." },
    "forward-to": { type: "string", value: "<url>", about: "The target URL: http://localhost:3000/webhooks." },
    from: { type: "string", value: "<place>", about: "Where a new consumer begins: start or end. Default: start." },
    limit: { type: "string", value: "<n>", about: "The maximum number of messages of one pull. Default: 100." },
    lease: { type: "string", value: "<seconds>", about: "The time for which the messages are leased. Default: 60." },
    once: { type: "boolean", about: "Forward the waiting messages, then exit." },
  },
  words: { least: 1, most: 1 },
  async run(context) {
    const [endpoint = ""] = context.words;
    const url = readUrl("pull <endpoint> --consumer billing", context.text("forward-to"));
    const consumer = context.text("consumer");
    if (consumer === undefined) throw new UsageError("The consumer is missing. Example: --consumer billing");
    const junction = await context.junction();
    context.io.err(`Pulling ${endpoint} as ${consumer}, to ${url}. Press Ctrl-C to stop.\n`);
    const progress = createPullProgress(context.io, async () => await lagOf(junction, endpoint, consumer));
    const print = createPrinter(progress.io, context.print.isJson);
    try {
      await pullAll({ context: { ...context, io: progress.io, print }, junction, url, endpoint, consumer, progress });
    } finally {
      progress.end();
    }
  },
};

interface Puller {
  readonly context: Context;
  readonly junction: Junction;
  readonly url: string;
  readonly endpoint: string;
  readonly consumer: string;
  readonly progress: PullProgress;
}

async function lagOf(junction: Junction, endpoint: string, consumer: string): Promise<number | undefined> {
  // An endpoint has no more than this.
  const { data } = await junction.webhooks.consumers.list(endpoint, { limit: 100 });
  return data.find((one) => one.consumer === consumer)?.lag;
}

async function pullAll(puller: Puller): Promise<void> {
  const { context, junction, endpoint, consumer, progress } = puller;
  const { io } = context;
  let isWaiting = false;
  const messages = junction.consume(endpoint, {
    consumer,
    start: startOf(context.text("from")),
    limit: numberIn(context, "limit", 500),
    leaseSeconds: numberIn(context, "lease", 900),
    once: context.has("once"),
    signal: io.signal,
    onWait(error) {
      if (!isWaiting)
        io.err(
          error.code === "consumer_busy"
            ? `Another process has the messages of ${consumer}. Waiting for it.\n`
            : "The service does not respond. Waiting for it.\n",
        );
      isWaiting = true;
    },
  });
  for await (const message of messages) {
    if (isWaiting) io.err("Messages arrive again.\n");
    isWaiting = false;
    // Leaving the loop gives the message back.
    if (!(await forward(puller, message))) return;
    await progress.passed(message.offset);
  }
}

function startOf(text: string | undefined): "start" | "end" | undefined {
  if (text === undefined || text === "start" || text === "end") return text;
  throw new UsageError("--from must be start or end.");
}

function numberIn(context: Context, name: string, most: number): number | undefined {
  const text = context.text(name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new UsageError(`--${name} must be an integer from 1 to ${most}.`);
}

interface Answer {
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  readonly ms: number;
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function show({ print }: Context, message: ConsumedMessage, { status, ms }: Answer): void {
  const { offset, delivery_id: id, event } = message;
  const line = { object: "forwarded", offset, delivery_id: id, event, status, duration_ms: ms };
  const shown = print.tint(isSuccess(status) ? "green" : "red", status === null ? "---" : String(status));
  print.line(line, `${shown}  ${String(offset).padStart(8)}  ${visible(event).padEnd(24)}  ${id}  ${ms} ms`);
}

/** Sends a message until the response is 2xx. Returns false if the signal came first. */
async function forward({ context, url }: Puller, message: ConsumedMessage): Promise<boolean> {
  const { io, print } = context;
  const { offset, delivery_id: id, event, headers, body } = message;
  if (body === null) {
    print.line({ object: "skipped", offset, delivery_id: id, event }, `erased  ${offset}  ${id}`);
    return true;
  }
  for (let waitMs = FIRST_WAIT_MS; !io.signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const startedAt = performance.now();
    const status = await forwardOnce(url, { headers, body }, io.signal).catch(() => null);
    if (io.signal.aborted && status === null) return false;
    show(context, message, { status, ms: Math.round(performance.now() - startedAt) });
    if (isSuccess(status)) return true;
    if (context.has("once")) {
      const what = status === null ? "No response" : `Status ${status}`;
      throw new CommandError(`${what} from ${url}. Message ${offset} and those after it stay.`, EXIT.unavailable);
    }
    io.err(`Trying again in ${waitMs / 1000} s.\n`);
    await wait(waitMs, io.signal);
  }
  return false;
}
