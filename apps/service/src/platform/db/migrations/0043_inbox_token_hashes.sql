-- An inbox's token is its only credential, so it is not kept in plain: `token` becomes the SHA-256 of the token in hex, and
-- `token_sealed` the token itself, for the addresses that have to be shown. SQL cannot seal: the service converts the rows that
-- exist, and those that a node of the version before still writes (tester/token-sealing.ts).
alter table inbox add column token_sealed bytea;
comment on column inbox.token is 'SHA-256 of the token in hex; the token itself where token_sealed is null';
create index inbox_unsealed on inbox (created_at) where token_sealed is null;
-- Endpoints whose address may hold the token of an inbox; an own inbox is named `inbox:<SHA-256>` instead.
create index endpoint_at_inbox on endpoint (id) where url ~ '/inbox/[0-9A-Za-z]{43}$';
