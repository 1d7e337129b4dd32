SELECT * FROM events LIMIT 100

SELECT event_name, COUNT(*) AS n FROM events GROUP BY event_name ORDER BY n DESC

SELECT COUNT(DISTINCT user_pseudo_id) AS users FROM events WHERE event_date BETWEEN '20260101' AND '20260131'

SELECT DATE(created_at) AS day, SUM(total) AS revenue
FROM orders
WHERE status = 'complete'
GROUP BY day
ORDER BY day

SELECT DATE_TRUNC(order_date, MONTH) AS month, ROUND(SUM(total), 2) AS revenue, COUNT(DISTINCT customer_id) AS customers
FROM orders
GROUP BY 1
ORDER BY 1

SELECT DATE_TRUNC(order_date, WEEK(MONDAY)) AS week, COUNT(*) AS orders FROM orders GROUP BY week

SELECT EXTRACT(HOUR FROM created_at AT TIME ZONE 'Europe/Prague') AS hour, COUNT(*) FROM orders GROUP BY hour

SELECT EXTRACT(DAYOFWEEK FROM order_date) AS dow, AVG(total) AS avg_total FROM orders GROUP BY dow

SELECT * EXCEPT (email, phone) FROM customers WHERE country = 'CZ'

SELECT * REPLACE (ROUND(total, 2) AS total) FROM orders

SELECT o.* EXCEPT (id), c.name FROM orders AS o JOIN customers AS c ON o.customer_id = c.id

SELECT
  (SELECT value.string_value FROM UNNEST(event_params) WHERE key = 'page_location') AS page,
  COUNT(*) AS views
FROM events
WHERE event_name = 'page_view'
GROUP BY page
ORDER BY views DESC
LIMIT 20

SELECT
  user_pseudo_id,
  (SELECT ep.value.int_value FROM UNNEST(event_params) AS ep WHERE ep.key = 'ga_session_id') AS session_id,
  MIN(event_timestamp) AS started
FROM events
GROUP BY user_pseudo_id, session_id

SELECT event_name, ep.key, COUNT(*) AS n FROM events, UNNEST(event_params) AS ep GROUP BY event_name, ep.key

SELECT e.event_name, ep.key FROM events e CROSS JOIN UNNEST(e.event_params) ep WHERE ep.value.string_value IS NOT NULL

SELECT e.event_name, p FROM events AS e LEFT JOIN UNNEST(e.pages) AS p WITH OFFSET AS i WHERE i < 3

SELECT id, item, pos FROM orders, UNNEST(items) AS item WITH OFFSET pos ORDER BY id, pos

SELECT id, tag FROM products p, p.tags AS tag

SELECT customer_id, total, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY created_at DESC) AS rn FROM orders

SELECT * FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY created_at DESC) = 1

SELECT customer_id, id FROM orders WHERE status != 'cancelled' QUALIFY RANK() OVER (PARTITION BY customer_id ORDER BY total DESC) <= 3

SELECT
  day,
  revenue,
  AVG(revenue) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS moving_avg
FROM (SELECT DATE(created_at) AS day, SUM(total) AS revenue FROM orders GROUP BY day)
ORDER BY day

SELECT day, SUM(visits) OVER (ORDER BY day ROWS UNBOUNDED PRECEDING) AS running FROM daily

SELECT day, visits - LAG(visits, 1, 0) OVER (ORDER BY day) AS diff FROM daily

SELECT day, visits, SAFE_DIVIDE(visits - LAG(visits) OVER w, LAG(visits) OVER w) AS growth
FROM daily
WINDOW w AS (ORDER BY day)
ORDER BY day

SELECT
  customer_id,
  FIRST_VALUE(channel IGNORE NULLS) OVER (PARTITION BY customer_id ORDER BY started ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS first_channel
FROM sessions

SELECT NTILE(10) OVER (ORDER BY total DESC) AS decile, total FROM orders

SELECT DISTINCT PERCENTILE_CONT(total, 0.5) OVER () AS median FROM orders

SELECT country, PERCENTILE_DISC(total, 0.9) OVER (PARTITION BY country) AS p90 FROM orders

SELECT APPROX_QUANTILES(total, 100)[OFFSET(50)] AS median FROM orders

SELECT APPROX_COUNT_DISTINCT(user_pseudo_id) AS users, APPROX_TOP_COUNT(page, 10) AS top FROM pageviews

SELECT APPROX_TOP_SUM(page, views, 5) FROM pageviews

SELECT HLL_COUNT.EXTRACT(HLL_COUNT.INIT(user_id)) AS users FROM sessions

WITH daily AS (SELECT day, HLL_COUNT.INIT(user_id, 12) AS sketch FROM sessions GROUP BY day)
SELECT DATE_TRUNC(day, MONTH) AS month, HLL_COUNT.MERGE(sketch) AS users FROM daily GROUP BY month

SELECT country, channel, SUM(visits) AS visits FROM sessions GROUP BY ROLLUP (country, channel)

SELECT country, channel, SUM(visits) AS visits FROM sessions GROUP BY CUBE (country, channel)

SELECT country, channel, SUM(visits), GROUPING(country) FROM sessions GROUP BY GROUPING SETS ((country, channel), (country), ())

SELECT country, channel, COUNT(*) AS n FROM sessions GROUP BY ALL

SELECT country, COUNT(*) AS n FROM customers GROUP BY country HAVING n > 100

SELECT country, COUNT(*) AS n FROM customers GROUP BY country HAVING COUNT(*) > 100 ORDER BY 2 DESC NULLS LAST

SELECT * FROM (SELECT product, quarter, sales FROM sales_by_quarter) PIVOT (SUM(sales) FOR quarter IN ('Q1', 'Q2', 'Q3', 'Q4'))

SELECT * FROM monthly PIVOT (SUM(revenue) AS revenue, COUNT(*) AS n FOR channel IN ('web' AS web, 'app' AS app)) AS p ORDER BY month

SELECT * FROM wide UNPIVOT (sales FOR quarter IN (q1, q2, q3, q4))

SELECT product, quarter, sales FROM wide UNPIVOT INCLUDE NULLS (sales FOR quarter IN (q1 AS 'Q1', q2 AS 'Q2')) WHERE sales > 0

SELECT * FROM events TABLESAMPLE SYSTEM (1 PERCENT)

SELECT `user`, `order` FROM `orders` WHERE `group` = 'a'

SELECT STRUCT(id, name AS customer_name) AS customer FROM customers

SELECT STRUCT<id INT64, name STRING>(id, name) AS c FROM customers

SELECT ARRAY_AGG(STRUCT(id, total) ORDER BY total DESC LIMIT 3) AS top_orders, customer_id FROM orders GROUP BY customer_id

SELECT [1, 2, 3] AS list, ARRAY<STRING>['a', 'b'] AS names

SELECT customer_id, ARRAY_AGG(DISTINCT channel IGNORE NULLS) AS channels FROM sessions GROUP BY customer_id

SELECT customer_id, STRING_AGG(DISTINCT product_id, ', ' ORDER BY product_id) AS products FROM order_items GROUP BY customer_id

SELECT ARRAY_LENGTH(items) AS n, items[OFFSET(0)].sku, items[SAFE_OFFSET(1)].sku AS second FROM orders WHERE ARRAY_LENGTH(items) > 0

SELECT ARRAY(SELECT x * 2 FROM UNNEST(scores) AS x WHERE x > 0 ORDER BY x) AS doubled FROM results

SELECT ARRAY(SELECT AS STRUCT key, value.string_value AS v FROM UNNEST(event_params)) AS params FROM events

SELECT SAFE.PARSE_DATE('%Y%m%d', event_date) AS day FROM events

SELECT PARSE_DATE('%Y%m%d', event_date) AS day, TIMESTAMP_MICROS(event_timestamp) AS ts FROM events

SELECT FORMAT_DATE('%Y-%m', order_date) AS month, SUM(total) FROM orders GROUP BY month

SELECT FORMAT_TIMESTAMP('%F %T', created_at, 'Europe/Prague') FROM orders

SELECT SAFE_CAST(revenue AS FLOAT64) AS revenue, CAST(id AS STRING) AS id FROM raw_orders

SELECT CAST(created_at AS STRING FORMAT 'YYYY-MM-DD') AS day FROM orders

SELECT * FROM orders WHERE created_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY)

SELECT * FROM orders WHERE order_date >= DATE_SUB(CURRENT_DATE(), INTERVAL 1 MONTH)

SELECT * FROM orders WHERE order_date >= CURRENT_DATE - INTERVAL 30 DAY

SELECT * FROM orders WHERE order_date BETWEEN DATE '2026-01-01' AND DATE '2026-03-31'

SELECT * FROM orders WHERE created_at >= TIMESTAMP '2026-01-01 00:00:00 UTC'

SELECT DATE_DIFF(shipped, ordered, DAY) AS days, COUNT(*) FROM orders GROUP BY days

SELECT TIMESTAMP_DIFF(MAX(event_ts), MIN(event_ts), SECOND) AS duration FROM events GROUP BY session_id

SELECT JSON_VALUE(payload, '$.user.id') AS user_id, JSON_QUERY(payload, '$.items') AS items FROM raw_events

SELECT payload.user.id, payload.items[0].sku FROM raw_events

SELECT STRING(payload.country), INT64(payload['age']) FROM raw_events

SELECT item FROM raw_events, UNNEST(JSON_QUERY_ARRAY(payload, '$.items')) AS item

SELECT JSON_EXTRACT_SCALAR(payload, '$.id') AS id FROM raw_events

SELECT TO_JSON_STRING(STRUCT(id, total)) FROM orders

SELECT REGEXP_EXTRACT(page_url, r'^https?://([^/]+)') AS host, COUNT(*) AS n FROM pageviews GROUP BY host

SELECT * FROM pageviews WHERE REGEXP_CONTAINS(page_url, r'/product/\d+')

SELECT REGEXP_REPLACE(phone, r'[^0-9]', '') AS phone FROM customers

SELECT * FROM customers WHERE LOWER(email) LIKE '%@example.com'

SELECT * FROM customers WHERE email NOT LIKE '%test%' AND country IN ('CZ', 'SK') AND deleted_at IS NULL

SELECT * FROM customers WHERE name LIKE ANY ('A%', 'B%')

SELECT * FROM customers WHERE country NOT IN (SELECT country FROM excluded)

SELECT c.* FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.total > 1000)

SELECT c.id FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)

SELECT c.id, c.name, COUNT(o.id) AS orders FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name

SELECT * FROM orders INNER JOIN customers USING (customer_id)

SELECT COALESCE(a.day, b.day) AS day, a.visits, b.orders FROM visits a FULL OUTER JOIN orders_daily b ON a.day = b.day

SELECT COALESCE(a.day, b.day) AS day FROM visits a FULL JOIN orders_daily b USING (day)

SELECT a.id, b.id FROM products a CROSS JOIN products b WHERE a.id < b.id

SELECT * FROM orders o RIGHT JOIN customers c ON o.customer_id = c.id

SELECT o.id, c.name, p.title FROM orders o, customers c, products p WHERE o.customer_id = c.id AND o.product_id = p.id

WITH first_orders AS (
  SELECT customer_id, MIN(order_date) AS first_date FROM orders GROUP BY customer_id
),
cohorts AS (
  SELECT customer_id, DATE_TRUNC(first_date, MONTH) AS cohort FROM first_orders
)
SELECT cohort, DATE_DIFF(DATE_TRUNC(o.order_date, MONTH), cohort, MONTH) AS month_number, COUNT(DISTINCT o.customer_id) AS customers
FROM orders o
JOIN cohorts USING (customer_id)
GROUP BY cohort, month_number
ORDER BY cohort, month_number

WITH steps AS (
  SELECT user_pseudo_id,
    COUNTIF(event_name = 'view_item') > 0 AS viewed,
    COUNTIF(event_name = 'add_to_cart') > 0 AS added,
    COUNTIF(event_name = 'purchase') > 0 AS bought
  FROM events
  GROUP BY user_pseudo_id
)
SELECT COUNT(*) AS users, COUNTIF(viewed) AS viewed, COUNTIF(viewed AND added) AS added, COUNTIF(viewed AND added AND bought) AS bought FROM steps

WITH ordered AS (
  SELECT user_id, event_ts, LAG(event_ts) OVER (PARTITION BY user_id ORDER BY event_ts) AS previous FROM events
), marked AS (
  SELECT *, IF(previous IS NULL OR TIMESTAMP_DIFF(event_ts, previous, MINUTE) > 30, 1, 0) AS is_new FROM ordered
)
SELECT user_id, event_ts, SUM(is_new) OVER (PARTITION BY user_id ORDER BY event_ts) AS session_number FROM marked

WITH RECURSIVE tree AS (
  SELECT id, parent_id, name, 1 AS depth FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.parent_id, c.name, t.depth + 1 FROM categories c JOIN tree t ON c.parent_id = t.id
)
SELECT * FROM tree ORDER BY depth, id

WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 10) SELECT n FROM numbers

SELECT day FROM UNNEST(GENERATE_DATE_ARRAY('2026-01-01', '2026-12-31', INTERVAL 1 DAY)) AS day

WITH days AS (SELECT day FROM UNNEST(GENERATE_DATE_ARRAY(DATE '2026-01-01', CURRENT_DATE())) AS day)
SELECT d.day, COUNT(o.id) AS orders FROM days d LEFT JOIN orders o ON o.order_date = d.day GROUP BY d.day ORDER BY d.day

SELECT n FROM UNNEST(GENERATE_ARRAY(1, 100, 5)) AS n

SELECT id, 'web' AS source FROM web_orders UNION ALL SELECT id, 'app' FROM app_orders

SELECT id FROM web_orders UNION DISTINCT SELECT id FROM app_orders ORDER BY id LIMIT 10

SELECT id FROM customers EXCEPT DISTINCT SELECT customer_id FROM orders

SELECT customer_id FROM orders INTERSECT DISTINCT SELECT id FROM customers

(SELECT id, total FROM orders ORDER BY total DESC LIMIT 5) UNION ALL (SELECT id, total FROM orders ORDER BY total LIMIT 5)

SELECT CASE WHEN total >= 1000 THEN 'large' WHEN total >= 100 THEN 'medium' ELSE 'small' END AS size, COUNT(*) AS n FROM orders GROUP BY size

SELECT CASE status WHEN 'c' THEN 'complete' WHEN 'p' THEN 'pending' END AS status FROM orders

SELECT IF(total > 100, 'big', 'small') AS size, IFNULL(discount, 0) AS discount, NULLIF(coupon, '') AS coupon FROM orders

SELECT SUM(IF(device = 'mobile', 1, 0)) / COUNT(*) AS mobile_share FROM sessions

SELECT SAFE_DIVIDE(SUM(conversions), SUM(clicks)) AS cr FROM campaigns

SELECT COUNTIF(status = 'complete') AS completed, COUNTIF(status = 'cancelled') / COUNT(*) * 100 AS pct FROM orders

SELECT LOGICAL_OR(is_new), LOGICAL_AND(paid), ANY_VALUE(name), MAX(total), MIN(total) FROM orders GROUP BY customer_id

SELECT ANY_VALUE(name HAVING MAX updated_at) AS latest_name, id FROM customers GROUP BY id

SELECT STDDEV(total), VARIANCE(total), CORR(price, quantity), COVAR_SAMP(price, quantity) FROM order_items

SELECT MAX_BY(page, views) AS top_page, MIN_BY(page, views) AS least FROM pageviews

SELECT page, SUM(views) AS views, SUM(SUM(views)) OVER () AS total FROM pageviews GROUP BY page

SELECT page, views, views / SUM(views) OVER (PARTITION BY DATE(ts)) AS share FROM pageviews

SELECT channel, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS pct FROM sessions GROUP BY channel

SELECT DENSE_RANK() OVER (ORDER BY SUM(total) DESC) AS rnk, customer_id, SUM(total) AS total FROM orders GROUP BY customer_id

SELECT CUME_DIST() OVER (ORDER BY total), PERCENT_RANK() OVER (ORDER BY total) FROM orders

SELECT id, LEAD(event_name) OVER (PARTITION BY session_id ORDER BY event_ts) AS next_event FROM events

SELECT ts, COUNT(*) OVER (ORDER BY UNIX_SECONDS(ts) RANGE BETWEEN 3600 PRECEDING AND CURRENT ROW) AS last_hour FROM events

SELECT LAST_VALUE(plan) OVER (PARTITION BY account_id ORDER BY changed_at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS plan FROM plans

SELECT NTH_VALUE(page, 2) OVER (PARTITION BY session_id ORDER BY ts) AS second_page FROM pageviews

SELECT a, SUM(b) OVER (w ROWS 2 PRECEDING) FROM t WINDOW w AS (PARTITION BY c ORDER BY d)

SELECT CONCAT(first_name, ' ', last_name) AS name, UPPER(country) AS country, LENGTH(email) FROM customers

SELECT first_name || ' ' || last_name AS name FROM customers

SELECT TRIM(name), SUBSTR(name, 1, 3), SPLIT(email, '@')[SAFE_OFFSET(1)] AS domain FROM customers

SELECT SPLIT(path, '/')[ORDINAL(1)] AS section, COUNT(*) FROM pageviews GROUP BY section

SELECT REPLACE(url, 'http://', 'https://'), STRPOS(url, '?'), STARTS_WITH(url, 'https') FROM pageviews

SELECT LPAD(CAST(id AS STRING), 8, '0'), REVERSE(name), INITCAP(name), REPEAT('*', 3) FROM customers

SELECT FORMAT('%05d', id), FORMAT('%.2f', total) FROM orders

SELECT TO_HEX(SHA256(email)), FARM_FINGERPRINT(id), TO_BASE64(MD5(name)) FROM customers

SELECT * FROM customers WHERE MOD(ABS(FARM_FINGERPRINT(id)), 100) < 10

SELECT ROUND(AVG(total), 2), CEIL(MAX(total)), FLOOR(MIN(total)), TRUNC(1.5), POW(2, 3), SQRT(2), LN(2), LOG10(100) FROM orders

SELECT GREATEST(a, b, c), LEAST(a, b), SIGN(a), DIV(a, 2), MOD(a, 2), IEEE_DIVIDE(a, b) FROM t

SELECT WIDTH, RANGE_BUCKET(total, [0, 10, 100, 1000]) AS bucket FROM orders

SELECT GENERATE_UUID() AS id, RAND() AS r FROM orders ORDER BY RAND() LIMIT 10

SELECT LAST_DAY(order_date, MONTH), DATE_ADD(order_date, INTERVAL 1 WEEK), EXTRACT(ISOWEEK FROM order_date) FROM orders

SELECT TIMESTAMP_TRUNC(created_at, HOUR, 'UTC') AS hour, COUNT(*) FROM orders GROUP BY hour

SELECT DATETIME_TRUNC(DATETIME(created_at, 'Europe/Prague'), DAY) AS d FROM orders

SELECT DATE(created_at, 'America/New_York') AS d, TIME(created_at), DATETIME(created_at) FROM orders

SELECT UNIX_MILLIS(created_at), TIMESTAMP_MILLIS(1767225600000), TIMESTAMP_SECONDS(0) FROM orders

SELECT PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S', ts) AS ts, PARSE_DATETIME('%F', d) FROM raw_orders

SELECT DATE(2026, 1, 1) AS d, TIME(12, 30, 0), DATETIME(2026, 1, 1, 0, 0, 0)

SELECT order_date + 1 AS next_day, order_date - 7 AS week_before FROM orders

SELECT INTERVAL '1-2' YEAR TO MONTH AS iv, INTERVAL 5 DAY AS five, MAKE_INTERVAL(1, 2, 3) FROM t

SELECT JUSTIFY_HOURS(INTERVAL 30 HOUR), EXTRACT(DAY FROM shipped - ordered) FROM orders

SELECT ST_DISTANCE(ST_GEOGPOINT(lon, lat), ST_GEOGPOINT(14.42, 50.08)) AS meters FROM stores

SELECT * FROM stores WHERE ST_DWITHIN(ST_GEOGPOINT(lon, lat), ST_GEOGPOINT(14.42, 50.08), 1000)

SELECT ST_GEOHASH(geo, 5) AS cell, COUNT(*) FROM stores GROUP BY cell

SELECT DISTINCT channel FROM sessions ORDER BY channel

SELECT ALL country FROM customers

SELECT DISTINCT country, city FROM customers ORDER BY country ASC, city DESC

SELECT * FROM orders ORDER BY total DESC LIMIT 10 OFFSET 20

SELECT x.a, x.b FROM (SELECT 1 AS a, 2 AS b) AS x

SELECT id FROM orders WHERE (status, channel) IN (('complete', 'web'), ('pending', 'app'))

SELECT id FROM orders WHERE status IN UNNEST(['complete', 'pending'])

SELECT id FROM orders WHERE 'gift' IN UNNEST(tags)

SELECT id FROM orders WHERE total > (SELECT AVG(total) FROM orders)

SELECT (SELECT COUNT(*) FROM orders) AS orders, (SELECT COUNT(*) FROM customers) AS customers

SELECT id FROM orders WHERE NOT paid AND (total > 100 OR discount IS NOT NULL) AND refunded IS FALSE

SELECT id FROM orders WHERE coupon IS DISTINCT FROM 'SPRING' AND paid IS NOT TRUE

SELECT -total, +total, total * -1, ~flags, flags & 1, flags | 2, flags ^ 3, flags << 1, flags >> 1 FROM orders WHERE total <> 0

SELECT 1e3, 1.5, .5, 0xFF, NUMERIC '1.5', BIGNUMERIC '2', JSON '{"a": 1}', b'abc', r'\d', """a "quoted" text""", TRUE, NULL

SELECT AS STRUCT id, total FROM orders

SELECT AS VALUE STRUCT(id, total) FROM orders

SELECT t.* FROM (SELECT ARRAY_AGG(o ORDER BY created_at DESC LIMIT 1)[OFFSET(0)] AS t FROM orders o GROUP BY customer_id)

SELECT latest.* FROM (SELECT ARRAY_AGG(o ORDER BY created_at DESC LIMIT 1)[OFFSET(0)] latest FROM orders o GROUP BY customer_id)

SELECT device.category, geo.country, traffic_source.medium, COUNT(*) AS n FROM events GROUP BY device.category, geo.country, traffic_source.medium

SELECT device.category AS device, COUNTIF(event_name = 'session_start') AS sessions FROM events GROUP BY 1 ORDER BY 2 DESC

SELECT item.item_name, SUM(item.quantity) AS sold, SUM(item.price * item.quantity) AS revenue
FROM events, UNNEST(items) AS item
WHERE event_name = 'purchase'
GROUP BY item.item_name
ORDER BY revenue DESC

SELECT hits.page.pagePath, COUNT(*) AS pageviews FROM ga_sessions, UNNEST(hits) AS hits WHERE hits.type = 'PAGE' GROUP BY hits.page.pagePath

SELECT fullVisitorId, (SELECT MAX(IF(index = 1, value, NULL)) FROM UNNEST(customDimensions)) AS login FROM ga_sessions

SELECT s.source, s.medium, SUM(c.cost) AS cost, SUM(s.revenue) AS revenue, SAFE_DIVIDE(SUM(s.revenue), SUM(c.cost)) AS roas
FROM sessions s
LEFT JOIN campaigns c ON s.campaign = c.name AND s.day = c.day
WHERE s.day >= DATE_SUB(CURRENT_DATE(), INTERVAL 90 DAY)
GROUP BY s.source, s.medium
HAVING cost > 0
ORDER BY roas DESC

SELECT IF(EXISTS(SELECT 1 FROM UNNEST(items) i WHERE i.sku = 'A1'), 'yes', 'no') AS has_a1 FROM orders

SELECT user_id, ARRAY_TO_STRING(ARRAY_AGG(page ORDER BY ts), ' > ') AS path FROM pageviews GROUP BY user_id

SELECT ARRAY_CONCAT([1], [2, 3]), ARRAY_REVERSE([1, 2]), ARRAY_CONCAT_AGG(tags) FROM products

SELECT id, COALESCE(NULLIF(TRIM(name), ''), 'unknown') AS name FROM customers

SELECT SUM(total) FILTER_TOTAL, COUNT(*) n FROM orders

SELECT user_id, DATE(MIN(ts)) first_day, DATE(MAX(ts)) last_day FROM events GROUP BY user_id HAVING DATE_DIFF(last_day, first_day, DAY) > 7

WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a) SELECT * FROM a JOIN b ON a.x < b.x

WITH o AS (SELECT * FROM orders WHERE status = 'complete')
SELECT month, revenue, revenue - LAG(revenue, 12) OVER (ORDER BY month) AS yoy
FROM (SELECT DATE_TRUNC(order_date, MONTH) AS month, SUM(total) AS revenue FROM o GROUP BY month)
ORDER BY month;

SELECT month, channel, revenue, RANK() OVER (PARTITION BY month ORDER BY revenue DESC) AS position
FROM (
  SELECT DATE_TRUNC(order_date, MONTH) AS month, channel, SUM(total) AS revenue
  FROM orders
  WHERE order_date >= '2025-01-01'
  GROUP BY month, channel
)
QUALIFY position <= 5
ORDER BY month, position

SELECT product_id, COUNT(*) AS n, COUNT(*) / (SELECT COUNT(*) FROM order_items) AS share FROM order_items GROUP BY product_id ORDER BY n DESC LIMIT 50

SELECT a.product_id AS left_id, b.product_id AS right_id, COUNT(*) AS together
FROM order_items a
JOIN order_items b ON a.order_id = b.order_id AND a.product_id < b.product_id
GROUP BY left_id, right_id
HAVING together >= 10
ORDER BY together DESC

SELECT customer_id, DATE_DIFF(CURRENT_DATE(), MAX(order_date), DAY) AS recency, COUNT(*) AS frequency, SUM(total) AS monetary FROM orders GROUP BY customer_id

SELECT COLLATE(name, 'und:ci') AS name FROM customers ORDER BY name COLLATE 'und:ci'

SELECT SUM(total) OVER (PARTITION BY customer_id ORDER BY UNIX_DATE(order_date) RANGE BETWEEN 29 PRECEDING AND CURRENT ROW) AS last_30 FROM orders

SELECT STRING_AGG(name) FROM (SELECT DISTINCT name FROM products WHERE active) AS names

SELECT MAX(IF(step = 1, ts, NULL)) AS a, MAX(IF(step = 2, ts, NULL)) AS b FROM funnel GROUP BY user_id

SELECT CAST(price AS NUMERIC), CAST('2026-01-01' AS DATE), SAFE_CAST(x AS ARRAY<STRUCT<a INT64, b STRING>>) FROM products

SELECT NORMALIZE(name), CODE_POINTS_TO_STRING([97, 98]), TO_CODE_POINTS(name), SOUNDEX(name), EDIT_DISTANCE('cat', name) FROM customers

SELECT user_id FROM events GROUP BY user_id HAVING LOGICAL_OR(event_name = 'signup') AND NOT LOGICAL_OR(event_name = 'churn')

SELECT COUNT(*) AS n, COUNT(DISTINCT IF(event_name = 'purchase', user_pseudo_id, NULL)) AS buyers FROM events WHERE _TABLE_DATE >= '20260101'

SELECT PARSE_JSON('{"a": 1}') AS j, JSON_TYPE(payload), LAX_STRING(payload.name), JSON_ARRAY(1, 2), JSON_OBJECT('a', 1) FROM raw_events

SELECT event_date, event_name, event_count FROM (SELECT event_date, event_name, COUNT(*) AS event_count FROM events GROUP BY event_date, event_name) WHERE event_count > 10

SELECT BIT_COUNT(flags), BIT_AND(flags), BIT_OR(flags), BIT_XOR(flags) FROM t

FROM orders |> WHERE status = 'complete' |> AGGREGATE SUM(total) AS revenue GROUP BY channel |> ORDER BY revenue DESC |> LIMIT 10

SELECT id, total FROM orders |> EXTEND total * 0.21 AS vat |> WHERE vat > 100

SELECT country, APPROX_QUANTILES(total, 4 IGNORE NULLS) AS quartiles FROM orders GROUP BY country

SELECT * FROM orders AS o LEFT JOIN (SELECT customer_id, MAX(ts) AS last_seen FROM sessions GROUP BY customer_id) AS s USING (customer_id) WHERE s.last_seen IS NULL
