-- A backfill makes deliveries of stored events: {"events": [...] or null, "missing_only": true, "capped": false}. Null: a replay.
-- The `ids` of a backfill are empty, so that a node of the version before replays nothing for it.
alter table replay_job add column backfill jsonb;
-- The end of the lease under which an attempt was running when the delivery was cancelled. Until then, it is not replayed.
alter table delivery add column leased_until timestamptz;
