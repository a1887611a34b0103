import { createHash } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { PermissionError } from "../../../../sdks/node/src/index.ts";
import type { InboxMessage, Junction } from "../../../../sdks/node/src/index.ts";
import type { Command, Context } from "../command.ts";
import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { commaList, visible } from "../text.ts";
import { repeat, wait } from "../wait.ts";
import { forwardOnce, readUrl } from "./forward.ts";

const POLL_MS = 500;
const RETRY_MS = 1000;
/** The delays of --retry: as many attempts as a delivery has, in less time than the service takes for them. */
const RETRIES_MS = [1000, 2000, 4000, 8000, 16_000];
const BATCH = 50;

export const listenCommand: Command = {
  name: "listen",
  usage: "",
  summary: "Forward events to a URL on this machine",
  description:
    "The service stores the deliveries of your own endpoint until this command has forwarded them. Deliveries that arrive while the command is not running, or while the service or your program restarts, are forwarded afterwards, in order. Bodies and headers are those of a real delivery. The signing secret is shown at the start.",
  options: {
    "forward-to": { type: "string", value: "<url>", about: "The target URL: http://localhost:3000/webhooks." },
    events: { type: "string", value: "<names>", about: "Comma-separated event names. Default: all." },
    name: {
      type: "string",
      value: "<name>",
      about: "The listener's name. Each name has its own place in the queue. Default: your name.",
    },
    retry: {
      type: "boolean",
      about:
        "If your program responds with an error, forward the delivery again, up to 5 times: after 1, 2, 4, 8 and 16 seconds.",
    },
    once: { type: "boolean", about: "Forward the waiting deliveries, then exit." },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    const url = readUrl("listen", context.text("forward-to"));
    const junction = await context.junction();
    const name = context.text("name") ?? defaultName();
    const endpoint = await endpointOf(context, junction, name);
    const secret = await secretOf(junction, endpoint);
    const listener: Listener = { context, junction, name, url };
    context.io.err(
      `Listening as ${name} (endpoint ${endpoint.id}): ${endpoint.events.join(", ")} to ${url}. Press Ctrl-C to stop; later deliveries are stored until the next run.\n`,
    );
    showSecret(context, secret, endpoint.id);
    // Forwarded messages are removed from the inbox; the others stay.
    await repeat(context.io, async () => {
      if ((await forwardWaiting(listener)) > 0) return 0;
      return context.has("once") ? undefined : POLL_MS;
    });
  },
};

interface Listener {
  readonly context: Context;
  readonly junction: Junction;
  readonly name: string;
  readonly url: string;
}

/** Returns a name that is always the same for this user of this machine, and differs for others. */
function defaultName(): string {
  const who = `${userInfo().username}@${hostname()}`;
  const readable = who
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  return `${readable || "listener"}-${createHash("sha256").update(who).digest("hex").slice(0, 6)}`;
}

interface Endpoint {
  readonly id: string;
  /** The signing secret of an endpoint that was just created. */
  readonly secret?: string;
  readonly events: readonly string[];
}

/** Finds or creates the endpoint that delivers to the inbox of this name, and sets its event types. */
async function endpointOf(context: Context, junction: Junction, name: string): Promise<Endpoint> {
  const { url } = await junction.inboxes.put(name);
  const names = context.text("events");
  const events = names === undefined ? undefined : commaList(names);
  for await (const endpoint of junction.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url !== url) continue;
    const isSame = events === undefined || events.toSorted().join() === endpoint.events.toSorted().join();
    if (isSame && endpoint.active) return endpoint;
    return await junction.webhookEndpoints.update(endpoint.id, { active: true, ...(isSame ? {} : { events }) });
  }
  return await junction.webhookEndpoints.create({
    url,
    events: events ?? ["*"],
    description: `junction listen, ${name}`,
  });
}

/** Returns undefined if only an owner, or the key that created the secret, may see it. */
async function secretOf(junction: Junction, { id, secret }: Endpoint): Promise<string | undefined> {
  if (secret !== undefined) return secret;
  try {
    return (await junction.webhookEndpoints.secret.get(id)).secret;
  } catch (error) {
    if (error instanceof PermissionError) return undefined;
    throw error;
  }
}

/** Prints the secret on standard output, because messages never show one. */
function showSecret({ io, print }: Context, secret: string | undefined, id: string): void {
  if (secret !== undefined) print.line({ object: "listening", endpoint_id: id, secret }, `Signing secret: ${secret}`);
  else
    io.err(
      `Signing secret: not visible to this key. To create a new one and show it, run junction endpoints secret regenerate ${id}.\n`,
    );
}

/** Forwards one batch. Returns its size. */
async function forwardWaiting({ context, junction, name, url }: Listener): Promise<number> {
  const { data } = await junction.inboxes.messages(name, { limit: BATCH });
  const taken: string[] = [];
  try {
    for (const message of data) {
      if (!(await forward(context, url, message))) break;
      taken.push(message.id);
    }
  } finally {
    if (taken.length > 0) await junction.inboxes.take(name, { ids: taken });
  }
  return data.length;
}

/**
 * Waits for a response of the program. Without --retry, an error is a response too, because `junction replay` can
 * deliver again. Returns false if the signal came first.
 */
async function forward(context: Context, url: string, message: InboxMessage): Promise<boolean> {
  const { signal } = context.io;
  const waitsMs = context.has("retry") ? RETRIES_MS : [];
  for (const waitMs of [...waitsMs, null]) {
    const status = await answerOf(context, url, message);
    if (status === undefined) return false;
    if (isSuccess(status) || waitMs === null) return true;
    await wait(waitMs, signal);
    if (signal.aborted) return false;
  }
  return true;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns the status of the program's response, as soon as there is one; undefined if the signal came first. */
async function answerOf(context: Context, url: string, message: InboxMessage): Promise<number | undefined> {
  const { io, print } = context;
  for (let isLost = false; !io.signal.aborted; isLost = true) {
    try {
      const startedAt = performance.now();
      const status = await forwardOnce(url, message, io.signal);
      const { event, delivery_id: id } = message;
      const ms = Math.round(performance.now() - startedAt);
      const shown = print.tint(isSuccess(status) ? "green" : "red", String(status));
      const line = { object: "forwarded", delivery_id: id, event, status, duration_ms: ms };
      print.line(line, `${shown}  ${visible(event ?? "").padEnd(24)}  ${id ?? ""}  ${ms} ms`);
      return status;
    } catch {
      if (io.signal.aborted) return undefined;
      if (context.has("once"))
        throw new CommandError(`No response from ${url}. Waiting deliveries are kept.`, EXIT.unavailable);
      if (!isLost) io.err(`No response from ${url}. Waiting for it.\n`);
      await wait(RETRY_MS, io.signal);
    }
  }
  return undefined;
}
