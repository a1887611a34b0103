-- Where proposals are announced besides the console (contract, section 11), in one environment of a workspace.
create table approval_channel (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  kind text collate "C" not null check (kind in ('slack', 'email')),
  name text not null,
  -- The id of the channel in Slack. Null for e-mail.
  slack_channel_id text collate "C",
  -- The addresses of e-mail. Empty for Slack.
  recipients text[] not null default '{}',
  -- Null: proposals of any risk.
  risks text[],
  -- Contract keys, or their beginnings as `billing.*`. Null: all actions and approval steps.
  actions text[],
  -- A proposal that waits for this long is announced, and announced again each time that the other period has passed.
  after_minutes int not null,
  remind_every_minutes int,
  -- Whether the message has buttons that decide. Always false for e-mail.
  decides boolean not null,
  active boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (bucket, tag, id)
);

-- The announcement of one proposal in one channel. due_at: when a worker may next take it; while leased, when the lease
-- ends; null: nothing is due until the proposal changes, or it has ended.
create table approval_announcement (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  channel_id uuid not null,
  proposal_id uuid not null,
  state text collate "C" not null default 'waiting' check (state in ('waiting', 'announced', 'closed', 'skipped', 'failed')),
  -- What the message shows: the proposal's state, and its number of approvals.
  shown_state text collate "C",
  shown_approvals int,
  -- The place of the message in Slack. Null for e-mail, and until it is sent.
  slack_channel_id text collate "C",
  slack_ts text collate "C",
  reminders int not null default 0,
  attempts smallint not null default 0,
  due_at timestamptz,
  lease_id uuid,
  error_class text,
  error text,
  announced_at timestamptz,
  ended_at timestamptz,
  primary key (bucket, tag, id)
);
create index approval_announcement_due on approval_announcement (bucket, due_at) where due_at is not null;
create index approval_announcement_open on approval_announcement (bucket, tag, proposal_id) where state = 'announced';
create unique index approval_announcement_once on approval_announcement (bucket, tag, channel_id, proposal_id);
create index approval_announcement_ended on approval_announcement (bucket, ended_at) where ended_at is not null;
select second_wall();
