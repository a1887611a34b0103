import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { ServiceError } from "./errors.ts";

/** The shares that a place of a pool belongs to. One that is null is not counted. */
export interface Holder {
  readonly workspace: string;
  readonly tenant: string | null;
  /** The member or, for a key of the workspace, the key. */
  readonly member: string;
  /** The key, across its rotations. */
  readonly key: string;
  readonly network: string;
}

export type Share = keyof Holder;

/** An open response of server-sent events. */
export interface PooledStream {
  readonly readable: Readable;
  /** Sends text. Returns false, and disconnects, if the reader is too slow. Sends nothing after the end. */
  push(text: string): boolean;
  /** Returns the bytes that the connection has not taken yet. */
  unread(): number;
  /** Ends the response. What the reader has not taken after the grace is dropped with the connection. */
  end(graceMs?: number): void;
  /** Ends the response and its connection at once. */
  destroy(): void;
  /** Binds the stream to its connection. */
  attach(response: ServerResponse): void;
  /** Calls `then` once, when the connection is over. */
  onClose(then: () => void): void;
  /** True after its end. */
  readonly isOver: boolean;
}

export interface StreamPool {
  /**
   * Opens a stream. Throws 429 `too_many_streams` with the share that is used up. In a full pool, a workspace with fewer streams takes
   * the place of one that has more: `yielded` of that stream is called.
   */
  open(holder: Holder, yielded?: () => void): PooledStream;
  readonly size: number;
}

export interface StreamPoolOptions {
  /** The number of streams of the process. */
  readonly most: number;
  /** The number of streams of one holder. */
  readonly shares: Readonly<Partial<Record<Share, number>>>;
  /** A client can do this in place of a further stream. */
  readonly advice: string;
  /** The unread bytes of a stream. One message may be longer if nothing else is unread. */
  readonly mostUnreadOfStream: number;
  /** The unread bytes of all streams. Beyond it, the slowest reader of the workspace with most of them is disconnected. */
  readonly mostUnread: number;
}

/** Time for a reader to take the rest. */
const GRACE_MS = 2000;
/** The same for a reader whose right has ended. */
export const SHORT_GRACE_MS = 500;
/** A connection without progress for this time has no reader. */
const SILENT_MS = 30_000;
const NAMES: Readonly<Record<Share, string>> = {
  key: "A key",
  member: "A member, with all keys and connected apps,",
  tenant: "A tenant",
  workspace: "A workspace",
  network: "A network",
};

interface Entry {
  readonly holder: Holder;
  readonly yielded: () => void;
  /** The unread bytes when they were last counted. */
  counted: number;
}

/** Places for streams, which all workspaces of a process share. */
export function createStreamPool(options: StreamPoolOptions): StreamPool {
  const open = new Map<PooledStream, Entry>();
  const held = new Map<string, number>();
  let total = 0;

  const heldBy = (share: Share, holder: Holder): number => held.get(nameOf(share, holder)) ?? 0;

  function count(holder: Holder, by: number): void {
    for (const share of SHARES) {
      const name = nameOf(share, holder);
      const left = (held.get(name) ?? 0) + by;
      if (left > 0) held.set(name, left);
      else held.delete(name);
    }
  }

  function leave(stream: PooledStream): void {
    const entry = open.get(stream);
    if (entry === undefined) return;
    open.delete(stream);
    total -= entry.counted;
    count(entry.holder, -1);
  }

  function makePlace(holder: Holder): void {
    if (open.size < options.most) return;
    const most = largest([...open.values()], () => 1);
    const victim = [...open].findLast(([, entry]) => entry.holder.workspace === most?.workspace);
    if (most === undefined || victim === undefined || most.amount <= heldBy("workspace", holder) + 1)
      throw tooMany(`A process of the service can have at most ${options.most} streams at a time.`, options.advice);
    const [stream, { yielded }] = victim;
    leave(stream);
    yielded();
    stream.end();
  }

  /** Counts bytes before they are pushed, and makes room for them. Returns false if the stream itself had to go. */
  function admit(stream: PooledStream, bytes: number): boolean {
    recount(stream, bytes);
    if (total > options.mostUnread) for (const one of open.keys()) recount(one, one === stream ? bytes : 0);
    while (total > options.mostUnread && open.has(stream)) {
      const { workspace } = largest([...open.values()], ({ counted }) => counted) ?? {};
      const [slowest] = [...open].filter(([, entry]) => entry.holder.workspace === workspace).toSorted(byUnread);
      if (slowest === undefined) break;
      slowest[0].destroy();
    }
    return open.has(stream);
  }

  function recount(stream: PooledStream, more: number): void {
    const entry = open.get(stream);
    if (entry === undefined) return;
    const now = stream.unread() + more;
    total += now - entry.counted;
    entry.counted = now;
  }

  return {
    open(holder, yielded = () => undefined) {
      for (const share of SHARES) {
        const most = options.shares[share];
        if (most === undefined || holder[share] === null || heldBy(share, holder) < most) continue;
        throw tooMany(`${NAMES[share]} can have at most ${most} streams at a time in a process.`, options.advice);
      }
      makePlace(holder);
      const stream = createStream({
        admit: (bytes) =>
          (stream.unread() === 0 || stream.unread() + bytes <= options.mostUnreadOfStream) && admit(stream, bytes),
      });
      open.set(stream, { holder, yielded, counted: 0 });
      count(holder, 1);
      stream.onClose(() => leave(stream));
      return stream;
    },
    get size() {
      return open.size;
    },
  };
}

const SHARES: readonly Share[] = ["key", "member", "tenant", "workspace", "network"];

/** A member, key or tenant is counted in its workspace; a network in all of them. */
function nameOf(share: Share, holder: Holder): string {
  return JSON.stringify([share, share === "network" ? null : holder.workspace, holder[share]]);
}

function byUnread([, left]: [unknown, Entry], [, right]: [unknown, Entry]): number {
  return right.counted - left.counted;
}

function largest(
  entries: readonly Entry[],
  amountOf: (entry: Entry) => number,
): { readonly workspace: string; readonly amount: number } | undefined {
  const amounts = new Map<string, number>();
  for (const entry of entries) {
    const { workspace } = entry.holder;
    amounts.set(workspace, (amounts.get(workspace) ?? 0) + amountOf(entry));
  }
  const [first] = [...amounts].toSorted(([, left], [, right]) => right - left);
  return first === undefined ? undefined : { workspace: first[0], amount: first[1] };
}

function tooMany(detail: string, advice: string): ServiceError {
  return new ServiceError("too_many_streams", { detail: `${detail} ${advice}`, headers: { "Retry-After": "30" } });
}

function createStream({ admit }: { admit(bytes: number): boolean }): PooledStream {
  const readable = new Readable({ read: () => undefined });
  const closers = new Set<() => void>();
  let response: ServerResponse | undefined;
  let isOver = false;
  let isClosed = false;
  let grace: NodeJS.Timeout | undefined;

  function closed(): void {
    isOver = true;
    isClosed = true;
    clearTimeout(grace);
    for (const then of closers) then();
    closers.clear();
  }

  function destroy(): void {
    readable.destroy();
    response?.destroy();
    closed();
  }

  return {
    readable,
    push(text) {
      if (isOver) return false;
      if (!admit(Buffer.byteLength(text))) {
        destroy();
        return false;
      }
      readable.push(text);
      return true;
    },
    unread: () => (isClosed ? 0 : readable.readableLength + (response?.writableLength ?? 0)),
    end(graceMs = GRACE_MS) {
      if (isOver) return;
      isOver = true;
      readable.push(null);
      grace = setTimeout(destroy, graceMs);
    },
    destroy,
    attach(to) {
      response = to;
      to.once("close", destroy);
      to.setTimeout(SILENT_MS, destroy);
      if (isClosed || to.destroyed) destroy();
    },
    onClose: (then) => void closers.add(then),
    get isOver() {
      return isOver;
    },
  };
}
