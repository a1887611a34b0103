-- When owners and admins were told that the endpoint fails. Earlier than failing_since: they are not told of this failure yet.
alter table endpoint add column failing_noticed_at timestamptz;
