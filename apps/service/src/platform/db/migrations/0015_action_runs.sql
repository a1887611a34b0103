-- What was asked of actions: proposals, who decided on them, and runs.

create table action_proposal (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  -- The contract's key and the version that was proposed; version 0: a workflow waits for a word, nothing is run.
  action text collate "C" not null,
  contract_version int not null,
  state text collate "C" not null check (state in ('proposed', 'approved', 'executing', 'executed', 'failed', 'rejected', 'expired',
    'cancelled', 'superseded', 'undone', 'undo_failed')),
  surface text collate "C" not null,
  -- Who asked, as JSON text; and the key that did, which voids the proposal when it is revoked.
  proposer text not null,
  proposer_key_id uuid,
  proposer_author_kind text collate "C" check (proposer_author_kind in ('key', 'member')),
  proposer_author_id uuid,
  -- Members who asked or edited: they may not approve it where four eyes are wanted.
  involved uuid[] not null,
  -- RFC 8785 text of the parameters; what is shown of them is redacted.
  parameters_sealed bytea not null,
  parameters_redacted text not null,
  params_hash bytea not null,
  prompt text,
  preview text not null,
  approver_roles text[] not null,
  four_eyes boolean not null,
  approvals_required smallint not null,
  -- Who has approved, each once: ids to tell them by, and how they are shown.
  approver_ids uuid[] not null default '{}',
  approvals jsonb not null default '[]',
  -- Who ended it without a run, and why: JSON text.
  decision text,
  -- The events that led here, oldest first.
  chain uuid[],
  -- Who waits for its end: JSON text.
  waiter text,
  expires_at timestamptz not null,
  run_id uuid,
  supersedes uuid,
  superseded_by uuid,
  ended_at timestamptz,
  primary key (bucket, tag, id)
);
create index action_proposal_open on action_proposal (bucket, tag, id) where state = 'proposed';
create index action_proposal_expiry on action_proposal (bucket, expires_at) where state = 'proposed';
create index action_proposal_ended on action_proposal (bucket, ended_at) where ended_at is not null;

-- due_at: when a worker may take it; while leased, when the lease runs out, which means that nobody knows what became of the call.
create table action_run (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  action text collate "C" not null,
  contract_version int not null,
  proposal_id uuid,
  status text collate "C" not null check (status in ('queued', 'executing', 'executed', 'failed', 'undone', 'undo_failed')),
  surface text collate "C" not null,
  actor text not null,
  approver text,
  -- Null where its proposal has them.
  parameters_sealed bytea,
  parameters_redacted text not null,
  prompt text,
  chain uuid[],
  waiter text,
  simulated boolean not null default false,
  result_redacted text,
  -- Kept for as long as it can be undone: whoever undoes it is told.
  result_sealed bytea,
  error_code text,
  error_detail text,
  -- The backend may have done it all the same.
  outcome_unknown boolean not null default false,
  backend_status smallint,
  backend_host text,
  duration_ms int,
  audit_id uuid,
  -- Whose answer waits for its end, and how it is worded: JSON text.
  lineage_id uuid,
  idempotency_key text collate "C",
  reply text,
  request_id text,
  attempts smallint not null default 0,
  lease_id uuid,
  due_at timestamptz,
  -- Until when it can be taken back.
  undo_until timestamptz,
  -- Who takes it back, once: JSON text.
  undo_actor text,
  undone_at timestamptz,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (bucket, tag, id)
);
create index action_run_due on action_run (bucket, due_at) where due_at is not null;
create index action_run_ended on action_run (bucket, ended_at) where ended_at is not null;
