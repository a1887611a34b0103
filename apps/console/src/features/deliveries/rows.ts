import type { wire } from "../../api/api.ts";

/** A delivery as the log keeps it: a hundred thousand of them fit in some megabytes. */
export interface LogRow {
  readonly id: string;
  readonly event: string;
  readonly endpointId: string;
  readonly createdMs: number;
  state: string;
  attempts: number;
  statusCode: number | null;
  errorClass: string | null;
  nextMs: number | null;
}

/** The rows of one search, newest first. Changed in place. */
export interface LogRows {
  readonly count: () => number;
  readonly at: (index: number) => LogRow | undefined;
  readonly has: (id: string) => boolean;
  /** Appends an older page. */
  append(page: readonly wire.Delivery[]): void;
  /** Merges a newer first page. Returns false where rows between it and the existing ones may be missing. */
  meet(page: readonly wire.Delivery[]): boolean;
  /** Updates an existing row. Returns false for an unknown row. */
  update(delivery: wire.Delivery): boolean;
  clear(): void;
}

export function createLogRows(): LogRows {
  const rows: LogRow[] = [];
  const byId = new Map<string, LogRow>();
  const texts = new Map<string, string>();

  /** The same text is kept once: all rows together have few events, endpoints and states. */
  const once = (text: string): string => {
    const kept = texts.get(text);
    if (kept === undefined) texts.set(text, text);
    return kept ?? text;
  };
  const rowOf = (delivery: wire.Delivery): LogRow => ({
    id: delivery.id,
    event: once(delivery.event),
    endpointId: once(delivery.endpoint_id),
    createdMs: Date.parse(delivery.created_at),
    ...standingOf(delivery, once),
  });
  const update = (delivery: wire.Delivery): boolean => {
    const row = byId.get(delivery.id);
    if (row !== undefined) Object.assign(row, standingOf(delivery, once));
    return row !== undefined;
  };
  const unknown = (page: readonly wire.Delivery[]): LogRow[] => {
    const fresh = page.filter((delivery) => !update(delivery)).map(rowOf);
    for (const row of fresh) byId.set(row.id, row);
    return fresh;
  };

  return {
    count: () => rows.length,
    at: (index) => rows[index],
    has: (id) => byId.has(id),
    append: (page) => void rows.push(...unknown(page)),
    meet(page) {
      const meets = rows.length === 0 || page.some((delivery) => byId.has(delivery.id));
      if (!meets) return false;
      rows.unshift(...unknown(page));
      return true;
    },
    update,
    clear() {
      rows.length = 0;
      byId.clear();
    },
  };
}

type Standing = Pick<LogRow, "state" | "attempts" | "statusCode" | "errorClass" | "nextMs">;

function standingOf(delivery: wire.Delivery, once: (text: string) => string): Standing {
  return {
    state: once(delivery.state),
    attempts: delivery.attempt_count,
    statusCode: delivery.last_status_code,
    errorClass: delivery.last_error_class === null ? null : once(delivery.last_error_class),
    nextMs: delivery.next_attempt_at === null ? null : Date.parse(delivery.next_attempt_at),
  };
}
