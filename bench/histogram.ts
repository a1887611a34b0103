/** Latencies as they cross from one process to another. Milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly maxMs: number;
  /** Counts by bucket; sparse pairs of index and count. */
  readonly buckets: readonly (readonly [number, number])[];
}

export interface Histogram {
  add(ms: number): void;
  read(): Latencies;
  reset(): void;
}

/** Keeps counts in buckets 1 % apart, so that its size and cost do not grow with the run. */
export function createHistogram(): Histogram {
  const counts = new Float64Array(BUCKETS);
  let count = 0;
  let maxMs = 0;
  return {
    add(ms) {
      const bucket = bucketOf(ms);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      count += 1;
      if (ms > maxMs) maxMs = ms;
    },
    read: () => ({ count, maxMs, buckets: [...counts.entries()].filter(([, many]) => many > 0) }),
    reset() {
      counts.fill(0);
      count = 0;
      maxMs = 0;
    },
  };
}

/** The latency that the share `q` of all stayed within, milliseconds, at most 1 % too high; NaN when there are none. */
export function quantile(latencies: Latencies, q: number): number {
  const wanted = Math.max(1, Math.ceil(latencies.count * q));
  let seen = 0;
  for (const [bucket, many] of latencies.buckets) {
    seen += many;
    if (seen >= wanted) return Math.min(latencies.maxMs, LEAST_MS * STEP ** bucket);
  }
  return Number.NaN;
}

/** All of several as one. */
export function merged(parts: readonly Latencies[]): Latencies {
  const counts = new Map<number, number>();
  for (const [bucket, many] of parts.flatMap((part) => part.buckets))
    counts.set(bucket, (counts.get(bucket) ?? 0) + many);
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    maxMs: Math.max(0, ...parts.map((part) => part.maxMs)),
    buckets: [...counts.entries()].toSorted(([a], [b]) => a - b),
  };
}

const LEAST_MS = 0.01;
const STEP = 1.01;
const LOG_STEP = Math.log(STEP);
const BUCKETS = 2048;

function bucketOf(ms: number): number {
  if (!(ms > LEAST_MS)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / LEAST_MS) / LOG_STEP));
}

/** Returns the median of exact values; NaN without values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
