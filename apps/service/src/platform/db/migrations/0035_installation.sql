-- The workspace of the installation's operator: its owners and admins may see where the data lies. Other workspaces may be customers'.
alter table workspace add column is_operators boolean not null default false;
-- Not the oldest of several: the operator's may have been deleted, and the oldest be a customer's.
update workspace set is_operators = true where (select count(*) from workspace) = 1;

-- The newest backup that was completed; one row at most.
create table last_backup (
  singleton boolean primary key default true check (singleton),
  -- The moment whose data it holds.
  created_at timestamptz not null,
  -- Without its folder, which is one of the machine that wrote it.
  file_name text collate "C" not null
);
