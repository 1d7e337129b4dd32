package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// fixtureInstance declares the tables that scripts use.
const fixtureInstance = `
model: ./model
api:
  scan: { max_limit: 5000, max_result_bytes: 100000000 }
sources:
  files: { type: lake, root: ./data }
tables:
  - id: flights
    source: files
    path: flights/**/*.parquet
    description: Flights of three months
    public: true
  - { id: airports, source: files, path: airports.csv, description: Airports by IATA code }
  - { id: events, source: files, path: events.jsonl }
  - { id: types, source: files, path: types.parquet }
  - { id: empty, source: files, path: empty.parquet }
  - { id: many, source: files, path: many.parquet, description: More rows than a scan may return }
  - { id: noise, source: files, path: noise.parquet, description: What does not compress }
`

const fixtureAirports = `iata,name,city,latitude
SEA,Seattle-Tacoma Intl,Seattle,47.44898194
SFO,San Francisco International,San Francisco,37.61900194
JFK,"John F Kennedy Intl, NY",New York,40.63975111
`

const fixtureEvents = `{"id": 1, "at": "2026-01-01T10:00:00", "tags": ["a", "b"], "who": {"name": "Zoë", "age": 41}}
{"id": 2, "at": "2026-01-02T10:00:00", "tags": [], "who": null}
`

// fixtureTypes has an extreme, an everyday value and a NULL of every type that
// a parquet file can hold.
const fixtureTypes = `
SELECT * FROM (VALUES
  (1, true, 127::TINYINT, 32767::SMALLINT, 2147483647, 9223372036854775807, 255::UTINYINT, 65535::USMALLINT, 4294967295::UINTEGER,
   18446744073709551615::UBIGINT, 1.5::FLOAT, 'nan'::DOUBLE, 1234567890123456.78::DECIMAL(18,2),
   12345678901234567890123456789012345678::DECIMAL(38,0), -1.5::DECIMAL(4,1), 'text, "quoted"' || chr(10) || 'ř', '\xAA\x00'::BLOB,
   DATE '0044-03-15', TIME '23:59:59.999999', TIMESTAMP '2262-04-12 00:00:00.000001', TIMESTAMP_NS '2026-01-01 00:00:00.123456789',
   TIMESTAMPTZ '2026-01-01 00:00:00+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID, '{"a": [1]}'::JSON,
   INTERVAL '1 month 2 days 3 seconds', [1, NULL, 3], {'x': 1, 'y': 'z'}, MAP {'k': 1, 'l': NULL}, [{'a': [DATE '2026-01-01']}, NULL]),
  (2, false, -128, -32768, -2147483648, (-9223372036854775808)::BIGINT, 0, 0, 0, 0, '-inf', 'inf', -1234567890123456.78,
   -12345678901234567890123456789012345678, 0, '', '', DATE '1582-10-15', TIME '00:00:00', TIMESTAMP '1677-09-21 00:00:00', TIMESTAMP_NS '1970-01-01',
   TIMESTAMPTZ '1969-12-31 23:59:59.999999+00', '00000000-0000-0000-0000-000000000000', 'null', INTERVAL '0 days', [], {'x': NULL, 'y': ''}, MAP {}, []),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, NULL, NULL)
) t(id, flag, tiny, small, normal, big, utiny, usmall, unormal, ubig, real, dbl, money, wide, cents, txt, bin, day, clock, stamp, nanos, instant,
    uid, doc, gap, list, rec, dict, deep)`

// writeFixture writes the data and the instance file of the scripts.
func writeFixture(dir string) error {
	files, err := fixture()
	for path, data := range files {
		file := filepath.Join(dir, path)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o600))
	}
	return err
}

// fixture is what writeFixture writes, by path. The engine makes it once for all
// tests.
var fixture = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "da-fixture-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := makeFixture(dir); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	return files, filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		files[path], err = os.ReadFile(file)
		return err
	})
})

func makeFixture(dir string) error {
	data := filepath.Join(dir, "data")
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		return err
	}
	defer conn.Close()
	copyTo := func(sql, file string) error {
		file = filepath.Join(data, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return conn.Exec(context.Background(), fmt.Sprintf("COPY (%s) TO %s (FORMAT parquet)", sql, duckdb.Literal(file)))
	}
	for month := time.January; month <= time.March; month++ {
		sql := fmt.Sprintf(`SELECT DATE '2001-%02d-01' + (i %% 28)::INTEGER AS date, (i %% 90 - 20)::INTEGER AS delay,
			(200 + i %% 7 * 100)::INTEGER AS distance, ['SEA', 'SFO', 'JFK'][(i %% 3 + 1)::INTEGER] AS origin FROM range(200) t(i)`, month)
		if err := copyTo(sql, fmt.Sprintf("flights/month=%d/part.parquet", month)); err != nil {
			return err
		}
	}
	for file, sql := range map[string]string{
		"types.parquet": fixtureTypes,
		"empty.parquet": fixtureTypes + " WHERE false",
		"many.parquet":  "SELECT i AS n FROM range(6000) t(i)",
		"noise.parquet": "SELECT md5(i::VARCHAR) || md5((i + 9999)::VARCHAR) || md5((i * 7)::VARCHAR) || md5((-i)::VARCHAR) AS x FROM range(5000) t(i)",
	} {
		if err := copyTo(sql, file); err != nil {
			return err
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "model"), os.DirFS("demo/model")); err != nil {
		return err
	}
	for file, text := range map[string]string{
		"data/airports.csv": fixtureAirports, "data/events.jsonl": fixtureEvents, "instance.yaml": fixtureInstance,
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
