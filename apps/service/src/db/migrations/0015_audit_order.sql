-- The audit is read in the order of its chain. A row's time of writing is taken while the chain is held and never steps back, so
-- that a span of time is a span of numbers.

alter table audit_head add column created_at timestamptz;
alter table audit_row add column created_at timestamptz;
-- Of rows that were written before it was said when.
alter table audit_row disable trigger append_only;
update audit_row set created_at = occurred_at;
alter table audit_row enable trigger append_only;
alter table audit_row alter column created_at set not null;
alter table audit_head disable trigger forward;
update audit_head h set created_at = (select max(r.created_at) from audit_row r where r.bucket = h.bucket and r.tag = h.tag);
alter table audit_head enable trigger forward;
alter table audit_head alter column created_at set not null;

drop index audit_row_action, audit_row_actor, audit_row_proposal, audit_row_run, audit_row_kind, audit_row_status, audit_row_actor_type;
create index audit_row_time on audit_row (bucket, tag, created_at, seq);
create index audit_row_action on audit_row (bucket, tag, action, seq);
create index audit_row_actor on audit_row (bucket, tag, actor_id, seq) where actor_id is not null;
create index audit_row_proposal on audit_row (bucket, tag, proposal_id, seq) where proposal_id is not null;
create index audit_row_run on audit_row (bucket, tag, run_id, seq) where run_id is not null;
-- What most rows are is found without an index of its own.
create index audit_row_kind on audit_row (bucket, tag, kind, seq) where kind not in ('run', 'proposal');
create index audit_row_status on audit_row (bucket, tag, status, seq) where status not in ('ok', 'executed');
create index audit_row_actor_type on audit_row (bucket, tag, actor_type, seq) where actor_type not in ('user', 'service');

drop function audit_append(smallint[], text[], uuid[], int[], text[], text[], text[], json);

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

-- Secrets that tables after 0013_audit.sql keep: their changes are counted too, so that the audit knows what to redact.
create constraint trigger secret_changed after insert or update of value_sealed on secret
  deferrable initially deferred for each row execute function secret_changed();
create constraint trigger secret_changed after insert or update of signing_secret_sealed, previous_secret_sealed on action_contract
  deferrable initially deferred for each row execute function secret_changed();
