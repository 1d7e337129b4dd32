select i as customer_id, 'Customer '||i as name, case i%7 when 0 then null else i%5 end as region_id, case when i%3=0 then 'business' else 'private' end as segment from range(1,201) t(i)
