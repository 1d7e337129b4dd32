package registry

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// instance reads an instance file in a folder that holds a lake.
func instance(t *testing.T, sources string) (*config.Instance, error) {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"data", "more"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"data/a.csv": "v\n1\n", "user.json": `{"type": "authorized_user", "refresh_token": "the-secret"}`,
		"empty.json": `{"type": "service_account", "client_email": "a@b.example", "private_key": "the-secret"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.ParseInstance(filepath.Join(dir, "instance.yaml"), []byte(sources), Types())
}

// TestTheOldNameOfMariaDB: instance files that were written for it are still read.
func TestTheOldNameOfMariaDB(t *testing.T) {
	inst, err := instance(t, "sources:\n  shop: { type: mysql, dsn: 'reader@tcp(127.0.0.1:1)/shop' }\ntables:\n  - { id: a, source: shop, relation: a }\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := inst.Sources[0].Type; got != api.SourceMariaDB {
		t.Errorf("the type is %q", got)
	}
}

func TestOpen(t *testing.T) {
	inst, err := instance(t, `
sources:
  files: { type: lake, root: ./data, memory_limit: 200MB, max_temp_size: 1GB }
  more: { type: lake, root: ./more }
tables:
  - { id: a, source: files, path: a.csv }
`)
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	sources, err := Open(inst, With{TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) != 2 {
		t.Errorf("%d sources", len(sources))
	}
	schema, err := sources["files"].Schema(t.Context(), source.Relation{Name: inst.Tables[0].Relation})
	if err != nil || len(schema.Columns) != 1 {
		t.Errorf("schema %+v, %v", schema, err)
	}
	for _, s := range sources {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the scratch folder: %v, %v", left, err)
	}
}

// TestOpenAllOrNone takes the root of the second source away.
func TestOpenAllOrNone(t *testing.T) {
	inst, err := instance(t, "sources: { a: { type: lake, root: data }, b: { type: lake, root: more } }")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(inst.Sources[1].Text["root"]); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	if sources, err := Open(inst, With{TempDir: temp}); sources != nil || !api.CodeConfig.Is(err) {
		t.Errorf("%v, %v", sources, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the scratch folder: %v, %v", left, err)
	}
}

// TestMissingSecret: with Partial, a source whose secret is missing opens, and
// every request to it says which variable to set; without, nothing opens.
func TestMissingSecret(t *testing.T) {
	inst, err := instance(t, "sources: { a: { type: lake, root: data }, b: { type: postgres, dsn_env: NO_SUCH_DSN } }")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(inst, With{TempDir: t.TempDir()}); !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), "NO_SUCH_DSN") {
		t.Error(err)
	}
	sources, err := Open(inst, With{TempDir: t.TempDir(), Partial: true})
	if err != nil || len(sources) != 2 {
		t.Fatal(sources, err)
	}
	for _, s := range sources {
		defer s.Close()
	}
	b := sources["b"]
	if b.Dialect() != predicate.Postgres {
		t.Error(b.Dialect())
	}
	_, version := b.Version(t.Context(), source.Relation{})
	_, schema := b.Schema(t.Context(), source.Relation{})
	_, sample := b.Sample(t.Context(), source.Relation{}, 1)
	_, estimate := b.Estimate(t.Context(), source.Scan{})
	_, scan := b.Scan(t.Context(), source.Scan{})
	_, query := b.(source.Querier).Query(t.Context(), "", nil)
	for _, err := range []error{version, schema, sample, estimate, scan, query, b.(source.Prober).Probe(t.Context())} {
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != api.KindBadCredentials || !strings.Contains(e.Hint, "export NO_SUCH_DSN='host=") {
			t.Errorf("%#v", err)
		}
	}
}

// TestEveryTypeIsListed holds that a type of the contract is known.
func TestEveryTypeIsListed(t *testing.T) {
	for _, typ := range []api.SourceType{api.SourceLake, api.SourcePostgres, api.SourceBigQuery, api.SourceFlight, api.SourceMariaDB, api.SourceDelta, api.SourceIceberg, api.SourceDuckDB, api.SourceSQLite, api.SourceClickHouse, api.SourceTrino, api.SourceSpark, api.SourceDatabricks} {
		known := false
		for _, k := range Types() {
			if k.Type != typ {
				continue
			}
			known = true
			if k.TableKey != "path" && k.TableKey != "relation" {
				t.Errorf("%s: tables are named by %q", typ, k.TableKey)
			}
		}
		if !known {
			t.Errorf("%s is not listed", typ)
		}
	}
}

// TestOpenSaysWhere holds that a source which cannot be opened is named by its
// place, and its secret by nobody.
func TestOpenSaysWhere(t *testing.T) {
	t.Setenv("BAD_DSN", "postgres://u:"+"the-secret"+"@h:port/x")
	for _, keys := range []string{"dsn_env: BAD_DSN", "dsn_env: NOT_THERE_DSN", "dsn: 'host=x port=none password=the-secret'"} {
		inst, err := instance(t, "sources: { crm: { type: postgres, "+keys+" } }")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(inst, With{TempDir: t.TempDir()})
		if !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), "instance.yaml:1:") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", keys, err)
		}
	}
}

// TestKeyFilesAreLookedAt holds that the key file of a service account is looked
// at when the instance is read or opened, and is named by its field, as it stands
// there, and its place.
func TestKeyFilesAreLookedAt(t *testing.T) {
	for keys, says := range map[string]string{
		"type: lake, cache_dir: cache, bucket: 'gs://b/p', credentials_file: none.json":                    "credentials_file: there is no file none.json;",
		"type: lake, cache_dir: cache, bucket: 'gs://b/p', credentials_file: data/a.csv":                   "is not a service account's key",
		"type: lake, cache_dir: cache, bucket: 's3://b/p', credentials_file: data/a.csv":                   "credentials_file is for",
		"type: lake, cache_dir: cache, bucket: 'gs://b/p', credentials_file: data/a.csv, access_key: GOOG": "not both",
		"type: bigquery, project: p, credentials_file: ./none.json":                                        "credentials_file: there is no file ./none.json;",
		"type: bigquery, project: p, credentials_file: data":                                               "credentials_file: there is no file data;",
		"type: bigquery, project: p, credentials_file: data/a.csv":                                         "credentials_file: data/a.csv is not a service account's key",
		"type: bigquery, project: p, credentials_file: user.json":                                          `credentials_file: user.json is not a service account's key: the JSON file that 'gcloud iam service-accounts keys create' writes: its type is "authorized_user"`,
		"type: bigquery, project: p, credentials_file: empty.json":                                         "credentials_file: empty.json holds no private key",
		"type: spark, uri: 'sc://x:15002/;token=the-secret'":                                               "the token of a Spark source does not belong in its uri",
		"type: spark, uri: 'sc://x:15002', token: the-secret":                                              "a Spark source with a token needs TLS",
		"type: spark, uri: 'spark://x:15002'":                                                              "the uri of a Spark source is not valid",
		"type: flightsql, uri: 'grpc+tls://x:1', ca_file: none.pem":                                        "ca_file: there is no file none.pem;",
	} {
		inst, err := instance(t, "sources: { x: { "+keys+" } }")
		if err == nil {
			_, err = Open(inst, With{TempDir: t.TempDir()})
		}
		if !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), "instance.yaml:1:") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "the-secret") {
			t.Errorf("%s: %v", keys, err)
		}
	}
}
