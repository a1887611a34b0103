-- hosts: where the secret may be sent, as names and patterns such as *.example.com. Null: none are named, so that only what owners and
-- admins configure may send it.
alter table secret add column hosts text[];
-- A secret of a version that knew no hosts: what any author configured still sends it, until it is set with hosts. Nodes of that
-- version insert such secrets.
alter table secret add column any_host boolean not null default true;
-- Who wrote the rule or the workflow that makes the call. Null in calls of the version before.
alter table http_call add column author_kind text collate "C", add column author_id uuid;
