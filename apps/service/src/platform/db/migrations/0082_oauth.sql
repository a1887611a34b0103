-- granted_by: the member who connected an app (OAuth for /mcp). The app's key acts as an AI, and ends with that membership or
-- a lower role of it. Null for all other keys.
alter table api_key add column granted_by uuid;
create index api_key_granted_by on api_key (granted_by) where granted_by is not null;

-- Apps that registered themselves (RFC 7591). Nothing about them is verified. Apps whose id is the address of a document have no row.
create table oauth_client (
  id text collate "C" primary key,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz not null,
  -- The time of the last consent. Null: never used, and deleted after a day.
  used_at timestamptz
);
create index oauth_client_age on oauth_client (created_at);

-- A member's consent. Its rights, its end and its revocation are those of its key.
create table oauth_grant (
  key_id uuid primary key references api_key (id) on delete cascade,
  workspace_id uuid not null,
  member_id uuid not null,
  client_id text collate "C" not null,
  client_name text not null,
  redirect_uri text not null,
  code_hash bytea not null unique,
  code_challenge text not null,
  code_expires_at timestamptz not null,
  code_used_at timestamptz,
  created_at timestamptz not null
);
create index oauth_grant_of_workspace on oauth_grant (workspace_id, key_id);
create index oauth_grant_of_client on oauth_grant (client_id);

create table oauth_token (
  token_hash bytea primary key,
  key_id uuid not null references api_key (id) on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- A refresh token works once. One that comes again ends the grant.
  used_at timestamptz
);
create index oauth_token_of_key on oauth_token (key_id);
create index oauth_token_expiry on oauth_token (expires_at);

select second_wall();
