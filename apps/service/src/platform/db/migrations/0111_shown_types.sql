-- True if the workspace chose who sees the type. Otherwise customers see a canonical type while the workspace fires it.
alter table event_type add column visibility_chosen boolean not null default true;
-- The name of the author at that time, and its tenant if it was a key or the portal of one.
alter table endpoint_transform add column author_name text;
alter table endpoint_transform add column author_tenant text collate "C";
