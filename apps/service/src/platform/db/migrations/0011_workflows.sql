-- Workflows: definitions of the workspace, runs of one environment.

-- The module that sends through an endpoint of its own; null: a caller's, which events go to.
alter table endpoint add column owner text;

-- How a delivery ended that another module made and waits for: written with its result, taken by who waits.
create table delivery_outcome (
  bucket smallint not null,
  tag text collate "C" not null,
  delivery_id uuid not null,
  state text not null check (state in ('delivered', 'failed', 'cancelled')),
  status_code smallint,
  primary key (bucket, tag, delivery_id)
);

-- One definition for both environments.
create table workflow (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  name text not null,
  enabled boolean not null,
  version int not null,
  -- What starts it: the trigger's event, beside the definition for the look-up.
  event text not null,
  secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (workspace_id, id)
);
create index workflow_trigger on workflow (workspace_id, event) where enabled and deleted_at is null;

-- Every definition that a run may still be bound to. JSON text as it came, so that no number loses a digit.
create table workflow_version (
  workspace_id uuid not null,
  workflow_id uuid not null,
  version int not null,
  trigger text not null,
  steps text not null,
  -- Where whoever wrote it was: what a sandbox credential wrote acts in the sandbox alone.
  author_environment text collate "C" not null check (author_environment in ('live', 'sandbox')),
  -- Who wrote it: its steps are done with the rights that this key's lineage, or this member, has then.
  author_kind text collate "C" not null check (author_kind in ('key', 'member')),
  author_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, workflow_id, version),
  foreign key (workspace_id, workflow_id) references workflow (workspace_id, id) on delete cascade
);

-- What a workflow's webhook steps send through: one endpoint for each URL with its headers.
create table workflow_endpoint (
  bucket smallint not null,
  tag text collate "C" not null,
  workflow_id uuid not null,
  fingerprint bytea not null,
  endpoint_id uuid not null,
  primary key (bucket, tag, workflow_id, fingerprint)
);

-- due_at: when a worker may next take it; while leased, when the lease runs out; null: something else must happen first.
create table workflow_run (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  workflow_id uuid not null,
  version int not null,
  event_id uuid not null,
  event_name text not null,
  -- The bytes of the event's `data`: a run may outlive the event.
  data text not null,
  occurred_at timestamptz not null,
  chain uuid[] not null,
  state text collate "C" not null default 'running' check (state in ('running', 'waiting', 'completed', 'failed', 'cancelled')),
  -- The step it is at, null at the end, and how many have ended: with the lease, the fence of whoever works at it.
  step text,
  position smallint not null default 0,
  -- The delivery it waits for, or that failed it, and how that ended.
  delivery_id uuid,
  outcome text,
  status_code smallint,
  due_at timestamptz,
  lease_id uuid,
  attempts smallint not null default 0,
  error text,
  ended_at timestamptz,
  primary key (bucket, tag, id),
  -- An event starts a workflow once.
  unique (bucket, tag, workflow_id, event_id)
);
create index workflow_run_due on workflow_run (bucket, due_at) where due_at is not null;
create index workflow_run_list on workflow_run (bucket, tag, workflow_id, id);
create index workflow_run_delivery on workflow_run (bucket, tag, delivery_id) where delivery_id is not null;
create index workflow_run_ended on workflow_run (bucket, ended_at) where ended_at is not null;

-- What a run did, one row a step.
create table workflow_step (
  bucket smallint not null,
  tag text collate "C" not null,
  run_id uuid not null,
  position smallint not null,
  step_id text not null,
  type text not null,
  state text collate "C" not null check (state in ('waiting', 'completed', 'failed', 'cancelled')),
  -- JSON text.
  output text,
  error text,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (bucket, tag, run_id, position),
  foreign key (bucket, tag, run_id) references workflow_run (bucket, tag, id) on delete cascade
);
