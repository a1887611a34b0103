-- Action contracts: what may be asked for, by whom, with which parameters, and which backend does it.

-- One contract for both environments. A deleted one stays, so that its key never counts a version twice.
create table action_contract (
  bucket smallint not null,
  workspace_id uuid not null,
  key text collate "C" not null,
  id uuid not null,
  -- The version that counts.
  version int not null,
  -- Where whoever wrote it was: what a sandbox credential wrote runs in the sandbox alone.
  author_environment text collate "C" not null check (author_environment in ('live', 'sandbox')),
  signing_secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_expires_at timestamptz,
  -- The connector that brought it; null: written by hand.
  connector_key text,
  -- The secret that its current version names.
  secret_ref text collate "C",
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (bucket, workspace_id, key)
);
create index action_contract_list on action_contract (bucket, workspace_id, id) where deleted_at is null;
create index action_contract_secret on action_contract (bucket, workspace_id, secret_ref)
  where secret_ref is not null and deleted_at is null;

-- Every version stays: proposals, runs and audit rows name theirs.
create table action_contract_version (
  bucket smallint not null,
  workspace_id uuid not null,
  key text collate "C" not null,
  version int not null,
  contract_id uuid not null,
  -- The definition as JSON text in its RFC 8785 form, and the SHA-256 of that.
  definition text not null,
  sha256 bytea not null,
  -- Who wrote it: a key, or a member at the console.
  author_kind text collate "C" not null check (author_kind in ('key', 'member')),
  author_id uuid not null,
  author_environment text collate "C" not null check (author_environment in ('live', 'sandbox')),
  created_at timestamptz not null default now(),
  primary key (bucket, workspace_id, key, version)
);

-- Credentials for backends, by the name that contracts give them. Each environment has its own.
create table secret (
  bucket smallint not null,
  tag text collate "C" not null,
  -- Those who take secrets out of what is written down read a workspace's, of both environments.
  workspace_id uuid not null,
  name text collate "C" not null,
  id uuid not null,
  value_sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (bucket, tag, name)
);
create index secret_list on secret (bucket, tag, id);

create constraint trigger secret_changed after insert or update of value_sealed on secret
  deferrable initially deferred for each row execute function secret_changed();
create constraint trigger secret_changed after insert or update of signing_secret_sealed, previous_secret_sealed on action_contract
  deferrable initially deferred for each row execute function secret_changed();
