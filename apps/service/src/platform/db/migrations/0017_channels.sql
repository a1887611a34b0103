-- Who sends through endpoints of its own, a workflow or a rule: one secret signs all of it, wherever it goes, in both environments.
create table channel (
  workspace_id uuid not null references workspace (id),
  -- The workflow's, or the rule's.
  id uuid not null,
  owner text collate "C" not null check (owner in ('workflow', 'rule')),
  -- Whether it waits for the end of each delivery: see delivery_outcome.
  awaits boolean not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_expires_at timestamptz,
  primary key (workspace_id, id)
);
insert into channel (workspace_id, id, owner, awaits, secret_sealed) select workspace_id, id, 'workflow', true, secret_sealed from workflow;
drop trigger secret_changed on workflow;
alter table workflow drop column secret_sealed;
create constraint trigger secret_changed after insert or update of secret_sealed, previous_secret_sealed on channel
  deferrable initially deferred for each row execute function secret_changed();

alter table workflow_endpoint rename to channel_endpoint;
alter table channel_endpoint rename column workflow_id to channel_id;
-- Null: a caller's own endpoint, which events go to and which has a secret of its own.
alter table endpoint add column channel_id uuid;
update endpoint e set channel_id = c.channel_id from channel_endpoint c
  where e.bucket = c.bucket and e.tag = c.tag and e.id = c.endpoint_id;
alter table endpoint drop column owner;
alter table endpoint alter column secret_sealed drop not null;

-- The events that led to what is told of, so that no reaction to the news leads back to it. Null: none did.
alter table outbox add column chain uuid[];
