-- The address to which the service writes when an endpoint of a tenant fails. The workspace sets it, because it knows its customers:
-- an address that a tenant could set would let strangers send e-mail to anyone. The table is on every machine, as the sessions of the
-- portal are, with which it is written.
create table tenant_contact (
  workspace_id uuid not null references workspace (id),
  tag text collate "C" not null,
  tenant text collate "C" not null,
  email text not null,
  updated_at timestamptz not null default now(),
  primary key (tag, tenant)
);
select second_wall();
