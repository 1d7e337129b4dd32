select i as region_id, ['North','South','East','West','Overseas'][i+1] as region, case when i<3 then 'home' else 'abroad' end as market from range(0,5) t(i)
