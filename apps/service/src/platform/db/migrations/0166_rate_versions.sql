-- A counter is updated with each batch of calls. While a snapshot is held (a backup, a long report), its dead versions stay,
-- and a lookup by the old key read all of them. The generation, which grows every 16 updates, is in the index: a lookup
-- from the newest one on meets at most 16 dead versions (decision 0003).
alter table rate_window add column updates bigint not null default 0;
alter table rate_window add column generation bigint not null default 0;
alter table rate_window drop constraint rate_window_pkey;
alter table rate_window add primary key (bucket, subject, operation, generation);

-- Locks the window of one subject and operation, made first if there is none. A plan is kept from when the table was small,
-- and must not read the whole of it later.
create function rate_lock(p_bucket smallint, p_subject text, p_operation text) returns rate_window language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  w rate_window;
begin
  loop
    select * into w from rate_window where bucket = p_bucket and subject = p_subject and operation = p_operation
      order by generation desc limit 1 for update;
    exit when found;
    insert into rate_window (bucket, subject, operation, head, slots) values (p_bucket, p_subject, p_operation, 0, array_fill(0, array[61]))
      on conflict do nothing;
  end loop;
  return w;
end $$;

-- Stores a locked window.
create function rate_store(w rate_window) returns void language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  update rate_window r set head = w.head, slots = w.slots, updates = w.updates + 1, generation = (w.updates + 1) / 16
    where r.bucket = w.bucket and r.subject = w.subject and r.operation = w.operation and r.generation = w.generation;
end $$;

create or replace function rate_return(p_bucket smallint, p_subject text, p_operation text) returns void language plpgsql as $$
declare
  name text;
  w rate_window;
begin
  foreach name in array array['*', p_operation] loop
    w := rate_lock(p_bucket, p_subject, name);
    w.slots := (select array_agg(case when u.i = u.oldest then u.s - 1 else u.s end order by u.i)
      from (select s, i, min(i) filter (where s > 0) over () as oldest from unnest(w.slots) with ordinality x (s, i)) u);
    perform rate_store(w);
  end loop;
end $$;

-- As before (0003_keys.sql), with windows that `rate_lock` finds: the hour's first, then the minute's.
create or replace function rate_take(p_bucket smallint, p_subject text, p_operation text, p_minute int, p_hour int, want int,
  out granted int, out minute_left int, out hour_left int, out retry_seconds int)
language plpgsql as $$
declare
  h rate_window := rate_lock(p_bucket, p_subject, '*');
  m rate_window := rate_lock(p_bucket, p_subject, p_operation);
  at double precision := extract(epoch from clock_timestamp());
begin
  m := rate_turn(m, floor(at)::bigint);
  h := rate_turn(h, floor(at / 60)::bigint);
  minute_left := p_minute - (select sum(s) from unnest(m.slots) s);
  hour_left := p_hour - (select sum(s) from unnest(h.slots) s);
  granted := greatest(0, least(want, minute_left, hour_left));
  retry_seconds := 0;
  if least(minute_left, hour_left) - granted < 1 then
    if minute_left - granted < 1 then retry_seconds := rate_wait(m.slots, 1 + granted - minute_left); end if;
    if hour_left - granted < 1 then
      retry_seconds := greatest(retry_seconds, (rate_wait(h.slots, 1 + granted - hour_left) * 60 - floor(at)::bigint % 60)::int);
    end if;
    retry_seconds := greatest(1, retry_seconds);
  end if;
  if granted > 0 then
    m.slots[61] := m.slots[61] + granted;
    h.slots[61] := h.slots[61] + granted;
    perform rate_store(m);
    perform rate_store(h);
  end if;
  minute_left := minute_left - granted;
  hour_left := hour_left - granted;
end $$;
