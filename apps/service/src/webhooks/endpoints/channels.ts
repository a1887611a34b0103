import { parseJson } from "../../lib/lib.ts";

/**
 * The beginning of the stored filter of an endpoint with channels. Callers cannot write such a condition, because they cannot read
 * `channels`. A node of the version before cannot either: it judges the condition as false, so that it sends nothing to an endpoint
 * whose channels it does not know.
 */
const HEAD = '{"all":[{"field":"channels","op":"in","value":';

/** The two conditions of an endpoint. */
export interface StoredFilter {
  /** The endpoint gets only events that share one of these; null for all. */
  readonly channels: readonly string[] | null;
  /** The JSON text of the condition that the caller wrote; null for none. */
  readonly own: string | null;
}

/** Returns the text that is stored for both conditions. */
export function storedFilter({ channels, own }: StoredFilter): string | null {
  if (channels === null || channels.length === 0) return own;
  return `${HEAD}${JSON.stringify(channels)}}${own === null ? "" : `,${own}`}]}`;
}

/** Returns the conditions of a stored text. The names of channels contain no bracket. */
export function readFilter(stored: string | null): StoredFilter {
  if (stored?.startsWith(HEAD) !== true) return { channels: null, own: stored };
  const end = stored.indexOf("]}", HEAD.length);
  const rest = stored.slice(end + 2, -2);
  return {
    channels: parseJson(stored.slice(HEAD.length, end + 1)) as string[],
    own: rest === "" ? null : rest.slice(1),
  };
}

/** Returns true if an event with these channels goes to an endpoint with those. */
export function sharesChannel(channels: readonly string[] | null, ofEvent: readonly string[] | null): boolean {
  return channels === null || (ofEvent?.some((one) => channels.includes(one)) ?? false);
}
