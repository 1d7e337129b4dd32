package delta

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/source/listed"
)

const logFolder = "_delta_log"

var (
	commitName     = lazyregexp.New(`^(\d{20})\.json$`)
	checkpointName = lazyregexp.New(`^(\d{20})\.checkpoint\.(?:(\d{10})\.(\d{10})\.parquet|parquet|[0-9A-Za-z-]{36}\.(?:json|parquet))$`)
)

// logFiles are the files from which a version of a table is replayed.
type logFiles struct {
	dir        string // of the table
	checkpoint []string
	commits    []string
	version    int64
	last       string // the commit of the version; empty if it is gone
	print      string // another one when any of the files is
}

// listLog chooses the last whole checkpoint and the commits after it, up to a
// version; -1: the newest.
func listLog(root *listed.Root, dir string, at int64) (*logFiles, error) {
	l := &logFiles{dir: dir}
	entries, err := root.List(path.Join(dir, logFolder))
	if err != nil {
		var e *api.Error
		if errors.As(err, &e) && errors.Is(err, fs.ErrNotExist) {
			e.Kind, e.Message, e.Hint = api.KindNoFiles, fmt.Sprintf("%s is not a Delta table: the folder %s is missing", dir, logFolder), ""
		}
		return nil, err
	}
	commits, checkpoints := map[int64]fs.DirEntry{}, map[int64][]fs.DirEntry{}
	for _, e := range entries {
		if m := commitName().FindStringSubmatch(e.Name()); m != nil {
			if v, err := strconv.ParseInt(m[1], 10, 64); err == nil {
				commits[v] = e
			}
		} else if m := checkpointName().FindStringSubmatch(e.Name()); m != nil {
			if v, err := strconv.ParseInt(m[1], 10, 64); err == nil && (at < 0 || v <= at) {
				checkpoints[v] = append(checkpoints[v], e)
			}
		}
	}
	from := int64(-1)
	var used []fs.DirEntry
	for v, list := range checkpoints {
		if whole := wholeCheckpoint(list); v > from && whole != nil {
			from, used = v, whole
		}
	}
	for _, e := range used {
		l.checkpoint = append(l.checkpoint, e.Name())
	}
	last := from
	for v := range commits {
		if v > last && (at < 0 || v <= at) {
			last = v
		}
	}
	for v := from + 1; v <= last; v++ {
		e, ok := commits[v]
		if !ok {
			return nil, incomplete(dir, fmt.Sprintf("commit %d is missing", v))
		}
		l.commits, used = append(l.commits, e.Name()), append(used, e)
	}
	switch {
	case at >= 0 && last != at:
		return nil, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound, Message: fmt.Sprintf("%s has no version %d", dir, at),
			Hint: fmt.Sprintf("Its log tells versions up to %d; old ones go when it is cleaned up.", last)}
	case last < 0:
		return nil, incomplete(dir, "it holds neither a commit nor a checkpoint")
	}
	l.version = last
	if e, ok := commits[last]; ok {
		l.last = e.Name()
	}
	l.print, err = print(used)
	return l, err
}

func incomplete(dir, why string) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: fmt.Sprintf("the log of %s is not complete: %s", dir, why),
		Hint: "Copy the folder " + logFolder + " anew, whole; without all of it nobody knows which rows the table has."}
}

// wholeCheckpoint chooses one of the checkpoints of a version: a single file, or all
// parts of one; nil: there is none.
func wholeCheckpoint(list []fs.DirEntry) []fs.DirEntry {
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	parts := map[string][]fs.DirEntry{} // by their number
	for _, e := range list {
		of := checkpointName().FindStringSubmatch(e.Name())[3]
		if of == "" {
			return []fs.DirEntry{e}
		}
		if parts[of] = append(parts[of], e); fmt.Sprintf("%010d", len(parts[of])) == of {
			return parts[of]
		}
	}
	return nil
}

// print identifies files by what the system says of them.
func print(files []fs.DirEntry) (string, error) {
	h := xxh3.New()
	for _, e := range files {
		info, err := e.Info()
		if err != nil {
			return "", listed.Unopened(e.Name(), err)
		}
		fmt.Fprintf(h, "%s\x00%d\x00%d\x00", e.Name(), info.Size(), info.ModTime().UnixNano()) // a hash never fails
	}
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:]), nil
}

// replay reads the files of a log.
func (s *state) replay(ctx context.Context, r *listed.Request, l *logFiles) error {
	for _, name := range l.checkpoint {
		if err := s.file(ctx, r, path.Join(l.dir, logFolder, name)); err != nil {
			return err
		}
	}
	for _, name := range s.sidecars {
		p, err := listed.Below(l.dir, logFolder+"/_sidecars/"+name)
		if err == nil {
			err = s.file(ctx, r, p)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range l.commits {
		if err := s.file(ctx, r, path.Join(l.dir, logFolder, name)); err != nil {
			return err
		}
	}
	if l.last == "" {
		s.hash = l.print
		return nil
	}
	text, err := r.Root.Read(path.Join(l.dir, logFolder, l.last))
	s.hash = fmt.Sprintf("%016x", xxh3.Hash(text))
	return err
}

// file applies the actions of a file of the log.
func (s *state) file(ctx context.Context, r *listed.Request, rel string) error {
	if strings.HasSuffix(rel, ".parquet") {
		return s.parquet(ctx, r, rel)
	}
	text, err := r.Root.Read(rel)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var a action
		if err := json.Unmarshal(line, &a); err != nil {
			return listed.Broken(rel, err)
		}
		s.apply(a)
	}
	return ctx.Err()
}

// stored are the fields of an added file that are read from a checkpoint.
var stored = []string{"path", "partitionValues", "size", "stats", "deletionVector"}

// parquet applies the actions of a checkpoint, or a part of one, which the engine
// writes as JSON. Removed files are in it only for programs that clean up.
func (s *state) parquet(ctx context.Context, r *listed.Request, rel string) error {
	linked, err := r.Link(rel, -1)
	if err != nil {
		return err
	}
	from := "read_parquet('" + linked + "', hive_partitioning = false)"
	columns, err := r.Columns(ctx, from)
	if err != nil {
		return err
	}
	statistics := "NULL::VARCHAR"
	var items, some []string
	if typ := columns["add"]; typ != "" {
		var parts []string
		for _, f := range embedded.FieldsOf(typ) {
			if slices.Contains(stored, f.Name) {
				parts = append(parts, duckdb.Quote(f.Name)+" := add."+duckdb.Quote(f.Name))
			} else if f.Name == "stats_parsed" {
				statistics = "CASE WHEN add.stats IS NULL THEN to_json(add.stats_parsed)::VARCHAR END"
				if !slices.ContainsFunc(embedded.FieldsOf(typ), func(c api.Column) bool { return c.Name == "stats" }) {
					statistics = "to_json(add.stats_parsed)::VARCHAR"
				}
			}
		}
		items = append(items, "add := CASE WHEN add.path IS NOT NULL THEN struct_pack("+strings.Join(parts, ", ")+") END")
		some = append(some, "add.path IS NOT NULL")
	}
	for _, name := range []string{"metaData", "protocol", "sidecar"} {
		if columns[name] != "" {
			items, some = append(items, duckdb.Quote(name)+" := "+duckdb.Quote(name)), append(some, duckdb.Quote(name)+" IS NOT NULL")
		}
	}
	if len(items) == 0 {
		for _, name := range []string{"txn", "remove", "domainMetadata", "checkpointMetadata"} {
			if columns[name] != "" { // a part without an action that changes the table
				return nil
			}
		}
		return listed.Broken(rel, errors.New("it holds no action"))
	}
	sql := "SELECT to_json(struct_pack(" + strings.Join(items, ", ") + "))::VARCHAR, " + statistics + " FROM " + from + " WHERE " +
		strings.Join(some, " OR ")
	return r.Rows(ctx, sql, func(row []any) error {
		text, _ := row[0].(string)
		var a action
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return listed.Broken(rel, err)
		}
		if text, ok := row[1].(string); ok && a.Add != nil {
			a.Add.Stats = finite(text)
		}
		s.apply(a)
		return nil
	})
}

// finite replaces by null what the engine writes for floats that no JSON has.
func finite(text string) string {
	var out strings.Builder
	for quoted := false; text != ""; {
		n := strings.IndexAny(text, `"\NI`)
		switch {
		case n < 0:
			n = len(text)
		case text[n] == '"':
			quoted, n = !quoted, n+1
		case text[n] == '\\':
			n = min(n+2, len(text))
		case !quoted && (strings.HasPrefix(text[n:], "NaN") || strings.HasPrefix(text[n:], "Infinity")):
			out.WriteString(strings.TrimSuffix(text[:n], "-") + "null")
			text = strings.TrimPrefix(strings.TrimPrefix(text[n:], "NaN"), "Infinity")
			continue
		default:
			n++
		}
		out.WriteString(text[:n])
		text = text[n:]
	}
	return out.String()
}
