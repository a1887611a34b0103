import { wireId } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import { tagOfId, uuidOf } from "./keys.ts";
import type { TestService } from "./test-service.ts";

const SAMPLE = JSON.stringify([
  {
    at: "2026-11-29T10:00:00.000Z",
    code: "500",
    message: null,
    event_id: null,
    delivery_id: null,
    receipt_id: null,
    run_id: null,
  },
]);
const FINGERPRINTS = JSON.stringify([
  {
    code: "500",
    message: null,
    count: 3,
    first_seen_at: "2026-11-29T09:58:00.000Z",
    last_seen_at: "2026-11-29T10:00:00.000Z",
  },
]);

/** Makes an open issue of an endpoint, without its failures; failures that are counted already become it. Returns the issue's id. */
export async function insertIssue(service: TestService, endpoint: string): Promise<string> {
  const [row] = await service.database.query<{ id: Uuid }>(
    `insert into issue (bucket, tag, id, workspace_id, kind, object, tenant, state, recent, streak, count, first_seen_at, last_seen_at, opened_at,
        fingerprints, samples)
      select bucket, tag, id, workspace_id, 'delivery', id::text, tenant, 'open', '[]', 0, 3, now() - interval '2 minutes', now(), now(),
        $2, $3 from endpoint where id = $1
      on conflict (bucket, tag, object, kind) where current do update set state = 'open', count = excluded.count, opened_at = now(),
        fingerprints = excluded.fingerprints, samples = excluded.samples returning id`,
    [uuidOf(endpoint), FINGERPRINTS, SAMPLE],
  );
  if (row === undefined) throw new Error(`no endpoint ${endpoint}`);
  return wireId("iss", tagOfId(endpoint), row.id);
}
