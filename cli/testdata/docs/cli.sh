# What the examples of docs/cli.md, which are those of --help, take for granted:
# a server with a few tables, a snapshot, and files that people sent.
mkdir data
mkdir -m 700 .agnes
printf 'code,name\nAA,American\nUA,United\n' > data/carriers.csv
printf 'id,country,amount,pay\n1,CZ,10.50,7\n2,SK,20.00,8\n' > data/orders.csv
da demo --dir demo > demo.log 2>&1
cp demo/data/airports.csv data/
cp -r demo/data/flights data/
cat > .agnes/instance.yaml <<'END'
model: ../demo/model
sources:
  files: { type: lake, root: ../data }
tables:
  - { id: flights, source: files, path: "flights/**/*.parquet" }
  - { id: orders, source: files, path: orders.csv }
  - { id: airports, source: files, path: airports.csv, query_mode: local }
  - { id: carriers, source: files, path: carriers.csv, query_mode: local }
END
da serve --instance .agnes/instance.yaml --listen 127.0.0.1:8400 2> serve.log &
until curl -sf http://127.0.0.1:8400/readyz; do sleep 0.1; done
sed -n 's/^Admin token.*: //p' serve.log > token.txt
da login http://127.0.0.1:8400 --name prod --with-token < token.txt
da login http://127.0.0.1:8400 --name test --with-token < token.txt
da admin user create ann@example.com
da admin group create sales
for n in 1 2 3 4 5; do da admin grant --user ann@example.com --table airports; done
da fetch flights --select date,delay,origin,destination --where "delay > 60" --as late
{ echo id,region,amount,days; seq 6000 | awk '{ print $1 "," ($1 % 2 ? "north" : "south") "," $1 / 4 "," $1 % 50 }'; } > sales.csv
printf 'id,name\n1,Ann\n2,Bob\n' > people.csv
da table export people.csv --out people.xlsx
printf 'origin,target\nSEA,10\n' > targets.csv
da table export targets.csv --out targets.xlsx --target-sheet 2026
da table export people.csv --out costs.xlsx --target-sheet Costs
echo 'SELECT origin, count(*) AS flights FROM late GROUP BY ALL' > report.sql
da query "SELECT origin, delay FROM late" --json --max-tokens 300 > result.json # kept as @r1

# Snapshots that are compared, and one from another machine
da snapshot import people.csv --as people
da snapshot copy people people_may
da snapshot copy late late_june
printf 'region,sales\nnorth,10\nsouth,20\n' > sales_may.csv
da snapshot import sales_may.csv --as may
da snapshot export late --out exported/

# Files of the workspace
printf 'month,total\nmay,1\n' > may.csv
printf '# Notes\n' > notes.md
da table export may.csv --out budget.xlsx --target-sheet May
da files put budget.xlsx notes.md may.csv
da files put budget.xlsx notes.md
da files put budget.xlsx --as reports/may.xlsx
for name in old.csv gone.csv secret.csv plan.md; do da files put may.csv --as "$name"; done
da files delete plan.md gone.csv
da files edit monday.docx --create --operations '[{"op":"append_heading","text":"Flights in {{ value: $month }}"},{"op":"append_paragraph","text":"{{ table: SELECT origin, count(*) AS flights FROM late GROUP BY ALL }}"}]'
da files get monday.docx
da files edit total.docx --create --operations '[{"op":"append_paragraph","text":"In all {{ value: 4213 }} flights"}]'
da files get total.docx
da report total.docx --out sent.docx
for draft in monday plan; do da files put notes.md --as draft.md --draft "$draft"; done
da files edit budget.xlsx --operations '[{"op":"ensure_sheet","sheet":"Draft"}]'
da files edit budget.xlsx --operations '[{"op":"ensure_sheet","sheet":"Plan"},{"op":"set_range","sheet":"Plan","start":"A3","values":[["month","total"],["may",1]]}]'
for name in may june memo; do
  da files edit $name.docx --create --operations '[{"op":"append_table","rows":[["who","what"],["Ann","a memo"]]}]'
done
echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGP4DwQACfsD/fteaysAAAAASUVORK5CYII= | base64 -d > logo.png
da files put logo.png
da files image resize logo.png --width 1000 --output-name photo.png
da files image convert logo.png --format jpeg --output-name photo.jpg
da files image resize photo.jpg --width 1000
da files pdf add-page letter.pdf --create-if-missing
da files pdf add-page letter.pdf
for name in a.pdf b.pdf; do da files copy letter.pdf "$name"; done
da files pdf merge a.pdf b.pdf letter.pdf --output-name report.pdf
printf '%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA(/Helv 12 Tf)>>>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Annots[4 0 R]>>endobj\n4 0 obj<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[20 200 200 220]/P 3 0 R/DA(/Helv 12 Tf 0 g)>>endobj\ntrailer<</Root 1 0 R>>\n' > form.pdf
da files put form.pdf

# Checks
printf 'tables:\n  people:\n    checks:\n      - not_null: [id]\n      - unique: [id]\n' > checks.yaml
cp checks.yaml nightly.yaml
cp -r demo/model target
printf 'version: 0.1.1\nsemantic_model:\n  - name: demo\n    datasets: [{ name: people, source: people }]\n' > people.yaml
mkdir models
printf 'models:\n  - name: people\n    columns:\n      - name: id\n        tests: [not_null, unique]\n' > models/schema.yml

# A dashboard
printf '{"tables":["flights"],"values":{"origin":"JFK"},"cells":[{"name":"n","sql":"SELECT count(*) AS n FROM flights WHERE origin = $origin"}]}' > delays.json

# Steps
printf 'steps:\n  - {name: check, run: check, needs: [refresh]}\n  - {name: refresh, run: snapshot refresh late}\n' > job.yaml

# A session
for n in 1 2 3 4 5 6 7; do DA_SESSION=report-1 da query "SELECT $n AS n, count(*) AS flights FROM late"; done
