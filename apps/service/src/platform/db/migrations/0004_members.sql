-- People apart from their memberships, sessions, invitations, and the end of a workspace.

-- One e-mail and password for every workspace that a person belongs to.
create table person (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  -- Shown at enrolment and not yet proved by a code.
  totp_pending_sealed bytea,
  totp_sealed bytea,
  -- The time step of the last code that was taken: none is taken twice.
  totp_step bigint not null default 0,
  created_at timestamptz not null default now()
);

-- Of an e-mail that was entered in several workspaces, the first password stays.
insert into person (id, email, name, password_hash, created_at)
  select distinct on (lower(email)) id, email, name, password_hash, created_at from member order by lower(email), created_at, id;
create unique index person_email on person (lower(email));

alter table member
  add column person_id uuid references person (id),
  -- Operator permissions that actions may ask for.
  add column permissions text[] not null default '{}',
  -- The row stays for what names it; nothing lets a removed member in.
  add column removed_at timestamptz;
update member m set person_id = p.id from person p where lower(p.email) = lower(m.email);
alter table member alter column person_id set not null;
drop index member_email;
alter table member drop column email, drop column name, drop column password_hash;
create unique index member_person on member (workspace_id, person_id) where removed_at is null;
create index member_of_person on member (person_id);
create index api_key_member on api_key (member_id) where member_id is not null;

create table recovery_code (
  person_id uuid not null references person (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (person_id, code_hash)
);

create table reset_link (
  token_hash bytea primary key,
  person_id uuid not null references person (id) on delete cascade,
  clear_totp boolean not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now()
);
create index reset_link_person on reset_link (person_id);

create table session (
  id uuid primary key,
  token_hash bytea not null unique,
  person_id uuid not null references person (id) on delete cascade,
  -- Where a request goes that names no workspace.
  workspace_id uuid not null references workspace (id),
  ip text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index session_person on session (person_id, id);

create table invitation (
  id uuid primary key,
  workspace_id uuid not null references workspace (id),
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'operator', 'viewer')),
  token_hash bytea not null unique,
  -- Null when a key without a person, or the command line, made it.
  invited_by uuid references member (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz
);
create unique index invitation_open on invitation (workspace_id, lower(email)) where accepted_at is null and revoked_at is null;

alter table workspace
  -- When the grace of a deletion ends; null while nobody asked for one.
  add column deletion_at timestamptz,
  -- Since when nothing lets anyone in; what it holds is erased soon after.
  add column closed_at timestamptz;

-- Deletes all that a workspace owns, whatever tables there are: every table with a `workspace_id` or a `tag` column.
-- A table that others point to waits for its turn. Append-only tables let the delete pass while junction.erasing names the workspace.
create function erase_workspace(p_workspace uuid, p_bucket smallint, p_tags text[]) returns void language plpgsql as $$
declare
  waiting text[];
  refused text[];
  persons uuid[];
  relation text;
begin
  perform set_config('junction.erasing', p_workspace::text, true);
  select array_agg(person_id) into persons from member where workspace_id = p_workspace;
  select array_agg(c.relname::text order by c.relname) into waiting from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'workspace'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname in ('tag', 'workspace_id') and not a.attisdropped);
  while cardinality(waiting) > 0 loop
    refused := '{}';
    foreach relation in array waiting loop
      begin
        execute format('delete from %I where %s', relation, (
          select case
              when 'workspace_id' = any(names) then 'workspace_id = $1'
              when 'bucket' = any(names) then 'bucket = $2 and tag = any($3)'
              else 'tag = any($3)' end
          from (select array_agg(attname::text) as names from pg_attribute
            where attrelid = relation::regclass and attnum > 0 and not attisdropped) a)) using p_workspace, p_bucket, p_tags;
      exception when foreign_key_violation then
        refused := refused || relation;
      end;
    end loop;
    if cardinality(refused) = cardinality(waiting) then
      raise exception 'rows of % hold each other; workspace % is not erased', refused, p_workspace;
    end if;
    waiting := refused;
  end loop;
  delete from workspace where id = p_workspace;
  delete from person p where id = any(persons) and not exists (select from member m where m.person_id = p.id);
end $$;
