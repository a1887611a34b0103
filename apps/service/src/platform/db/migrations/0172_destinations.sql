-- What an endpoint whose kind is a broker needs to reach it, without credentials (docs/guide/brokers.md). Null for other kinds.
-- `max_in_flight` of such an endpoint is negative, and its `url` is no URL of HTTP. A node of the version before leases up to 64 of its
-- deliveries without an attempt, for a minute, and could send nothing to its `url`.
alter table endpoint add column destination jsonb;
