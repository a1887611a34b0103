import { once } from "node:events";
import { createServer } from "node:http";

/** Another product, as its public documentation describes its API. It counts every request that is not a read. */
export interface FakePeer {
  readonly url: string;
  /** The number of requests that would have changed something. */
  readonly writes: () => number;
  /** Refuses the next requests with this status. */
  refuse(status: number, times: number): void;
  close(): Promise<void>;
}

/** The answers by path without the query. A list with a page size answers a part of it. */
export type Answers = Readonly<Record<string, unknown>>;
type Page = (all: readonly unknown[], query: URLSearchParams) => unknown;

export class Paged {
  readonly all: readonly unknown[];
  readonly page: Page;

  constructor(all: readonly unknown[], page: Page) {
    this.all = all;
    this.page = page;
  }
}

export async function startPeer(token: string, answers: Answers): Promise<FakePeer> {
  let writes = 0;
  let refusals: number[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://peer");
    const say = (status: number, body: unknown): void =>
      void response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (request.method !== "GET") writes += 1;
    const refused = refusals.shift();
    if (refused !== undefined) return say(refused, {});
    if (request.headers.authorization !== `Bearer ${token}`) return say(401, { code: "authentication_failed" });
    const answer = answers[decodeURIComponent(pathname)];
    if (answer === undefined) return say(404, { code: "not_found", detail: "" });
    return say(200, answer instanceof Paged ? answer.page(answer.all, searchParams) : answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`,
    writes: () => writes,
    refuse(status, times) {
      refusals = Array.from({ length: times }, () => status);
    },
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}

/** A list of Svix, two objects at a time. */
export function svixList(all: readonly { readonly id?: string; readonly name?: string }[]): Paged {
  return new Paged(all, (list, query) => {
    const idOf = (one: unknown): string =>
      String((one as { id?: string; name?: string }).id ?? (one as { name?: string }).name);
    const from = query.get("iterator");
    const start = from === null ? 0 : list.findIndex((one) => idOf(one) === from) + 1;
    const data = list.slice(start, start + 2);
    const last = data.at(-1);
    return {
      data,
      iterator: last === undefined ? from : idOf(last),
      prevIterator: null,
      done: start + 2 >= list.length,
    };
  });
}

/** A list of Convoy, one object at a time. */
export function convoyList(all: readonly unknown[]): Paged {
  return new Paged(all, (list, query) => {
    const at = Number(query.get("next_page_cursor") ?? "0");
    const pagination = { has_next_page: at + 1 < list.length, next_page_cursor: String(at + 1), per_page: 1 };
    return { status: true, message: "fetched", data: { content: list.slice(at, at + 1), pagination } };
  });
}

/** The tenants of Outpost, one at a time. */
export function outpostList(all: readonly unknown[]): Paged {
  return new Paged(all, (list, query) => {
    const at = Number(query.get("next") ?? "0");
    const next = at + 1 < list.length ? String(at + 1) : null;
    return { models: list.slice(at, at + 1), pagination: { next, prev: null }, count: list.length };
  });
}
