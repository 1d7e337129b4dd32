package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/printable"
)

// hashPattern matches the hash of a file, which becomes part of a file name.
var hashPattern = lazyregexp.New(`^[0-9a-f]{32}$`)

// maxFile limits the size of a file, because its parts are listed in memory.
const maxFile = 16 << 40

// isFile reports whether a manifest's description of a file is plausible.
func isFile(t api.SyncTable) bool {
	return api.CheckName("table id", t.TableID) == nil && hashPattern().MatchString(t.XXH3) &&
		t.Bytes > 0 && t.Bytes <= maxFile && t.Rows >= 0
}

// Manifest implements api.Syncer.
func (c *Client) Manifest(ctx context.Context) (*api.SyncManifest, error) {
	var m api.SyncManifest
	err := c.get(ctx, request{method: http.MethodGet, path: []string{"api", "sync", "manifest"}, again: true, long: true}, &m)
	if err != nil {
		return nil, err
	}
	if m.Tables == nil {
		return nil, c.notAgnes("its manifest has no list of tables")
	}
	seen := map[string]bool{}
	for _, t := range m.Tables {
		if !isFile(t) || seen[t.TableID] {
			return nil, c.notAgnes("its manifest cannot be read")
		}
		seen[t.TableID] = true
	}
	for _, t := range m.Tables {
		cleanCaveats(t.Caveats)
	}
	for i, f := range m.Failed {
		m.Failed[i].TableID = clean(f.TableID, maxRequestID)
		m.Failed[i].Error.Message = clean(f.Error.Message, maxMessage)
		m.Failed[i].Error.Hint = api.Clip(printable.Text(f.Error.Hint), maxHint)
	}
	return &m, nil
}

// LocalTable implements api.Syncer.
func (c *Client) LocalTable(ctx context.Context, tableID string) (*api.SyncTable, error) {
	m, err := c.Manifest(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range m.Tables {
		if t.TableID == tableID {
			return &t, nil
		}
	}
	return nil, &api.Error{Code: api.CodeForbidden, Message: "there is nothing to sync of table '" + tableID + "'",
		Next: []api.Step{api.Do(api.ActionCatalog, "see the tables that you may read")}, Details: map[string]any{"table_id": tableID}}
}

// TableData implements api.Syncer.
func (c *Client) TableData(ctx context.Context, t api.SyncTable, from, n int64) (io.ReadCloser, error) {
	if err := api.CheckName("table id", t.TableID); err != nil {
		return nil, err
	}
	var body io.ReadCloser
	err := c.send(ctx, request{
		method: http.MethodGet, path: []string{"api", "sync", "tables", t.TableID}, accept: "application/vnd.apache.parquet", again: true,
		long:   true,
		header: map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", from, from+n-1), "If-Match": `"` + t.XXH3 + `"`},
	}, func(a *answer) *failure {
		want := fmt.Sprintf("bytes %d-%d/%d", from, from+n-1, t.Bytes)
		whole := a.header.Get("Content-Range") == "" && from == 0 && n == t.Bytes
		if a.header.Get("Content-Range") != want && !whole || !isMediaType(a.header, "application/vnd.apache.parquet") {
			_ = a.body.Close() // its content is not needed
			return &failure{err: c.notAgnes("it sent another part of a file than it was asked for")}
		}
		body = &part{watchedBody: a.body, left: n}
		return nil
	})
	return body, err
}

// part is a body of known length; an earlier end is an error.
type part struct {
	*watchedBody
	left int64
}

// Read implements io.Reader. Errors are *api.Error.
func (p *part) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n, err := p.watchedBody.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	if err == nil || p.left == 0 {
		return n, nil
	}
	if known := (*api.Error)(nil); errors.As(err, &known) {
		return n, known
	}
	return n, &api.Error{Code: api.CodeStreamCut, Message: "the connection was lost before the whole part had arrived",
		Next: []api.Step{api.Do(api.ActionSync, "go on where it stopped")}, Err: err}
}
