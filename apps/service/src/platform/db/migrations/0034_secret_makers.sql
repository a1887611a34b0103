-- Which key or member made an endpoint's current secret: they saw it then and may see it again. Null for secrets of earlier versions.
alter table endpoint add column secret_maker_kind text collate "C", add column secret_maker_id uuid;
