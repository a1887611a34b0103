-- The second wall: what a query forgets to filter by, the database does.
-- junction_service is what the service runs as: rows of every workspace, no tables to make or drop, no migrations to change.
-- junction_tenant is what a caller's request runs as: the rows of one workspace and environment, named by two settings.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['junction_service', 'junction_tenant'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin', wanted);
      exception
        -- Another database of this server is being migrated at the same moment.
        when duplicate_object or unique_violation then null;
        when insufficient_privilege then
          raise exception 'the database user % may not create the role %', current_user, wanted
            using hint = format('Give it CREATEROLE, or have an administrator run: create role %I nologin; grant %I to %I;', wanted, wanted, current_user);
      end;
    end if;
    if not pg_has_role(current_user, wanted, 'member') then
      execute format('grant %I to current_user', wanted);
    end if;
  end loop;
end $$;

grant usage on schema public to junction_service, junction_tenant;

-- Partitions are made and dropped by their owner, whoever asks.
alter function ensure_partitions(text, int) security definer set search_path = public, pg_temp;
alter function drop_partitions(text, int) security definer set search_path = public, pg_temp;
revoke execute on function ensure_partitions(text, int), drop_partitions(text, int) from public;
grant execute on function ensure_partitions(text, int), drop_partitions(text, int) to junction_service;

-- Gives every table its policies and rights, once. Run after each migration, so that no table comes without.
-- What a tenant sees follows from the columns: its environment's rows by tag, its workspace's by id, nothing else.
create function second_wall() returns void language plpgsql as $$
declare
  wanted record;
  mine text;
begin
  for wanted in
    select c.relname as name,
      exists (select from pg_attribute where attrelid = c.oid and attname = 'tag' and not attisdropped) as by_tag,
      exists (select from pg_attribute where attrelid = c.oid and attname = 'workspace_id' and not attisdropped) as by_workspace
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not c.relrowsecurity and c.relname <> 'schema_migration'
  loop
    mine := case
      when wanted.name = 'workspace' then 'id = nullif(current_setting(''junction.workspace'', true), '''')::uuid'
      when wanted.by_tag then 'tag = current_setting(''junction.tag'', true)'
      when wanted.by_workspace then 'workspace_id = nullif(current_setting(''junction.workspace'', true), '''')::uuid'
    end;
    execute format('alter table %I enable row level security', wanted.name);
    execute format('create policy service on %I to junction_service using (true) with check (true)', wanted.name);
    execute format('grant select, insert, update, delete on %I to junction_service', wanted.name);
    if mine is not null then
      execute format('create policy tenant on %I to junction_tenant using (%s) with check (%2$s)', wanted.name, mine);
      execute format('grant select, insert, update, delete on %I to junction_tenant', wanted.name);
    end if;
  end loop;
end $$;

select second_wall();

-- A session is a person's, whichever workspace it looks at; links are for those who are nobody yet.
drop policy tenant on session;
drop policy tenant on setup_link;
revoke all on session, setup_link from junction_tenant;

-- Messages lie under their inbox's token.
create policy tenant on inbox_message to junction_tenant
  using (exists (select from inbox i where i.token = inbox_message.token))
  with check (exists (select from inbox i where i.token = inbox_message.token));
grant select, insert, update, delete on inbox_message to junction_tenant;
