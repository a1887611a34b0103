-- The maximum number of runs per minute, as rules have it. Workflows from before keep what they could do.
alter table workflow add column max_runs_per_minute int not null default 60000;
alter table workflow alter column max_runs_per_minute set default 600;
-- A run can also be 'limited': it was kept from starting. Nodes of the previous version write only the states that the constraint allowed.
alter table workflow_run drop constraint workflow_run_state_check;
