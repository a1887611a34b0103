import { call } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import type { LogQuery } from "./search.ts";

/** The pages of one search, newest first. */
export interface Pages {
  /** Begins reading. Returns a function that ends it. */
  start(): () => void;
  /** Returns the signal that aborts when the current reading ends. */
  reading(): AbortSignal;
  first(): Promise<readonly wire.Delivery[]>;
  next(): Promise<readonly wire.Delivery[]>;
  /** Returns the first page as it is now. Further reading continues at its earlier position. */
  peek(): Promise<readonly wire.Delivery[]>;
  hasMore(): boolean;
}

export const PAGE_ROWS = 100;

export function createPages(query: LogQuery): Pages {
  let cursor: string | null = null;
  let reading = new AbortController();

  const page = async (from: string | null): Promise<wire.DeliveryList> =>
    await call(
      "deliveries.list",
      { query: { ...query, limit: PAGE_ROWS, ...(from === null ? {} : { cursor: from }) } },
      { signal: reading.signal },
    );
  const taken = ({ data, has_more: hasMore, next_cursor: next }: wire.DeliveryList): readonly wire.Delivery[] => {
    cursor = hasMore ? next : null;
    return data;
  };
  return {
    start() {
      const begun = new AbortController();
      reading = begun;
      return () => begun.abort();
    },
    reading: () => reading.signal,
    first: async () => taken(await page(null)),
    next: async () => taken(await page(cursor)),
    peek: async () => (await page(null)).data,
    hasMore: () => cursor !== null,
  };
}
