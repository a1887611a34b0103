-- Messages of rules to members.
create table notification (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  member_id uuid not null,
  rule_id uuid not null,
  rule_name text not null,
  event_id uuid not null,
  contact_id uuid,
  message text not null,
  created_at timestamptz not null default now(),
  read_at timestamptz,
  primary key (bucket, tag, id)
);
create index notification_of_member on notification (bucket, tag, member_id, id);
create index notification_of_contact on notification (bucket, tag, contact_id) where contact_id is not null;
create index notification_created on notification (bucket, created_at);
-- The kinds of e-mail that the member does not want.
alter table member add column mail_off text[] not null default '{}';
select second_wall();
