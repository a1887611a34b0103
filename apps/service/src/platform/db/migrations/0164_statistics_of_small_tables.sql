-- Leaves tables out of which the planner knows that they are large: their plans do not change with twice the rows, and autovacuum covers them.
-- A pass over a large table takes a tenth of a second, every few seconds under load.
create or replace function refresh_statistics() returns text[] language plpgsql security definer set search_path = public, pg_temp as $$
declare
  grown text;
  refreshed text[] := '{}';
begin
  for grown in
    select s.relname from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = 'public' and c.reltuples < 10000 and s.n_live_tup > 500 + 2 * greatest(c.reltuples, 0)
    order by s.n_live_tup desc limit 20
  loop
    execute format('analyze (skip_locked) %I', grown);
    refreshed := refreshed || grown;
  end loop;
  return refreshed;
end $$;
