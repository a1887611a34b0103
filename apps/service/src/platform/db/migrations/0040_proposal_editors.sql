-- Who edited a proposal last, as JSON: the parameters are then not the proposer's. Null where they are.
alter table action_proposal add column edited_by text;
