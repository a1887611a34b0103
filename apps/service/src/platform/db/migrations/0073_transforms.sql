-- transform: the JSON text of a transformation, as the caller wrote it; null for none.
alter table endpoint add column transform text;
alter table endpoint add column transform_version int;

-- True if the request that was transformed is in delivery_request. Null costs no bytes, and is the case without a transformation.
alter table pending_delivery add column transformed boolean;
alter table delivery add column transformed boolean;
-- A delivery can also end as 'filtered'. Nodes of the previous version write only the states that the constraint allowed.
alter table delivery drop constraint delivery_state_check;

-- The request of a delivery after its transformation. It is written before the first attempt, and each attempt sends it.
create table delivery_request (
  bucket smallint not null,
  tag text collate "C" not null,
  delivery_id uuid not null,
  -- The version of the endpoint's transformation.
  version int not null,
  method text collate "C" not null,
  -- JSON text: headers by name.
  headers text not null,
  body text not null,
  -- JSON text: a list of lines, such as the paths without a value.
  log text not null,
  primary key (bucket, tag, delivery_id)
) partition by range (delivery_id);
create table delivery_request_default partition of delivery_request default;
select ensure_partitions('delivery_request', 3);
select second_wall();
