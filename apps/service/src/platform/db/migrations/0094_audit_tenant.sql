-- As in 0013, with the tenant. Citus changes a function of all machines only before the tables of the same transaction.
create or replace function audit_append(p_buckets smallint[], p_tags text[], p_workspaces uuid[], p_chains int[],
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
      r.params_redacted, r.result_redacted, r.status, r.error_code, r.duration_ms, r.backend, r.deployment, r.request_id, s.prev, s.hash, s.at,
      r.tenant
    from json_populate_recordset(null::audit_row, p_rows) with ordinality as r
      join unnest(seqs, prevs, hashes, times) with ordinality as s(seq, prev, hash, at, n) on s.n = r.ordinality
      join unnest(p_chains) with ordinality as c(chain, n) on c.n = r.ordinality;
end $$;

-- The tenant that an entry is about, so that the entries of one customer are found. It is not part of the chain: it repeats what
-- the entry is about, for the search. Entries that were written before have none.
alter table audit_row add column tenant text collate "C";
create index audit_row_tenant on audit_row (bucket, tag, tenant, seq) where tenant is not null;
