-- Failures of one object, grouped (docs/decisions/0393-issues.md).
-- Attempts are reported here in the transaction that records them. A success is only reported while something watches for it.
create table issue_report (
  bucket smallint not null,
  tag text collate "C" not null,
  kind text collate "C" not null,
  -- The id of an endpoint or source, or the key of a connector or action.
  object text collate "C" not null,
  id uuid not null,
  at timestamptz not null default clock_timestamp(),
  failed boolean not null,
  -- The rest is null for a success.
  workspace_id uuid,
  -- The tenant whose object it is.
  tenant text,
  code text,
  detail text,
  -- The ids of what failed, as JSON text.
  sample text,
  event_id uuid,
  primary key (bucket, tag, object, kind, id)
);
create index issue_report_at on issue_report (bucket, at);

create table issue (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  kind text collate "C" not null,
  object text collate "C" not null,
  tenant text,
  -- 'watching': not an issue yet, and not shown.
  state text collate "C" not null,
  -- False once it was resolved by hand or with its object: the next failure begins another one.
  current boolean not null default true,
  -- True while successes count.
  watched boolean not null default true,
  -- The times of the last failures before it is opened, as JSON text.
  recent text not null,
  -- The successes in a row, at most five.
  streak smallint not null,
  count int not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  opened_at timestamptz,
  resolved_at timestamptz,
  resolved_by text,
  reopened_count int not null default 0,
  -- JSON texts of bounded lists.
  fingerprints text not null,
  samples text not null,
  owner uuid,
  ignored_until timestamptz,
  -- The time of the last e-mail that it was opened, and whether people know that it is open.
  mailed_at timestamptz,
  mailed boolean not null default false,
  primary key (bucket, tag, id)
) with (fillfactor = 50);
create unique index issue_current on issue (bucket, tag, object, kind) where current;
create index issue_due on issue (ignored_until) where state = 'ignored' and ignored_until is not null;
create index issue_watching on issue (last_seen_at) where state = 'watching';

create table issue_hour (
  bucket smallint not null,
  tag text collate "C" not null,
  issue_id uuid not null,
  hour timestamptz not null,
  count int not null,
  primary key (bucket, tag, issue_id, hour)
) with (fillfactor = 50);

create table issue_tenant (
  bucket smallint not null,
  tag text collate "C" not null,
  issue_id uuid not null,
  tenant text not null,
  count int not null,
  last_seen_at timestamptz not null,
  primary key (bucket, tag, issue_id, tenant)
) with (fillfactor = 50);
create index issue_tenant_tenant on issue_tenant (bucket, tag, tenant);
select second_wall();
-- A tenant's key sees the issues of its endpoints.
drop policy tenant on issue;
create policy tenant on issue to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
-- The access checks read keys as junction_service, which sees all of them.
