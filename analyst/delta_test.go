package analyst_test

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/server/core"
)

// filed is a workplace on a lake whose table t lies in parquet files of a folder,
// below partitions.
func filed(t *testing.T) (*analyst.Analyst, *core.Core, string) { return filedAs(t, "parquet") }

// filedAs is filed with files that have an extension.
func filedAs(t *testing.T, ext string) (*analyst.Analyst, *core.Core, string) {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	inst, sources, store := instancetest.Open(t, dir, `
sources: { files: { type: lake, root: ./data } }
tables:
  - { id: t, source: files, path: "*/*.`+ext+`" }
`)
	c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = c.Close() })
	a := workplace(t)
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: c.Data(core.LocalAdmin), Name: "file:///x"}, nil
	}
	return a, c, data
}

// history changes files of a folder at random.
type history struct {
	t     *testing.T
	dir   string
	rand  *rand.Rand
	files map[string]bool
	made  int
	ext   string // empty: parquet
}

func (h *history) write(name string) {
	rows := h.rand.IntN(4) * 700
	if h.ext == "" {
		h.writeRows(name, rows)
		return
	}
	h.writeText(name, rows)
}

// name is that of one of the files.
func (h *history) name(i int) string {
	return fmt.Sprintf("part=%d/%02d.%s", i%3, i, cmp.Or(h.ext, "parquet"))
}

// writeText makes a file of CSV or JSON. Some files change how others are read: the
// type of their codes, and the order of day and month in their dates.
func (h *history) writeText(name string, rows int) {
	h.made++
	code, day := "i", "'0' || (i % 9 + 1) || '/0' || (i % 7 + 1) || '/2026'"
	if h.made%5 == 0 {
		code = "'x' || i"
	}
	if h.made%4 == 0 {
		day = "(i % 9 + 13) || '/02/2026'"
	}
	to := "(FORMAT csv, HEADER, QUOTE '\"')"
	if h.ext == "jsonl" {
		to, rows = "(FORMAT json)", max(rows, 1)
	}
	path := filepath.Join(h.dir, name)
	sql := fmt.Sprintf("SELECT i + %d AS id, (i %% 7 - 3)::INTEGER AS n, ['a', NULL, 'b'][i %% 3 + 1] AS s, %s AS code, %s AS day FROM range(%d) r(i)", h.made*1000, code, day, rows)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), enginetest.Conn(h.t).Exec(h.t.Context(), "COPY ("+sql+") TO "+duckdb.Literal(path)+" "+to)); err != nil {
		h.t.Fatal(err)
	}
	h.files[name] = true
}

// writeRows makes a file of rows with ids that no other file has.
func (h *history) writeRows(name string, rows int) {
	h.made++
	path := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	enginetest.Parquet(h.t, path, fmt.Sprintf("SELECT i + %d AS id, (i %% 7 - 3)::INTEGER AS n, ['a', NULL, 'b'][i %% 3 + 1] AS s FROM range(%d) r(i)", h.made*1000, rows))
	h.files[name] = true
}

// step adds, rewrites, removes or touches some files; some steps do nothing.
func (h *history) step() {
	for range h.rand.IntN(4) {
		var names []string
		for i := range 12 {
			if name := h.name(i); h.files[name] {
				names = append(names, name)
			}
		}
		switch one := names[h.rand.IntN(len(names))]; {
		case h.rand.IntN(3) > 0:
			h.write(h.name(h.rand.IntN(12)))
		case len(names) > 3:
			if err := os.Remove(filepath.Join(h.dir, one)); err != nil {
				h.t.Fatal(err)
			}
			delete(h.files, one)
		}
	}
}

// TestADeltaIsWhatAFullReadGives compares hashes over all rows, after random
// changes of files, where rows travel as they are and as files.
func TestADeltaIsWhatAFullReadGives(t *testing.T) {
	a, c, dir := filed(t)
	h := &history{t: t, dir: dir, rand: rand.New(rand.NewPCG(5, 6)), files: map[string]bool{}}
	for i := range 6 {
		h.write(fmt.Sprintf("part=%d/%02d.parquet", i%3, i))
	}
	admin := c.Administration(core.LocalAdmin)
	as := map[string]func() (analyst.Remote, error){"embedded": a.Connect}
	for name, rows := range map[string]string{"served": "", "ruled": "n <> 1 AND id > 4000"} { // not all files have rows for the second
		user, err := admin.CreateUser(t.Context(), api.NewUser{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := admin.CreateGrant(t.Context(), api.NewGrant{User: name, TableID: "t", Rows: rows}); err != nil {
			t.Fatal(err)
		}
		as[name] = func() (analyst.Remote, error) {
			return analyst.Remote{Data: c.Data(core.Principal{User: name, UserID: user.ID}), Name: "https://x"}, nil
		}
	}
	wheres := []string{"", "n > 0", "part = 1 OR s = 'a'"}
	for door, connect := range as {
		a.Connect = connect
		for i, where := range wheres {
			mustFetch(t, a, fmt.Sprintf("%s%d", door, i), api.ScanRequest{Where: where})
		}
	}
	deltas := map[string]int{}
	for step := range 6 {
		h.step()
		for door, connect := range as {
			a.Connect = connect
			i := (step + len(door)) % len(wheres) // one a step: some lie several steps behind
			name := fmt.Sprintf("%s%d", door, i)
			got := mustRefresh(t, a, fetch.RefreshRequest{Name: name})
			if got.Delta != nil {
				deltas[door]++
				if n := got.Delta.Read + got.Delta.Kept; door != "ruled" && n != len(h.files) || got.Delta.Kept == 0 && len(h.files) > 8 {
					t.Errorf("%s: %+v of %d files", name, got.Delta, len(h.files))
				}
			}
			if want := mustFetch(t, a, "want", api.ScanRequest{Where: wheres[i]}); want.ContentHash != got.After.ContentHash {
				t.Errorf("%s: %d rows after %+v, want %d", name, got.After.Rows, got.Delta, want.Rows)
			}
		}
	}
	for door := range as {
		if deltas[door] < 3 {
			t.Errorf("%s: %d deltas only", door, deltas[door])
		}
	}
}

// TestADeltaOfTexts is what a full read gives, too, where the types and dates of a
// file's rows depend on the other files.
func TestADeltaOfTexts(t *testing.T) {
	for _, ext := range []string{"csv", "jsonl"} {
		t.Run(ext, func(t *testing.T) {
			a, _, dir := filedAs(t, ext)
			h := &history{t: t, dir: dir, rand: rand.New(rand.NewPCG(9, 10)), files: map[string]bool{}, ext: ext}
			for i := range 6 {
				h.write(h.name(i))
			}
			wheres := []string{"", "n > 0 AND s = 'a'"}
			for i, where := range wheres {
				mustFetch(t, a, fmt.Sprintf("s%d", i), api.ScanRequest{Where: where})
			}
			deltas, whole := 0, 0
			for step := range 8 {
				h.step()
				i := step % len(wheres)
				got := mustRefresh(t, a, fetch.RefreshRequest{Name: fmt.Sprintf("s%d", i), AcceptDrift: true})
				switch {
				case got.Delta != nil && got.Delta.Kept > 0:
					deltas++
				case got.ReadAll != "":
					whole++
				}
				if want := mustFetch(t, a, "want", api.ScanRequest{Where: wheres[i]}); want.ContentHash != got.After.ContentHash {
					t.Errorf("%d rows after %+v, want %d", got.After.Rows, got.Delta, want.Rows)
				}
			}
			if t.Logf("%d deltas, %d whole", deltas, whole); deltas < 2 || whole < 2 {
				t.Errorf("%d deltas, and %d times all was read", deltas, whole)
			}
		})
	}
}

// TestADeltaReadsWhatIsNew holds what it reads against a budget, and that rules and
// rights that differ end it.
func TestADeltaReadsWhatIsNew(t *testing.T) {
	a, _, dir := filed(t)
	for i := range 40 {
		writeFile(t, dir, i, 500)
	}
	mustFetch(t, a, "s", api.ScanRequest{})
	writeFile(t, dir, 7, 501)
	remote, err := a.Connect()
	if err != nil {
		t.Fatal(err)
	}
	full, err := remote.Estimate(t.Context(), api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	held, err := a.Store.Get("s")
	if err != nil {
		t.Fatal(err)
	}
	scan := api.ScanRequest{TableID: "t", Files: true}
	for _, f := range held.Files {
		scan.HeldFiles = append(scan.HeldFiles, f.ID)
	}
	part, err := remote.Estimate(t.Context(), scan)
	if err != nil || len(held.Files) != 40 || *part.ScanBytes*20 > *full.ScanBytes || *part.ScanBytes == 0 {
		t.Errorf("reads %d of %d bytes: %v", *part.ScanBytes, *full.ScanBytes, err)
	}
	got := mustRefresh(t, a, fetch.RefreshRequest{Name: "s"})
	if got.Delta == nil || *got.Delta != (fetch.Delta{Read: 1, Kept: 39, Gone: 1}) || got.RowsDelta != 1 {
		t.Errorf("%+v, %+d rows", got.Delta, got.RowsDelta)
	}
	writeFile(t, dir, 8, 502)
	if got := mustRefresh(t, a, fetch.RefreshRequest{Name: "s", Full: true}); got.Delta != nil || got.RowsDelta != 2 {
		t.Errorf("%+v, %+d rows", got.Delta, got.RowsDelta)
	}
}

// TestAFileWrittenInPlace is another one, however large it is: it keeps its inode,
// its name and its size.
func TestAFileWrittenInPlace(t *testing.T) {
	a, _, dir := filed(t)
	for i := range 2 {
		writeFile(t, dir, i, 200_000)
	}
	mustFetch(t, a, "s", api.ScanRequest{})
	to := filepath.Join(dir, "part=1/000.parquet")
	other := filepath.Join(t.TempDir(), "other.parquet")
	enginetest.Parquet(t, other, "SELECT i AS id, hash(i + 7) AS h FROM range(200_000) r(i)")
	data, err := os.ReadFile(other)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil || len(data) < 1_500_000 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	got := mustRefresh(t, a, fetch.RefreshRequest{Name: "s"})
	if want := mustFetch(t, a, "want", api.ScanRequest{}); got.Delta == nil || got.Delta.Read != 1 || want.ContentHash != got.After.ContentHash {
		t.Errorf("%+v is not what a full read gives", got.Delta)
	}
}

func writeFile(t *testing.T, dir string, i, rows int) {
	t.Helper()
	path := filepath.Join(dir, "part=1", fmt.Sprintf("%03d.parquet", i))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	enginetest.Parquet(t, path, fmt.Sprintf("SELECT i + %d AS id, hash(i + %d) AS h FROM range(%d) r(i)", i*1000, i, rows))
}
