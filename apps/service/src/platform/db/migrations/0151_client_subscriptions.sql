-- Subscriptions of AI clients in the dialect of SEP-3415; null for all other endpoints. subscription_id: their id in that dialect.
-- subscription_arguments: the canonical JSON text of what the client selects. callback_verified_at: when the receiver last repeated a
-- challenge of this client.
alter table endpoint add column subscription_id text collate "C";
alter table endpoint add column subscription_arguments text;
alter table endpoint add column callback_verified_at timestamptz;
-- The lineage of the key that a subscription of either dialect lasts with.
alter table endpoint add column subscriber_lineage_id uuid;
create unique index endpoint_subscription_id on endpoint (bucket, tag, subscription_id) where subscription_id is not null and deleted_at is null;
create index endpoint_subscriber on endpoint (bucket, tag, subscriber_lineage_id) where subscriber_lineage_id is not null;
