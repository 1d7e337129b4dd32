# What people and CI run. `make demo` shows the main job, `make test` proves it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
# Where Debian keeps the servers that tests start.
export PATH := $(PATH):/usr/sbin

# Packages whose code runs concurrently, and so is tested again under the race
# detector, which is several times slower.
RACE := $(patsubst %,./%/...,$(wildcard analyst cache client internal server snapshot source table))

# An older DuckDB than ours, which must be able to read what we write.
NPM_DUCKDB := @duckdb/node-api@1.4.5-r.1
# Packages with the documents of other programs in them.
NPM_DOCUMENTS := mammoth@1.13.0 xlsx-populate@1.21.0 docx@9.15.2 pptxgenjs@4.0.1 exceljs@4.4.0
# A client of others, which must be able to list and call our tools.
NPM_INSPECTOR := @modelcontextprotocol/inspector@1.0.3

# Some forty test programs hold the engine; a faster linker, where there is one.
LINK = $(shell echo 'int main(void){return 0;}' | gcc -fuse-ld=mold -x c -o /dev/null - 2>/dev/null && echo -extldflags=-fuse-ld=mold)

ORACLE_COUNT ?= 200000

# Most tests wait for processes that they start, so more of them run than there
# are cores, and one package more.
CORES := $(shell nproc 2>/dev/null || echo 2)
PARALLEL = -p $(shell expr $(CORES) + 1) -parallel $(shell expr 2 \* $(CORES))

.PHONY: demo build test quick needs snowflake spark spark-short race load fuzz oracle cover caveats headers lies reuse statements grants emulator live-bigquery lint generate check size metricflow bench bench-engines scale demo-data tools-npm documents sync-campaign masks lake-campaign agent-campaign office-campaign sessions trino package package-test release-check container-check long

demo: build ## the main job on real flights, embedded and over HTTP
	./bin/da demo

build: ## bin/da
	go build -o bin/ ./cmd/da

# Without vet: `make lint` runs all of it.
test: bin/gotestsum ## every test; its last lines say which were skipped and what installs their needs
	./bin/gotestsum --format standard-quiet -- -vet=off -timeout 60m $(PARALLEL) -ldflags='-s $(LINK)' ./...

quick: ## the main loop in a minute: the rules of the tree, the heart's packages, the scripts of fetch and query
	go test -vet=off ./internal/house ./api ./predicate ./snapshot ./statement ./server/core
	go test -vet=off ./cli -run 'TestScriptsEmbedded/(fetch|remote|snapshot|names|schema)$$|TestScriptsHTTP/(fetch|sync)$$'

needs: ## install the Debian packages and npm packages that tests drive; takes root or sudo
	./.ci/needs
	$(MAKE) --no-print-directory tools-npm documents bin/versitygw

# The driver of Snowflake is large, so that it has a binary of its own.
snowflake: .cache/fakesnow ## bin/da-snowflake, and the suite of all sources on a fake of Snowflake, which it installs
	go build -tags snowflake -o bin/da-snowflake ./cmd/da
	go vet -tags snowflake ./source/snowflake
	go test -tags snowflake -count=1 -timeout 30m -v ./source/snowflake

.cache/fakesnow:
	python3 -m venv $@
	$@/bin/pip install -q 'fakesnow[server]==0.12.1' 'snowflake-connector-python<5' || { rm -r $@; exit 1; }

# Spark lies in the source package of pyspark, which pip downloads and then tries to
# build. It needs a Java of 17 or later.
spark: .cache/spark/pyspark-4.1.4/deps .cache/spark/jars ## the suite of all sources on the real Spark: fetches 514 MB once, takes twelve minutes
	DA_SPARK=1 go test -count=1 -timeout 30m -p 1 -run 'TestSpark' -v ./source/spark ./source/lent

spark-short: .cache/spark/pyspark-4.1.4/deps ## what Sail cannot show, on the real Spark: fetches 456 MB once, takes a minute or two
	DA_SPARK=1 go test -vet=off -count=1 -timeout 15m -run 'TestSpark(TellsTheTruth|Statements)$$' -v ./source/spark

.cache/spark/jars:
	for jar in org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0 io.delta:delta-spark_4.1_2.13:4.4.0 io.delta:delta-storage:4.4.0; do \
		mvn -q dependency:copy -Dartifact=$$jar:jar -DoutputDirectory=$(CURDIR)/.cache/spark/jars || exit 1; done

.cache/spark/pyspark-4.1.4/deps:
	mkdir -p .cache/spark/download
	python3 -m pip download -q --no-deps --no-binary :all: -d .cache/spark/download pyspark==4.1.4 || test -s .cache/spark/download/pyspark-4.1.4.tar.gz
	tar xzf .cache/spark/download/pyspark-4.1.4.tar.gz -C .cache/spark/download pyspark-4.1.4/deps/jars pyspark-4.1.4/deps/bin
	mv .cache/spark/download/pyspark-4.1.4 .cache/spark
	rm -r .cache/spark/download

race: ## the concurrent packages under the race detector
	go test -race -timeout 30m $(RACE)

load: ## 200 clients for a minute, also at four servers; fewer under the race detector; 50 users in the page
	DA_FLEET_CLIENTS=200 DA_FLEET_REQUESTS=30 go test -count=1 -run 'TestServersBehindABalancer$$' -v ./cli
	DA_PAGE_USERS=50 DA_PAGE_SECONDS=30 go test -count=1 -run 'TestThePageUnderLoad$$' -v ./cli
	DA_LOAD_CLIENTS=200 DA_LOAD_SECONDS=60 go test -count=1 -run 'TestLoad$$' -v ./server/http
	DA_LOAD_CLIENTS=50 DA_LOAD_SECONDS=15 go test -race -count=1 -run 'TestLoad$$' -v ./server/http

fuzz: ## anything to every endpoint, for half an hour
	go test -run '^$$' -fuzz FuzzEndpoints -fuzztime 30m ./server/http

# A module of its own: linking Google's parser takes 7 GB of memory and minutes.
oracle: ## 200,000 random predicates before Google's own parser
	mkdir -p .cache
	ORACLE_CASES=$(CURDIR)/.cache/oracle.jsonl ORACLE_COUNT=$(ORACLE_COUNT) go test -count=1 -run TestWriteOracleCases ./predicate
	ORACLE_CASES=$(CURDIR)/.cache/oracle.jsonl go test -C predicate/oracle -p 1 -count=1 -vet=off -timeout 90m -v ./...

cover: ## a million claims about pairs of predicates of each dialect, held against rows
	DA_COVER_PAIRS=1000000 go test -count=1 -timeout 90m -run TestClaimsHold -v ./predicate/cover

caveats: ## 100,000 answers to random statements over tables with caveats, through every door of rows
	DA_CAVEATS=100000 go test -count=1 -timeout 90m -run TestCaveatsArrive -v ./cli

reuse: ## 500 random predicates answered from snapshots, beside a fetch of the same
	DA_REUSE=500 go test -count=1 -timeout 60m -run TestAReusedSnapshotIsWhatAFetchGives -v ./analyst

lies: ## 5,000 random answers that are not what the server announced
	DA_LIES=5000 go test -count=1 -timeout 60m -run TestAServerThatLiesInstallsNothing -v ./analyst

headers: ## 20,000 random tables: their headers are right, or said to be guessed
	DA_HEADERS=20000 go test -count=1 -timeout 60m -run TestHeadersAreRight -v ./table

statements: ## 500 random statements that fetch, beside the engine over the whole tables, and 2,000 as they are and as printed for ClickHouse and Spark
	DA_STATEMENTS=500 go test -count=1 -timeout 60m -run TestStatementsThatFetch -v ./analyst
	DA_SEEDED=300 go test -count=1 -run TestSeeded ./statement/fanout
	DA_PRINTED=1000 go test -count=1 -timeout 60m -run 'Test(Sail)?PrintedAlike' -v ./source/clickhouse ./source/spark

# Building the emulator takes 7 GB of memory and minutes, once.
emulator: bin/bigquery-emulator ## every statement that we send to BigQuery before an emulator
	BIGQUERY_EMULATOR=$(CURDIR)/bin/bigquery-emulator go test -tags emulator -count=1 -run 'TestEmulator$$' -v ./source/bigquery

bin/bigquery-emulator: source/bigquery/emulator/go.mod source/bigquery/emulator/go.sum
	go build -C source/bigquery/emulator -p 1 -o $(CURDIR)/bin/ github.com/goccy/bigquery-emulator/cmd/bigquery-emulator

live-bigquery: ## the suite of all sources on the real BigQuery: BIGQUERY_PROJECT, BIGQUERY_DATASET
	go test -tags live -count=1 -timeout 60m -run 'TestLive$$' -v ./source/bigquery

lint: bin/golangci-lint ## formatting, vet, linters
	@bad=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$bad" ] || { echo "gofmt: $$bad" >&2; exit 1; }
	go vet ./...
	go vet -tags emulator,live ./source/bigquery
	./bin/golangci-lint run ./...

generate: ## the files that are made from code
	go generate ./...

check: lint ## lint, and that everything committed is what it should be
	go build ./...
	go mod verify
	go mod tidy -diff
	go -C build/tools/golangci mod tidy -diff
	go -C build/tools/release mod tidy -diff
	go -C build/tools/goreleaser mod tidy -diff
	go -C build/tools/objectstore mod tidy -diff
	go -C build/tools/gotestsum mod tidy -diff
	go -C build/tools/esbuild mod tidy -diff
	./.ci/unchanged make --no-print-directory generate
	go run ./build/tools/backrefs -check ./...
	./.ci/size --lines

size: ## lines of product, packages, binary and start, beside the figure that was committed
	./.ci/size

sync-campaign: ## a sync of 2 GB that is killed five times and goes on, and 1,000 small ones
	DA_SYNC_KILLS=1000 go test -count=1 -timeout 30m -run 'TestSyncsGoOnAfterKillsAtRandom' ./analyst/synced
	DA_SYNC_CAMPAIGN_MB=2000 go test -count=1 -timeout 30m -v -run 'TestASyncThatIsKilledGoesOn' ./cli

masks: ## 1,100 random requests by all doors to each of two worlds that differ only below masks
	MASK_CAMPAIGN=1100 go test -count=1 -timeout 30m -v -run 'TestMasksHide' ./server/http

lake-campaign: ## 10,000 random predicates between the bounds of their estimates; every messy file by both doors; every question about tables of others in every way to them
	DA_LAKE_CAMPAIGN=1 go test -count=1 -timeout 60m -run 'TestBoundsHold|TestBothDoors|TestAnswers' ./source/lake ./source/iceberg ./source/delta ./analyst

agent-campaign: ## 1,000 random conversations, valid, hostile and endless: limits, budget, log and files; and 100 at once
	DA_CONVERSATIONS=1000 go test -count=1 -timeout 30m -v -run 'TestRandomConversations' ./agent
	DA_CONVERSATIONS=1000 go test -count=1 -v -run 'TestAskManyAtOnce' ./cli

BENCH ?=
bench-engines: build ## da serve before Sail and ClickHouse, beside their own clients; PYTHON has pyspark-client 4.1.1, pandas 2.3 and pyarrow
	$(or $(PYTHON),python3) internal/bench/engines/measure.py bin/da .cache/readers/bin/python3 $(or $(PYTHON),python3)

bench: build ## speed and memory beside DuckDB's own; local tables, files and PostgreSQL beside the tools at hand; BENCH="-old DA -cores 1,2"
	go run ./internal/bench $(BENCH)
	go run ./internal/bench/table
	go run ./internal/bench/postgres
	go run ./internal/bench/files
	go test -run '^$$' -bench CachedCatalog ./cli
	DA_SPARK=1 go test -run '^$$' -bench FirstRow -benchtime 31x ./cli
	go test -run '^$$' -bench 'Messages|Batches' -benchtime 10x -count 3 ./source/bigquery

scale: build ## what requests take of a server with 100,000 tables, the state's changes a second, and days of 10,000 users simulated: docs/scaling.md
	go test -run '^$$' -bench Pairs -benchtime 3s ./server/state
	go test -run '^$$' -bench SearchOfThePage -benchtime 20x ./server/core
	go run ./internal/bench/scale

package: ## dist/da_VERSION_ARCH.deb for this machine
	./build/packaging/build

package-test: package ## install that package, use it, remove it
	./build/packaging/try

release-check: ## check .goreleaser.yaml, and make a release for this machine that nobody gets
	./build/packaging/release-check

container-check: build ## check the image, the compose file, the chart and the alerts with the tools that read them
	./build/container/check

sessions: ## 40 sessions with dead ends in them, and the scripts of their answers
	DA_SESSIONS=40 go test -count=1 -timeout 60m -parallel 3 -run TestSessionsReproduce -v ./cli

grants: ## random grants and requests, before a plain filter over the data
	DA_GRANT_ROUNDS=200 go test -count=1 -timeout 60m -run TestGrantsAgainstAPlainFilter ./server/http

long: package-test release-check container-check snowflake spark grants load oracle cover emulator caveats headers statements reuse lies sync-campaign masks lake-campaign agent-campaign sessions trino metricflow fuzz bench scale ## what takes too long for every change: some hours

trino: ## the source trino on a real server, and its conversations recorded anew; takes Maven and a JDK of 24 or newer
	internal/testing/trinotest/serve.sh go test -count=1 -timeout 30m -run 'OnTrino$$|TestTrino$$|TestSourceScripts/(iceberg.)?trino$$' ./source/trino ./source/lent ./cli

metricflow: .cache/metricflow ## the questions of metric/testdata before MetricFlow itself: it compiles what is kept, and the figures are the same
	.cache/metricflow/bin/python metric/testdata/questions.py
	go test -count=1 ./metric

.cache/metricflow:
	python3 -m venv $@
	$@/bin/pip install -q dbt-core==1.12.6 dbt-duckdb==1.11.1 dbt-metricflow==0.15.0 || { rm -r $@; exit 1; }

demo-data: ## the data of da demo, from the folder FROM with the files of vega-datasets
	go run ./cli/demo/gen "$(FROM)" cli/demo/data

tools-npm: ## the older DuckDB and the MCP inspector, for the tests that stand on them; what the page is made with
	npm install --silent --no-audit --no-fund --no-save --prefix .cache/npm $(NPM_DUCKDB) $(NPM_INSPECTOR)
	npm ci --silent --no-audit --no-fund --ignore-scripts --prefix web

OFFICE ?= .cache/documents
office-campaign: ## every operation on the office files of the folder OFFICE, which other programs made; with PYTHON's openpyxl, python-docx and python-pptx
	rm -rf .cache/office && go run ./internal/bench/office $(OFFICE) .cache/office
	$(or $(PYTHON),python3) internal/bench/office/check.py $(OFFICE) .cache/office --draw 20

documents: ## documents that other programs made, for the tests that read them
	npm install --silent --no-audit --no-fund --no-save --ignore-scripts --prefix .cache/documents $(NPM_DOCUMENTS)
	node build/tools/documents/make.js .cache/documents

# Programs that only tests and checks run have modules of their own, so that
# their dependencies stay out of ours.
bin/versitygw: build/tools/objectstore/go.mod build/tools/objectstore/go.sum ## the S3 server of the tests of lakes in buckets
	go build -C build/tools/objectstore -o ../../../bin/ github.com/versity/versitygw/cmd/versitygw

bin/gotestsum: build/tools/gotestsum/go.mod build/tools/gotestsum/go.sum
	go build -C build/tools/gotestsum -o ../../../bin/ gotest.tools/gotestsum

bin/golangci-lint: build/tools/golangci/go.mod build/tools/golangci/go.sum
	go build -C build/tools/golangci -o ../../../bin/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
