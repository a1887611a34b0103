-- The versions of the transformations of endpoints: who changed them, when, to what. The newest is also in endpoint.
create table endpoint_transform (
  bucket smallint not null,
  tag text collate "C" not null,
  endpoint_id uuid not null,
  version int not null,
  -- JSON text as the caller wrote it; null: the transformation was removed.
  transform text,
  author_kind text collate "C" check (author_kind in ('key', 'member')),
  author_id uuid,
  created_at timestamptz not null default now(),
  primary key (bucket, tag, endpoint_id, version)
);
-- True if the replayed deliveries are transformed again; null: they are sent with the same bytes.
alter table replay_job add column retransform boolean;
select second_wall();
