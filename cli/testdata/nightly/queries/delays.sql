-- The mean delay of each month.
SELECT month, count(*) AS flights, round(avg(delay), 1) AS mean
FROM arrivals
GROUP BY ALL
ORDER BY month
