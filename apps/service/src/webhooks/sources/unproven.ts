import { JsonError, scanJson } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import { withoutMark } from "./body.ts";
import { MAX_DEPTH } from "./body-values.ts";
import { pairsOf } from "./placeholders.ts";
import type { SentRequest } from "./placeholders.ts";

/** The most that is read of a body before its signature is known to be right (contract, section 13). */
export const MAX_UNPROVEN_BYTES = 4096;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const CLOSERS = new Map([
  [0x7b, "}"],
  [0x5b, "]"],
]);

const CLOSING = new Set([0x7d, 0x5d]);

/**
 * Reads the beginning of a JSON object: anyone who knows the URL can send a body, so that it may cost only a little. Members that
 * are not whole within the first 4 KiB are absent. Returns undefined for anything but an object.
 */
export function headOf(sent: Uint8Array): ScannedJson | undefined {
  const body = withoutMark(sent);
  const head = body.subarray(0, MAX_UNPROVEN_BYTES);
  if (head.find((byte) => byte > 0x20) !== 0x7b) return undefined;
  try {
    return scanJson(body.length <= MAX_UNPROVEN_BYTES ? head : closed(head), MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Cuts JSON after its last whole value, and closes what is open there. */
function closed(head: Uint8Array): Uint8Array {
  const open: string[] = [];
  let end = 0;
  let closers = "";
  let isText = false;
  for (let at = 0; at < head.length; at += 1) {
    const byte = head[at] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else {
      const closer = CLOSERS.get(byte);
      if (closer !== undefined) open.unshift(closer);
      else if (CLOSING.has(byte)) open.shift();
      else if (byte !== COMMA) continue;
      end = byte === COMMA ? at : at + 1;
      closers = open.join("");
    }
  }
  return Buffer.concat([head.subarray(0, end), Buffer.from(closers)]);
}

/** Reads a form of at most 4 KiB, with which a few senders check the URL. */
export function smallForm(request: Pick<SentRequest, "header" | "body" | "charset">): ScannedJson | undefined {
  const pairs = pairsOf(request, MAX_UNPROVEN_BYTES);
  return pairs === undefined ? undefined : scanJson(Buffer.from(JSON.stringify(Object.fromEntries(pairs))));
}
