import { hide, isRecord, pointerOf, ServiceError, toRfc3339 } from "../../lib/lib.ts";
import type { Hidden, Violation } from "../../lib/lib.ts";
import type { Exchange } from "./exchange.ts";
import { integerOf, selectionOf } from "./event-params.ts";
import { fault } from "./mcp-fault.ts";
import { paramsOf } from "./mcp-message.ts";

const DAY_SECONDS = 86_400;
const LASTING = { most: 30 * DAY_SECONDS, usual: DAY_SECONDS };
export const MOST_URL = 2048;
/** Standard Webhooks: 24 to 64 bytes in base64. */
const SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns the whole response to `events/subscribe`. */
export async function subscribe(exchange: Exchange): Promise<string> {
  const { mcp, question, caller, message, client } = exchange;
  // Another dialect must not lead to all events.
  if (paramsOf(message)["events"] === undefined)
    throw new ServiceError("validation_failed", {
      errors: [fault("/events", "required", "is required: a list of names or patterns; or `name` for one event type")],
    });
  const selection = selectionOf(exchange);
  const { url, secret } = deliveryOf(message);
  const made = await mcp.events.subscriptions.create(caller, {
    selection,
    url,
    secret,
    seconds: integerOf(message, "expiresInSeconds", LASTING),
    client,
  });
  const { subscriptionId, endsAt } = made;
  return question.frame(JSON.stringify({ subscriptionId, endsAt: toRfc3339(endsAt) }).slice(1, -1));
}

/** Returns the whole response to `events/unsubscribe`. */
export async function unsubscribe({ mcp, question, caller, message }: Exchange): Promise<string> {
  const { subscriptionId } = paramsOf(message);
  const id = typeof subscriptionId === "string" ? subscriptionId : "";
  if (await mcp.events.subscriptions.end(caller, id)) return question.frame("");
  throw new ServiceError("validation_failed", {
    errors: [fault("/subscriptionId", "unknown", "is not a subscription of this client")],
  });
}

interface Delivery {
  readonly url: string;
  readonly secret: Hidden;
}

function deliveryOf(message: unknown): Delivery {
  const { delivery } = paramsOf(message);
  const { mode, url, secret, ...others } = isRecord(delivery) ? delivery : {};
  const errors: Violation[] = Object.keys(others).map((name) =>
    fault(`/delivery${pointerOf([name])}`, "unknown", "is not known"),
  );
  if (mode !== "webhook") errors.push(fault("/delivery/mode", "enum", "must be webhook"));
  if (!isUrl(url)) errors.push(fault("/delivery/url", "format", `must be a URL of at most ${MOST_URL} characters`));
  if (!isSecret(secret))
    errors.push(fault("/delivery/secret", "format", "must be whsec_ and the base64 of 24 to 64 random bytes"));
  if (errors.length > 0 || typeof url !== "string" || typeof secret !== "string")
    throw new ServiceError("validation_failed", { errors });
  return { url, secret: hide(secret) };
}

export function isUrl(url: unknown): boolean {
  return typeof url === "string" && url.length <= MOST_URL && URL.canParse(url);
}

export function isSecret(secret: unknown): boolean {
  if (typeof secret !== "string" || !SECRET.test(secret)) return false;
  const { length } = Buffer.from(secret.slice("whsec_".length), "base64");
  return length >= 24 && length <= 64;
}
