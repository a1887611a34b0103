import { isProblem } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { createPages, PAGE_ROWS } from "./pages.ts";
import { createLogRows } from "./rows.ts";
import type { LogRow, LogRows } from "./rows.ts";
import { belongs } from "./search.ts";
import type { LogQuery } from "./search.ts";

/** The visible state of a log at one moment. Each change creates another object. */
export interface LogView {
  readonly status: "loading" | "failed" | "there";
  readonly count: number;
  readonly hasMore: boolean;
  readonly isFetching: boolean;
  /** Error of the first page, or of the page that was requested last. */
  readonly error: unknown;
  /** Number of reported deliveries that are not shown yet. */
  readonly fresh: number;
}

/** The deliveries of one search. Pages load while the user scrolls, and the event stream updates them. */
export interface DeliveryLog {
  readonly view: () => LogView;
  readonly subscribe: (watcher: () => void) => () => void;
  readonly rowAt: (index: number) => LogRow | undefined;
  /** Reads the first page. Returns a function that stops reading. */
  readonly start: () => () => void;
  /** Reads further pages near the end of the list. */
  readonly more: () => void;
  /** Reads the first page again. */
  readonly retry: () => void;
  /** Takes a changed delivery from the event stream; null when changes may have been missed. */
  readonly hear: (news: wire.Delivery | null) => void;
  /** Puts new deliveries on top. */
  readonly showFresh: () => Promise<void>;
}

/** Number of pages that are read at a time, so that scrolling rarely reaches the end. */
const AHEAD = 4;
/** A search within payloads may return many almost empty pages. */
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

/** Removes deliveries that were reported before a read began, or that it returned. Deliveries reported during the read may be missing in it, and stay fresh. */
function forget(fresh: Set<string>, heardBefore: ReadonlySet<string>, rows: LogRows): void {
  for (const id of fresh) if (heardBefore.has(id) || rows.has(id)) fresh.delete(id);
}

function watched(watchers: Set<() => void>, watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Continues to read after the waiting time of a rate limit that fast scrolling has reached. */
function whenAllowed(error: unknown, reading: AbortSignal, readOn: () => void): void {
  if (!isProblem(error, "rate_limited") || error.retryAfterSeconds === null) return;
  const timer = setTimeout(readOn, error.retryAfterSeconds * 1000);
  reading.addEventListener("abort", () => clearTimeout(timer));
}
