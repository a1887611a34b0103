-- Deletions of tenants, which go on in steps, each a commit. due_at: when a worker may next take the deletion; while it is
-- leased, when the lease ends; null: it has ended.
create table tenant_deletion (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  tenant text collate "C" not null,
  -- What is deleted next.
  phase text collate "C" not null default 'keys',
  -- The last row that was deleted. In a phase that empties logs, the endpoint or source.
  position uuid,
  -- The last row of the endpoint's or source's log; null if nothing of it is left.
  sub_position uuid,
  -- The number of deleted objects, by phase.
  removed jsonb not null default '{}',
  due_at timestamptz default now(),
  finished_at timestamptz,
  primary key (bucket, tag, id)
);
create unique index tenant_deletion_open on tenant_deletion (bucket, tag, tenant) where due_at is not null;
create index tenant_deletion_due on tenant_deletion (bucket, due_at) where due_at is not null;
create index tenant_deletion_tenant on tenant_deletion (bucket, tag, tenant, id);
create index tenant_deletion_ended on tenant_deletion (bucket, finished_at) where finished_at is not null;
select second_wall();
