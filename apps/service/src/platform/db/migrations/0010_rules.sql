-- Rules: "when this happens, do that". A definition serves both environments; a run is one environment's.

create table rule (
  bucket smallint not null,
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  events text[] not null,
  -- JSON text, as it came: its numbers are compared by their spelling.
  condition text not null,
  actions text not null,
  -- Lower ones run first.
  priority int not null,
  enabled boolean not null,
  max_runs_per_minute int not null,
  -- Counts changes: what was compiled from one version is never used for another.
  version int not null default 1,
  -- Who wrote it last, with whose rights of the moment it acts: a lineage of keys, or a member at the console.
  author_kind text collate "C" not null check (author_kind in ('key', 'member')),
  author_id uuid not null,
  author_environment text collate "C" not null check (author_environment in ('live', 'sandbox')),
  updated_at timestamptz not null default now(),
  primary key (bucket, workspace_id, id)
);

-- Which enabled rules an event's name leads to, so that an event that none listens to costs two look-ups in an index.
create table rule_listener (
  bucket smallint not null,
  workspace_id uuid not null,
  event text collate "C" not null,
  rule_id uuid not null,
  -- What a sandbox credential wrote acts in the sandbox alone.
  sandbox_only boolean not null,
  primary key (bucket, workspace_id, event, rule_id)
);
create index rule_listener_rule on rule_listener (bucket, workspace_id, rule_id);

-- What a rule made of an event, once. Goes with the event's day.
create table rule_run (
  bucket smallint not null,
  tag text collate "C" not null,
  event_id uuid not null,
  rule_id uuid not null,
  id uuid not null,
  rule_version int not null,
  event_name text not null,
  status text collate "C" not null check (status in ('running', 'ok', 'failed', 'unmatched', 'skipped', 'limited', 'refused')),
  reason_code text,
  reason text,
  contact_id uuid,
  -- JSON texts.
  leaves text not null,
  actions text not null,
  -- The calls that are still to be made, with all that they send; null once none is.
  pending text,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (bucket, tag, event_id, rule_id)
) partition by range (event_id);
create index rule_run_rule on rule_run (bucket, tag, rule_id, event_id);
create index rule_run_contact on rule_run (bucket, tag, contact_id) where contact_id is not null;
create table rule_run_default partition of rule_run default;

select ensure_partitions('rule_run', 3);

-- The key that now stands for the one that wrote a rule.
create index api_key_lineage on api_key (lineage_id, id);
