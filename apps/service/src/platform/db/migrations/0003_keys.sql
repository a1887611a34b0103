-- Keys: what they were used for, the one warning before they end, what replaced them; and rate windows on which two nodes
-- cannot wait for each other.

alter table api_key
  -- The key that a roll made of this one.
  add column replaced_by uuid references api_key (id),
  add column expiry_warned_at timestamptz;
-- The last use is written over and over; no index holds it, so the row can stay on its page.
alter table api_key set (fillfactor = 70);
create index api_key_expiring on api_key (expires_at)
  where expires_at is not null and expiry_warned_at is null and revoked_at is null;

-- Calls of one lineage of keys, by hour.
create table key_usage (
  bucket smallint not null,
  tag text collate "C" not null,
  lineage_id uuid not null,
  hour timestamptz not null,
  operation text collate "C" not null,
  outcome text not null check (outcome in ('succeeded', 'refused', 'rate_limited', 'failed')),
  calls int not null,
  primary key (bucket, tag, lineage_id, hour, operation, outcome)
);
create index key_usage_age on key_usage using brin (hour);

-- Gives a call back that was counted. It comes out of the oldest unit that has one, so that what stays counted leaves no
-- earlier than it must.
create or replace function rate_return(p_bucket smallint, p_subject text, p_operation text) returns void language plpgsql as $$
begin
  perform 1 from rate_window where bucket = p_bucket and subject = p_subject and operation = '*' for update;
  update rate_window w set slots = (
      select array_agg(case when u.i = u.oldest then u.s - 1 else u.s end order by u.i)
      from (select s, i, min(i) filter (where s > 0) over () as oldest from unnest(w.slots) with ordinality x (s, i)) u)
    where w.bucket = p_bucket and w.subject = p_subject and w.operation in (p_operation, '*');
end $$;

-- Takes up to `want` calls out of the minute's and the hour's window of one subject, all or none of each call; 0 only asks.
-- `retry_seconds` is how long until one more call passes, 0 when it would now.
-- The hour's row is locked before anything else of the subject is touched: whoever holds it is alone with the subject, so
-- that two statements never wait for each other. The clock is read after the locks are held.
create or replace function rate_take(p_bucket smallint, p_subject text, p_operation text, p_minute int, p_hour int, want int,
  out granted int, out minute_left int, out hour_left int, out retry_seconds int)
language plpgsql as $$
declare
  m rate_window;
  h rate_window;
  at double precision;
begin
  loop
    select * into h from rate_window where bucket = p_bucket and subject = p_subject and operation = '*' for update;
    exit when found;
    insert into rate_window values (p_bucket, p_subject, '*', 0, array_fill(0, array[61])) on conflict do nothing;
  end loop;
  loop
    select * into m from rate_window where bucket = p_bucket and subject = p_subject and operation = p_operation for update;
    exit when found;
    insert into rate_window values (p_bucket, p_subject, p_operation, 0, array_fill(0, array[61])) on conflict do nothing;
  end loop;
  at := extract(epoch from clock_timestamp());
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
    update rate_window w set head = m.head, slots = m.slots where w.bucket = p_bucket and w.subject = p_subject and w.operation = p_operation;
    update rate_window w set head = h.head, slots = h.slots where w.bucket = p_bucket and w.subject = p_subject and w.operation = '*';
  end if;
  minute_left := minute_left - granted;
  hour_left := hour_left - granted;
end $$;

-- Calls that the window of now holds. Reads alone, locks nothing.
create function rate_used(w rate_window) returns int language sql stable as $$
  select coalesce(sum(s), 0)::int from unnest((rate_turn(w,
    floor(extract(epoch from clock_timestamp()) / case when w.operation = '*' then 60 else 1 end)::bigint)).slots) s
$$;
