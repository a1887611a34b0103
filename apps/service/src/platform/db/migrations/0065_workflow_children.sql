-- The branches of a `parallel` step and the items of a `for_each` step are runs of the same version, in the bucket of
-- their parent. They read the parent's data, input and step outputs, so that their own `data` is empty.
-- An ended run with a parent stays due until a worker has made its parent due.
alter table workflow_run
  -- The run, and the position of its step, that started this one. Null: an event or a rule started it.
  add column parent_id uuid,
  add column parent_position smallint,
  -- The position of the branch or the item, from 0.
  add column child_index smallint,
  -- The item of a loop, as JSON text.
  add column item text,
  -- True until the parent starts the item.
  add column queued boolean not null default false;
create index workflow_run_children on workflow_run (parent_id, parent_position, child_index, bucket, tag) where parent_id is not null;
create index workflow_run_top on workflow_run (workflow_id, bucket, tag, id) where parent_id is null;
