-- The hot tables: events in, deliveries out. `bucket` is first in every key, so that they distribute by it as they are.

create table event (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  name text not null,
  canonical boolean not null,
  -- The bytes of `data` as they came: text, because jsonb reorders, drops and refuses.
  data text not null,
  occurred_at timestamptz not null,
  subject text,
  -- The ids of the events whose reactions fired this one, oldest first; null when a caller did.
  chain uuid[],
  primary key (bucket, tag, id)
) partition by range (id);
create table event_default partition of event default;

-- One row a reaction that runs before the deliveries of its event. Events with webhook subscribers only have none.
create table dispatch_stage (
  bucket smallint not null,
  tag text collate "C" not null,
  event_id uuid not null,
  priority smallint not null,
  kind text not null,
  key text not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  late boolean not null default false,
  attempts smallint not null default 0,
  due_at timestamptz not null,
  lease_id uuid,
  started_at timestamptz,
  ended_at timestamptz,
  error text,
  primary key (bucket, tag, event_id, priority, kind, key)
);
create index dispatch_stage_due on dispatch_stage (bucket, due_at) where state in ('waiting', 'running');

create table endpoint (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  url text not null,
  events text[] not null,
  active boolean not null default true,
  description text not null default '',
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_expires_at timestamptz,
  headers jsonb not null default '{}',
  rate_limit_per_second int,
  max_in_flight int not null default 16,
  -- When the next paced attempt may start; the database's clock, shared by all nodes.
  paced_until timestamptz,
  failing_since timestamptz,
  disabled_reason text,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (bucket, tag, id)
);

-- Deliveries still to be made. Small whatever the log's size: a finished one moves to `delivery`.
-- due_at: when a worker may next take it; while leased, when the lease runs out.
create table pending_delivery (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  event_id uuid not null,
  event_name text not null,
  endpoint_id uuid not null,
  attempt_count smallint not null default 0,
  due_at timestamptz not null,
  next_attempt_at timestamptz,
  lease_id uuid,
  trigger text not null default 'ladder',
  -- Where a replay returns to when its one attempt fails.
  resting_state text,
  last_status_code smallint,
  last_error_class text,
  primary key (bucket, tag, id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.2);
create index pending_delivery_due on pending_delivery (bucket, tag, endpoint_id, due_at);

-- The log: deliveries that are done, in whatever way.
create table delivery (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  event_id uuid not null,
  event_name text not null,
  endpoint_id uuid not null,
  state text not null check (state in ('delivered', 'failed', 'cancelled')),
  attempt_count smallint not null,
  last_status_code smallint,
  last_error_class text,
  completed_at timestamptz not null default now(),
  primary key (bucket, tag, id)
) partition by range (id);
create index delivery_endpoint on delivery (bucket, endpoint_id, id);
create index delivery_unfinished on delivery (bucket, tag, id) where state <> 'delivered';
create table delivery_default partition of delivery default;

-- Partitioned by the delivery's id, so that a delivery and its attempts leave the log together.
create table attempt (
  bucket smallint not null,
  tag text collate "C" not null,
  delivery_id uuid not null,
  number smallint not null,
  id uuid not null,
  trigger text not null,
  started_at timestamptz not null,
  status_code smallint,
  error_class text,
  error_detail text,
  -- dns, connect, tls, first byte, total; milliseconds
  latency real[] not null,
  resolved_ip text,
  response_headers text,
  response_snippet text,
  response_truncated boolean not null,
  request_timestamp bigint not null,
  primary key (bucket, tag, delivery_id, number)
) partition by range (delivery_id);
create table attempt_default partition of attempt default;

create table inbox (
  token text primary key,
  workspace_id uuid not null,
  bucket smallint not null,
  tag text collate "C" not null,
  secret_sealed bytea,
  behaviour jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create table inbox_message (
  bucket smallint not null,
  token text not null references inbox (token) on delete cascade,
  id uuid not null,
  delivery_id text,
  event text,
  headers jsonb not null,
  body text not null,
  signature text not null,
  answered smallint not null,
  primary key (bucket, token, id)
);

create table replay_job (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  endpoint_id uuid not null,
  since timestamptz not null,
  until timestamptz not null,
  total int not null,
  done int not null default 0,
  finished_at timestamptz,
  primary key (bucket, tag, id)
);

select ensure_partitions(t, 3) from unnest(array['event', 'delivery', 'attempt']) t;
