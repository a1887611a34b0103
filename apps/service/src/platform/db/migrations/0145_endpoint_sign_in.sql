-- The endpoint's own waits between attempts, in seconds. Null: those of the installation.
alter table endpoint add column retry_schedule integer[];
-- How the service signs in to the receiver, as the caller wrote it: it names secrets and contains none. Null: not at all.
alter table endpoint add column auth jsonb;
-- The member or key that chose the secrets of `auth`, and lets them be sent.
alter table endpoint add column auth_author_kind text;
alter table endpoint add column auth_author_id uuid;
-- The end of the validity of a client certificate, and the time at which people were told of it.
alter table endpoint add column certificate_expires_at timestamptz;
alter table endpoint add column certificate_noticed_at timestamptz;
-- The families of signatures. Null: service and standard.
alter table endpoint add column signatures text[];
-- The Ed25519 key that signs, and its public half. The previous one signs until previous_expires_at.
alter table endpoint add column ed25519_sealed bytea;
alter table endpoint add column ed25519_public text collate "C";
alter table endpoint add column previous_ed25519_sealed bytea;
alter table endpoint add column previous_ed25519_public text collate "C";
drop trigger secret_changed on endpoint;
create constraint trigger secret_changed after insert or update of secret_sealed, previous_secret_sealed, headers, headers_sealed, ed25519_sealed, previous_ed25519_sealed on endpoint
  deferrable initially deferred for each row execute function secret_changed();
create index endpoint_public_key on endpoint (created_at desc, id desc) where ed25519_public is not null and deleted_at is null;
create index endpoint_certificate on endpoint (certificate_expires_at) where certificate_expires_at is not null and certificate_noticed_at is null and deleted_at is null;
