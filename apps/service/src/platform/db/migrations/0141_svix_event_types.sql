-- Members of event types that only the Svix-compatible API has.
create table svix_event_type (
  bucket smallint not null,
  workspace_id uuid not null,
  name text collate "C" not null,
  group_name text,
  feature_flags text[],
  primary key (bucket, workspace_id, name)
);
select second_wall();
