import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import type { Context } from "../command.ts";
import { EXIT } from "../exit.ts";
import { withoutTrailingSlashes } from "../settings.ts";
import { visible } from "../text.ts";
import { wait } from "../wait.ts";

/** Reads texts of the API unchanged, and keeps to its rate limits. */
export interface Reader {
  /** Throws `RefusedError` for 403, 404 and a wrong cursor, and `CommandError` for all else that is not a success. */
  read(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<Answer>;
}

export interface Answer {
  readonly text: string;
  /** The time of the service, in milliseconds. */
  readonly at: number;
}

export class RefusedError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`refused: ${code}`);
    this.code = code;
  }
}

const TRIES = 8;
const TIMEOUT_MS = 120_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
export const CONTINUE = "What was written stays: run the same command again to continue.";

export async function createReader({ account, io }: Pick<Context, "account" | "io">): Promise<Reader> {
  const { apiKey, baseUrl } = await account();
  const { signal } = io;
  let hasTold = false;

  async function ask(url: string): Promise<Response | undefined> {
    return await fetch(url, {
      headers: { Authorization: `Bearer ${apiKey}` },
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch(() => undefined);
  }

  /** Returns the text of a success, or how long to wait. The connection can also end in the middle of a text. */
  async function attempt(url: string): Promise<Answer | { readonly waitMs: number | undefined }> {
    const response = await ask(url);
    const text = await response?.text().catch(() => undefined);
    if (response === undefined || text === undefined || response.status >= 500) return { waitMs: undefined };
    if (response.status === 429)
      return { waitMs: 1000 * Math.max(1, Number(response.headers.get("retry-after")) || 1) };
    if (response.ok) return { text, at: Date.parse(response.headers.get("date") ?? "") };
    throw refusalOf(response.status, text);
  }

  /** Waits before the next attempt: as long as a rate limit says, or longer with each failure. */
  async function pause(limitMs: number | undefined, failures: number): Promise<void> {
    if (failures === TRIES) throw new CommandError(`No response from ${baseUrl}. ${CONTINUE}`, EXIT.unavailable);
    if (limitMs !== undefined && !hasTold)
      io.err("The key's rate limit is reached. The export continues at its pace.\n");
    hasTold ||= limitMs !== undefined;
    await wait(limitMs ?? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)), signal);
  }

  return {
    async read(path, query = {}) {
      const url = `${withoutTrailingSlashes(baseUrl)}${path}${queryText(query)}`;
      for (let failures = 0; !signal.aborted;) {
        const found = await attempt(url);
        if ("text" in found) return found;
        // A rate limit only takes time.
        if (found.waitMs === undefined) failures += 1;
        await pause(found.waitMs, failures);
      }
      throw new CommandError(`Interrupted. ${CONTINUE}`, EXIT.interrupted);
    },
  };
}

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

function refusalOf(status: number, text: string): Error {
  const { code = `status ${status}`, title = "" } = problemIn(text);
  if (status === 403 || status === 404 || code === "cursor_invalid") return new RefusedError(code);
  const exit = status === 401 ? EXIT.denied : EXIT.refused;
  return new CommandError(`The service refused (${visible(code)}). ${visible(title)} ${CONTINUE}`, exit);
}

function problemIn(text: string): { readonly code?: string; readonly title?: string } {
  try {
    const { code, title } = JSON.parse(text) as Record<string, unknown>;
    return { ...(typeof code === "string" ? { code } : {}), ...(typeof title === "string" ? { title } : {}) };
  } catch {
    return {};
  }
}
