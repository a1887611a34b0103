import { hide, isRecord, pointerOf, toRfc3339 } from "../../../lib/lib.ts";
import type { Hidden, Violation } from "../../../lib/lib.ts";
import { fault } from "../mcp-fault.ts";
import type { Exchange } from "../exchange.ts";
import { paramsOf } from "../mcp-message.ts";
import { isSecret, isUrl, MOST_URL } from "../subscription-messages.ts";
import type { CallbackKey } from "./callbacks.ts";
import { writtenArguments } from "./event-arguments.ts";
import { invalid, unsupported } from "./refusals.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_TTL_MS = 30 * DAY_MS;
const MOST_NAME = 128;

/** Returns the whole response to `events/subscribe`. */
export async function subscribeCallback(exchange: Exchange): Promise<string> {
  const { mcp, question, caller, message, client } = exchange;
  const { cursor } = paramsOf(message);
  const delivery = deliveryOf(message, ["mode", "url", "secret"]);
  if (delivery.errors.length > 0) throw invalid(delivery.errors);
  if (cursor !== undefined) throw unsupported("cursor", "Events of the past are not sent. Omit the cursor.");
  const { id, refreshBefore } = await mcp.events.callbacks.subscribe(caller, {
    ...keyOf(exchange, delivery.url),
    secret: delivery.secret,
    ttlMs: ttlOf(message),
    client,
  });
  const result = { id, refreshBefore: toRfc3339(refreshBefore), cursor: null, truncated: false };
  return question.frame(JSON.stringify(result).slice(1, -1));
}

/** Returns the whole response to `events/unsubscribe`. */
export async function unsubscribeCallback(exchange: Exchange): Promise<string> {
  const { mcp, question, caller, message } = exchange;
  const delivery = deliveryOf(message, ["mode", "url"]);
  if (delivery.errors.length > 0) throw invalid(delivery.errors);
  await mcp.events.callbacks.unsubscribe(caller, keyOf(exchange, delivery.url));
  return question.frame("");
}

function keyOf({ message, scanned }: Exchange, url: string): CallbackKey {
  const { name, arguments: given } = paramsOf(message);
  if (typeof name !== "string" || name === "" || name.length > MOST_NAME)
    throw invalid([fault("/name", "type", "must be the name of an event type")]);
  return { name, arguments: writtenArguments(given, scanned, ["params", "arguments"]), url };
}

/** Returns the time in milliseconds. A number is never refused, and each subscription ends. */
function ttlOf(message: unknown): number {
  const { ttlMs = DAY_MS } = paramsOf(message);
  if (typeof ttlMs !== "number") throw invalid([fault("/ttlMs", "type", "must be a number of milliseconds")]);
  return Math.floor(Math.min(MOST_TTL_MS, Math.max(HOUR_MS, ttlMs)));
}

interface Delivery {
  readonly url: string;
  readonly secret: Hidden;
  readonly errors: readonly Violation[];
}

/** The ways to get events that other servers have. */
const OTHER_MODES: ReadonlySet<unknown> = new Set(["poll", "push", "stream"]);

function deliveryOf(message: unknown, members: readonly string[]): Delivery {
  const { delivery } = paramsOf(message);
  const given = isRecord(delivery) ? delivery : {};
  const { mode, url, secret } = given;
  if (OTHER_MODES.has(mode))
    throw unsupported("delivery.mode", "Events are delivered only to a webhook in this dialect.");
  const takesSecret = members.includes("secret");
  const errors = Object.keys(given)
    .filter((name) => !members.includes(name))
    .map((name) => fault(`/delivery${pointerOf([name])}`, "unknown", "is not known"));
  if (mode !== "webhook" && (takesSecret || mode !== undefined))
    errors.push(fault("/delivery/mode", "enum", "must be webhook"));
  if (!isUrl(url)) errors.push(fault("/delivery/url", "format", `must be a URL of at most ${MOST_URL} characters`));
  if (takesSecret && !isSecret(secret))
    errors.push(fault("/delivery/secret", "format", "must be whsec_ and the base64 of 24 to 64 random bytes"));
  return { url: String(url), secret: hide(String(secret)), errors };
}
