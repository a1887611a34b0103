-- The AI history by the key of the caller and by the run that came of a call, and the program that an MCP client says it is.
-- Rows of earlier versions have neither key nor client.
alter table ai_history add column key_id uuid;
alter table ai_history add column client text;
create index ai_history_key on ai_history (key_id, bucket, tag, id) where key_id is not null;
create index ai_history_result_run on ai_history_result (run_id, bucket, tag, history_id) where run_id is not null;
