-- Values of headers that endpoints, rules and workflows send are sealed. `headers`, `actions` and `steps` keep their names, each with the
-- value `[redacted]`. Rows of before are sealed by the service when it starts (docs/decisions/0244).
alter table endpoint add column headers_sealed bytea;
alter table rule add column headers_sealed bytea;
alter table workflow_version add column headers_sealed bytea;

drop trigger secret_changed on endpoint;
create constraint trigger secret_changed after insert or update of secret_sealed, previous_secret_sealed, headers, headers_sealed on endpoint
  deferrable initially deferred for each row execute function secret_changed();
create constraint trigger secret_changed after insert or update of headers_sealed on rule
  deferrable initially deferred for each row when (new.headers_sealed is not null) execute function secret_changed();
create constraint trigger secret_changed after insert or update of headers_sealed on workflow_version
  deferrable initially deferred for each row when (new.headers_sealed is not null) execute function secret_changed();
