-- What the sandbox has of its own is promoted to live. The sandbox's contracts are stored under 'sandbox:' and their
-- key; their versions stay under the key, and are counted with the live ones.
alter table action_contract_version add column promoted_from uuid;
alter table action_contract_version add column promoted_version int;

-- promotes_to, of a sandbox rule: the live rule that it replaces in the sandbox, and that a promotion changes.
-- promoted_from and promoted_version, of a live rule: the sandbox rule, and its version, that were promoted last.
alter table rule add column promotes_to uuid;
alter table rule add column promoted_from uuid;
alter table rule add column promoted_version int;
create index rule_promotes_to on rule (promotes_to, bucket, workspace_id) where promotes_to is not null;

-- The same for workflows.
alter table workflow add column promotes_to uuid;
alter table workflow add column promoted_from uuid;
alter table workflow add column promoted_version int;
create index workflow_promotes_to on workflow (promotes_to, workspace_id) where promotes_to is not null;
