package filehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// FileTable is the body of POST /api/files/{id}/table: what to tell of a file
// that is read as a table. What is given of its form overrides what is guessed.
type FileTable struct {
	// Want is map: the form and the columns; rows: RowCount rows from RowStart;
	// stats: of the columns; query: the rows of SQL, in which the file is data.
	Want     string `json:"want"`
	RowStart int64  `json:"row_start,omitempty"` // from 1
	RowCount int64  `json:"row_count,omitempty"` // up to 2,000
	SQL      string `json:"sql,omitempty"`
	Table    *int   `json:"table,omitempty"` // of a document, from 0

	Delimiter  string            `json:"delimiter,omitempty"`
	Encoding   string            `json:"encoding,omitempty"`
	NoHeader   bool              `json:"no_header,omitempty"`
	HeaderLine int               `json:"header_line,omitempty"` // that names the columns, from 1
	DateFormat string            `json:"date_format,omitempty"`
	Types      map[string]string `json:"types,omitempty"` // column → type
	Sheet      string            `json:"sheet,omitempty"`
	Range      string            `json:"range,omitempty"` // as B2:F100
}

// TableAt answers a request for a file in a folder that holds nothing else but
// what is known of it.
type TableAt func(ctx context.Context, dir, file string, req FileTable) (json.RawMessage, error)

// maxTables limits the files that are kept where they can be read as tables.
const maxTables = 8

// tables are files that are read as tables, by their contents.
type tables struct {
	mu     sync.Mutex
	placed []*placed // latest first
}

// placed is a file in a folder of its own.
type placed struct {
	key, dir, path, name string
	once                 sync.Once
	err                  error
	users                int
}

// take returns the place of a key, and a function that ends its use. put makes it
// where it is missing.
func (t *tables) take(parent, key string, put func(dir string) (path, name string, err error)) (*placed, func(), error) {
	t.mu.Lock()
	p := &placed{key: key}
	for i, old := range t.placed {
		if old.key == key {
			p = old
			t.placed = append(t.placed[:i], t.placed[i+1:]...)
			break
		}
	}
	t.placed = append([]*placed{p}, t.placed...)
	p.users++
	t.mu.Unlock()
	p.once.Do(func() {
		if p.dir, p.err = os.MkdirTemp(parent, "table-"); p.err == nil {
			p.path, p.name, p.err = put(p.dir)
		}
	})
	leave := func() { t.leave(p) }
	if p.err != nil {
		leave()
		return nil, nil, p.err
	}
	return p, leave, nil
}

// leave ends a use, and removes what is too much: what failed, and what was used
// least recently.
func (t *tables) leave(p *placed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.users--
	var kept []*placed
	for i, old := range t.placed {
		if old.users == 0 && (old.err != nil || i >= maxTables) {
			_ = os.RemoveAll(old.dir) // what stays goes with the folder of the process
			continue
		}
		kept = append(kept, old)
	}
	t.placed = kept
}

// Close removes what was put somewhere to be read.
func (s *Server) Close() {
	s.tables.mu.Lock()
	defer s.tables.mu.Unlock()
	for _, p := range s.tables.placed {
		_ = os.RemoveAll(p.dir) // what stays goes with the folder of the process
	}
	s.tables.placed = nil
}

// table reads a file as a table.
func (s *Server) table(v *visit) (reply, error) {
	var in FileTable
	if err := wire.DecodeBody(v.Body, &in); err != nil {
		return nil, err
	}
	if s.Tables == nil {
		return nil, bad(api.KindNoTables, "files are not read as tables here")
	}
	ctx := v.Context()
	of, err := v.file()
	if err != nil {
		return nil, err
	}
	key := of.SHA256 + " " + of.Name
	if in.Table != nil {
		key += fmt.Sprint(" ", *in.Table)
	}
	p, leave, err := s.tables.take(s.Scratch, key, func(dir string) (string, string, error) {
		return content.RowsFile(context.WithoutCancel(ctx), v.files, of.ID, in.Table, dir)
	})
	if err != nil {
		return nil, err
	}
	defer leave()
	enter, err := v.files.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer enter()
	text, err := s.Tables(ctx, p.dir, filepath.Base(p.path), in)
	if err != nil {
		return nil, asRequest(content.Renamed(err, p.path, p.name))
	}
	return answer(http.StatusOK, text), nil
}

// file returns the file that the request names.
func (v *visit) file() (workspace.File, error) {
	c, err := v.files.Open(v.Context(), v.PathValue("id"))
	if err != nil {
		return workspace.File{}, err
	}
	v.about = c.Of.Subject()
	return c.Of, c.Close()
}

// asRequest gives an error about the content of a caller's file a code that
// servers send.
func asRequest(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code == api.CodeInternal || e.Code.HTTPStatus() != http.StatusInternalServerError {
		return err
	}
	said := *e
	if said.Code = api.CodeBadRequest; said.Kind == "" {
		said.Kind = string(e.Code)
	}
	return &said
}

// read answers with the text of a file: its lines, or what a document, a
// presentation or a PDF file says.
func read(v *visit) (reply, error) {
	if _, err := v.file(); err != nil {
		return nil, err
	}
	part, err := content.Read(v.Context(), v.files, v.PathValue("id"), content.ReadRequest{Pages: v.param("pages"), MaxBytes: maxText})
	if err != nil {
		return nil, asRequest(err)
	}
	return answer(http.StatusOK, part), nil
}

// maxText limits the text of an answer, in bytes.
const maxText = 500_000
