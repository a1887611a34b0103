import { after, answerTextOf } from "../../lib/lib.ts";
import type { Clock, Instant } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";

/** Texts of senders that verify their requests: keys and certificates. All are read through the guard. */
export type RemoteTexts = ReturnType<typeof createRemoteTexts>;

interface CachedText {
  readonly readAt: Instant;
  readonly text: Promise<string | undefined>;
}

const KEEP_MS = 10 * 60_000;
const AGAIN_MS = 60_000;
/** How soon a text that could not be read is read again. */
const FAILED_MS = 5000;
const MOST_KEPT = 500;
const MAX_BYTES = 65_536;

export function createRemoteTexts({ net, clock }: { readonly net: Pick<Net, "send">; readonly clock: Clock }) {
  const kept = new Map<string, CachedText>();

  /** Redirects are not followed. */
  async function fetched(url: string): Promise<string | undefined> {
    const request = {
      method: "GET",
      url,
      headers: {},
      body: null,
      totalTimeoutMs: 5000,
      maxBodyBytes: MAX_BYTES,
    } as const;
    const { status, truncated, body, headers } = await net.send(request);
    return status === 200 && !truncated ? answerTextOf(body, headers["content-type"]) : undefined;
  }

  return {
    /**
     * Returns the text at an address, which is kept for some minutes; undefined if it cannot be read. `isFresh` reads it
     * again, at most once a minute, because anyone could ask for that with an unknown key.
     */
    async read(url: string, { isFresh }: { readonly isFresh: boolean }): Promise<string | undefined> {
      const now = clock.now();
      const before = kept.get(url);
      const keepMs = isFresh ? AGAIN_MS : KEEP_MS;
      if (before !== undefined && now < after(before.readAt, keepMs)) return await before.text;
      const text = fetched(url);
      kept.delete(url);
      kept.set(url, { readAt: now, text });
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT) break;
        kept.delete(oldest);
      }
      if ((await text) === undefined) kept.set(url, { readAt: after(now, FAILED_MS - keepMs), text });
      return await text;
    },
  };
}
