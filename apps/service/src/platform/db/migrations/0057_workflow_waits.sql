-- The runs of workflows that wait for an event. condition: with the run's values, as JSON text; null: any event of the name.
create table workflow_wait (
  bucket smallint not null,
  tag text collate "C" not null,
  run_id uuid not null,
  position smallint not null,
  event text collate "C" not null,
  condition text,
  -- A text that the event must have at a path, by which it finds the run; empty without one.
  key_path text collate "C" not null default '',
  key_value text collate "C" not null default '',
  -- Only events with greater ids count: those that were accepted after the step began.
  began uuid not null,
  -- Events up to this id may have been planned before they could see this row. Null before the first check.
  armed uuid,
  checks smallint not null default 0,
  expires_at timestamptz not null,
  primary key (bucket, tag, run_id),
  foreign key (bucket, tag, run_id) references workflow_run (bucket, tag, id) on delete cascade
);
create index workflow_wait_event on workflow_wait (tag, event, key_path, key_value, bucket);
select second_wall();
