-- On a database of several machines (docs/scaling.md), a table that is on every machine is written under its full name:
-- on a shard, the plain name is the local copy, which is for reads.

-- The triggers of distributed tables. Citus keeps none on these, so they are made on each shard (decision 0270).
create table shard_trigger (
  relation text collate "C" not null,
  name text collate "C" not null,
  definition text collate "C" not null,
  primary key (relation, name)
);
select second_wall();
revoke all on shard_trigger from junction_service;

create or replace function secret_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into public.secret_version as v values (new.workspace_id, 1)
    on conflict (workspace_id) do update set version = v.version + 1;
  return null;
end $$;

-- A table that is on every machine has a view with the trigger `everywhere` on each shard.
create function full_name(relation text) returns text language sql stable as $$
  select case when exists (select from pg_trigger t where t.tgrelid = to_regclass(quote_ident(relation)) and t.tgname = 'everywhere')
    then 'public.' else '' end || quote_ident(relation)
$$;

create or replace function erase_workspace(p_workspace uuid, p_bucket smallint, p_tags text[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  waiting text[];
  refused text[];
  persons uuid[];
  relation text;
begin
  if exists (select from workspace where id = p_workspace and closed_at is null) then
    raise exception 'workspace % is not closed', p_workspace;
  end if;
  perform set_config('junction.erasing', p_workspace::text, true);
  select array_agg(person_id) into persons from member where workspace_id = p_workspace;
  select array_agg(c.relname::text order by c.relname) into waiting from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'workspace'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname in ('tag', 'workspace_id') and not a.attisdropped);
  while cardinality(waiting) > 0 loop
    refused := '{}';
    foreach relation in array waiting loop
      begin
        execute format('delete from %s where %s', full_name(relation), (
          select case
              when names @> array['bucket', 'tag'] then 'bucket = $2 and tag = any($3)'
              when 'workspace_id' = any(names) then 'workspace_id = $1'
              else 'tag = any($3)' end
          from (select array_agg(attname::text) as names from pg_attribute
            where attrelid = relation::regclass and attnum > 0 and not attisdropped) a)) using p_workspace, p_bucket, p_tags;
      exception when foreign_key_violation then
        refused := refused || relation;
      end;
    end loop;
    if cardinality(refused) = cardinality(waiting) then
      raise exception 'rows of % hold each other; workspace % is not erased', refused, p_workspace;
    end if;
    waiting := refused;
  end loop;
  delete from public.workspace where id = p_workspace;
  delete from public.person p where id = any(persons) and not exists (select from public.member m where m.person_id = p.id);
end $$;

-- A policy of a distributed table may not have a subquery; it may call a function that has one.
create function inbox_is_visible(token text) returns boolean language sql stable as $$
  select exists (select from inbox i where i.token = inbox_is_visible.token)
$$;

-- The name under which a table's rows, with their ctid, are reached: on a shard, the plain name is a view.
create function own_table(relation text) returns text language sql immutable as $$ select relation $$;
