-- The tenant whose key started the job, which is limited to that tenant's deliveries.
alter table replay_job add column tenant text collate "C";
drop policy tenant on replay_job;
create policy tenant on replay_job to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
-- The access checks read keys as junction_service, which sees all of them.
drop policy tenant on api_key;
create policy tenant on api_key to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
-- Every entry of a tenant's endpoint ends with the tenant. A node of the version before tenants would store bare patterns,
-- which open the endpoint to the events of all tenants: its change fails.
alter table endpoint add constraint endpoint_entries_of_tenant check (tenant is null
  or length(array_to_string(events, e'\n') || e'\n') - length(replace(array_to_string(events, e'\n') || e'\n', ' ' || tenant || e'\n', ''))
    = cardinality(events) * (length(tenant) + 2));
-- Lists the events of one tenant, counts them, and finds the next tenant. Only events with a tenant cost a write of it.
create index event_tenant on event (bucket, tag, tenant, id) where tenant is not null;
