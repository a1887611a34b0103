-- The transaction that wrote an event 10 seconds or more after the time of its id: a scheduled one after an outage, or one of a node whose
-- clock is behind. Readers that are past its id find it by this. Null for all others, which costs no bytes.
alter table event add column late_xact xid8;
create index event_late on event (bucket, tag, late_xact) where late_xact is not null;

-- The people behind the call that fired an event. None of them is the second person for an action that follows from it.
alter table event add column fired_by uuid[];
alter table scheduled_event add column fired_by uuid[];
