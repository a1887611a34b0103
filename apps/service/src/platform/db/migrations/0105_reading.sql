-- The character set of a source's requests that name none. Null: UTF-8.
alter table inbound_source add column charset text;
-- How the body of a receipt was read: JSON with its media type, coding, character set and kind. Null: it was not read, or the receipt is
-- older than the column.
alter table inbound_receipt add column read_as text;
