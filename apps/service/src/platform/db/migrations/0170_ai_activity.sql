-- The object of a request of an AI client, with the name that it had then, so that it stays readable when the object is deleted.
alter table ai_history add column target_id text;
alter table ai_history add column target_name text;
create index ai_history_client on ai_history (bucket, tag, client text_pattern_ops, id) where client is not null;

-- Requests of AI clients that write no exchange: polls, reads, dry runs and refusals. Alike requests of a minute are one row with their
-- number, so that clients that repeat them do not fill the table. Unlike ai_history, it is a log with a retention.
create table ai_activity (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  -- The tenant of the key.
  tenant text collate "C",
  source text collate "C" not null,
  kind text collate "C" not null,
  -- The tool, method or operation. Null for several of them together.
  name text,
  target_id text,
  target_name text,
  actor text not null,
  key_id uuid,
  client text,
  status text collate "C" not null,
  error_code text collate "C",
  request_id text collate "C",
  -- The times of the first and the last of these requests.
  at timestamptz not null,
  last_at timestamptz not null,
  count int not null,
  primary key (bucket, tag, id)
) with (fillfactor = 50);
create index ai_activity_at on ai_activity (bucket, at);
create index ai_activity_key on ai_activity (key_id, bucket, tag, id) where key_id is not null;
create index ai_activity_status on ai_activity (bucket, tag, status, id) where status <> 'ok';
create index ai_activity_tenant on ai_activity (bucket, tag, tenant, id) where tenant is not null;
select second_wall();
