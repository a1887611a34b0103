-- A row that does not fit on its page is locked, written to another page in full, and gets new entries in all indexes. Each
-- stage is updated once, and each delivery that waits for stages; runs, tickets and contacts are updated a few times.
alter table pending_delivery set (fillfactor = 50);
alter table workflow_run set (fillfactor = 70);
alter table ticket set (fillfactor = 80);
alter table contact set (fillfactor = 85);

do $$
declare
  partition regclass;
begin
  for partition in select inhrelid::regclass from pg_inherits where inhparent = 'dispatch_stage'::regclass loop
    execute format('alter table %s set (fillfactor = 50)', partition);
  end loop;
end $$;

-- A new partition is stored as the default partition is.
create or replace function make_partition(parent text, child text, from_day date, to_day date) returns void language plpgsql as $$
declare
  since uuid := uuid_floor(from_day::timestamp at time zone 'UTC');
  until uuid := uuid_floor(to_day::timestamp at time zone 'UTC');
  key text := partition_key(parent);
  settings text := (select array_to_string(reloptions, ', ') from pg_class where oid = (parent || '_default')::regclass);
begin
  execute format('lock table only %I in access exclusive mode', parent || '_default');
  execute format('create table %I (like %I including all)', child, parent);
  if settings is not null then execute format('alter table %I set (%s)', child, settings); end if;
  execute format('with moved as (delete from only %I where %I >= %L and %2$I < %4$L returning *) insert into %5$I select * from moved',
    parent || '_default', key, since, until, child);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child, since, until);
end $$;

-- The answer to fired events, shortened and sealed. A node of the previous version reads no answer in such a row, and asks
-- for a repeat of the request.
alter table idempotency add column response_short_sealed bytea;
