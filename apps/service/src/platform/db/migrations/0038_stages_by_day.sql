-- The stages of an event are dropped with its day, as all that it led to. What was there is the default partition at first, and moves to
-- its days. Nodes of the version before find the same table under the same name.
alter table dispatch_stage rename to dispatch_stage_default;
alter index dispatch_stage_pkey rename to dispatch_stage_default_pkey;
alter index dispatch_stage_due rename to dispatch_stage_default_due;
drop policy service on dispatch_stage_default;
drop policy tenant on dispatch_stage_default;
revoke all on dispatch_stage_default from junction_service, junction_tenant;

create table dispatch_stage (like dispatch_stage_default including defaults including constraints) partition by range (event_id);
alter table dispatch_stage add primary key (bucket, tag, event_id, priority, kind, key);
create index dispatch_stage_due on dispatch_stage (bucket, due_at) where state in ('waiting', 'running');
alter table dispatch_stage attach partition dispatch_stage_default default;
select ensure_partitions('dispatch_stage', 3);
