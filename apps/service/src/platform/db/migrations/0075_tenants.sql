-- tenant: the customer of the workspace, by the workspace's own id, to whom a row belongs. Null: the workspace itself.
alter table event add column tenant text collate "C";
alter table scheduled_event add column tenant text collate "C";
alter table inbound_source add column tenant text collate "C";
-- The tenant of the event that started the run.
alter table workflow_run add column tenant text collate "C";
-- Each entry of `events` of a tenant's endpoint is `pattern tenant`. The index of 0032 therefore finds the endpoints of one
-- tenant, and a node of the previous version, which knows no tenants, finds none.
alter table endpoint add column tenant text collate "C";
create index endpoint_tenant on endpoint (bucket, tag, tenant, id) where tenant is not null;
