-- When people were told that a consumer has not pulled for eleven months. It counts if it is later than the last pull, so that pulls write
-- nothing more than before.
alter table pull_consumer add column noticed_at timestamptz;

-- The lanes that are blocked, of which there are few: their number and the oldest are metrics.
create index lane_blocked on lane (blocked_at) where blocked_at is not null;
