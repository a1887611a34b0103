-- Which endpoints listen to an event is looked up by the event: a workspace may have ten thousand of them that wait for something else.
create function endpoint_listens(tag text, events text[]) returns text[]
  language sql immutable parallel safe strict
  return array(select tag || ' ' || e from unnest(events) e);

create index endpoint_listens on endpoint using gin (endpoint_listens(tag, events))
  where active and deleted_at is null and channel_id is null;
