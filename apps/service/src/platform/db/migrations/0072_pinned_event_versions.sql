-- The versions of event types that an endpoint gets, by the name of the type; null: all versions.
alter table endpoint add column event_versions jsonb;
