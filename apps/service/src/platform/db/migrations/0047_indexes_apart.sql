-- An index that begins with the columns of the primary key is as good to the planner as the key itself while a table is empty, or was empty
-- when it was last analyzed: it then reads all rows of a workspace to find one. These begin with what they are for (docs/decisions/0256).

drop index pending_delivery_due;
create index pending_delivery_due on pending_delivery (endpoint_id, bucket, tag, due_at);
drop index contact_stage;
create index contact_stage on contact (lifecycle_stage, bucket, tag, id);
drop index contact_identity_contact;
create index contact_identity_contact on contact_identity (contact_id, bucket, tag);
drop index ticket_customer;
create index ticket_customer on ticket (customer_id, bucket, tag, id);
drop index ticket_status;
create index ticket_status on ticket (status, bucket, tag, id);
