-- Passkeys and security keys of people, as a second factor.

-- The public key of a person's authenticator. The person may have several.
create table passkey (
  id uuid primary key,
  person_id uuid not null references person (id) on delete cascade,
  -- The id that the authenticator gave it.
  credential_id bytea not null unique,
  -- In the form of COSE.
  public_key bytea not null,
  -- Grows with each use, or is always 0. A value that does not grow is one of a copy.
  sign_count bigint not null,
  -- How browsers reach it, such as usb. They give it back as it was.
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_person on passkey (person_id);

-- Challenges that a browser was given and has not answered. Each is deleted by its answer.
create table passkey_challenge (
  challenge_hash bytea primary key,
  person_id uuid not null references person (id) on delete cascade,
  purpose text collate "C" not null check (purpose in ('register', 'sign_in', 'step_up')),
  -- The session that asked. Null before sign-in.
  session_id uuid references session (id) on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenge_expires on passkey_challenge (expires_at);
