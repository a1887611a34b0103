-- Repeated proofs of identity for decisions about actions of high risk. A row for each decision that a proof is for.
create table step_up (
  id uuid not null,
  -- SHA-256 of what is decided.
  subject bytea not null,
  -- The workspace whose decisions they are.
  workspace_id uuid not null references workspace (id),
  person_id uuid not null references person (id) on delete cascade,
  session_id uuid not null references session (id) on delete cascade,
  method text collate "C" not null check (method in ('webauthn', 'totp')),
  -- The challenge that a passkey answers. Null with an authenticator app.
  challenge_hash bytea,
  -- The time of the proof. The decision deletes the row.
  proved_at timestamptz,
  expires_at timestamptz not null,
  primary key (id, subject)
);
create index step_up_session on step_up (session_id, subject);
create index step_up_expires on step_up (expires_at);
