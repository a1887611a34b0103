-- The last use of each key, apart from the keys: on a database of several machines, a key is on every machine, and each
-- write of it is a commit on all of them. `last_used_at` and `last_used_ip` of `api_key` are of uses before this version.
create table key_use (
  bucket smallint not null,
  tag text collate "C" not null,
  key_id uuid not null,
  used_at timestamptz not null,
  used_ip text not null,
  primary key (bucket, tag, key_id)
);
-- The row is written over and over, and no index holds what changes.
alter table key_use set (fillfactor = 70);
select second_wall();
