-- What the console shows beside the things themselves: counts by hour and day, the log of requests, news as it happens.

-- Counted in memory, added every few seconds. `id` is the smallest UUIDv7 of the hour, so that days are partitions.
-- kind says what is counted; subject what of, or which slot of a histogram: see usage/counters.ts.
create table usage_hour (
  bucket smallint not null,
  tag text collate "C" not null,
  kind text collate "C" not null,
  id uuid not null,
  subject text collate "C" not null,
  count bigint not null,
  primary key (bucket, tag, kind, id, subject)
) partition by range (id);
create table usage_hour_default partition of usage_hour default;

-- The totals of a day (UTC), for longer than the hours are kept.
create table usage_day (
  bucket smallint not null,
  tag text collate "C" not null,
  day date not null,
  kind text collate "C" not null,
  count bigint not null,
  primary key (bucket, tag, day, kind)
) with (fillfactor = 70);
create index usage_day_age on usage_day (bucket, day);

-- Requests to the API, without bodies. `id` is the request's.
create table request_log (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  operation text collate "C" not null,
  method text collate "C" not null,
  path text not null,
  status smallint not null,
  error_code text collate "C",
  duration_ms real not null,
  -- The key's, or the member's at the console; neither where a person's session is of no workspace.
  key_id uuid,
  member_id uuid,
  ip text not null,
  primary key (bucket, tag, id)
) partition by range (id);
create index request_log_refused on request_log (bucket, tag, id) where status >= 400;
create index request_log_key on request_log (bucket, tag, key_id, id) where key_id is not null;
create table request_log_default partition of request_log default;

select ensure_partitions(t, 3) from unnest(array['usage_hour', 'request_log']) t;

-- Who listens to the news of one workspace's environment, by node. A row lives on for a while, so that whoever comes back
-- misses nothing. Neither table outlives a crash of the database; listeners are told to read anew then.
create unlogged table news_interest (
  bucket smallint not null,
  tag text collate "C" not null,
  node uuid not null,
  listeners int not null,
  -- All news from this transaction on is there, as long as the row does not expire.
  since_xid bigint not null,
  expires_at timestamptz not null,
  primary key (bucket, tag, node)
);

-- News of those alone in whose news somebody has an interest, in the transaction of what it tells. Holds what it is about; how that
-- is by now is read when it is told.
create unlogged table news (
  bucket smallint not null,
  tag text collate "C" not null,
  xid bigint not null default pg_current_xact_id()::text::bigint,
  seq bigint generated always as identity,
  kind text collate "C" not null,
  id uuid not null,
  at timestamptz not null default now(),
  primary key (bucket, tag, xid, seq)
);

-- Where statements are many, they write the news themselves (news/news.store.ts); here they are few.
create function news_of_proposal() returns trigger language plpgsql as $$
begin
  insert into news (bucket, tag, kind, id) select new.bucket, new.tag, 'proposal', new.id
    where exists (select from news_interest i where i.bucket = new.bucket and i.tag = new.tag and i.expires_at > now());
  return null;
end $$;
create trigger news_made after insert on action_proposal for each row when (new.state = 'proposed')
  execute function news_of_proposal();
create trigger news_moved after update of state, approvals on action_proposal for each row
  when (old.state is distinct from new.state or old.approvals is distinct from new.approvals)
  execute function news_of_proposal();

create function news_of_endpoint() returns trigger language plpgsql as $$
begin
  insert into news (bucket, tag, kind, id) select new.bucket, new.tag, 'health', new.id
    where exists (select from news_interest i where i.bucket = new.bucket and i.tag = new.tag and i.expires_at > now());
  return null;
end $$;
create trigger news_turned after update of failing_since, active, disabled_reason, deleted_at on endpoint for each row
  when (new.channel_id is null and (old.failing_since is distinct from new.failing_since or old.active <> new.active
    or old.disabled_reason is distinct from new.disabled_reason or old.deleted_at is distinct from new.deleted_at))
  execute function news_of_endpoint();

-- Replays are jobs that can be looked at and stopped, of any deliveries: of one endpoint, of what a filter finds, or of some by name.
alter table replay_job alter column endpoint_id drop not null;
alter table replay_job
  add column filter jsonb,
  add column ids uuid[],
  -- The last delivery that was looked at.
  add column position uuid,
  add column cancelled_at timestamptz;
