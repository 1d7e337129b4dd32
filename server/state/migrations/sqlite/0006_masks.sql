-- A JSON object: by column, what a grant shows in place of its values. NULL: nothing is
-- masked.
ALTER TABLE grants ADD COLUMN masks TEXT;
