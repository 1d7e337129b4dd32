select * from read_parquet('{{ env_var('DEMO_DATA') }}/flights/**/*.parquet', hive_partitioning=true)
