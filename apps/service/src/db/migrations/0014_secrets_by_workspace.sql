-- Which workspace a secret is of: those who take secrets out of what is written down read a workspace's, both environments'.
alter table secret add column workspace_id uuid not null;
