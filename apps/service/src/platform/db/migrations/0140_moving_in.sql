-- Settings for receivers and programs of another product. wire: the form of the endpoint's requests; null: the service's own.
-- channels: the endpoint gets only events that share one; its `filter` then begins with a condition over them, which a node of the
-- version before judges as false. metadata: the JSON text of an object. uid: the caller's own id, unique for each tenant.
-- external_ref: the id that the endpoint had in the product that it was imported from.
alter table endpoint add column wire text collate "C";
alter table endpoint add column channels text[];
alter table endpoint add column metadata text;
alter table endpoint add column uid text collate "C";
alter table endpoint add column external_ref text collate "C";
create unique index endpoint_uid on endpoint (bucket, tag, coalesce(tenant, ''), uid) where uid is not null and deleted_at is null;
create unique index endpoint_external_ref on endpoint (bucket, tag, external_ref) where external_ref is not null and deleted_at is null;

-- The labels of events that have some. An event without labels has no row, and costs no write of it.
create table event_label (
  bucket smallint not null,
  tag text collate "C" not null,
  event_id uuid not null,
  tenant text collate "C",
  -- The caller's own id, unique for each tenant as long as the event is kept.
  uid text collate "C",
  channels text[],
  tags text[],
  -- The JSON text of an object.
  metadata text,
  primary key (bucket, tag, event_id)
);
create unique index event_label_uid on event_label (bucket, tag, coalesce(tenant, ''), uid) where uid is not null;
create index event_label_event on event_label (bucket, event_id);
-- The JSON text of the labels that the event gets when it is fired.
alter table scheduled_event add column labels text;

-- The name and the values that a workspace gives one of its customers. A tenant needs none.
create table tenant_profile (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  tenant text collate "C" not null,
  -- Another name of the tenant, which a caller may use in place of it.
  uid text collate "C",
  name text not null,
  -- The JSON text of an object.
  metadata text not null,
  rate_limit_per_second int,
  external_ref text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (bucket, tag, tenant)
);
create unique index tenant_profile_id on tenant_profile (bucket, tag, id);
create unique index tenant_profile_uid on tenant_profile (bucket, tag, uid) where uid is not null;
create unique index tenant_profile_external_ref on tenant_profile (bucket, tag, external_ref) where external_ref is not null;

select second_wall();
drop policy tenant on event_label;
create policy tenant on event_label to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
drop policy tenant on tenant_profile;
create policy tenant on tenant_profile to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
