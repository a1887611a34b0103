-- each: the path to the list whose elements are the events of a request. The columns of paths can contain several, as a JSON list.
alter table inbound_source add column each text;
alter table inbound_source add column event_type_default text;
alter table inbound_source add column idempotency_key_template text;
alter table inbound_source add column dedupe_ignore text[] not null default '{}';
-- items: the results of a list's elements, as JSON text. Null: the request was one event, or is older than the column.
alter table inbound_receipt add column items text;
-- The contacts of the items, and the receipts that they repeat, so that the data of a person is found.
alter table inbound_receipt add column refs uuid[];
create index inbound_receipt_refs on inbound_receipt using gin (refs) where refs is not null;
-- proof: the hash of a proof that counts once, while the event has not counted. Headers with the proof itself are not kept.
alter table inbound_receipt add column proof bytea;
-- item: the element of the receipt that had the key first. An element of the same receipt can repeat it.
alter table inbound_seen add column item smallint not null default 0;
