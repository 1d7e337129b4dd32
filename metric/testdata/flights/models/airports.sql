select * from read_csv('{{ env_var('DEMO_DATA') }}/airports.csv')
