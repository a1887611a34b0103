-- Ground: helpers for daily partitions, workspaces, members, keys, and what the gate keeps.

-- The smallest UUIDv7 of a moment. Ids are UUIDv7, so a range of ids is a range of time.
create function uuid_floor(at timestamptz) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes the daily partitions of a table from yesterday to `days_ahead` days from now; those that exist are left alone.
create function ensure_partitions(parent text, days_ahead int) returns int language plpgsql as $$
declare
  day date;
  made int := 0;
  child text;
begin
  for day in select generate_series(current_date - 1, current_date + days_ahead, interval '1 day')::date loop
    child := parent || '_' || to_char(day, 'YYYYMMDD');
    if to_regclass(child) is null then
      execute format('create table %I partition of %I for values from (%L) to (%L)', child, parent,
        uuid_floor(day::timestamp at time zone 'UTC'), uuid_floor((day + 1)::timestamp at time zone 'UTC'));
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

create table workspace (
  id uuid primary key,
  -- The live environment's tag; the sandbox's differs in its lowest bit.
  tag text collate "C" not null unique,
  bucket smallint not null,
  name text not null,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now()
);

create table member (
  id uuid primary key,
  workspace_id uuid not null references workspace (id),
  email text not null,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'operator', 'viewer')),
  password_hash text not null,
  created_at timestamptz not null default now()
);
create unique index member_email on member (workspace_id, lower(email));

create table setup_link (
  token_hash bytea primary key,
  workspace_id uuid not null references workspace (id),
  expires_at timestamptz not null,
  used_at timestamptz
);

create table api_key (
  id uuid primary key,
  workspace_id uuid not null references workspace (id),
  bucket smallint not null,
  tag text collate "C" not null,
  key_hash bytea not null unique,
  -- Rolled keys share it: limits, idempotency and usage follow.
  lineage_id uuid not null,
  name text not null,
  prefix_hint text not null,
  permission_mode text not null check (permission_mode in ('all', 'read_only', 'restricted')),
  blocked_actions text[] not null default '{}',
  role text not null,
  actor_type text not null check (actor_type in ('user', 'service', 'ai')),
  member_id uuid references member (id),
  scopes text[],
  permissions text[] not null default '{}',
  rate_limit_per_hour int not null default 500000,
  ip_allowlist text[] not null default '{}',
  require_signature boolean not null default false,
  accept_body_signature boolean not null default true,
  signing_secret_sealed bytea,
  expires_at timestamptz,
  last_used_at timestamptz,
  last_used_ip text,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index api_key_workspace on api_key (workspace_id, tag, id);

-- What a key already did: the answer of each write, so that a repeat gets it back (contract, section 3).
create table idempotency (
  bucket smallint not null,
  tag text collate "C" not null,
  lineage_id uuid not null,
  key text collate "C" not null,
  request_hash bytea not null,
  -- Null while the request runs.
  status smallint,
  response_sealed bytea,
  created_at timestamptz not null default now(),
  primary key (bucket, tag, lineage_id, key)
);
create index idempotency_age on idempotency using brin (created_at);

-- Calls in the last 60 units of time, one slot a unit and one for the unit that is half gone: never more than the limit in any window.
create table rate_window (
  bucket smallint not null,
  subject text collate "C" not null,
  operation text collate "C" not null,
  head bigint not null,
  slots int[] not null,
  primary key (bucket, subject, operation)
) with (fillfactor = 50);

create function rate_turn(w rate_window, unit_now bigint) returns rate_window language plpgsql immutable as $$
begin
  if unit_now - w.head >= 61 then
    w.slots := array_fill(0, array[61]);
  elsif unit_now > w.head then
    w.slots := w.slots[(1 + unit_now - w.head)::int : 61] || array_fill(0, array[(unit_now - w.head)::int]);
  end if;
  w.head := greatest(w.head, unit_now);
  return w;
end $$;

-- Units until `over` of the calls counted have left the window.
create function rate_wait(slots int[], over int) returns int language sql immutable as $$
  select coalesce(min(i), 61)::int from (
    select i, sum(slots[i]) over (order by i) as gone from generate_series(1, 61) i) s where gone >= over
$$;

-- Takes up to `want` calls out of the minute's and the hour's window of one subject, all or none of each call.
-- The row locks are held for this statement alone; the clock is read after they are held.
create function rate_take(p_bucket smallint, p_subject text, p_operation text, p_minute int, p_hour int, want int,
  out granted int, out minute_left int, out hour_left int, out retry_seconds int)
language plpgsql as $$
declare
  m rate_window;
  h rate_window;
  at double precision;
begin
  insert into rate_window values
    (p_bucket, p_subject, p_operation, 0, array_fill(0, array[61])), (p_bucket, p_subject, '*', 0, array_fill(0, array[61]))
    on conflict do nothing;
  -- Always in this order, so that two statements never wait for each other.
  select * into h from rate_window where bucket = p_bucket and subject = p_subject and operation = '*' for update;
  select * into m from rate_window where bucket = p_bucket and subject = p_subject and operation = p_operation for update;
  at := extract(epoch from clock_timestamp());
  m := rate_turn(m, floor(at)::bigint);
  h := rate_turn(h, floor(at / 60)::bigint);
  minute_left := p_minute - (select sum(s) from unnest(m.slots) s);
  hour_left := p_hour - (select sum(s) from unnest(h.slots) s);
  granted := greatest(0, least(want, minute_left, hour_left));
  retry_seconds := 0;
  if granted < want then
    if minute_left - granted < 1 then retry_seconds := rate_wait(m.slots, 1 + granted - minute_left); end if;
    if hour_left - granted < 1 then
      retry_seconds := greatest(retry_seconds, (rate_wait(h.slots, 1 + granted - hour_left) * 60 - at::bigint % 60)::int);
    end if;
    retry_seconds := greatest(1, retry_seconds);
  end if;
  if granted <> 0 or want < 0 then
    m.slots[61] := m.slots[61] + granted;
    h.slots[61] := h.slots[61] + granted;
    update rate_window w set head = m.head, slots = m.slots where w.bucket = p_bucket and w.subject = p_subject and w.operation = p_operation;
    update rate_window w set head = h.head, slots = h.slots where w.bucket = p_bucket and w.subject = p_subject and w.operation = '*';
  end if;
  minute_left := minute_left - granted;
  hour_left := hour_left - granted;
end $$;

-- Gives a call back that was counted and then refused by the allowlist.
create function rate_return(p_bucket smallint, p_subject text, p_operation text) returns void language sql as $$
  update rate_window set slots[61] = greatest(0, slots[61] - 1)
  where bucket = p_bucket and subject = p_subject and operation in (p_operation, '*')
$$;

-- Drops the daily partitions of a table that ended more than `keep_days` days ago; answers their names.
create function drop_partitions(parent text, keep_days int) returns text[] language plpgsql as $$
declare
  child text;
  dropped text[] := '{}';
begin
  for child in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = parent::regclass
    and c.relname ~ ('^' || parent || '_\d{8}$') and to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - keep_days loop
    execute format('drop table %I', child);
    dropped := dropped || child;
  end loop;
  return dropped;
end $$;
