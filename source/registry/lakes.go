package registry

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/delta"
	"github.com/agnes-data/da/source/iceberg"
	"github.com/agnes-data/da/source/lent"
	"github.com/agnes-data/da/source/listed"
)

// icebergKeys are those of tables in a folder, with the catalog that names them.
func icebergKeys() []config.Key {
	return slices.Concat(lakeKeys(), engineKeys(), []config.Key{
		{Name: "uri", Kind: config.Text}, {Name: "warehouse", Kind: config.Text},
		{Name: "catalog_file", Kind: config.File}, {Name: "catalog_dsn", Kind: config.Text}, {Name: "catalog_dsn_env", Kind: config.Text},
		{Name: "token", Kind: config.Text}, {Name: "token_env", Kind: config.Text},
		{Name: "client_id", Kind: config.Text}, {Name: "client_secret", Kind: config.Text}, {Name: "client_secret_env", Kind: config.Text},
		{Name: "token_uri", Kind: config.Text}, {Name: "scopes", Kind: config.Text},
	})
}

// engineKeys are those of tables that another source's engine can read.
func engineKeys() []config.Key {
	return []config.Key{{Name: "engine", Kind: config.Text}, {Name: "engine_root", Kind: config.Text},
		{Name: "engine_catalog", Kind: config.Text}}
}

// lend has the tables of those sources that name an engine read by that.
func lend(inst *config.Instance, opened map[string]source.Source) error {
	for _, s := range inst.Sources {
		name := s.Text["engine"]
		if name == "" {
			if s.Text["engine_root"]+s.Text["engine_catalog"] != "" {
				return &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("%s: engine_root and engine_catalog are for a source with engine", s.At)}
			}
			continue
		}
		engine, ok := opened[name]
		if m, lacks := engine.(missing); lacks {
			if err := opened[s.Name].Close(); err != nil {
				return err
			}
			opened[s.Name] = m // each request says what the engine lacks
			continue
		}
		if !ok || name == s.Name {
			return &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("%s: there is no other source %q in the instance, which engine names",
				s.At, name)}
		}
		o := lent.Options{Engine: name, Root: cmp.Or(s.Text["engine_root"], s.Text["bucket"], "file://"+filepath.ToSlash(s.Text["root"])),
			Catalog: s.Text["engine_catalog"]}
		of, err := lent.Open(opened[s.Name], engine, o)
		if err != nil {
			return placed(s, err)
		}
		opened[s.Name] = of
	}
	return nil
}

// lakeKeys are those of files below a folder or in a bucket.
func lakeKeys() []config.Key {
	return []config.Key{
		{Name: "root", Kind: config.Dir}, {Name: "bucket", Kind: config.Text},
		{Name: "memory_limit", Kind: config.Size}, {Name: "max_temp_size", Kind: config.Size},
		{Name: "endpoint", Kind: config.Text}, {Name: "region", Kind: config.Text},
		{Name: "access_key", Kind: config.Text}, {Name: "access_key_env", Kind: config.Text},
		{Name: "secret_key", Kind: config.Text}, {Name: "secret_key_env", Kind: config.Text},
		{Name: "credentials_file", Kind: config.File},
		{Name: "cache_dir", Kind: config.Path}, {Name: "cache_size", Kind: config.Size},
	}
}

// fileKeys are those of a source that reads the tables of a file.
func fileKeys() []config.Key {
	return append([]config.Key{{Name: "file", Kind: config.File, Required: true}}, folderKeys()[1:]...)
}

// folderKeys are those of a source that reads tables in a folder.
func folderKeys() []config.Key {
	return []config.Key{
		{Name: "root", Kind: config.Dir, Required: true}, {Name: "memory_limit", Kind: config.Size}, {Name: "max_temp_size", Kind: config.Size},
	}
}

func folder(s config.Source, w With) listed.Options {
	o := listed.Options{Root: s.Text["root"], MemoryLimit: s.Size["memory_limit"], StatementMemory: s.Size["memory_limit"],
		MaxTempSize: s.Size["max_temp_size"], TempDir: w.TempDir}
	if o.MemoryLimit == 0 {
		o.MemoryLimit, o.StatementMemory = w.shares.Scan, w.shares.Statement
	}
	return o
}

func openDelta(s config.Source, w With) (source.Source, error) {
	o, err := tables(s, w)
	if err != nil {
		return nil, err
	}
	return delta.Open(o)
}

func openIceberg(s config.Source, w With) (source.Source, error) {
	o, err := tables(s, w)
	if err != nil {
		return nil, err
	}
	dsn, err := secret(s, "catalog_dsn")
	file := s.Text["catalog_file"]
	switch {
	case err != nil:
		return nil, err
	case dsn != "" && file != "" || dsn+file != "" && s.Text["uri"] != "":
		return nil, &api.Error{Code: api.CodeConfig, Message: "one catalog names the tables: uri, catalog_file or catalog_dsn"}
	case dsn+file != "":
		return iceberg.OpenDatabase(iceberg.Database{File: file, DSN: dsn, Name: s.Text["warehouse"]}, o)
	case s.Text["uri"] == "":
		return iceberg.Open(o)
	}
	c := iceberg.Catalog{URI: s.Text["uri"], Warehouse: s.Text["warehouse"], Client: s.Text["client_id"], TokenURI: s.Text["token_uri"],
		Scopes: s.Text["scopes"]}
	if c.Token, err = secret(s, "token"); err != nil {
		return nil, err
	}
	if c.Secret, err = secret(s, "client_secret"); err != nil {
		return nil, err
	}
	return iceberg.OpenCatalog(c, o)
}

// tables are the options of tables in a folder, or in a bucket.
func tables(s config.Source, w With) (o listed.Options, err error) {
	o = folder(s, w)
	o.CacheDir, o.CacheSize = s.Text["cache_dir"], s.Size["cache_size"]
	o.Bucket, err = bucketOf(s)
	return o, err
}

// bucketOf reads where a bucket is; nil: the source lies in a folder.
func bucketOf(s config.Source) (*bucket.Options, error) {
	if s.Text["bucket"] == "" {
		return nil, nil
	}
	if s.Text["cache_dir"] == "" {
		return nil, &api.Error{Code: api.CodeConfig, Message: s.At + ": a lake in a bucket needs cache_dir, a folder on this machine"}
	}
	o := &bucket.Options{URL: s.Text["bucket"], Endpoint: s.Text["endpoint"], Region: s.Text["region"],
		CredentialsFile: s.Text["credentials_file"]}
	var err error
	if o.AccessKey, err = secret(s, "access_key"); err != nil {
		return nil, err
	}
	o.SecretKey, err = secret(s, "secret_key")
	return o, err
}
