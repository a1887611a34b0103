-- The workspace's own event types, and what it has set for the service's canonical ones. Both environments share them.
create table event_type (
  bucket smallint not null,
  workspace_id uuid not null,
  name text collate "C" not null,
  title text not null,
  description text not null,
  -- What happens to events that do not match the schema.
  enforcement text collate "C" not null check (enforcement in ('off', 'warn', 'refuse')),
  visibility text collate "C" not null check (visibility in ('public', 'private')),
  -- The current version, and how often its schema was changed.
  version int not null,
  revision int not null,
  deprecated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  primary key (bucket, workspace_id, name)
);

-- The versions of the workspace's own types. Earlier ones do not change.
create table event_type_version (
  bucket smallint not null,
  workspace_id uuid not null,
  name text collate "C" not null,
  version int not null,
  -- JSON text, as it came. Null: any data.
  schema text,
  -- The JSON text of a list.
  examples text not null,
  created_at timestamptz not null default now(),
  primary key (bucket, workspace_id, name, version)
);

-- One row for each workspace with event types, locked by each change of them.
create table event_type_lock (
  bucket smallint not null,
  workspace_id uuid not null,
  changes bigint not null,
  primary key (bucket, workspace_id)
);

-- The version of its type that an event has, and how its data differs from the schema: the JSON text of a list.
alter table event add column type_version int;
alter table event add column schema_errors text;
alter table scheduled_event add column type_version int;
select second_wall();
