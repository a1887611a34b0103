import { isProblem } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { createPages, PAGE_ROWS } from "./pages.ts";
import { createLogRows } from "./rows.ts";
import type { LogRow, LogRows } from "./rows.ts";
import { belongs } from "./search.ts";
import type { LogQuery } from "./search.ts";

/** What is to be seen of a log at one moment; another object whenever something changed. */
export interface LogView {
  readonly status: "loading" | "failed" | "there";
  readonly count: number;
  readonly hasMore: boolean;
  readonly isFetching: boolean;
  /** Of the first page, or of the one that was asked for last. */
  readonly error: unknown;
  /** Heard of, and not shown yet. */
  readonly fresh: number;
}

/** The deliveries of one search, page by page as they are scrolled to, and the news of them. */
export interface DeliveryLog {
  readonly view: () => LogView;
  readonly subscribe: (watcher: () => void) => () => void;
  readonly rowAt: (index: number) => LogRow | undefined;
  /** Reads the first page, and stops reading when it is told so. */
  readonly start: () => () => void;
  /** Reads on: the end is near. */
  readonly more: () => void;
  /** Reads the first page anew. */
  readonly retry: () => void;
  /** A delivery that something happened to; null when more was missed than can be told one by one. */
  readonly hear: (news: wire.Delivery | null) => void;
  /** Puts what is new on top. */
  readonly showFresh: () => Promise<void>;
}

/** So many pages are read at a time, so that scrolling rarely comes to an end. */
const AHEAD = 4;
/** A search within payloads may answer page after page with next to nothing. */
const MOST_THIN_PAGES = 20;

export function createDeliveryLog(query: LogQuery): DeliveryLog {
  const rows = createLogRows();
  const pages = createPages(query);
  const fresh = new Set<string>();
  const watchers = new Set<() => void>();
  let isOld = false;
  let view: LogView = { status: "loading", count: 0, hasMore: false, isFetching: false, error: null, fresh: 0 };

  const show = (change: Partial<LogView> = {}): void => {
    view = { ...view, count: rows.count(), fresh: fresh.size, hasMore: pages.hasMore(), ...change };
    for (const watcher of watchers) watcher();
  };
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    if (view.isFetching) return;
    const reading = pages.reading();
    isOld = false;
    show({ isFetching: true, error: null });
    try {
      await work();
      show({ isFetching: false, status: "there" });
    } catch (error) {
      if (reading.aborted) return;
      show({ isFetching: false, error, status: view.count === 0 ? "failed" : "there" });
      if (view.count > 0) whenAllowed(error, reading, () => void guarded(readOn));
    }
    if (isOld && view.status === "there") await guarded(meetTop);
  };
  const readOn = async (): Promise<void> => {
    const wanted = rows.count() + (AHEAD - 1) * PAGE_ROWS + 1;
    for (let asked = 0; asked < MOST_THIN_PAGES && rows.count() < wanted && pages.hasMore(); asked += 1) {
      rows.append(await pages.next());
      show({ status: "there" });
    }
  };
  const readAnew = async (): Promise<void> => {
    const heardBefore = new Set(fresh);
    const first = await pages.first();
    rows.clear();
    rows.append(first);
    forget(fresh, heardBefore, rows);
    if (first.length === 0) await readOn();
  };
  const meetTop = async (): Promise<void> => {
    const heardBefore = new Set(fresh);
    const first = await pages.peek();
    if (rows.meet(first)) forget(fresh, heardBefore, rows);
    else await readAnew();
  };

  return {
    view: () => view,
    subscribe: (watcher) => watched(watchers, watcher),
    rowAt: rows.at,
    retry: () => void guarded(readAnew),
    start() {
      const stop = pages.start();
      view = { ...view, isFetching: false };
      if (view.status !== "there") void guarded(readAnew);
      return stop;
    },
    more: () => void (view.hasMore && guarded(readOn)),
    hear(news) {
      if (view.isFetching && (news === null || view.status !== "there")) isOld = true;
      if (view.status !== "there") return undefined;
      if (news === null) return void guarded(meetTop);
      const isKnown = rows.update(news);
      if (!isKnown && belongs(news, query) === true) fresh.add(news.id);
      return show();
    },
    showFresh: async () => await guarded(meetTop),
  };
}

/** What was heard before a read began is in its answer; what came during the read may not be, and stays fresh. */
function forget(fresh: Set<string>, heardBefore: ReadonlySet<string>, rows: LogRows): void {
  for (const id of fresh) if (heardBefore.has(id) || rows.has(id)) fresh.delete(id);
}

function watched(watchers: Set<() => void>, watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Whoever scrolls faster than they may read waits a moment, and need not ask again. */
function whenAllowed(error: unknown, reading: AbortSignal, readOn: () => void): void {
  if (!isProblem(error, "rate_limited") || error.retryAfterSeconds === null) return;
  const timer = setTimeout(readOn, error.retryAfterSeconds * 1000);
  reading.addEventListener("abort", () => clearTimeout(timer));
}
