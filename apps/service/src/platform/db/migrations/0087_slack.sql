-- The Slack app of one environment of a workspace. Its signing secret and its bot token are in `secret`, under names that
-- callers cannot use.
create table slack_app (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  -- The Slack workspace in which the app is installed.
  team_id text collate "C" not null,
  updated_at timestamptz not null default now(),
  primary key (bucket, tag)
);

-- A Slack account of a member. Until the member has entered its code in Slack, it names no account.
create table slack_link (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  member_id uuid not null,
  -- The code's keyed hash. Null once the code was used: it works once.
  code_hash bytea,
  code_expires_at timestamptz,
  team_id text collate "C",
  slack_user_id text collate "C",
  linked_at timestamptz,
  primary key (bucket, tag, id)
);
create unique index slack_link_account on slack_link (bucket, tag, team_id, slack_user_id) where linked_at is not null;
create index slack_link_member on slack_link (bucket, tag, member_id);
create index slack_link_code on slack_link (bucket, tag, code_hash) where code_hash is not null;
select second_wall();
