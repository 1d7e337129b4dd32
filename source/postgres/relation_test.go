package postgres

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/source"
)

func scanAll(t *testing.T, src *Postgres, name string, columns ...string) (string, error) {
	t.Helper()
	return enginetest.Text(src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: name}, Select: columns}))
}

// TestRelations reads every kind of relation, under names as SQL writes them.
func TestRelations(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	csv := filepath.Join(d.Cluster.Dir, "t.csv")
	if err := os.WriteFile(csv, []byte("1,one\n2,two\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.exec(t, fmt.Sprintf(`CREATE TABLE plain (id int PRIMARY KEY, name text); INSERT INTO plain VALUES (1, 'one'), (2, 'two');
		COMMENT ON TABLE plain IS 'what it is'; COMMENT ON COLUMN plain.name IS 'its name'; CLUSTER plain USING plain_pkey;
		CREATE VIEW seen AS SELECT id, name FROM plain; COMMENT ON VIEW seen IS 'a view'; CREATE MATERIALIZED VIEW kept AS SELECT * FROM plain;
		CREATE TABLE parts (id int, name text) PARTITION BY RANGE (id, lower(name)); CREATE TABLE p1 PARTITION OF parts DEFAULT; INSERT INTO parts SELECT * FROM plain;
		CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; CREATE FOREIGN TABLE far (id int, name text) SERVER files OPTIONS (filename '%s', format 'csv');
		CREATE SCHEMA "S.x"; CREATE TABLE "S.x"."T ""q""" AS SELECT * FROM plain; CREATE INDEX an_index ON plain (name); CREATE SEQUENCE a_sequence; CREATE TYPE a_type AS (id int);
		`, csv))
	d.exec(t, "ANALYZE plain, parts, kept")
	d.exec(t, `CREATE TABLE "S.x".pair (a int, b int, PRIMARY KEY (a, b)); CREATE TABLE leads (p int REFERENCES plain, a int, b int, FOREIGN KEY (b, a) REFERENCES "S.x".pair)`)
	keyed := source.Relation{Name: "leads", Columns: []string{"p", "a"}}
	if s, err := d.source.Schema(t.Context(), keyed); err != nil || fmt.Sprint(s.ForeignKeys) != "[{[public.plain plain] [{p id}]}]" {
		t.Errorf("%+v, %v", s, err)
	}
	keyed.Columns = []string{"a", "b"}
	if s, err := d.source.Schema(t.Context(), keyed); err != nil || fmt.Sprint(s.ForeignKeys) != "[{[S.x.pair] [{b a} {a b}]}]" {
		t.Errorf("%+v, %v", s, err)
	}
	keyed.Columns = []string{"a"}
	if s, err := d.source.Schema(t.Context(), keyed); err != nil || len(s.ForeignKeys) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, name := range []string{"plain", "PLAIN", "public.plain", `"public"."plain"`, "seen", "kept", "parts", "far", `"S.x"."T ""q"""`} {
		if got, err := scanAll(t, d.source, name, "id", "name"); got != "1|one\n2|two" {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		s, err := d.source.Schema(t.Context(), source.Relation{Name: name})
		if err != nil || len(s.Columns) != 2 || s.RowCount != nil {
			t.Errorf("%s: %+v, %v", name, s, err)
			continue
		}
		if stored := name != "seen" && name != "far"; stored != (s.SizeBytes != nil && *s.SizeBytes > 0) {
			t.Errorf("%s: size %v", name, s.SizeBytes)
		}
		e, err := d.source.Estimate(t.Context(), source.Scan{Relation: source.Relation{Name: name}, Select: []string{"id"}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sampled := name != "far" && !strings.HasPrefix(name, `"S`)
		if sampled != (e.ResultRows != nil && *e.ResultRows == 2) || *e.BilledBytes != 0 {
			t.Errorf("%s: estimate %+v", name, e)
		}
	}
	s, err := d.source.Schema(t.Context(), source.Relation{Name: "plain"})
	if err != nil || s.Description != "what it is" || s.Columns[1].Description != "its name" || s.Columns[0].Nullable || strings.Join(s.ClusteredBy, ",") != "id" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := d.source.Schema(t.Context(), source.Relation{Name: "parts"}); err != nil || strings.Join(s.PartitionBy, ",") != "id" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, name := range []string{"nothing", "an_index", "a_sequence", "a_type", "", " ", "a b", "plain; DROP TABLE plain", "'plain'", "plain--", "a.b.c.d", `"unfinished`, "16384", "x\x00y", "Plain ", `"PLAIN"`} {
		_, err := d.source.Schema(t.Context(), source.Relation{Name: name})
		if name == "Plain " { // as SQL reads it
			if err != nil {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if !api.CodeSource.Is(err) || err.(*api.Error).Kind != api.KindNoRelation {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestPermission holds that what the database refuses is said to be its doing.
func TestPermission(t *testing.T) {
	d := newDatabase(t)
	d.source.Close()
	d.exec(t, `CREATE TABLE secret (id int); DROP ROLE IF EXISTS poor; CREATE ROLE poor LOGIN`)
	src := d.open(t, "user=poor")
	defer src.Close()
	_, err := scanAll(t, src, "secret", "id")
	if !api.CodeSource.Is(err) || err.(*api.Error).Kind != api.KindPermissionDenied || !strings.Contains(err.(*api.Error).Hint, "GRANT SELECT") {
		t.Errorf("%v", err)
	}
}

// TestPoolIsBounded holds that more requests than connections wait, and are
// told so when their time is over.
func TestPoolIsBounded(t *testing.T) {
	d := newDatabase(t)
	d.source.Close()
	src := d.open(t, "pool_max_conns=1")
	defer src.Close()
	d.exec(t, "CREATE TABLE t AS SELECT i AS id, repeat('x', 1000) AS pad FROM generate_series(1, 100000) AS i")
	first, err := src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"id", "pad"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := src.Schema(ctx, source.Relation{Name: "t"}); !api.CodeTimeout.Is(err) {
		t.Errorf("a request beside one that has the only connection: %v", err)
	}
	first.Release()
	if _, err := src.Schema(t.Context(), source.Relation{Name: "t"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestOpen(t *testing.T) {
	const secret = "the-secret"
	for _, dsn := range []string{"postgres://%zz", "host=x port=none", "host=x sslmode=whatever", "host=x pool_max_conns=many", "postgres://u:" + secret + "@h:port/x", "postgres://u:" + secret + "@h/x?sslmode=none&x="} {
		_, err := Open(Options{DSN: dsn + " password=" + secret})
		if !api.CodeConfig.Is(err) {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		for ; err != nil; err = errors.Unwrap(err) {
			if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "secret") {
				t.Errorf("%s: %s", dsn, text)
			}
		}
	}
}

// certificate makes one that signs itself, for a name.
func certificate(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.ParseIP(name)}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC " + "PRIVATE KEY", Bytes: raw})
}

// TestTLS holds that a DSN's settings are kept: who wants a verified server
// talks to no other.
func TestTLS(t *testing.T) {
	cert, key := certificate(t, "127.0.0.1")
	cluster := pgtest.New(t, pgtest.Options{TCP: true, Files: map[string][]byte{"server.crt": cert, "server.key": key},
		Settings: []string{"ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key"}})
	dir := t.TempDir()
	other, _ := certificate(t, "127.0.0.1")
	for name, data := range map[string][]byte{"right.crt": cert, "wrong.crt": other} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base := fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=postgres ", cluster.Port, pgtest.User)
	for dsn, works := range map[string]bool{
		"sslmode=verify-full sslrootcert=" + dir + "/right.crt":                true,
		"sslmode=verify-full sslrootcert=" + dir + "/wrong.crt":                false,
		"sslmode=verify-full host=localhost sslrootcert=" + dir + "/right.crt": false,
		"sslmode=require": true,
		"sslmode=disable": true,
	} {
		src, err := Open(Options{DSN: base + dsn})
		if err != nil {
			t.Fatal(err)
		}
		_, err = src.Schema(t.Context(), source.Relation{Name: "pg_catalog.pg_stat_ssl"})
		if works != (err == nil) || err != nil && !api.CodeSource.Is(err) {
			t.Errorf("%s: %v", dsn, err)
		}
		if works {
			got, err := scanAll(t, src, "pg_catalog.pg_stat_ssl", "ssl")
			if want := fmt.Sprint(!strings.Contains(dsn, "disable")); !strings.Contains(got, want) {
				t.Errorf("%s: ssl is %s, %v", dsn, got, err)
			}
		}
		src.Close()
	}
}
