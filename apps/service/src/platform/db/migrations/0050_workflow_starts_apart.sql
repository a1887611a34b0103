-- As 0047_indexes_apart.sql, and for the same columns as before. A claim of one run read every run of its workspace by the old one.

create unique index workflow_run_started_once on workflow_run (event_id, workflow_id, cause, bucket, tag);
alter table workflow_run drop constraint workflow_run_started;
