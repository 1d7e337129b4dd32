package keep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// Verified is a snapshot whose rows were read again and are those of its description.
type Verified struct {
	Snapshot    string `json:"snapshot"`
	Rows        int64  `json:"rows"`
	ContentHash string `json:"content_hash" jsonschema:"of the rows as they were read now"`
	// Compared is false if another engine version computed the recorded hash: only
	// the names of columns and the number of rows were compared.
	Compared bool `json:"compared" jsonschema:"false: another version of the engine computed the recorded hash, so only names and number of rows were compared"`
}

// Verify reads all rows of a snapshot and compares them with its description. Other
// rows, and a file that cannot be read, are CodeReadFailed.
func Verify(ctx context.Context, a *analyst.Analyst, name string) (*Verified, error) {
	if err := api.CheckName("snapshot name", name); err != nil {
		return nil, err
	}
	held, err := a.Store.Link([]string{name})
	if err != nil {
		return nil, err
	}
	defer held.Close()
	meta := held.Metas[0]
	compared, err := prove(ctx, a, "snapshot '"+name+"'", held.Path(name), &meta)
	if e := (*api.Error)(nil); errors.As(err, &e) {
		e.Hint = "The file has been changed or damaged since it was written."
		e.Next = []api.Step{api.Do(api.ActionRefresh, "fetch its rows again", "name", name)}
	}
	if err != nil {
		return nil, err
	}
	return &Verified{Snapshot: name, Rows: meta.Rows, ContentHash: meta.ContentHash, Compared: compared}, nil
}

// prove reads the rows and compares them with the sidecar. Hashes and names of types
// of another engine version are not comparable; then the file's new ones are used.
func prove(ctx context.Context, a *analyst.Analyst, what, file string, meta *snapshot.Meta) (comparable bool, err error) {
	conn, err := a.OpenEngine(false)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	found, err := Describe(ctx, conn.Conn, file, nil)
	if err != nil {
		return false, &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged,
			Message: fmt.Sprintf("the rows of %s cannot be read: %s", what, duckdb.OneLine(err.Error())), Err: err}
	}
	comparable = strings.HasPrefix(meta.ContentHash, "duckdb-"+duckdb.Version+"-")
	same := slices.EqualFunc(found.Schema, meta.Schema, func(a, b snapshot.Column) bool { return a == b || !comparable && a.Name == b.Name })
	if !same || found.Rows != meta.Rows || comparable && found.ContentHash != meta.ContentHash {
		return false, &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged,
			Message: fmt.Sprintf("the rows of %s are not those of its description", what),
			Hint:    "Nothing was installed. Export the snapshot again, and copy both files of the folder."}
	}
	meta.Schema, meta.ContentHash = found.Schema, found.ContentHash
	return comparable, nil
}
