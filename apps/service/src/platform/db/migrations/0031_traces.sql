-- Whose trace an event is part of, as its caller said it (W3C traceparent); null where nobody did.
alter table event add column traceparent text collate "C";
