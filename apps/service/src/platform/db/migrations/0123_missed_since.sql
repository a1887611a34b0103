-- Since when an inactive endpoint gets no new events. Null if it was turned off by a node of an earlier version.
alter table endpoint add column inactive_since timestamptz;
-- A finished backfill looks once more for events after this one: they were committed while it read. Null when it has.
alter table replay_job add column sweep_from uuid;
