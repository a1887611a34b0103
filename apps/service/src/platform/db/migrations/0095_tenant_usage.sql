-- Finds the counts of one tenant, whose kinds begin with `tenant_` and whose subject is the tenant. Other counts are not in it.
create index usage_hour_tenant on usage_hour (bucket, tag, subject, id) where starts_with(kind, 'tenant_');
