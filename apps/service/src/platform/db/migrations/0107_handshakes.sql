-- The requests with which the sender of a source checks its URL, and their answers. Null: those of the source's sender.
alter table inbound_source add column handshakes jsonb;
-- Earlier handshakes of the source signed texts for strangers, who may have kept them: only JSON objects and arrays are its events.
alter table inbound_source add column signed_for_strangers boolean not null default false;
