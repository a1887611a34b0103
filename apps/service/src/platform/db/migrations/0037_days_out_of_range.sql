-- A row whose id is of a day that has no partition lies in its table's default partition: a node's clock was days ahead or behind.
-- Such a row must neither keep its day's partition from being made nor stay where no retention finds it.

-- The day or month of an id, in UTC, whichever `unit` says.
create function uuid_period(id uuid, unit text) returns date language sql immutable parallel safe as $$
  select date_trunc(unit, to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date
$$;

-- Makes a partition and moves into it what the default partition holds of it. The default partition is locked first, so that nothing
-- arrives there in between.
create function make_partition(parent text, child text, from_day date, to_day date) returns void language plpgsql as $$
declare
  since uuid := uuid_floor(from_day::timestamp at time zone 'UTC');
  until uuid := uuid_floor(to_day::timestamp at time zone 'UTC');
  key text := partition_key(parent);
begin
  execute format('lock table only %I in access exclusive mode', parent || '_default');
  execute format('create table %I (like %I including all)', child, parent);
  execute format('with moved as (delete from only %I where %I >= %L and %2$I < %4$L returning *) insert into %5$I select * from moved',
    parent || '_default', key, since, until, child);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child, since, until);
end $$;

create function partition_key(parent text) returns name language sql stable as $$
  select a.attname from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
  where p.partrelid = parent::regclass
$$;

-- Days or months that the default partition holds rows of.
create function periods_in_default(parent text, unit text) returns setof date language plpgsql as $$
begin
  return query execute format('select distinct uuid_period(%I, %L) from only %I', partition_key(parent), unit, parent || '_default');
end $$;

-- Makes the daily partitions of a table from yesterday to `days_ahead` days from now, and of the days that its default partition holds
-- rows of; those that exist are left alone. A name has eight digits, so years beyond 9999 stay in the default partition.
create or replace function ensure_partitions(parent text, days_ahead int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  day date;
  made int := 0;
  child text;
begin
  for day in
    select generate_series(current_date - 1, current_date + days_ahead, interval '1 day')::date
    union select p from periods_in_default(parent, 'day') p where p < '9999-12-31' order by 1
  loop
    child := parent || '_' || to_char(day, 'YYYYMMDD');
    if to_regclass(child) is null then
      perform make_partition(parent, child, day, day + 1);
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

-- The same by months, for the activities.
create or replace function ensure_activity_months(months_ahead int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  this_month date := date_trunc('month', current_date);
  month date;
  made int := 0;
  child text;
begin
  for month in
    select generate_series(this_month - interval '1 month', this_month + least(months_ahead, 12) * interval '1 month', interval '1 month')::date
    union select p from periods_in_default('activity', 'month') p where p < '9999-12-01' order by 1
  loop
    child := 'activity_' || to_char(month, 'YYYYMM');
    if to_regclass(child) is null then
      perform make_partition('activity', child, month, (month + interval '1 month')::date);
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

revoke execute on function make_partition(text, text, date, date), periods_in_default(text, text), partition_key(text) from public;
