-- The workflow, the run, the step and the event that ask, as JSON text. Null for all other proposals.
alter table action_proposal add column workflow text;
