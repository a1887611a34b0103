-- Connectors: which folders this installation found, what was verified of them, who signs, and what workspaces enabled.

-- Keys whose signatures count, beside those of the environment. A revoked one stays, so that it is known as revoked.
create table connector_key (
  -- The first 16 bytes of the public key's SHA-256, in hex.
  key_id text collate "C" primary key,
  public_key bytea not null,
  name text not null,
  -- The connectors that it may sign; null: any.
  connectors text[],
  -- Its signatures count in the sandbox only.
  development boolean not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

-- What the last scan made of each folder. A row stays when its folder goes, since workspaces may run what it held.
create table connector (
  key text collate "C" primary key,
  id uuid not null unique,
  state text collate "C" not null check (state in ('verified', 'refused', 'absent')),
  -- Of the version that lies in the folder; null unless verified.
  digest text collate "C",
  -- JSON text of {code, path, message}; null unless refused.
  reason text,
  scanned_at timestamptz not null
);

-- Every version that was ever verified. Its files lie in the data folder, by their hashes.
create table connector_version (
  key text collate "C" not null,
  -- Hex SHA-256 of MANIFEST.json.
  digest text collate "C" not null,
  version text collate "C" not null,
  -- JSON text: MANIFEST.json, connector.json with its defaults, actions.json, settings.json.
  manifest text not null,
  description text not null,
  actions text not null,
  settings text not null,
  -- The keys whose signatures are good; whether they are trusted is asked anew each time.
  signers text[] not null,
  created_at timestamptz not null default now(),
  primary key (key, digest)
);

-- A workspace's own settings and pinned version, for both environments.
create table connector_install (
  bucket smallint not null,
  workspace_id uuid not null,
  key text collate "C" not null,
  -- Where it counts: what a sandbox credential enabled runs in the sandbox alone.
  environment text collate "C" not null check (environment in ('live', 'sandbox')),
  -- The version that runs, and no other; null: it was never enabled.
  digest text collate "C",
  enabled boolean not null,
  -- JSON text of {code, path, message}; null unless it was stopped for its own sake.
  quarantine text,
  -- JSON text of name to value, without the secrets.
  settings text not null,
  -- The secrets' names, and JSON text of name to value, sealed.
  secret_names text[] not null,
  secrets_sealed bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (bucket, workspace_id, key)
);
create index connector_install_enabled on connector_install (key) where enabled;

create constraint trigger secret_changed after insert or update of secrets_sealed on connector_install
  deferrable initially deferred for each row execute function secret_changed();

-- Contracts that a connector brought.
create index action_contract_connector on action_contract (bucket, workspace_id, connector_key)
  where connector_key is not null and deleted_at is null;

select second_wall();

-- What is the installation's is read by all, and written by none of them.
create policy tenant on connector_key for select to junction_tenant using (true);
create policy tenant on connector for select to junction_tenant using (true);
create policy tenant on connector_version for select to junction_tenant using (true);
grant select on connector_key, connector, connector_version to junction_tenant;
