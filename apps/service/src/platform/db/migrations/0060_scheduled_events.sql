-- Events that were accepted for a later time. They move to `event` when they are delivered. due_at: when a worker may take
-- the event, which is later than the time in its id after a failure; null: it was cancelled at ended_at.
create table scheduled_event (
  bucket smallint not null,
  tag text collate "C" not null,
  -- Contains the time of the delivery, so that the event is kept as long as others that enter the log on that day.
  id uuid not null,
  workspace_id uuid not null,
  name text not null,
  data text not null,
  -- Null: the time of the delivery.
  occurred_at timestamptz,
  subject text,
  traceparent text,
  accepted_at timestamptz not null default now(),
  due_at timestamptz,
  ended_at timestamptz,
  primary key (bucket, tag, id)
);
create index scheduled_event_due on scheduled_event (bucket, due_at) where due_at is not null;
create index scheduled_event_ended on scheduled_event (bucket, ended_at) where ended_at is not null;
select second_wall();
