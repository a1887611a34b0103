-- A write under way belongs to whoever began it, until its lease runs out: only then may a repeat take it over.
alter table idempotency
  add column owner uuid,
  add column leased_until timestamptz;

update idempotency set owner = gen_random_uuid(), leased_until = created_at + interval '90 seconds' where status is null;
