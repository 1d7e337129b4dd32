-- The name of the folder of a user's conversations: random, so that no later user
-- gets it, neither by their name nor by their id, which a restored backup gives out
-- again. NULL: a user of an earlier release, whose folder is named after them.
ALTER TABLE users ADD COLUMN folder TEXT;
