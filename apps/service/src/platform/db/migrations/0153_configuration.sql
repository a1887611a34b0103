-- The name by which configuration files refer to the endpoint. Null: the host of its URL.
alter table endpoint add column name text;

-- Plans of configuration changes. A plan can be applied until it expires, and only once.
create table configuration_plan (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  -- The JSON text of the configuration as it was sent.
  configuration text not null,
  prune boolean not null,
  -- Of the changes, of the state of the objects that they concern, and of what these refer to.
  digest bytea not null,
  expires_at timestamptz not null,
  applied_at timestamptz,
  -- The JSON text of the response of its application.
  answer text,
  primary key (bucket, tag, id)
);
create index configuration_plan_expiry on configuration_plan (bucket, expires_at);

select second_wall();
