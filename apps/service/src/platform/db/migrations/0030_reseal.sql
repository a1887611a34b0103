-- A new master key seals what the old one did, the key that signs digests among it: its bytes under the seal may be written anew, no more.
create function audit_signing_key_resealed() returns trigger language plpgsql as $$
begin
  if (new.singleton, new.public_key, new.created_at) is distinct from (old.singleton, old.public_key, old.created_at) then
    raise exception 'UPDATE of audit_signing_key is refused: it is append-only' using errcode = '42501';
  end if;
  return new;
end $$;
drop trigger append_only_all on audit_signing_key;
create trigger append_only_all before delete on audit_signing_key for each row execute function append_only_all();
create trigger resealed before update on audit_signing_key for each row execute function audit_signing_key_resealed();
grant update (private_sealed) on audit_signing_key to junction_service;
