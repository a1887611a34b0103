-- Inbound: who sends to us, what came, and what was seen before.

create table inbound_source (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  name text not null,
  description text not null,
  preset text not null,
  active boolean not null default true,
  -- The token names its workspace's tag, so that a look-up knows the bucket; sealed because the URL is shown again.
  token_hash bytea not null,
  token_sealed bytea not null,
  signature_scheme text not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_expires_at timestamptz,
  contact_email_path text,
  event_type_path text,
  idempotency_key_path text,
  contact_name_path text,
  value_path text,
  value_unit text not null check (value_unit in ('major', 'minor')),
  currency_path text,
  summary_path text,
  summary_template text,
  dedupe_by_body boolean not null,
  score jsonb not null,
  event_name text,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (bucket, tag, id),
  unique (bucket, tag, token_hash)
);

-- One row a request. Goes with its day, raw body and all.
create table inbound_receipt (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  source_id uuid not null,
  status text collate "C" not null check (status in ('ok', 'error', 'duplicate', 'unmapped')),
  reason_code text,
  reason text,
  -- JSON text: numbers as exact as they came.
  extracted text not null,
  event_type text,
  contact_id uuid,
  activity_id uuid,
  event_id uuid,
  duplicate_of uuid,
  -- Whether the signature held. What was not signed is never processed.
  signed boolean not null,
  -- The first 4 KiB where it was not signed.
  body bytea not null,
  body_bytes int not null,
  reprocessed_at timestamptz,
  primary key (bucket, tag, id)
) partition by range (id);
create index inbound_receipt_source on inbound_receipt (bucket, source_id, id);
create index inbound_receipt_attention on inbound_receipt (bucket, tag, status, id) where status <> 'ok';
create index inbound_receipt_contact on inbound_receipt (bucket, tag, contact_id, id) where contact_id is not null;
create index inbound_receipt_repeats on inbound_receipt (bucket, tag, duplicate_of) where duplicate_of is not null;
create table inbound_receipt_default partition of inbound_receipt default;

-- What makes twenty copies one activity. Apart from the receipts, whose partitions could hold a key each.
-- key_hash: SHA-256, so that a key may be of any length; what is hashed says whether it was a key or a body.
create table inbound_seen (
  bucket smallint not null,
  tag text collate "C" not null,
  source_id uuid not null,
  key_hash bytea not null,
  receipt_id uuid not null,
  seen_at timestamptz not null default now(),
  primary key (bucket, tag, source_id, key_hash)
);
create index inbound_seen_age on inbound_seen using brin (seen_at);

select ensure_partitions('inbound_receipt', 3);
