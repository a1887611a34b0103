-- Sessions of the portal, in which a tenant manages its own endpoints. The link has a token that works once. What it is exchanged
-- for is a row of api_key. The table is on every machine, because the token names no shard.
create table portal_session (
  id uuid primary key,
  workspace_id uuid not null references workspace (id),
  tag text collate "C" not null,
  tenant text collate "C" not null,
  token_hash bytea not null unique,
  capabilities text[] not null,
  theme jsonb not null,
  -- The rights of the maker, which limit the credential.
  role text not null,
  blocked_actions text[] not null,
  rate_limit_per_hour int not null,
  made_by uuid[] not null,
  -- The session ends with the key's lineage and with the member who made it, and when the rights of these change, of which this is the
  -- fingerprint.
  maker_lineage_id uuid,
  maker_member_id uuid,
  maker_rights text not null,
  created_at timestamptz not null default now(),
  -- The link's end.
  token_expires_at timestamptz not null,
  expires_at timestamptz not null,
  exchanged_at timestamptz,
  revoked_at timestamptz
);
create index portal_session_tag on portal_session (tag, id);
create index portal_session_expiry on portal_session (expires_at);

-- The session whose credential the key is. Null for all other keys. A node of the previous version refuses every call of such a
-- key, because it belongs to a tenant.
alter table api_key add column portal_session_id uuid;
alter table api_key add column maker_lineage_id uuid;
alter table api_key add column maker_member_id uuid;
alter table api_key add column maker_rights text;
create index api_key_portal_session on api_key (portal_session_id) where portal_session_id is not null;

select second_wall();
