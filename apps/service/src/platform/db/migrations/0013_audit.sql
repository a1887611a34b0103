-- The audit: one chain of rows for each workspace and environment, which nobody can change (docs/reference/audit.md).

-- Where each chain ends, and when it was last written to. Its row is locked last of all that a transaction locks.
create table audit_head (
  bucket smallint not null,
  tag text collate "C" not null,
  workspace_id uuid not null,
  seq bigint not null,
  hash bytea not null,
  created_at timestamptz not null,
  primary key (bucket, tag)
);

-- Kept until the workspace is erased. JSON is text, in the canonical form that was hashed. It is read in the order of its chain:
-- created_at is taken while the chain is held and never steps back, so that a span of time is a span of numbers.
create table audit_row (
  bucket smallint not null,
  tag text collate "C" not null,
  seq bigint not null,
  id uuid not null,
  workspace_id uuid not null,
  occurred_at timestamptz not null,
  kind text collate "C" not null,
  action text collate "C" not null,
  contract_version int,
  proposal_id uuid,
  run_id uuid,
  actor_type text collate "C" not null,
  actor_id text collate "C",
  actor_display text,
  actor_key_id text collate "C",
  actor_ip text collate "C",
  approver text,
  prompt text,
  params_redacted text,
  result_redacted text,
  status text collate "C" not null,
  error_code text collate "C",
  duration_ms int,
  backend text,
  deployment text not null,
  request_id text collate "C",
  prev_hash bytea not null,
  hash bytea not null,
  created_at timestamptz not null,
  primary key (bucket, tag, seq),
  unique (bucket, tag, id)
);
create index audit_row_time on audit_row (bucket, tag, created_at, seq);
create index audit_row_action on audit_row (bucket, tag, action, seq);
create index audit_row_actor on audit_row (bucket, tag, actor_id, seq) where actor_id is not null;
create index audit_row_proposal on audit_row (bucket, tag, proposal_id, seq) where proposal_id is not null;
create index audit_row_run on audit_row (bucket, tag, run_id, seq) where run_id is not null;
-- What most rows are is found without an index of its own.
create index audit_row_kind on audit_row (bucket, tag, kind, seq) where kind not in ('run', 'proposal');
create index audit_row_status on audit_row (bucket, tag, status, seq) where status not in ('ok', 'executed');
create index audit_row_actor_type on audit_row (bucket, tag, actor_type, seq) where actor_type not in ('user', 'service');

-- The end of a chain as it was at an hour's end, signed: whoever kept one knows if the chain was cut or made anew.
create table audit_digest (
  bucket smallint not null,
  tag text collate "C" not null,
  workspace_id uuid not null,
  -- The hour it closes, by its begin.
  hour timestamptz not null,
  id uuid not null,
  seq bigint not null,
  hash bytea not null,
  signed_at timestamptz not null,
  signature bytea not null,
  primary key (bucket, tag, hour)
);

-- What signs digests: one pair for the installation, made once.
create table audit_signing_key (
  singleton boolean primary key default true check (singleton),
  public_key bytea not null,
  private_sealed bytea not null,
  created_at timestamptz not null default now()
);

-- What was asked of a model and what it said. What came of it is added as it happens.
create table ai_history (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  trigger text collate "C" not null,
  event_id uuid,
  actor text not null,
  provider text not null,
  model text,
  prompt text not null,
  response text,
  tool_calls text not null,
  status text collate "C" not null,
  error_code text collate "C",
  input_tokens int,
  output_tokens int,
  duration_ms int,
  request_id text collate "C",
  primary key (bucket, tag, id)
);
create index ai_history_event on ai_history (bucket, tag, event_id, id) where event_id is not null;
create index ai_history_status on ai_history (bucket, tag, status, id) where status <> 'ok';

create table ai_history_result (
  bucket smallint not null,
  tag text collate "C" not null,
  history_id uuid not null,
  id uuid not null,
  workspace_id uuid not null,
  tool_call_id text,
  action text not null,
  proposal_id uuid,
  run_id uuid,
  status text not null,
  result text,
  error_code text,
  primary key (bucket, tag, history_id, id)
);

-- Counts the changes of a workspace's secrets, so that those to be redacted are read again only when they changed.
create table secret_version (
  workspace_id uuid primary key,
  version bigint not null
);

-- Deferred, so that the count's row is locked for no longer than the commit takes.
create function secret_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into secret_version as v values (new.workspace_id, 1)
    on conflict (workspace_id) do update set version = v.version + 1;
  return null;
end $$;

-- A table that keeps secrets of a workspace gets such a trigger.
create constraint trigger secret_changed after insert or update of secret_sealed, previous_secret_sealed, headers on endpoint
  deferrable initially deferred for each row execute function secret_changed();
create constraint trigger secret_changed after insert or update of token_sealed, secret_sealed, previous_secret_sealed on inbound_source
  deferrable initially deferred for each row execute function secret_changed();
create constraint trigger secret_changed after insert or update of secret_sealed on workflow
  deferrable initially deferred for each row execute function secret_changed();
create constraint trigger secret_changed after insert or update of signing_secret_sealed on api_key
  deferrable initially deferred for each row when (new.signing_secret_sealed is not null) execute function secret_changed();

-- Adds rows to the ends of their chains: for each chain one lock, then one insert for all.
-- Chains are given in the order of their key, so that two transactions never wait for each other. A row's four pieces are its
-- canonical JSON without created_at, prev_hash and seq, which are not known before the lock is held.
create function audit_append(p_buckets smallint[], p_tags text[], p_workspaces uuid[], p_chains int[],
  p_pieces1 text[], p_pieces2 text[], p_pieces3 text[], p_pieces4 text[], p_rows json)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  head audit_head;
  current int := 0;
  piece record;
  moment text;
  times timestamptz[] := '{}';
  seqs bigint[] := '{}';
  prevs bytea[] := '{}';
  hashes bytea[] := '{}';
begin
  -- A tenant writes its own workspace's rows alone.
  if current_setting('role', true) = 'junction_tenant' and exists (
      select from unnest(p_tags, p_workspaces) as c(tag, workspace_id)
      where c.workspace_id is distinct from nullif(current_setting('junction.workspace', true), '')::uuid
        or left(c.tag, 7) is distinct from left(current_setting('junction.tag', true), 7)) then
    raise exception 'new row violates row-level security policy for table "audit_row"' using errcode = '42501';
  end if;
  for piece in
    select p.chain, p.a, p.b, p.c, p.d from unnest(p_chains, p_pieces1, p_pieces2, p_pieces3, p_pieces4) with ordinality as p(chain, a, b, c, d, n)
    order by p.n
  loop
    if piece.chain <> current then
      if current > 0 then
        update audit_head h set seq = head.seq, hash = head.hash, created_at = head.created_at where h.bucket = head.bucket and h.tag = head.tag;
      end if;
      current := piece.chain;
      loop
        select * into head from audit_head h where h.bucket = p_buckets[current] and h.tag = p_tags[current] for update;
        exit when found;
        insert into audit_head values
          (p_buckets[current], p_tags[current], p_workspaces[current], 0, decode(repeat('00', 32), 'hex'), '-infinity') on conflict do nothing;
      end loop;
      head.created_at := greatest(head.created_at, date_trunc('milliseconds', clock_timestamp()));
      moment := to_char(head.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
    end if;
    head.seq := head.seq + 1;
    prevs := prevs || head.hash;
    head.hash := sha256(convert_to(encode(head.hash, 'hex') || E'\n' || piece.a || moment || piece.b || encode(head.hash, 'hex')
      || piece.c || head.seq || piece.d, 'UTF8'));
    times := times || head.created_at;
    seqs := seqs || head.seq;
    hashes := hashes || head.hash;
  end loop;
  update audit_head h set seq = head.seq, hash = head.hash, created_at = head.created_at where h.bucket = head.bucket and h.tag = head.tag;
  insert into audit_row
    select p_buckets[c.chain], p_tags[c.chain], s.seq, r.id, p_workspaces[c.chain], r.occurred_at, r.kind, r.action, r.contract_version,
      r.proposal_id, r.run_id, r.actor_type, r.actor_id, r.actor_display, r.actor_key_id, r.actor_ip, r.approver, r.prompt,
      r.params_redacted, r.result_redacted, r.status, r.error_code, r.duration_ms, r.backend, r.deployment, r.request_id, s.prev, s.hash, s.at
    from json_populate_recordset(null::audit_row, p_rows) with ordinality as r
      join unnest(seqs, prevs, hashes, times) with ordinality as s(seq, prev, hash, at, n) on s.n = r.ordinality
      join unnest(p_chains) with ordinality as c(chain, n) on c.n = r.ordinality;
end $$;
revoke execute on function audit_append(smallint[], text[], uuid[], int[], text[], text[], text[], text[], json) from public;
grant execute on function audit_append(smallint[], text[], uuid[], int[], text[], text[], text[], text[], json) to junction_service, junction_tenant;

-- Whoever asks: what is written stays as it is, until the whole workspace is erased.
create function append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.workspace_id::text = current_setting('junction.erasing', true) then
    return old;
  end if;
  raise exception '% of % is refused: it is append-only', tg_op, tg_table_name using errcode = '42501';
end $$;
create function append_only_all() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: it is append-only', tg_op, tg_table_name using errcode = '42501';
end $$;
-- The head moves forward and is never taken away.
create function audit_head_forward() returns trigger language plpgsql as $$
begin
  if new.seq <= old.seq or (new.bucket, new.tag, new.workspace_id) is distinct from (old.bucket, old.tag, old.workspace_id) then
    raise exception 'the end of an audit chain only moves forward' using errcode = '42501';
  end if;
  return new;
end $$;

do $$
declare
  name text;
begin
  foreach name in array array['audit_row', 'audit_digest', 'ai_history', 'ai_history_result'] loop
    execute format('create trigger append_only before update or delete on %I for each row execute function append_only()', name);
    execute format('create trigger append_only_all before truncate on %I for each statement execute function append_only_all()', name);
  end loop;
end $$;
create trigger append_only before delete on audit_head for each row execute function append_only();
create trigger append_only_all before truncate on audit_head for each statement execute function append_only_all();
create trigger forward before update on audit_head for each row execute function audit_head_forward();
create trigger append_only_all before update or delete on audit_signing_key for each row execute function append_only_all();
create trigger append_only_truncate before truncate on audit_signing_key for each statement execute function append_only_all();

select second_wall();

revoke insert, update, delete on audit_row, audit_head, secret_version from junction_service, junction_tenant;
revoke update, delete on audit_digest, ai_history, ai_history_result, audit_signing_key from junction_service;
revoke insert, update, delete on audit_digest from junction_tenant;
revoke update, delete on ai_history, ai_history_result from junction_tenant;

-- The service may not delete audit rows, so erasing is lent to it by the owner: of a workspace that was closed, and no other.
-- By bucket and tag where a table has both: that is how the large ones are found.
create or replace function erase_workspace(p_workspace uuid, p_bucket smallint, p_tags text[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  waiting text[];
  refused text[];
  persons uuid[];
  relation text;
begin
  if exists (select from workspace where id = p_workspace and closed_at is null) then
    raise exception 'workspace % is not closed', p_workspace;
  end if;
  perform set_config('junction.erasing', p_workspace::text, true);
  select array_agg(person_id) into persons from member where workspace_id = p_workspace;
  select array_agg(c.relname::text order by c.relname) into waiting from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'workspace'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname in ('tag', 'workspace_id') and not a.attisdropped);
  while cardinality(waiting) > 0 loop
    refused := '{}';
    foreach relation in array waiting loop
      begin
        execute format('delete from %I where %s', relation, (
          select case
              when names @> array['bucket', 'tag'] then 'bucket = $2 and tag = any($3)'
              when 'workspace_id' = any(names) then 'workspace_id = $1'
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
revoke execute on function erase_workspace(uuid, smallint, text[]) from public;
grant execute on function erase_workspace(uuid, smallint, text[]) to junction_service;
