-- The last time that the person took the account back. Links of Slack accounts from before no longer count. It is here and
-- not on the person, whom the work of one workspace does not see.
alter table member add column recovered_at timestamptz;
-- The network that registered the client, so that one network's registrations end before those of others.
alter table oauth_client add column network text collate "C";
create index oauth_client_network on oauth_client (network, created_at) where used_at is null;
