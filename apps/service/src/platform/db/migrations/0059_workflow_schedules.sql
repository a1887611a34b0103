-- The schedules of workflows that start by the clock. next_at: the first occurrence that was not fired; null: the workflow
-- is disabled. due_at: when a worker may take the schedule, which is later than next_at after a failure.
create table workflow_schedule (
  bucket smallint not null,
  workspace_id uuid not null,
  workflow_id uuid not null,
  -- Where it fires: the environment of the workflow's author.
  environment text collate "C" not null check (environment in ('live', 'sandbox')),
  cron text not null,
  time_zone text not null,
  missed text collate "C" not null check (missed in ('skip', 'once')),
  next_at timestamptz,
  due_at timestamptz,
  -- The last occurrence that was fired, and its event.
  fired_at timestamptz,
  fired_event uuid,
  -- The occurrences that the last outage prevented.
  skipped int not null default 0,
  skipped_from timestamptz,
  skipped_until timestamptz,
  primary key (bucket, workspace_id, workflow_id)
);
create index workflow_schedule_due on workflow_schedule (bucket, due_at) where due_at is not null;
select second_wall();
