-- Requests of rules and workflows to any API, with their responses. due_at: when a worker may next take the call; while
-- leased, when the lease ends; null: it has ended.
create table http_call (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  owner_kind text collate "C" not null check (owner_kind in ('rule', 'workflow')),
  owner_id uuid not null,
  owner_name text not null,
  run_id uuid not null,
  -- The id of the workflow's step, or the position of the rule's action.
  step text not null,
  event_id uuid,
  contact_id uuid,
  replay_of uuid,
  -- JSON text, without secrets.
  request text not null,
  host text not null,
  state text collate "C" not null default 'waiting' check (state in ('waiting', 'succeeded', 'failed', 'cancelled')),
  attempts smallint not null default 0,
  due_at timestamptz,
  lease_id uuid,
  status_code smallint,
  -- JSON text: the response of the last try.
  response text,
  error_class text,
  error text,
  duration_ms int,
  ended_at timestamptz,
  primary key (bucket, tag, id)
);
create index http_call_due on http_call (bucket, due_at) where due_at is not null;
create index http_call_run on http_call (run_id, bucket, tag);
create index http_call_owner on http_call (owner_id, bucket, tag, id);
create index http_call_contact on http_call (bucket, tag, contact_id) where contact_id is not null;
create index http_call_ended on http_call (bucket, ended_at) where ended_at is not null;
select second_wall();
