-- Renews the statistics of tables with more than twice the rows that the planner knows of. Autovacuum looks at a table once a minute at most:
-- until then, plans for a table that was small read all rows of a workspace to find one.
create function refresh_statistics() returns text[] language plpgsql security definer set search_path = public, pg_temp as $$
declare
  grown text;
  refreshed text[] := '{}';
begin
  for grown in
    select s.relname from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = 'public' and s.n_live_tup > 500 + 2 * greatest(c.reltuples, 0)
    order by s.n_live_tup desc limit 20
  loop
    execute format('analyze (skip_locked) %I', grown);
    refreshed := refreshed || grown;
  end loop;
  return refreshed;
end $$;
