import type { Db } from "../db/db.ts";
import { createBatcher, fromDate } from "../kernel/kernel.ts";
import type { Clock, Instant, Sealer, Tag, Uuid } from "../kernel/kernel.ts";
import { endpointTargets } from "./endpoints.store.ts";
import type { EndpointRow } from "./endpoints.store.ts";

/** Where and how to send, as it stands in the database now. */
export interface Target {
  readonly workspaceId: Uuid;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
  /** The secret before, while both count. */
  readonly previous: string | null;
  readonly failingSince: Instant | null;
  readonly active: boolean;
  /** Another module waits for the outcome; the endpoint is its own, and nobody else hears of it. */
  readonly owned: boolean;
}

export interface TargetKey {
  readonly bucket: number;
  readonly tag: Tag;
  readonly endpointId: Uuid;
}

export interface Targets {
  /** Undefined when the endpoint was deleted. Concurrent reads share a statement; nothing is kept. */
  load(key: TargetKey): Promise<Target | undefined>;
}

export function createTargets(deps: { db: Db; sealer: Sealer; clock: Clock }): Targets {
  const batcher = createBatcher<TargetKey, Target | undefined>({
    maxSize: 1000,
    concurrency: 2,
    run: async (keys) => {
      const distinct = new Map(
        keys.map((key) => [key.endpointId, { bucket: key.bucket, tag: key.tag, id: key.endpointId }]),
      );
      const rows = await endpointTargets(deps.db, [...distinct.values()]);
      const now = deps.clock.now();
      const found = new Map(
        rows.flatMap((row) => (row.deleted_at === null ? [[row.id, targetOf(deps.sealer, row, now)] as const] : [])),
      );
      return keys.map((key) => found.get(key.endpointId));
    },
  });
  return { load: async (key) => await batcher.add(key) };
}

export function secretPlace(endpointId: Uuid): string {
  return `endpoint:${endpointId}`;
}

export function targetOf(sealer: Sealer, row: EndpointRow, now: Instant): Target {
  const overlaps =
    row.previous_secret_sealed !== null && row.previous_expires_at !== null && fromDate(row.previous_expires_at) > now;
  return {
    workspaceId: row.workspace_id,
    url: row.url,
    headers: row.headers as Record<string, string>,
    secret: sealer.open(row.secret_sealed, secretPlace(row.id)),
    previous:
      overlaps && row.previous_secret_sealed !== null
        ? sealer.open(row.previous_secret_sealed, secretPlace(row.id))
        : null,
    failingSince: row.failing_since === null ? null : fromDate(row.failing_since),
    active: row.active,
    owned: row.owner !== null,
  };
}
