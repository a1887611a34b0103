-- Connectors that run: who hears of what, what they did, what they keep, and what was sent to their webhooks.

-- The addresses of a workspace's webhooks are made from it; null until the connector was enabled once.
alter table connector_install add column hook_seed_sealed bytea;

-- Who hears of an event: rows are there exactly while their connector is enabled, so that nobody pays for one that is not.
create table connector_listener (
  bucket smallint not null,
  workspace_id uuid not null,
  event text collate "C" not null,
  key text collate "C" not null,
  priority smallint not null,
  -- The handlers of this priority, in the order in which the class names them.
  handlers text[] not null,
  sandbox_only boolean not null,
  primary key (bucket, workspace_id, event, key, priority)
);

-- One row a call of a hook. Goes with its day.
create table connector_run (
  bucket smallint not null,
  tag text collate "C" not null,
  -- Made when the call began.
  id uuid not null,
  key text collate "C" not null,
  version text not null,
  hook text collate "C" not null,
  -- The handler, provider or action; empty where the hook has no names.
  name text not null,
  event_id uuid,
  outcome text collate "C" not null,
  error text,
  duration_ms int not null,
  -- JSON texts: what it asked of the service, and what it logged.
  services text not null,
  lines text not null,
  primary key (bucket, tag, id)
) partition by range (id);
create index connector_run_key on connector_run (bucket, tag, key, id);
create index connector_run_failed on connector_run (bucket, tag, key, id) where outcome <> 'ok';
create table connector_run_default partition of connector_run default;
select ensure_partitions('connector_run', 3);

-- What a connector keeps, and how much that is.
create table connector_value (
  bucket smallint not null,
  tag text collate "C" not null,
  key text collate "C" not null,
  name text collate "C" not null,
  -- JSON text.
  value text not null,
  bytes int not null,
  expires_at timestamptz,
  primary key (bucket, tag, key, name)
);
create index connector_value_expiry on connector_value (bucket, expires_at) where expires_at is not null;
-- Never too little: what has run out may be counted still, until the quota is reached and it is counted anew.
create table connector_quota (
  bucket smallint not null,
  tag text collate "C" not null,
  key text collate "C" not null,
  entries int not null,
  bytes bigint not null,
  primary key (bucket, tag, key)
);

-- What a call did that must not be done twice when it is made again: the answer that it got is given again.
create table connector_effect (
  bucket smallint not null,
  tag text collate "C" not null,
  key text collate "C" not null,
  -- What made the call: the event and the handler, the webhook, the run of the action.
  cause text collate "C" not null,
  -- Which of the call's effects it is.
  name text collate "C" not null,
  -- JSON text.
  answer text not null,
  created_at timestamptz not null default now(),
  primary key (bucket, tag, key, cause, name)
);
create index connector_effect_age on connector_effect using brin (created_at);

-- What others sent, kept before it was answered. What was handled stays for a time, so that a repeat is known as one.
create table connector_webhook (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  key text collate "C" not null,
  -- SHA-256 of the sender's id for it, or of its body.
  dedupe bytea not null,
  -- JSON texts; null once it was handled.
  body text,
  request text,
  state text collate "C" not null check (state in ('waiting', 'done', 'failed')),
  attempts smallint not null default 0,
  due_at timestamptz not null,
  lease_id uuid,
  error text,
  created_at timestamptz not null default now(),
  primary key (bucket, tag, id),
  unique (bucket, tag, key, dedupe)
);
create index connector_webhook_due on connector_webhook (bucket, due_at) where state = 'waiting';
create index connector_webhook_age on connector_webhook using brin (created_at);

-- Children that were ended for what they did, on whichever node; counted to stop a connector that does it again and again.
create table connector_crash (
  bucket smallint not null,
  workspace_id uuid not null,
  key text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  kind text collate "C" not null
);
create index connector_crash_recent on connector_crash (bucket, workspace_id, key, at);

select second_wall();

-- Nodes end the children of what may not run any more.
create function connectors_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('connectors_changed', '');
  return null;
end $$;
create trigger connectors_changed after update of enabled, quarantine, digest, environment on connector_install
  for each statement execute function connectors_changed();
create trigger connectors_changed after insert or update on connector_key
  for each statement execute function connectors_changed();
