-- A key with a tenant sees and changes only what is that tenant's. A node of the previous version knows no tenants: for it,
-- permission_mode and blocked_actions of such a key block everything, and the actual ones are in own_….
alter table api_key add column tenant text collate "C";
alter table api_key add column own_permission_mode text collate "C";
alter table api_key add column own_blocked_actions text[];

-- In work of a key with a tenant, the database shows only that tenant's rows. The setting is empty in all other work. It is
-- part of the one policy of a table: Citus makes restrictive policies permissive, which would open the rows of all workspaces.
drop policy tenant on event;
create policy tenant on event to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
drop policy tenant on scheduled_event;
create policy tenant on scheduled_event to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
drop policy tenant on endpoint;
create policy tenant on endpoint to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
drop policy tenant on inbound_source;
create policy tenant on inbound_source to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
