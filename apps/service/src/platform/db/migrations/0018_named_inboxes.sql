-- An inbox with a name keeps what it received until somebody says that it was taken: what `junction listen` reads.
alter table inbox add column name text collate "C";
create unique index inbox_name on inbox (bucket, tag, name) where name is not null;
alter table inbox_message add column waiting boolean not null default false;
create index inbox_message_waiting on inbox_message (bucket, token, id) where waiting;
