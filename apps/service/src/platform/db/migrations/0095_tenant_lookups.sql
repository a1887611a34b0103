-- Finds the counts of one tenant, whose kinds begin with `tenant_` and whose subject is the tenant. Other counts are not in it.
create index usage_hour_tenant on usage_hour (bucket, tag, subject, id) where starts_with(kind, 'tenant_');
-- Finds the calls that reactions to an event made, which go when the tenant of the event is deleted.
create index http_call_event on http_call (bucket, tag, event_id) where event_id is not null;
