import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { BrokerError } from "./broker.ts";
import type { BrokerMessage } from "./broker.ts";

/**
 * The headers that become attributes of their own. All others are members of the attribute `headers`, because a message can have ten
 * attributes, and which a consumer finds must not depend on the headers that someone adds.
 */
const OWN: ReadonlySet<string> = new Set([
  "content-type",
  "traceparent",
  "webhook-id",
  "webhook-signature",
  "webhook-timestamp",
  "x-service-event",
  "x-service-signature",
  "x-service-timestamp",
]);

/** A message as SQS and SNS take it. */
export interface AttributedMessage {
  readonly text: string;
  /** Texts that are not empty, by name. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Returns the text and attributes of a message. Throws `BrokerError` for an empty body, which no service takes. */
export function attributed({ headers, body }: BrokerMessage, service: string): AttributedMessage {
  if (body.length === 0)
    throw new BrokerError("send", `${service} takes no empty message. Correct the transformation of the endpoint.`);
  const attributes: Record<string, string> = {};
  const others: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (OWN.has(key) && value !== "" && isAllowed(value)) attributes[key] = value;
    else others.push([key, value]);
  }
  attributes["headers"] = asciiJson(Object.fromEntries(others));
  const text = utf8Of(body);
  if (text !== null && isAllowed(text)) return { text, attributes };
  // Both services refuse some characters of Unicode, and bytes that are not text.
  attributes["body-encoding"] = "base64";
  return { text: body.toString("base64"), attributes };
}

/** Returns the text of a body; null if it is not UTF-8. */
export function utf8Of(body: Buffer): string | null {
  return isUtf8(body) ? body.toString("utf8") : null;
}

/**
 * Returns the group of a message in a FIFO queue or topic: its key, hashed if AWS does not take its characters or length. A message without
 * a key is a group of its own, so that it waits for no other.
 */
export function groupOf({ key, id }: BrokerMessage): string {
  const group = key ?? id;
  return /^[\x21-\x7e]{1,128}$/.test(group) ? group : `sha256:${hash("sha256", group, "hex")}`;
}

function isAllowed(text: string): boolean {
  return !/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(text);
}

/** Characters that no attribute may have are escaped, as all beyond ASCII. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
