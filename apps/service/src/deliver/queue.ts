import type { Instant, Tag, Uuid } from "../kernel/kernel.ts";

/** A delivery that this process holds the lease of. */
export interface Work {
  readonly bucket: number;
  readonly tag: Tag;
  readonly deliveryId: Uuid;
  readonly eventId: Uuid;
  readonly eventName: string;
  readonly occurredAt: Instant;
  /** Source text; null when retention has dropped the event, so that there is nothing left to send. */
  readonly data: string | null;
  readonly endpointId: Uuid;
  /** Attempts made so far; the next one's number is one more. */
  readonly attemptCount: number;
  readonly trigger: "ladder" | "replay";
  readonly restingState: "failed" | "delivered" | null;
  /** Until when the lease surely holds, on the monotonic clock. */
  readonly leasedUntilMs: number;
}

export interface QueueLimits {
  readonly maxInFlight: number;
  /** Of them, how many one workspace may use. */
  readonly maxPerWorkspace: number;
}

export interface Queue {
  push(work: Work, endpointMaxInFlight: number): void;
  /** The next delivery that may be sent now, workspaces and their endpoints in turn; undefined when none may. */
  take(): Work | undefined;
  /** A sent delivery's slot is free again. */
  release(work: Work): void;
  /** Waiting and under way, of one endpoint. */
  held(endpointId: Uuid): number;
  readonly waiting: number;
  readonly inFlight: number;
}

interface Line {
  readonly endpointId: Uuid;
  readonly works: Work[];
  head: number;
  inFlight: number;
  max: number;
}

interface Share {
  readonly tag: Tag;
  readonly lines: Map<Uuid, Line>;
  /** Endpoints with something to send and room to send it, in turn. */
  readonly turn: Line[];
  inFlight: number;
}

/** In-memory order of sending: a hanging endpoint fills its own slots and no one else's, a busy workspace its own share. */
export function createQueue(limits: QueueLimits): Queue {
  const shares = new Map<Tag, Share>();
  const lines = new Map<Uuid, Line>();
  const turn: Share[] = [];
  let waiting = 0;
  let inFlight = 0;

  function shareOf(tag: Tag): Share {
    let share = shares.get(tag);
    if (share === undefined) {
      share = { tag, lines: new Map(), turn: [], inFlight: 0 };
      shares.set(tag, share);
    }
    return share;
  }

  function offer(share: Share, line: Line): void {
    const open = line.works.length > line.head && line.inFlight < line.max;
    if (open && !share.turn.includes(line)) share.turn.push(line);
    if (share.turn.length > 0 && share.inFlight < limits.maxPerWorkspace && !turn.includes(share)) turn.push(share);
  }

  function drop(share: Share, line: Line): void {
    if (line.inFlight > 0 || line.works.length > line.head) return;
    lines.delete(line.endpointId);
    share.lines.delete(line.endpointId);
    if (share.lines.size === 0) shares.delete(share.tag);
  }

  function takeFrom(share: Share): Work | undefined {
    const line = share.turn.shift();
    const work = line?.works[line.head];
    if (line === undefined || work === undefined) return undefined;
    line.head += 1;
    if (line.head > 64 && line.head * 2 > line.works.length) {
      line.works.splice(0, line.head);
      line.head = 0;
    }
    line.inFlight += 1;
    share.inFlight += 1;
    inFlight += 1;
    waiting -= 1;
    offer(share, line);
    return work;
  }

  return {
    push(work, endpointMaxInFlight) {
      const share = shareOf(work.tag);
      let line = lines.get(work.endpointId);
      if (line === undefined) {
        line = { endpointId: work.endpointId, works: [], head: 0, inFlight: 0, max: endpointMaxInFlight };
        lines.set(work.endpointId, line);
        share.lines.set(work.endpointId, line);
      }
      line.max = endpointMaxInFlight;
      line.works.push(work);
      waiting += 1;
      offer(share, line);
    },
    take() {
      if (inFlight >= limits.maxInFlight) return undefined;
      for (let share = turn.shift(); share !== undefined; share = turn.shift()) {
        const work = takeFrom(share);
        if (work !== undefined) return work;
      }
      return undefined;
    },
    release(work) {
      const share = shares.get(work.tag);
      const line = lines.get(work.endpointId);
      if (share === undefined || line === undefined) return;
      line.inFlight -= 1;
      share.inFlight -= 1;
      inFlight -= 1;
      offer(share, line);
      drop(share, line);
    },
    held: (endpointId) => {
      const line = lines.get(endpointId);
      return line === undefined ? 0 : line.inFlight + line.works.length - line.head;
    },
    get waiting() {
      return waiting;
    },
    get inFlight() {
      return inFlight;
    },
  };
}
