-- A key with a tenant sees and changes only what is that tenant's. A node of the previous version knows no tenants: for it,
-- permission_mode and blocked_actions of such a key block everything, and the actual ones are in own_….
alter table api_key add column tenant text collate "C";
alter table api_key add column own_permission_mode text collate "C";
alter table api_key add column own_blocked_actions text[];

-- In work of a key with a tenant, the database shows only that tenant's rows. The setting is empty in all other work.
create policy of_tenant on event as restrictive to junction_tenant
  using (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true))
  with check (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true));
create policy of_tenant on scheduled_event as restrictive to junction_tenant
  using (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true))
  with check (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true));
create policy of_tenant on endpoint as restrictive to junction_tenant
  using (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true))
  with check (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true));
create policy of_tenant on inbound_source as restrictive to junction_tenant
  using (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true))
  with check (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true));
