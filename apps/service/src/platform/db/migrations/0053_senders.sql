-- Sources of any sender (contract, section 12): a description of its signature, events without a contact, and types and
-- ids from headers.

alter table inbound_source
  -- The name of a sender that the service knows.
  add column sender text collate "C",
  -- A description of the signature, in place of a named scheme.
  add column scheme jsonb,
  -- Sources that exist need an address in each event, as before.
  add column contact text collate "C" not null default 'required' check (contact in ('required', 'if_present', 'none')),
  add column event_type_header text,
  add column idempotency_key_header text,
  -- The answer that the sender is given in place of the service's own.
  add column respond jsonb;

-- The headers of the request, as JSON text, without those that contain a credential.
alter table inbound_receipt add column headers text not null default '{}';
