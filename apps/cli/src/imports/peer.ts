import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { answerOf, wholeListOf } from "./objects.ts";
import type { Answer } from "./objects.ts";
import { wait } from "../wait.ts";

/** Reads another product over HTTP. Nothing is ever written there. */
export interface Peer {
  /** Throws `CommandError` for every status but 2xx. */
  get(path: string): Promise<unknown>;
  /** Returns undefined for an object that the product does not have or does not show. */
  find(path: string): Promise<Answer | undefined>;
}

export interface PeerOptions {
  /** The address without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

const TRIES = 5;
const TIMEOUT_MS = 30_000;
const MOST_WAIT_MS = 60_000;
/** The number of requests at the same time. */
const AT_ONCE = 6;
const ABSENT: ReadonlySet<number> = new Set([400, 403, 404, 405, 501]);

export function createPeer({ url, token, signal }: PeerOptions): Peer {
  async function ask(path: string): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(url + path, {
        headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      }).catch((error: unknown) => (tries < TRIES && !signal.aborted ? undefined : noAnswer(url, error)));
      const isPassing = response === undefined || response.status === 429 || response.status >= 500;
      if (!isPassing || tries === TRIES) return response ?? noAnswer(url, "none");
      const seconds = Number(response?.headers.get("retry-after") ?? "");
      await wait(Math.min(MOST_WAIT_MS, seconds > 0 ? seconds * 1000 : 250 * 2 ** tries), signal);
    }
  }

  return {
    async get(path) {
      const response = await ask(path);
      if (response.ok) return await jsonOf(response, url);
      const exit = response.status === 401 || response.status === 403 ? EXIT.denied : EXIT.unavailable;
      throw new CommandError(`${url} answered ${response.status} for ${path.split("?", 1)[0]}.`, exit);
    },
    async find(path) {
      const response = await ask(path);
      if (response.ok) return answerOf(await jsonOf(response, url));
      if (ABSENT.has(response.status)) return undefined;
      throw new CommandError(`${url} answered ${response.status} for ${path.split("?", 1)[0]}.`, EXIT.unavailable);
    },
  };
}

/** One page of a list: its objects, and where the next one begins. Undefined: there is none. */
export interface Page {
  readonly list: unknown;
  readonly next: string | undefined;
}

/** Reads a whole list. Throws `CommandError` for an answer of another form, and for a page that leads back to an earlier one. */
export async function pages(
  peer: Peer,
  pathOf: (cursor: string | undefined) => string,
  pageOf: (answer: Answer) => Page,
): Promise<Answer[]> {
  const all: Answer[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const path = pathOf(cursor);
    const { list, next } = pageOf(answerOf(await peer.get(path)));
    all.push(...wholeListOf(list, path));
    if (next === undefined) return all;
    if (seen.has(next)) throw new CommandError(`The list ${path.split("?", 1)[0]} has no end.`, EXIT.data);
    seen.add(next);
    cursor = next;
  }
}

function noAnswer(url: string, error: unknown): never {
  throw new CommandError(
    `No response from ${url}: ${error instanceof Error ? error.message : String(error)}.`,
    EXIT.unavailable,
  );
}

async function jsonOf(response: Response, url: string): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new CommandError(`${url} did not answer with JSON. Check the address.`, EXIT.unavailable);
  }
}

/** Does the work for each item, some at the same time. */
export async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}
