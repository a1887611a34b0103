-- The last time that the person took the account back and kept nothing that it had given. Standing approvals from before no
-- longer approve. They are in other shards.
alter table member add column grants_ended_at timestamptz;
