-- The people who were shown a key's text: who made it, and who rolled it since. What the key does counts as theirs where people are counted.
alter table api_key add column made_by uuid[] not null default '{}';

-- The lineage of the key that made it; null with a session, or by the command line.
alter table invitation add column invited_with uuid;
-- The member who made it; null by the command line.
alter table reset_link
  add column made_by uuid references member (id) on delete cascade,
  add column made_with uuid;

-- Nobody knows with whose right the open ones of before end.
delete from reset_link where used_at is null;
update invitation set revoked_at = now() where invited_by is null and accepted_at is null and revoked_at is null;
