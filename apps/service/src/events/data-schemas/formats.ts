import { isIPv4, isIPv6 } from "node:net";
import { parseRfc3339 } from "../../lib/lib.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{2}:\d{2}:\d{2}/;
const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)*$/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The formats that are checked. The metaschema leaves the list of formats to the implementation. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => DAY.test(text) && parseRfc3339(`${text}T00:00:00Z`) !== undefined,
  "date-time": (text) => parseRfc3339(text) !== undefined,
  time: (text) => TIME.test(text) && parseRfc3339(`2026-01-01T${text}`) !== undefined,
  email: (text) => text.length <= 320 && EMAIL.test(text),
  uri: (text) => SCHEME.test(text) && URL.canParse(text),
  uuid: (text) => UUID.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
};
