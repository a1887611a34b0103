-- The receipts that need attention because they, or some of their items, could not be mapped. An erased receipt has no items.
create index inbound_receipt_unmapped on inbound_receipt (bucket, tag, id)
  where status = 'unmapped' or (status = 'ok' and items is not null and reason_code is not null);
