-- Inboxes with names are listed, the newest first, and a page begins after an id.
alter table inbox add column id uuid;
update inbox set id = overlay(uuid_floor(created_at)::text placing substr(gen_random_uuid()::text, 15) from 15)::uuid where name is not null;
alter table inbox add constraint inbox_named check (name is null or id is not null);
create unique index inbox_order on inbox (bucket, tag, id) where name is not null;
