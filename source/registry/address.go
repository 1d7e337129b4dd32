package registry

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/lake"
)

// Address is where a source is, as people write it.
type Address struct {
	Text     string // postgres://reader@host/shop, spark://host, s3://bucket/prefix, a folder, a file
	Name     string // of the source
	Type     string // of a folder or bucket; empty: it is looked at, or a lake
	Root     string // of the files of a catalog: a folder, or a bucket
	TokenEnv string // the variable that has the token, for sources with one
	Dir      string // of the instance file
}

// Addressed are the keys of a source in an instance file.
type Addressed struct {
	Keys []config.Pair
	// Env is the variable that must have Secret, which Shown shows without what is secret
	// in it; empty: nothing is.
	Env, Secret, Shown string
	// Table is the table whose own folder the address is: the source begins above it.
	Table string
}

// schemes say how the addresses with a scheme are read.
var schemes = map[string]func(Address, *url.URL) (Addressed, error){
	"spark": sparkAddress, "sc": sparkAddress, "databricks": databricksAddress, "databricks+http": databricksAddress,
	"postgres": dsnAddress(api.SourcePostgres), "postgresql": dsnAddress(api.SourcePostgres),
	"mysql": mariaAddress, "mariadb": mariaAddress,
	"clickhouse": overHTTPAddress(api.SourceClickHouse, "8123"), "clickhouse+http": overHTTPAddress(api.SourceClickHouse, ""),
	"trino": overHTTPAddress(api.SourceTrino, "8080"), "trino+http": overHTTPAddress(api.SourceTrino, ""),
	"iceberg+https": catalogAddress, "iceberg+http": catalogAddress, "iceberg+rest+https": catalogAddress, "iceberg+rest+http": catalogAddress,
	"iceberg+postgres": catalogDSN, "iceberg+postgresql": catalogDSN,
	"grpc": flightAddress, "grpc+tls": flightAddress,
	"bigquery": bigQueryAddress, "snowflake": snowflakeAddress, "s3": bucketAddress, "gs": bucketAddress,
}

// Keys reads an address.
func (a Address) Keys(ctx context.Context) (Addressed, error) {
	scheme, rest, ok := strings.Cut(a.Text, "://")
	if login := driverForm().FindStringSubmatch(a.Text); login != nil {
		return a.secretly(api.SourceMariaDB, "dsn", a.Text, login[1]+"xxxxx"+login[2], "_DSN"), nil
	}
	if !ok {
		return a.file(ctx, a.Text)
	}
	switch scheme {
	case "file":
		return a.file(ctx, rest)
	case "iceberg+sqlite":
		return a.catalogued("catalog_file", a.below(rest))
	}
	read := schemes[strings.ToLower(scheme)]
	if read == nil {
		return Addressed{}, badAddress(fmt.Sprintf("no source has addresses that begin with %s://", api.Clip(scheme, 30)))
	}
	u, err := url.Parse(a.Text)
	if err != nil || u.Host == "" {
		return Addressed{}, badAddress("the address is not a URL with a host") // which may hold a password
	}
	return read(a, u)
}

// driverForm matches user:password@tcp(host:port)/database, as the dsn of MariaDB is written.
var driverForm = lazyregexp.New(`^([^:/@]*:).*(@(?:tcp|unix)\(.*)$`)

func badAddress(message string) error {
	return &api.Error{Code: api.CodeUsage, Message: message,
		Hint: "Addresses are spark://host:15002, databricks://host?warehouse_id=ID (or cluster_id=ID), postgres://user@host/db, mariadb://user@host/db, clickhouse://user@host:8443/db, trino://user@host:443/catalog/schema, iceberg+https://catalog/ (or iceberg+sqlite:///file, iceberg+postgres://user@host/db), grpc+tls://host:31337, bigquery://project, snowflake://user@account/db/schema, s3://bucket/prefix, a folder, or a file of DuckDB or SQLite."}
}

func (a Address) of(typ api.SourceType, pairs ...string) Addressed {
	out := Addressed{Keys: []config.Pair{{Key: "type", Value: string(typ)}}}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out.Keys = append(out.Keys, config.Pair{Key: pairs[i], Value: pairs[i+1]})
		}
	}
	return out
}

// secretly names a variable in place of a value that is secret.
func (a Address) secretly(typ api.SourceType, key, value, shown, end string, more ...string) Addressed {
	env := strings.ToUpper(a.Name) + end
	out := a.of(typ, append(append([]string{}, more...), key+"_env", env)...)
	out.Env, out.Secret, out.Shown = env, value, shown
	return out
}

// dsn writes a DSN into the file only if nothing in it is secret. as writes a URL in the
// form of the source.
func (a Address) dsn(typ api.SourceType, u *url.URL, as func(*url.URL) string) Addressed {
	shown, q := *u, u.Query()
	for key := range q {
		if secretKey().MatchString(key) {
			q.Set(key, "xxxxx")
		}
	}
	if _, is := u.User.Password(); is {
		shown.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	if q.Encode() != u.Query().Encode() {
		shown.RawQuery = q.Encode()
	}
	if shown.String() != u.String() {
		return a.secretly(typ, "dsn", as(u), as(&shown), "_DSN", "token_env", a.TokenEnv)
	}
	return a.of(typ, "dsn", as(u), "token_env", a.TokenEnv)
}

var secretKey = lazyregexp.New(`(?i)pass|secret|token|key`)

func dsnAddress(typ api.SourceType) func(Address, *url.URL) (Addressed, error) {
	return func(a Address, u *url.URL) (Addressed, error) { return a.dsn(typ, u, (*url.URL).String), nil }
}

func mariaAddress(a Address, u *url.URL) (Addressed, error) {
	return a.dsn(api.SourceMariaDB, u, maria), nil
}

// maria writes user:password@tcp(host:port)/database.
func maria(u *url.URL) string {
	dsn := fmt.Sprintf("tcp(%s)%s", withPort(u, "3306"), cmp.Or(u.Path, "/"))
	if u.User != nil {
		login := u.User.Username()
		if password, ok := u.User.Password(); ok {
			login += ":" + password
		}
		dsn = login + "@" + dsn
	}
	if u.RawQuery != "" {
		dsn += "?" + u.RawQuery
	}
	return dsn
}

func withPort(u *url.URL, port string) string {
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
}

// overHTTPAddress writes an address of HTTP: without TLS if the scheme says so, or the
// port is the one that servers have without it.
func overHTTPAddress(typ api.SourceType, plain string) func(Address, *url.URL) (Addressed, error) {
	return func(a Address, u *url.URL) (Addressed, error) {
		to := *u
		if to.Scheme = "https"; u.Port() == plain || plain == "" {
			to.Scheme = "http"
		}
		return a.dsn(typ, &to, (*url.URL).String), nil
	}
}

// sparkAddress keeps the parameters of Spark's own addresses, but for a token.
func sparkAddress(a Address, u *url.URL) (Addressed, error) {
	uri, token := "sc://"+withPort(u, "15002"), ""
	_, params, _ := strings.Cut(u.Path, ";")
	var kept []string
	for param := range strings.SplitSeq(params, ";") {
		if value, is := strings.CutPrefix(param, "token="); is {
			token = value
		} else if param != "" {
			kept = append(kept, param)
		}
	}
	if kept != nil {
		uri += "/;" + strings.Join(kept, ";")
	}
	if token != "" && a.TokenEnv == "" {
		return a.secretly(api.SourceSpark, "token", token, "xxxxx", "_TOKEN", "uri", uri), nil
	}
	return a.of(api.SourceSpark, "uri", uri, "token_env", a.TokenEnv), nil
}

// databricksAddress is that of a SQL warehouse of Databricks, or of a cluster, by Spark
// Connect.
func databricksAddress(a Address, u *url.URL) (Addressed, error) {
	q, token := u.Query(), cmp.Or(a.TokenEnv, "DATABRICKS_TOKEN")
	if u.User != nil {
		return Addressed{}, &api.Error{Code: api.CodeUsage, Message: "the address of Databricks has no user or token in it",
			Hint: "Name the variable of the environment that has the token."}
	}
	if id := q.Get("warehouse_id"); id != "" {
		scheme := map[bool]string{false: "https://", true: "http://"}[strings.HasSuffix(u.Scheme, "+http")]
		return a.of(api.SourceDatabricks, "uri", scheme+u.Host, "warehouse", id, "catalog", q.Get("catalog"), "schema", q.Get("schema"), "token_env", token), nil
	}
	cluster := q.Get("cluster_id")
	if cluster == "" {
		return Addressed{}, badAddress("the address of Databricks says which warehouse or cluster: databricks://host?warehouse_id=ID, or cluster_id=ID")
	}
	uri := fmt.Sprintf("sc://%s/;use_ssl=true;x-databricks-cluster-id=%s", withPort(u, "443"), cluster)
	return a.of(api.SourceSpark, "uri", uri, "token_env", token), nil
}

// flightAddress is that of an engine with Arrow Flight SQL.
func flightAddress(a Address, u *url.URL) (Addressed, error) {
	if u.User != nil {
		return Addressed{}, &api.Error{Code: api.CodeUsage, Message: "the address of Arrow Flight SQL has no user in it",
			Hint: "Name the variable of the environment that has its token, or write user and password_env into the instance file."}
	}
	return a.of(api.SourceFlight, "uri", u.Scheme+"://"+u.Host, "token_env", a.TokenEnv), nil
}

func bigQueryAddress(a Address, u *url.URL) (Addressed, error) {
	return a.of(api.SourceBigQuery, "project", u.Host, "dataset", strings.Trim(u.Path, "/")), nil
}

// snowflakeAddress is that of an account. Behind a question mark: role, warehouse and
// private_key_file, which a token replaces.
func snowflakeAddress(a Address, u *url.URL) (Addressed, error) {
	if _, password := u.User.Password(); password {
		return Addressed{}, badAddress("Snowflake is read with a private key or a token, and its address has no password")
	}
	database, schema, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	q, key := u.Query(), u.Query().Get("private_key_file")
	if key != "" {
		key = a.below(key)
	}
	return a.of(api.SourceSnowflake, "account", u.Host, "user", u.User.Username(), "database", database, "schema", schema,
		"role", q.Get("role"), "warehouse", q.Get("warehouse"), "private_key_file", key, "token_env", a.TokenEnv), nil
}

// catalogAddress is that of a REST catalog, whose files lie elsewhere.
func catalogAddress(a Address, u *url.URL) (Addressed, error) {
	to := *u
	to.Scheme = u.Scheme[strings.LastIndexByte(u.Scheme, '+')+1:]
	warehouse := to.Query().Get("warehouse")
	to.RawQuery = ""
	if to.User != nil {
		return Addressed{}, &api.Error{Code: api.CodeUsage, Message: "the address of a catalog has no user in it",
			Hint: "Name the variable of the environment that has its token."}
	}
	return a.catalogued("uri", to.String(), "warehouse", warehouse, "token_env", a.TokenEnv)
}

// catalogued adds where the files of a catalog lie.
func (a Address) catalogued(pairs ...string) (Addressed, error) {
	switch {
	case a.Root == "":
		return Addressed{}, &api.Error{Code: api.CodeUsage, Message: "a catalog names tables, and their files lie elsewhere",
			Hint: "Say in which folder, or below which prefix of a bucket, they lie: its root."}
	case strings.Contains(a.Root, "://"):
		return a.of(api.SourceIceberg, append(pairs, "bucket", a.Root, "cache_dir", "./cache")...), nil
	}
	return a.of(api.SourceIceberg, append(pairs, "root", a.below(a.Root))...), nil
}

// catalogDSN is that of a catalog which PostgreSQL keeps.
func catalogDSN(a Address, u *url.URL) (Addressed, error) {
	to := *u
	to.Scheme = "postgres"
	of := a.dsn(api.SourceIceberg, &to, (*url.URL).String)
	with, err := a.catalogued()
	for _, k := range of.Keys[1:] {
		k.Key = "catalog_" + k.Key
		with.Keys = append(with.Keys, k)
	}
	with.Env, with.Secret, with.Shown = of.Env, of.Secret, of.Shown
	return with, err
}

// bucketAddress has the store's own address and region behind a question mark.
func bucketAddress(a Address, u *url.URL) (Addressed, error) {
	q, at := u.Query(), u.Scheme+"://"+u.Host+u.Path
	return a.of(cmp.Or(api.SourceType(a.Type), api.SourceLake), "bucket", at, "endpoint", q.Get("endpoint"), "region", q.Get("region"),
		"cache_dir", "./cache"), nil
}

// file is the address of a file or folder of this machine.
func (a Address) file(ctx context.Context, name string) (Addressed, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Addressed{}, badAddress("the address is neither a URL nor a file or folder that is there") // it may hold a password
	}
	if info.IsDir() {
		typ := api.SourceType(a.Type)
		if typ == "" {
			if typ, err = kindOf(ctx, name); err != nil {
				return Addressed{}, err
			}
		}
		table := ""
		if inside := ownFolders[typ]; inside != "" {
			abs, err := filepath.Abs(name)
			if _, none := os.Stat(filepath.Join(abs, inside)); err == nil && none == nil {
				name, table = filepath.Dir(abs), filepath.Base(abs)
			}
		}
		keys := a.of(typ, "root", a.below(name))
		keys.Table = table
		return keys, nil
	}
	head := make([]byte, 16)
	f, err := os.Open(name)
	if err == nil {
		_, _ = f.Read(head) // a shorter file is of no such program
		_ = f.Close()
	}
	switch {
	case string(head) == "SQLite format 3\x00":
		return a.of(api.SourceSQLite, "file", a.below(name)), nil
	case string(head[8:12]) == "DUCK":
		return a.of(api.SourceDuckDB, "file", a.below(name)), nil
	}
	return Addressed{}, badAddress(fmt.Sprintf("%s is not a file of DuckDB or SQLite", api.Clip(name, 200)))
}

// ownFolders are what a table of a format has in its own folder.
var ownFolders = map[api.SourceType]string{api.SourceDelta: "_delta_log", api.SourceIceberg: "metadata"}

// kindOf is what a folder holds: the tables of one format, or files.
func kindOf(ctx context.Context, folder string) (api.SourceType, error) {
	found, _, err := lake.Discover(ctx, folder)
	if err != nil {
		return "", err
	}
	for _, typ := range []api.SourceType{api.SourceDelta, api.SourceIceberg} {
		if len(found) > 0 && !slices.ContainsFunc(found, func(f lake.Found) bool { return f.Type != typ }) {
			return typ, nil
		}
	}
	return api.SourceLake, nil
}

// below writes a path relative to the instance file's folder, if it lies there.
func (a Address) below(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(a.Dir, abs); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
		return "./" + filepath.ToSlash(rel)
	}
	return abs
}

// tryTime is how long a source is tried.
const tryTime = 20 * time.Second

// Reach tries one source of an instance, without the others.
func Reach(ctx context.Context, inst *config.Instance, s config.Source, secret string) error {
	w := With{shares: inst.Shares()}
	if secret != "" { // it is not in the environment yet
		text := map[string]string{}
		for key, value := range s.Text {
			if name, is := strings.CutSuffix(key, "_env"); is && (name == "dsn" || name == "token" || name == "catalog_dsn") {
				key, value = name, secret
			}
			text[key] = value
		}
		s.Text = text
	}
	src, err := openOne(s, w)
	if err != nil {
		return err
	}
	defer src.Close()
	return source.Try(ctx, tryTime, src.(source.Prober)) //nolint:forcetypeassert // each can be tried
}
