-- Contacts (who are the customers), what they did, and their tickets.

create table contact (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  -- Case-folded. The address of `contact_identity` that is shown as the contact's; the others are aliases.
  email text,
  name text,
  -- What is shown: the stage that was told, or the one that events imply (contacts/fold.ts).
  lifecycle_stage text,
  told_stage text,
  implied_stage text,
  -- When each fact was last told, by name, as a position: older news does not replace newer.
  stamps jsonb not null default '{}',
  score numeric not null default 0,
  tags text[] not null default '{}',
  last_activity_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (bucket, tag, id)
);
create index contact_stage on contact (bucket, tag, lifecycle_stage, id);

-- What a contact is found by. Its key is what makes twenty arrivals of one new address one contact.
create table contact_identity (
  bucket smallint not null,
  tag text collate "C" not null,
  kind text collate "C" not null check (kind in ('email', 'external_id')),
  value text collate "C" not null,
  contact_id uuid not null,
  primary key (bucket, tag, kind, value)
);
create index contact_identity_contact on contact_identity (bucket, tag, contact_id);

-- Contacts that became part of another one: their ids go on working.
create table contact_merge (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  into_id uuid not null,
  primary key (bucket, tag, id)
);
create index contact_merge_into on contact_merge (bucket, tag, into_id);

-- Kept until the contact is erased, so its partitions are months: a timeline reads all of them
-- (docs/decisions/0035-activities-by-month.md).
create table activity (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  contact_id uuid not null,
  kind text collate "C" not null check (kind in ('inbound', 'event', 'action', 'note')),
  event_type text not null,
  summary text not null,
  -- Decimal text as it came: no type of number keeps its spelling.
  value text,
  score_delta numeric not null,
  occurred_at timestamptz not null,
  -- Where it stands on the timeline: by occurred_at, then by when its id was made (contacts/position.ts).
  position uuid not null,
  receipt_id uuid,
  primary key (bucket, tag, id)
) partition by range (id);
create index activity_timeline on activity (bucket, tag, contact_id, kind, position);
create table activity_default partition of activity default;

create table ticket (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  external_id text collate "C" not null,
  customer_id uuid,
  subject text,
  status text not null,
  priority text,
  assignee text,
  stamps jsonb not null default '{}',
  updated_at timestamptz not null default now(),
  primary key (bucket, tag, id)
);
create unique index ticket_external_id on ticket (bucket, tag, external_id);
create index ticket_customer on ticket (bucket, tag, customer_id, id);
create index ticket_status on ticket (bucket, tag, status, id);

-- Makes the monthly partitions of the activities from last month to `months_ahead` months from now, at most a year; those that
-- exist are left alone. Their names do not fit drop_partitions: what they hold has no age at which it is dropped. It runs as its
-- owner, since the service may make no tables; whoever calls it can make nothing else.
create function ensure_activity_months(months_ahead int) returns int language plpgsql
  security definer set search_path = public, pg_temp as $$
declare
  this_month date := date_trunc('month', current_date);
  month date;
  made int := 0;
  child text;
begin
  for month in select generate_series(this_month - interval '1 month', this_month + least(months_ahead, 12) * interval '1 month', interval '1 month')::date loop
    child := 'activity_' || to_char(month, 'YYYYMM');
    if to_regclass(child) is null then
      execute format('create table %I partition of activity for values from (%L) to (%L)', child,
        uuid_floor(month::timestamp at time zone 'UTC'), uuid_floor((month + interval '1 month')::timestamp at time zone 'UTC'));
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

select ensure_activity_months(2);
