import type { Answered, Call, CallOptions, Transport } from "./calls.ts";
import { queryText } from "./calls.ts";

/** One page of a list. Iteration continues with the next pages. */
export interface Page<Item> extends AsyncIterable<Item> {
  object: "list";
  data: Item[];
  has_more: boolean;
  next_cursor: string | null;
  /** Returns the next page, or null after the last page. */
  nextPage(): Promise<Answered<Page<Item>> | null>;
}

/** The result of `list()`. Await it for one page, or iterate over it for all objects. No request is sent before. */
export interface List<Item> extends PromiseLike<Answered<Page<Item>>>, AsyncIterable<Item> {
  catch<Other>(onError: (error: unknown) => Other | PromiseLike<Other>): Promise<Answered<Page<Item>> | Other>;
  finally(onEnd: () => void): Promise<Answered<Page<Item>>>;
  /** Returns all objects in one array, at most `limit`. Default: 10000, so that a long list cannot fill the memory. */
  all(options?: { limit?: number }): Promise<Item[]>;
}

interface WirePage<Item> {
  readonly data: Item[];
  readonly has_more?: boolean;
  readonly next_cursor?: string | null;
}

const MOST_AT_ONCE = 10_000;

export function listOf<Item>(
  transport: Transport,
  call: Pick<Call, "operation" | "method" | "path">,
  query: object,
  options: CallOptions,
): List<Item> {
  const fetchPage = async (cursor: string | undefined): Promise<Answered<Page<Item>>> => {
    const path = call.path + queryText(cursor === undefined ? query : { ...query, cursor });
    const page = await transport.send<WirePage<Item>>({ ...call, path, write: false, answer: "json" }, options);
    return pageOf(page, fetchPage);
  };
  let first: Promise<Answered<Page<Item>>> | undefined;
  const firstPage = (): Promise<Answered<Page<Item>>> => (first ??= fetchPage(undefined));
  const list: List<Item> = {
    then: (onPage, onError) => firstPage().then(onPage, onError),
    catch: (onError) => firstPage().catch(onError),
    finally: (onEnd) => firstPage().finally(onEnd),
    async *[Symbol.asyncIterator]() {
      yield* await firstPage();
    },
    async all({ limit = MOST_AT_ONCE } = {}) {
      const items: Item[] = [];
      if (limit <= 0) return items;
      for await (const item of list) {
        items.push(item);
        if (items.length >= limit) break;
      }
      return items;
    },
  };
  return list;
}

/** Creates a page with hidden members, which are neither printed nor copied. */
function pageOf<Item>(
  wire: Answered<WirePage<Item>>,
  fetchPage: (cursor: string) => Promise<Answered<Page<Item>>>,
): Answered<Page<Item>> {
  const data = Array.isArray(wire.data) ? wire.data : [];
  const cursor = wire.has_more === true ? wire.next_cursor : null;
  const nextPage = async (): Promise<Answered<Page<Item>> | null> =>
    typeof cursor === "string" && cursor !== "" ? await fetchPage(cursor) : null;
  async function* iterate(): AsyncGenerator<Item, void, undefined> {
    yield* data;
    for (let page = await nextPage(); page !== null; page = await page.nextPage()) yield* page.data;
  }
  return Object.defineProperties(wire, {
    nextPage: { value: nextPage },
    [Symbol.asyncIterator]: { value: iterate },
  }) as Answered<Page<Item>>;
}
