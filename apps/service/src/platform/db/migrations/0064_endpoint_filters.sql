-- filter: the JSON text of a condition over an event's name and data, as the caller wrote it; null for none. The endpoint
-- gets only the events for which it holds.
alter table endpoint add column filter text;
