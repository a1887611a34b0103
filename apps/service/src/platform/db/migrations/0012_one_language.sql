-- A run may be started by something else than its trigger, with an input of its own.
alter table workflow_run
  -- JSON text; null: the trigger started it.
  add column input text,
  -- What started it: empty for the trigger, else the key of whoever asked; each starts a workflow once an event.
  add column cause text collate "C" not null default '',
  -- The public id of whoever asked.
  add column started_by text,
  -- Whom its event was about when it began: for the export and the erasure of a person.
  add column contact_id uuid;
alter table workflow_run drop constraint workflow_run_bucket_tag_workflow_id_event_id_key;
alter table workflow_run add constraint workflow_run_started unique (bucket, tag, workflow_id, event_id, cause);
create index workflow_run_contact on workflow_run (bucket, tag, contact_id, id) where contact_id is not null;
