-- As in SQLite's 0006.
ALTER TABLE grants ADD COLUMN masks TEXT;
