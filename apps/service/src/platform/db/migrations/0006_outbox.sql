-- System events of the service itself: written in the transaction of what they tell of, fired right after it.
create table outbox (
  bucket smallint not null,
  tag text collate "C" not null,
  -- The event's id: fired twice, it is still one event.
  id uuid not null,
  workspace_id uuid not null,
  name text not null,
  subject text not null,
  data text not null,
  primary key (bucket, tag, id)
);
