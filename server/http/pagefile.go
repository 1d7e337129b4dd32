package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// RowWriter writes all rows to w in a format, and returns their caveats with
// those of the format.
type RowWriter func(ctx context.Context, w io.Writer, rows api.Rows, format string) ([]api.Caveat, error)

// fileTypes are the media types of the formats of files of rows.
var fileTypes = map[string]string{
	"csv": "text/csv; charset=utf-8", "json": "application/json", "ndjson": "application/x-ndjson",
	"parquet": "application/vnd.apache.parquet",
	"xlsx":    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// pageFileOfRows answers with all rows as a file. It is whole on the disk before
// it is sent: only then is known that no limit has cut it, and what to tell of it.
func (c *call) pageFileOfRows() error {
	var req api.PageFile
	if err := c.params(); err != nil {
		return err
	}
	if err := c.body(&req); err != nil {
		return err
	}
	if c.router.writeRows == nil {
		return errNoRoute
	}
	if fileTypes[req.Format] == "" {
		return badBody(api.KindFormat, "there is no format '%s' for files; there are csv, xlsx, parquet, json and ndjson",
			api.Clip(req.Format, 40))
	}
	return c.sendMade(fileTypes[req.Format], func(file *os.File) ([]api.Caveat, error) {
		return c.writeFile(c.r.Context(), file, req)
	})
}

// sendMade answers with a file that is whole on the disk before it is sent.
func (c *call) sendMade(mime string, write func(file *os.File) ([]api.Caveat, error)) error {
	file, err := os.CreateTemp("", "da-page-*")
	if err != nil {
		return err
	}
	defer func() {
		_ = file.Close() // it goes, whatever is in it
		_ = os.Remove(file.Name())
	}()
	var caveats []api.Caveat
	if err := c.await(func() (err error) {
		caveats, err = write(file)
		return err
	}); err != nil {
		return err
	}
	return c.sendFile(file, mime, caveats)
}

func (c *call) writeFile(ctx context.Context, file io.Writer, req api.PageFile) ([]api.Caveat, error) {
	s, err := c.streamFor(ctx, req)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.RefuseCut(false)
	rows := countedRows{s.Rows(), new(atomic.Int64)}
	if req.Watch != "" {
		c.router.making.Store([2]string{c.who.User, req.Watch}, rows.n)
		defer c.router.making.Delete([2]string{c.who.User, req.Watch})
	}
	caveats, err := c.router.writeRows(ctx, file, rows, req.Format)
	if req.Here {
		err = atDesk(err)
	}
	return caveats, err
}

// countedRows counts the rows that have been read.
type countedRows struct {
	api.Rows
	n *atomic.Int64
}

// Next implements api.Rows.
func (r countedRows) Next() bool {
	more := r.Rows.Next()
	if more {
		r.n.Add(r.RecordBatch().NumRows())
	}
	return more
}

// fileProgress tells how far a file of the caller is. Another server may be making it.
func (c *call) fileProgress() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, func(context.Context) (p api.FileProgress, err error) {
		if n, ok := c.router.making.Load([2]string{c.who.User, c.r.PathValue("id")}); ok {
			p.Rows = new(n.(*atomic.Int64).Load())
		}
		return p, nil
	})
}

// streamFor starts what a file is made of.
func (c *call) streamFor(ctx context.Context, req api.PageFile) (*api.Stream, error) {
	switch {
	case req.Result != "" && req.SQL == "" && req.Scan == nil:
		set, err := c.result(ctx, req.Result)
		if err != nil {
			return nil, err
		}
		var part api.ResultPart
		if req.Part != nil {
			part = *req.Part
		}
		s, _, err := set.Stream(ctx, part, 0, -1)
		return s, err
	case (req.SQL == "") == (req.Scan == nil) || req.Result != "":
		return nil, badBody(api.KindIncomplete, "give either sql or scan, or result for a file")
	case req.Scan != nil:
		return c.data.Scan(ctx, *req.Scan)
	case req.Here:
		d, err := c.desk()
		if err != nil {
			return nil, err
		}
		s, err := d.Query(ctx, req.SQL, req.Fetch)
		return s, atDesk(err)
	}
	return c.data.Query(ctx, api.QueryRequest{SQL: req.SQL})
}

// sendFile sends a file from its beginning, with the caveats in a header.
func (c *call) sendFile(file *os.File, mime string, caveats []api.Caveat) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set(wire.HeaderCaveats, caveatHeader(caveats))
	h.Set("Content-Type", mime)
	h.Set("Content-Disposition", "attachment")
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	_, err = io.Copy(c.w, file)
	return err
}

// maxCaveatHeader is how long the header may be: proxies drop answers whose
// headers have more than some kilobytes.
const maxCaveatHeader = 3000

// caveatHeader returns the caveats as ASCII, the most serious first. What does
// not fit is counted.
func caveatHeader(caveats []api.Caveat) string {
	all := api.Arranged(caveats)
	for n := len(all); ; n-- {
		told := make([]api.Caveat, 0, n+1)
		for _, v := range all[:n] {
			told = append(told, api.Caveat{Kind: v.Kind, Text: v.Text})
		}
		if n < len(all) {
			told = append(told, api.NewCaveat(api.CaveatOther, "%d more caveats are not shown", len(all)-n))
		}
		text, _ := json.Marshal(told) // cannot fail: texts
		if header := url.PathEscape(string(text)); len(header) <= maxCaveatHeader || n == 0 {
			return header
		}
	}
}
