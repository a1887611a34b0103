-- What came of a proposal is added to the AI history when it ends, whenever that is: found by the proposal.
create index ai_history_result_proposal on ai_history_result (bucket, tag, proposal_id, history_id) where proposal_id is not null;
