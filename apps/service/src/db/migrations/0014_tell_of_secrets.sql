-- Those who take secrets out of what is written down are told when the ones of actions change (0013_audit.sql).
create constraint trigger secret_changed after insert or update of signing_secret_sealed, previous_secret_sealed on action_contract
  deferrable initially deferred for each row execute function secret_changed();
create constraint trigger secret_changed after insert or update of value_sealed on secret
  deferrable initially deferred for each row execute function secret_changed();
