-- News are placed by their transaction, and need no number of their own: a sequence is one for all buckets.
-- What there is may go: who listens is told to read anew.
drop table news;
truncate news_interest;
create unlogged table news (
  bucket smallint not null,
  tag text collate "C" not null,
  xid bigint not null default pg_current_xact_id()::text::bigint,
  kind text collate "C" not null,
  id uuid not null,
  at timestamptz not null default clock_timestamp(),
  primary key (bucket, tag, xid, kind, id)
);

create or replace function news_of_proposal() returns trigger language plpgsql as $$
begin
  insert into news (bucket, tag, kind, id) select new.bucket, new.tag, 'proposal', new.id
    where exists (select from news_interest i where i.bucket = new.bucket and i.tag = new.tag and i.expires_at > now())
    on conflict do nothing;
  return null;
end $$;

create or replace function news_of_endpoint() returns trigger language plpgsql as $$
begin
  insert into news (bucket, tag, kind, id) select new.bucket, new.tag, 'health', new.id
    where exists (select from news_interest i where i.bucket = new.bucket and i.tag = new.tag and i.expires_at > now())
    on conflict do nothing;
  return null;
end $$;
