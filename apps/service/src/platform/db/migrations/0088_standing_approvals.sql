-- Approvals that an owner gives in advance: what they cover, how much of it, and how much of that is used. The counts are
-- those of the window that begins at window_start, an hour or a day of time_zone.
create table standing_approval (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  name text not null,
  action text collate "C" not null,
  contract_version int not null,
  -- JSON text: the keys, the members whose AI clients, and the assistant that it covers.
  agents text not null,
  -- JSON text: the condition on the parameters. Null: every call.
  conditions text,
  per text collate "C" not null check (per in ('hour', 'day')),
  time_zone text not null,
  max_count int not null check (max_count > 0),
  -- The numeric parameter whose sum is limited too. Null: only the calls are counted.
  sum_parameter text,
  max_sum numeric,
  expires_at timestamptz not null,
  -- The owner who wrote it, as a member and as JSON text. It ends when the member is no longer an owner.
  writer_member_id uuid not null,
  created_by text not null,
  window_start timestamptz,
  used_count int not null default 0,
  used_sum numeric not null default 0,
  uses int not null default 0,
  last_used_at timestamptz,
  ended_at timestamptz,
  -- JSON text: who ended it. Null: the service did.
  ended_by text,
  end_reason text collate "C" check (end_reason in ('ended', 'expired', 'contract_changed', 'writer_not_owner')),
  primary key (bucket, tag, id)
);
create index standing_approval_active on standing_approval (action, bucket, tag) where ended_at is null;
create index standing_approval_due on standing_approval (bucket, expires_at) where ended_at is null;
create index standing_approval_ended on standing_approval (bucket, ended_at) where ended_at is not null;

-- What approved the proposal, if no person did.
alter table action_proposal add column standing_approval_id uuid;
create index action_proposal_standing on action_proposal (standing_approval_id, bucket, tag, id) where standing_approval_id is not null;
select second_wall();
