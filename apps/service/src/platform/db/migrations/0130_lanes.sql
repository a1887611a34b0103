-- Ordered endpoints (docs/decisions/0388-lanes.md). A lane is one endpoint and one value of its key: its deliveries are sent one at a time.
-- ordering_key: 'endpoint', 'subject', 'tenant' or a path; null: no order. on_failed: 'block' or 'skip'.
alter table endpoint add column ordering_key text collate "C";
alter table endpoint add column on_failed text collate "C";

-- The lane of a delivery; null: none. All columns are null for most deliveries, which costs no bytes.
alter table pending_delivery add column lane text collate "C";
-- Set until the delivery has its place. Deliveries get their places in this order: that of the transactions that made them.
alter table pending_delivery add column lane_xact xid8;
alter table pending_delivery add column lane_since timestamptz;
alter table pending_delivery add column lane_at int;
-- The place among those that wait in the lane, and the number that the receiver sees. A replay gets a new place and keeps its number.
alter table pending_delivery add column lane_place bigint;
alter table pending_delivery add column lane_sequence bigint;
-- True for the one that is sent. Others are due in a far future, so that no node claims them, also of the version before.
alter table pending_delivery add column lane_head boolean;
alter table delivery add column lane text collate "C";
alter table delivery add column lane_sequence bigint;
create index pending_delivery_unplaced on pending_delivery (endpoint_id, lane_xact, lane_since, lane_at) where lane_xact is not null;
create unique index pending_delivery_lane on pending_delivery (endpoint_id, lane, lane_place, bucket, tag) where lane_place is not null;
create unique index pending_delivery_lane_head on pending_delivery (endpoint_id, lane, bucket, tag) where lane_head;

-- One row for each ordered endpoint. Whoever changes the order of its lanes locks it first, before deliveries and before lanes.
create table ordered_endpoint (
  bucket smallint not null,
  tag text collate "C" not null,
  endpoint_id uuid not null,
  -- When people were told of lanes that have been blocked for an hour. Null again once none is.
  noticed_at timestamptz,
  primary key (bucket, tag, endpoint_id)
) with (fillfactor = 50);

create table lane (
  bucket smallint not null,
  tag text collate "C" not null,
  endpoint_id uuid not null,
  key text collate "C" not null,
  -- The last number that was given.
  sequence bigint not null default 0,
  -- The delivery that is sent, or that failed and blocks the lane. Null: the lane holds nothing.
  head_id uuid,
  -- False for a replay, whose failure holds nothing.
  head_holds boolean not null default true,
  -- Since when the failed head blocks the lane.
  blocked_at timestamptz,
  used_at timestamptz not null default now(),
  primary key (bucket, tag, endpoint_id, key)
) with (fillfactor = 50);
create index lane_held on lane (endpoint_id, bucket, tag, key) where head_id is not null;
create index lane_idle on lane (used_at) where head_id is null;

/* Gives places to the deliveries of an ordered endpoint that have none, frees the lanes whose head has ended, and sends the next of each.
   p_keys: the lanes whose head may have ended; null: those that are blocked. Takes the endpoint's lock in a statement of its own, so that
   the next statements see what was committed while it waited. Returns the new heads that are leased to p_lease, and last a row without an
   id: `due` says how many heads any node can claim, `more` that there is more to do. */
create function advance_lanes(p_bucket smallint, p_tag text, p_endpoint uuid, p_keys text[], p_most int, p_lease uuid, p_seconds float8,
  p_room int, p_held int, p_large int)
returns table (id uuid, event_id uuid, event_name text, attempt_count smallint, trigger text, resting_state text, transformed boolean,
  last_error_class text, lane text, lane_sequence bigint, bytes int, data text, occurred_at timestamptz, traceparent text, tenant text,
  max_in_flight int, due int, more boolean)
language plpgsql as $$
#variable_conflict use_column
declare
  v_endpoint record;
  v_room int;
  v_more boolean;
  v_keys text[];
  v_blocked text[];
  v_head record;
  v_placed record;
  v_ids uuid[];
  v_heads uuid[];
  v_leased uuid[];
begin
  -- A caller that waits longer has one of few connections, which other endpoints need.
  perform set_config('lock_timeout', '500ms', true);
  perform from ordered_endpoint o where o.bucket = p_bucket and o.tag = p_tag and o.endpoint_id = p_endpoint for update;
  if not found and exists (select from endpoint e where e.bucket = p_bucket and e.tag = p_tag and e.id = p_endpoint and e.deleted_at is null) then
    insert into ordered_endpoint (bucket, tag, endpoint_id) values (p_bucket, p_tag, p_endpoint) on conflict do nothing;
    perform from ordered_endpoint o where o.bucket = p_bucket and o.tag = p_tag and o.endpoint_id = p_endpoint for update;
  end if;
  select e.active, e.on_failed = 'block' as blocks, e.max_in_flight, e.rate_limit_per_second is not null as paced into v_endpoint
    from endpoint e where e.bucket = p_bucket and e.tag = p_tag and e.id = p_endpoint and e.deleted_at is null;
  if not found then
    -- The endpoint was deleted. Its deliveries are due, so that a worker cancels them.
    update pending_delivery p set due_at = now(), next_attempt_at = now(), lane = null, lane_xact = null, lane_since = null, lane_at = null,
        lane_place = null, lane_head = null
      where p.endpoint_id = p_endpoint and p.bucket = p_bucket and p.tag = p_tag and p.lane is not null;
    get diagnostics due = row_count;
    delete from lane l where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint;
    more := false;
    return next;
    return;
  end if;
  -- As many as the caller can send before their leases end, besides the p_held that it has already.
  v_room := case when v_endpoint.active and not v_endpoint.paced then least(p_room, greatest(64, 4 * v_endpoint.max_in_flight) - p_held) else 0 end;

  -- The lanes whose head has ended. A head that failed blocks its lane.
  with checked as materialized (
      select l.key, l.head_id, l.head_holds from unnest(p_keys) as k (key)
        cross join lateral (select l.key, l.head_id, l.head_holds from lane l
          where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint and l.key = k.key and l.head_id is not null offset 0) l
      union all
      select b.key, b.head_id, b.head_holds from (select l.key, l.head_id, l.head_holds from lane l
          left join lateral (select d.state from delivery d
            where v_endpoint.blocks and d.bucket = p_bucket and d.tag = p_tag and d.id = l.head_id offset 0) d on true
        where p_keys is null and l.endpoint_id = p_endpoint and l.bucket = p_bucket and l.tag = p_tag and l.head_id is not null
          and l.blocked_at is not null and d.state is distinct from 'failed'
        limit p_most) b),
    ended as materialized (
      select c.key, coalesce(v_endpoint.blocks and c.head_holds and d.state = 'failed', false) as holds from checked c
        left join lateral (select p.id from pending_delivery p where p.bucket = p_bucket and p.tag = p_tag and p.id = c.head_id offset 0) w on true
        left join lateral (select d.state from delivery d where d.bucket = p_bucket and d.tag = p_tag and d.id = c.head_id offset 0) d on true
      where w.id is null)
    select array_agg(e.key) filter (where e.holds), array_agg(e.key) filter (where not e.holds) into v_blocked, v_keys from ended e;
  -- By their keys: a join could read all lanes of the endpoint for each of them, because the planner expects few.
  update lane l set blocked_at = now(), used_at = now()
    where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint and l.key = any(v_blocked) and l.blocked_at is null;
  update lane l set head_id = null, blocked_at = null, used_at = now()
    where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint and l.key = any(v_keys);
  v_more := coalesce(cardinality(v_keys), 0) >= p_most;

  -- The deliveries without a place (`+ 0` and `|| ''` keep the planner from the primary key, see decision 0256), in the order of the transactions that made them.
  select array_agg(u.id order by u.lane_xact, u.lane_since, u.lane_at, u.id) into v_ids from (
    select p.id, p.lane_xact, p.lane_since, p.lane_at from pending_delivery p
    where p.endpoint_id = p_endpoint and p.lane_xact is not null and p.bucket + 0 = p_bucket and p.tag || '' = p_tag
    order by p.lane_xact, p.lane_since, p.lane_at, p.id limit p_most) u;
  if v_ids is not null then
    v_more := v_more or cardinality(v_ids) >= p_most;
    -- In the order of all who lock deliveries of lanes. A delivery that is deleted meanwhile leaves a gap.
    perform from pending_delivery p where p.bucket = p_bucket and p.tag = p_tag and p.id = any(v_ids) order by p.id for update;
    with counted as materialized (
        select p.lane, count(*) filter (where p.lane_sequence is null) as made from unnest(v_ids) as u (id)
          cross join lateral (select p.lane, p.lane_sequence from pending_delivery p
            where p.bucket = p_bucket and p.tag = p_tag and p.id = u.id offset 0) p
        group by p.lane),
      lanes as (
        insert into lane as l (bucket, tag, endpoint_id, key, sequence)
        select p_bucket, p_tag, p_endpoint, c.lane, c.made from counted c order by c.lane
        on conflict (bucket, tag, endpoint_id, key) do update set sequence = l.sequence + excluded.sequence, used_at = now()
        returning l.key, l.head_id)
      select coalesce(v_keys, '{}') || coalesce(array_agg(l.key) filter (where l.head_id is null), '{}') into v_keys from lanes l;
    -- Behind the last one of the lane. A counter would be one row with as many dead versions as deliveries.
    for v_placed in
        select m.id, coalesce(b.last, 0) + m.nth_of_all as place, l.sequence - m.made + m.nth as sequence from (
          select u.id, u.at, p.lane, count(*) filter (where p.lane_sequence is null) over (partition by p.lane) as made,
            count(*) filter (where p.lane_sequence is null) over (partition by p.lane order by u.at) as nth,
            row_number() over (partition by p.lane order by u.at) as nth_of_all
          from unnest(v_ids) with ordinality as u (id, at)
            cross join lateral (select p.lane, p.lane_sequence from pending_delivery p
              where p.bucket = p_bucket and p.tag = p_tag and p.id = u.id offset 0) p) m
          cross join lateral (select l.sequence from lane l
            where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint and l.key = m.lane offset 0) l
          left join lateral (select w.lane_place as last from pending_delivery w
            where w.endpoint_id = p_endpoint and w.lane = m.lane and w.lane_place is not null and w.bucket + 0 = p_bucket and w.tag || '' = p_tag
            order by w.lane_place desc limit 1) b on true
    loop
      -- One by one: a join could compare each of them with all deliveries of the workspace (decision 0256).
      update pending_delivery p set lane_place = v_placed.place, lane_sequence = coalesce(p.lane_sequence, v_placed.sequence),
          lane_xact = null, lane_since = null, lane_at = null
        where p.bucket = p_bucket and p.tag = p_tag and p.id = v_placed.id;
    end loop;
  end if;

  -- The next delivery of each lane that has no head.
  due := 0;
  if cardinality(v_keys) > 0 then
    select array_agg(n.id order by n.id) into v_heads from (select distinct key from unnest(v_keys) as k (key)) k
      cross join lateral (select p.id from pending_delivery p
        where p.endpoint_id = p_endpoint and p.lane = k.key and p.lane_place is not null
          and p.bucket + 0 = p_bucket and p.tag || '' = p_tag
        order by p.lane_place limit 1) n;
  end if;
  if v_heads is not null then
    perform from pending_delivery p where p.bucket = p_bucket and p.tag = p_tag and p.id = any(v_heads) order by p.id for update;
    -- One that earlier stages hold is the head too, and is sent when they have ended.
    for v_at in 1 .. cardinality(v_heads) loop
      update pending_delivery p set lane_head = true,
          lease_id = case when v_at <= v_room and p.next_attempt_at is not null then p_lease end,
          due_at = case when p.next_attempt_at is null then now() + interval '300 seconds'
            when v_at <= v_room then clock_timestamp() + p_seconds * interval '1 second' else now() end,
          next_attempt_at = case when p.next_attempt_at is not null then now() end
        where p.bucket = p_bucket and p.tag = p_tag and p.id = v_heads[v_at]
        returning p.id, p.lane, p.resting_state is null as holds, p.lease_id is not null as leased into v_head;
      continue when not found;
      update lane l set head_id = v_head.id, head_holds = v_head.holds, blocked_at = null, used_at = now()
        where l.bucket = p_bucket and l.tag = p_tag and l.endpoint_id = p_endpoint and l.key = v_head.lane;
      if v_head.leased then v_leased := v_leased || v_head.id; else due := due + 1; end if;
    end loop;
    return query
      select p.id, p.event_id, p.event_name, p.attempt_count, p.trigger, p.resting_state, p.transformed, p.last_error_class, p.lane,
        p.lane_sequence, octet_length(e.data), case when octet_length(e.data) <= p_large then e.data end, e.occurred_at, e.traceparent,
        e.tenant, v_endpoint.max_in_flight, 0, false
      from unnest(v_leased) as w (id)
        cross join lateral (select p.* from pending_delivery p where p.bucket = p_bucket and p.tag = p_tag and p.id = w.id offset 0) p
        left join lateral (select e.* from event e where e.bucket = p_bucket and e.tag = p_tag and e.id = p.event_id offset 0) e on true
      order by p.id;
  end if;
  id := null;
  more := v_more;
  return next;
end $$;

select second_wall();
