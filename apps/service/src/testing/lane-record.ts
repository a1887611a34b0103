import type { Receiver } from "./receiver.ts";

/** The requests that a receiver of an ordered endpoint got. */
export interface LaneRecord {
  /** The attempts by lane, in the order of their arrival. */
  readonly lanes: ReadonlyMap<string, readonly LaneAttempt[]>;
  /** Returns what contradicts the order of lanes. Writers number their events from 1 in each lane, and fire one after another. */
  faults(): string[];
}

export interface LaneAttempt {
  readonly delivery: string;
  readonly sequence: number;
  readonly writer: string;
  readonly n: number;
  readonly status: number;
}

interface LaneData {
  readonly order: string;
  readonly w: string;
  readonly n: number;
}

/** Records the attempts of `receiver`, which responds after a short while with the status that `statusOf` decides. */
export function recordLanes(receiver: Receiver, statusOf: (data: LaneData) => number): LaneRecord {
  const lanes = new Map<string, LaneAttempt[]>();
  const open = new Map<string, number>();
  const faults: string[] = [];
  receiver.answer((response, { headers, body }) => {
    const { data } = JSON.parse(body) as { data: LaneData };
    const lane = String(headers["x-service-ordering-key"]);
    const attempts = lanes.get(lane) ?? [];
    lanes.set(lane, attempts);
    const status = statusOf(data);
    const [delivery, sequence] = [String(headers["x-service-delivery"]), Number(headers["x-service-sequence"])];
    attempts.push({ delivery, sequence, writer: data.w, n: data.n, status });
    open.set(lane, (open.get(lane) ?? 0) + 1);
    if ((open.get(lane) ?? 0) > 1) faults.push(`${lane} has two attempts at once, at number ${sequence}`);
    setTimeout(() => {
      open.set(lane, (open.get(lane) ?? 0) - 1);
      response.writeHead(status).end();
    }, 2);
  });
  return {
    lanes,
    faults: () => [...faults, ...[...lanes].flatMap(([lane, attempts]) => faultsOf(lane, attempts))],
  };
}

function faultsOf(lane: string, attempts: readonly LaneAttempt[]): string[] {
  const numbers = new Map<number, string>();
  const last = new Map<string, number>();
  let highest = 0;
  return attempts.flatMap((attempt) => {
    const { delivery, sequence, writer, n } = attempt;
    const known = numbers.get(sequence);
    const faults =
      known === undefined
        ? faultsOfFirst(attempt, highest, last.get(writer) ?? 0)
        : faultsOfAgain(attempt, highest, known);
    numbers.set(sequence, delivery);
    highest = Math.max(highest, sequence);
    last.set(writer, Math.max(n, last.get(writer) ?? 0));
    return faults.map((fault) => `${lane}: ${fault}`);
  });
}

function faultsOfFirst({ sequence, writer, n }: LaneAttempt, highest: number, before: number): string[] {
  return [
    ...(sequence < highest ? [`${sequence} after ${highest}`] : []),
    ...(n <= before ? [`${writer} ${n} after ${before}`] : []),
  ];
}

/** A second attempt of a delivery comes before the next one. */
function faultsOfAgain({ delivery, sequence }: LaneAttempt, highest: number, known: string): string[] {
  return [
    ...(known === delivery ? [] : [`number ${sequence} twice`]),
    ...(sequence === highest ? [] : [`${sequence} again after ${highest}`]),
  ];
}
