-- A session with a name is an MCP token: it has no page, and its credential is for /mcp alone. parent_id: the session of the portal
-- in which a customer created it, and with which it is revoked. Null if the workspace created it.
alter table portal_session add column name text;
alter table portal_session add column parent_id uuid;
create index portal_session_tokens on portal_session (tag, tenant, id) where name is not null;
create index portal_session_parent on portal_session (parent_id) where parent_id is not null;
-- Keys of a tenant create, list and revoke the tokens of their tenant. The access checks read sessions as junction_service.
drop policy tenant on portal_session;
create policy tenant on portal_session to junction_tenant
  using (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)))
  with check (tag = current_setting('junction.tag', true)
    and (coalesce(current_setting('junction.tenant', true), '') = '' or tenant = current_setting('junction.tenant', true)));
