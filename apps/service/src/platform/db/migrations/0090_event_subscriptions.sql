-- Endpoints that an AI client made for a subscription of its own: the key that they last with, and their end. Null for all
-- other endpoints.
alter table endpoint add column subscriber_key_id uuid;
alter table endpoint add column ends_at timestamptz;
create index endpoint_subscription on endpoint (bucket, tag, id) where subscriber_key_id is not null and deleted_at is null;
