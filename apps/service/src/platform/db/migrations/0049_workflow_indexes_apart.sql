-- As 0047_indexes_apart.sql: none looks as good as the primary key.

drop index workflow_run_list;
create index workflow_run_list on workflow_run (workflow_id, bucket, tag, id);
drop index workflow_run_delivery;
create index workflow_run_delivery on workflow_run (delivery_id, bucket, tag) where delivery_id is not null;
