#!/usr/bin/env bash
# Starts a Trino of its own, from Maven, and runs a command with its address in DA_TRINO:
# serve.sh COMMAND…. DA_TRINO_TABLES is the folder of its Iceberg tables. It takes mvn,
# and in JAVA_HOME a JDK of 24 or newer.
set -euo pipefail
version=476
root=$(cd "$(dirname "$0")/../../.." && pwd)
at="$root/.cache/trino"
java_home=${JAVA_HOME:-$(compgen -G '/usr/lib/jvm/*-25-*' | head -1 || true)}
[ -x "$java_home/bin/java" ] || { echo "serve.sh: set JAVA_HOME to a JDK of 24 or newer" >&2; exit 1; }
if [ ! -d "$at/trino-server-$version/plugin/iceberg" ]; then
	mvn -q dependency:get -Dartifact=io.trino:trino-server:$version:tar.gz -Dtransitive=false
	mkdir -p "$at"
	packed=${HOME}/.m2/repository/io/trino/trino-server/$version/trino-server-$version.tar.gz
	tar xzf "$packed" -C "$at" --exclude='*/plugin/*'
	# Files of the plugin iceberg are links to those of others.
	tar xzf "$packed" -C "$at" "trino-server-$version"/plugin/{tpch,memory,bigquery,cassandra,clickhouse,delta-lake,hudi,iceberg}
	rm -r "$at/trino-server-$version"/plugin/{bigquery,cassandra,clickhouse,delta-lake,hudi}
fi
dir=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir -p "$dir/etc/catalog"
echo "connector.name=tpch" >"$dir/etc/catalog/tpch.properties"
printf 'connector.name=memory\nmemory.max-data-per-node=400MB\n' >"$dir/etc/catalog/memory.properties"
printf 'connector.name=iceberg\niceberg.catalog.type=TESTING_FILE_METASTORE\nhive.metastore.catalog.dir=file://%s/ice\nfs.hadoop.enabled=true\niceberg.unique-table-location=false\niceberg.register-table-procedure.enabled=true\n' "$dir" >"$dir/etc/catalog/ice.properties"
printf 'node.environment=test\nnode.id=one\nnode.data-dir=%s/data\n' "$dir" >"$dir/etc/node.properties"
printf -- '-server\n-Xmx1500M\n-XX:+ExitOnOutOfMemoryError\n-XX:ReservedCodeCacheSize=256M\n-Djdk.attach.allowAttachSelf=true\n-Dfile.encoding=UTF-8\n--enable-native-access=ALL-UNNAMED\n' >"$dir/etc/jvm.config"
printf 'coordinator=true\nnode-scheduler.include-coordinator=true\nhttp-server.http.port=%s\ndiscovery.uri=http://127.0.0.1:%s\nquery.max-memory=500MB\nquery.max-memory-per-node=500MB\n' "$port" "$port" >"$dir/etc/config.properties"
JAVA_HOME="$java_home" PATH="$java_home/bin:$PATH" "$at/trino-server-$version/bin/launcher" run --etc-dir "$dir/etc" >"$dir/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$dir"' EXIT
until curl -sf -m 2 "http://127.0.0.1:$port/v1/info" | grep -q '"starting":false'; do
	kill -0 $server 2>/dev/null || { tail -20 "$dir/log" >&2; exit 1; }
	sleep 0.5
done
DA_TRINO="127.0.0.1:$port" DA_TRINO_TABLES="$dir/ice" "$@"
