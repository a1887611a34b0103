-- An event that the service makes about the workspace's own work, such as `notification.created`. It has the tenant whose event caused
-- it, so that it is judged by it and goes with it, but that tenant does not see it: keys and endpoints of a tenant get only others.
alter table event add column internal boolean not null default false;
drop policy tenant on event;
create policy tenant on event to junction_tenant
  using (tag = current_setting('junction.tag', true) and (coalesce(current_setting('junction.tenant', true), '') = ''
    or tenant = current_setting('junction.tenant', true) and not internal))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
-- tenant: the tenant whose event or object led to the row. Null: none, or the row is older than the column.
alter table outbox add column tenant text collate "C";
alter table notification add column tenant text collate "C";
alter table http_call add column tenant text collate "C";
alter table action_proposal add column tenant text collate "C";
alter table action_run add column tenant text collate "C";
alter table connector_run add column tenant text collate "C";
alter table mail add column tenant text collate "C";
-- Whether the wait takes events across the border between the workspace and its tenants.
alter table workflow_wait add column shared boolean not null default false;
-- The deletion of a tenant finds its rows. Rows without a tenant cost no write of it.
create index notification_tenant on notification (bucket, tag, tenant, id) where tenant is not null;
create index http_call_tenant on http_call (bucket, tag, tenant, id) where tenant is not null;
create index action_proposal_tenant on action_proposal (bucket, tag, tenant, id) where tenant is not null;
create index action_run_tenant on action_run (bucket, tag, tenant, id) where tenant is not null;
create index workflow_run_tenant on workflow_run (bucket, tag, tenant, id) where tenant is not null;
create index notification_event on notification (bucket, tag, event_id);
create index connector_run_tenant on connector_run (bucket, tag, tenant, id) where tenant is not null;
create index mail_tenant on mail (bucket, tag, tenant, id) where tenant is not null;
