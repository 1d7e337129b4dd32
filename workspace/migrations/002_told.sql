-- Of a draft: the caveats that its changes have told, as a JSON list; NULL: none.
ALTER TABLE agent_files ADD COLUMN told TEXT;
