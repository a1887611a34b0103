-- All kinds of leased work have the same columns, and a claim counts what each environment has in progress.

alter table tenant_deletion add column lease_id uuid;
alter table tenant_deletion add column attempts integer not null default 0;

-- Nodes of the version before do not end `due_at`: the condition of the index says which jobs are open.
alter table replay_job add column due_at timestamptz default now();
alter table replay_job add column lease_id uuid;
alter table replay_job add column attempts integer not null default 0;
create index replay_job_due on replay_job (bucket, due_at)
  where cancelled_at is null and (finished_at is null or sweep_from is not null);

create index replay_job_leased on replay_job (bucket, tag) where lease_id is not null;
create index tenant_deletion_leased on tenant_deletion (bucket, tag) where lease_id is not null;
create index mail_leased on mail (bucket, tag) where lease_id is not null;
create index http_call_leased on http_call (bucket, tag) where lease_id is not null;
create index approval_announcement_leased on approval_announcement (bucket, tag) where lease_id is not null;
create index assistant_task_leased on assistant_task (bucket, tag) where lease_id is not null;
create index connector_webhook_leased on connector_webhook (bucket, tag) where lease_id is not null;
