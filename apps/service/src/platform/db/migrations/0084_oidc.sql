-- Sign-in by OpenID Connect.

-- The account of a person at the issuer. A person has one at each issuer.
create table person_identity (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id uuid not null references person (id) on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject),
  unique (person_id, issuer)
);

-- The states of sign-ins and the ids of logout tokens that were used. Each is used once.
create table oidc_use (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index oidc_use_expires on oidc_use (expires_at);

-- Set for a session that the issuer opened, so that it can end it.
alter table session add column oidc_subject text collate "C";
alter table session add column oidc_sid text collate "C";
create index session_oidc on session (oidc_subject) where oidc_subject is not null;
create index session_oidc_sid on session (oidc_sid) where oidc_sid is not null;

-- `set`: the person's groups at the issuer set the role. `removed`: the person had no such group any more, so that a group can
-- bring the person back. Null: an invitation set the role.
alter table member add column by_groups text collate "C" check (by_groups in ('set', 'removed'));
