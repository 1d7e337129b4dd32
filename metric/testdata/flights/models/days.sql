select unnest(generate_series(timestamp '2001-01-01', timestamp '2001-06-30', interval 1 day))::date as day
