-- Endpoints whose messages are pulled (docs/decisions/0387-pull-endpoints.md).
-- `max_in_flight` of a pull endpoint is 0: no node sends its deliveries, and a node of the version before leases them without an attempt.
alter table endpoint add column kind text not null default 'webhook';

-- The transaction that made a delivery of a pull endpoint. Deliveries get their offsets in this order. Null for deliveries that are sent.
alter table pending_delivery add column if not exists xact xid8;
create index pending_delivery_unnumbered on pending_delivery (endpoint_id, xact, id) where xact is not null;

-- The offset of a pulled message. Its state is `delivered` for nodes of the version before, and computed from its consumers.
alter table delivery add column pull_offset bigint;

-- One row for each pull endpoint, under whose lock its messages are numbered.
create table pull_log (
  bucket smallint not null,
  tag text collate "C" not null,
  endpoint_id uuid not null,
  -- Messages below it are behind retention.
  first_offset bigint not null default 1,
  last_offset bigint not null default 0,
  -- The time of the last message.
  last_at timestamptz not null default '-infinity',
  -- Changes when a backup is restored, because offsets are then given again.
  epoch uuid not null default gen_random_uuid(),
  primary key (bucket, tag, endpoint_id)
) with (fillfactor = 50);

-- The messages of pull endpoints, in the order of their offsets. `at` never decreases with the offset.
create table pull_message (
  bucket smallint not null,
  tag text collate "C" not null,
  endpoint_id uuid not null,
  pull_offset bigint not null,
  id uuid not null,
  event_id uuid not null,
  event_name text not null,
  attempt_count smallint not null,
  last_error_class text,
  transformed boolean,
  at timestamptz not null,
  primary key (bucket, tag, endpoint_id, pull_offset)
);

-- Who reads a pull endpoint. `position` is the first offset that is not committed.
create table pull_consumer (
  bucket smallint not null,
  tag text collate "C" not null,
  endpoint_id uuid not null,
  name text collate "C" not null,
  position bigint not null,
  -- The last lease, also after its end: its commits count until another lease is taken. Null after a seek.
  lease_id uuid,
  lease_last bigint,
  lease_seconds int,
  -- Null once the lease has ended.
  lease_expires_at timestamptz,
  -- Identifies the pull that took the lease.
  lease_key bytea,
  -- The messages behind retention that the pull skipped.
  lease_skipped bigint,
  created_at timestamptz not null default now(),
  last_pulled_at timestamptz not null default now(),
  primary key (bucket, tag, endpoint_id, name)
) with (fillfactor = 50);

/* Gives offsets to the messages that are ready, in the order of the transactions that made them. The lock is taken first, so that the
   statement after it sees what was committed meanwhile. Returns the number of messages, whether some wait for their transformation,
   and the last offset. */
create function pull_number(p_bucket smallint, p_tag text, p_endpoint uuid, p_limit int, out numbered int, out unprepared boolean, out last_offset bigint)
language plpgsql as $$
declare
  log record;
  transforms boolean;
begin
  -- A pull that finds nothing to do writes nothing. What another transaction is moving is still seen here.
  if not exists (select from pending_delivery p where p.bucket = p_bucket and p.tag = p_tag and p.endpoint_id = p_endpoint and p.xact is not null) then
    numbered := 0;
    unprepared := false;
    select l.last_offset into last_offset from pull_log l where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint;
    return;
  end if;
  select l.last_offset, l.last_at into log from pull_log l where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint for update;
  numbered := 0;
  unprepared := false;
  last_offset := coalesce(log.last_offset, 0);
  if not found then return; end if;
  select e.transform is not null into transforms from endpoint e
    where e.bucket = p_bucket and e.tag = p_tag and e.id = p_endpoint and e.active and e.deleted_at is null;
  if not found then return; end if;
  with waiting as materialized (
      select p.id, p.xact, p.next_attempt_at is null and p.due_at > clock_timestamp() as is_held,
        (transforms and p.transformed is not true) or p.last_error_class is not distinct from 'too_expensive' as is_unprepared, p.attempt_count
      from pending_delivery p where p.bucket = p_bucket and p.tag = p_tag and p.endpoint_id = p_endpoint and p.xact is not null
        -- One whose transformation has failed holds nothing.
        and (p.attempt_count = 0 or p.transformed is true or not transforms)
      order by p.xact, p.id limit p_limit),
    ordered as (select w.id, w.is_unprepared, bool_or(w.is_held or w.is_unprepared) over (order by w.xact, w.id) as is_blocked from waiting w),
    gone as (delete from pending_delivery p using ordered o
      where not o.is_blocked and p.bucket = p_bucket and p.tag = p_tag and p.id = o.id
      returning p.id, p.event_id, p.event_name, p.attempt_count, p.last_error_class, p.transformed, p.xact),
    placed as (select g.*, log.last_offset + row_number() over w as place,
        greatest(log.last_at, max(least(uuid_time(g.id), clock_timestamp())) over w) as at
      from gone g window w as (order by g.xact, g.id)),
    logged as (insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count, last_error_class, transformed, pull_offset)
      select p_bucket, p_tag, id, event_id, event_name, p_endpoint, 'delivered', attempt_count, last_error_class, transformed, place from placed),
    kept as (insert into pull_message (bucket, tag, endpoint_id, pull_offset, id, event_id, event_name, attempt_count, last_error_class, transformed, at)
      select p_bucket, p_tag, p_endpoint, place, id, event_id, event_name, attempt_count, last_error_class, transformed, at from placed),
    last as (select max(place) as place, max(at) as at, count(*)::int as n from placed),
    moved as (update pull_log l set last_offset = last.place, last_at = last.at from last
      where last.n > 0 and l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint)
    select last.n, (select bool_or(o.is_unprepared) from ordered o), coalesce(last.place, log.last_offset)
      into numbered, unprepared, last_offset from last;
  unprepared := coalesce(unprepared, false);
  -- Wakes the pulls that wait on any node.
  if numbered > 0 then perform pg_notify('junction_pull', ''); end if;
end $$;

create function uuid_time(id uuid) returns timestamptz language sql immutable parallel safe as $$
  select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

/* The offset of the first message at or after a time, found by halving, because times never decrease. */
create function pull_offset_at(p_bucket smallint, p_tag text, p_endpoint uuid, p_at timestamptz) returns bigint language plpgsql stable as $$
declare
  low bigint;
  high bigint;
  middle bigint;
begin
  select l.first_offset, l.last_offset + 1 into low, high from pull_log l
    where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint;
  while low < high loop
    middle := (low + high) / 2;
    if exists (select from pull_message m where m.bucket = p_bucket and m.tag = p_tag and m.endpoint_id = p_endpoint
      and m.pull_offset = middle and m.at >= p_at) then high := middle;
    else low := middle + 1;
    end if;
  end loop;
  return low;
end $$;

/* Moves the beginning of logs behind retention, and deletes what is before it. Returns the number of rows that were deleted. */
create function forget_pulled(p_bucket smallint, p_tag text, p_days int, p_most int) returns int language plpgsql as $$
declare
  gone int;
begin
  update pull_log l set first_offset = m.first from (
      select o.tag, o.endpoint_id, coalesce((select m.pull_offset from pull_message m where m.bucket = p_bucket and m.tag = o.tag
          and m.endpoint_id = o.endpoint_id and m.pull_offset >= o.first_offset and m.at >= now() - p_days * interval '1 day'
          order by m.pull_offset limit 1), o.last_offset + 1) as first
      from pull_log o where o.bucket = p_bucket and (p_tag is null or o.tag = p_tag)) m
    where l.bucket = p_bucket and l.tag = m.tag and l.endpoint_id = m.endpoint_id and l.first_offset < m.first;
  with old as (select m.tag, m.endpoint_id, m.pull_offset from pull_log l cross join lateral (
        select o.tag, o.endpoint_id, o.pull_offset from pull_message o where o.bucket = p_bucket and o.tag = l.tag
          and o.endpoint_id = l.endpoint_id and o.pull_offset < l.first_offset order by o.pull_offset limit p_most) m
      where l.bucket = p_bucket and (p_tag is null or l.tag = p_tag) limit p_most),
    deleted as (delete from pull_message m using old o
      where m.bucket = p_bucket and m.tag = o.tag and m.endpoint_id = o.endpoint_id and m.pull_offset = o.pull_offset returning 1)
    select count(*)::int into gone from deleted;
  return gone;
end $$;
