-- The proposal that waits for people to approve that the plan is applied.
alter table configuration_plan add column proposal_id uuid;
