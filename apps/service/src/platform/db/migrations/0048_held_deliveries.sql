-- The deliveries that wait for earlier stages of their event, for a node that lets them go without having made them.

create index pending_delivery_held on pending_delivery (event_id) where next_attempt_at is null;
