package analyst_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// sending answers every scan with one file.
type sending struct {
	api.Scanner
	file *api.File
}

func (s sending) ScanFile(context.Context, api.FileRequest) (*api.File, error) { return s.file, nil }

func (sending) ForgetFile(context.Context, string) error { return nil }

// sent is an honest file of a statement's rows.
func sent(t *testing.T, sql string) (file *api.File, data []byte, end *api.End) {
	t.Helper()
	rows, err := enginetest.Conn(t).Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	var b bytes.Buffer
	var passed int64
	counted := api.Reporting(rows, func(n, _ int64) { passed = n })
	if err := enginetest.Conn(t).PipeParquet(t.Context(), &b, counted, duckdb.Snappy); err != nil {
		t.Fatal(err)
	}
	end = &api.End{Rows: passed}
	stamp(end, b.Bytes())
	return &api.File{
		Stream: &api.Stream{Batches: api.NoRows(rows.Schema()), EffectiveAsOf: time.Now(), End: func() api.End { return *end }},
		Data:   bytes.NewReader(b.Bytes()), Progress: func() (rows, bytes int64) { return 0, 0 },
	}, b.Bytes(), end
}

// stamp makes an end record one of these bytes.
func stamp(end *api.End, data []byte) {
	h := xxh3.New128()
	_, _ = h.Write(data)
	sum := h.Sum128().Bytes()
	end.FileBytes, end.BodyXXH3 = int64(len(data)), hex.EncodeToString(sum[:])
}

func fetchSent(t *testing.T, file *api.File) (*analyst.Analyst, *fetch.Result, error) {
	t.Helper()
	a := alone(t)
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: api.Data{Scanner: sending{}, Filer: sending{file: file}}, Name: "https://example.com"}, nil
	}
	res, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t"}})
	return a, res, err
}

const sentSQL = "SELECT i AS id, 'name ' || i AS name FROM range(5000) t(i)"

func TestAFileIsInstalledAsItCame(t *testing.T) {
	file, data, _ := sent(t, sentSQL)
	a, res, err := fetchSent(t, file)
	if err != nil || res.Snapshot.Rows != 5000 || res.Snapshot.BytesLocal != int64(len(data)) {
		t.Fatalf("%+v, %v", res, err)
	}
	if u, err := a.Store.DiskUsage(); err != nil || u.Snapshots != 1 {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestAServerThatLiesInstallsNothing: what is sent is not what was announced. DA_LIES is
// the number of random changes beside those that are written out.
func TestAServerThatLiesInstallsNothing(t *testing.T) {
	down := &api.Error{Code: api.CodeStreamCut, Message: "the connection ended early"}
	lies := map[string]func(f *api.File, data []byte, end *api.End){
		"fewer bytes": func(f *api.File, data []byte, _ *api.End) { f.Data = bytes.NewReader(data[:len(data)-1]) },
		"more bytes": func(f *api.File, data []byte, _ *api.End) {
			f.Data = io.MultiReader(bytes.NewReader(data), strings.NewReader("x"))
		},
		"other bytes": func(f *api.File, data []byte, _ *api.End) { data[len(data)/2] ^= 1 },
		"other rows":  func(_ *api.File, _ []byte, end *api.End) { end.Rows-- },
		"a cut": func(f *api.File, data []byte, _ *api.End) {
			f.Data = io.MultiReader(bytes.NewReader(data[:100]), iotest.ErrReader(down))
		},
		"nothing": func(f *api.File, _ []byte, end *api.End) { f.Data = strings.NewReader(""); stamp(end, nil) },
		"another form": func(f *api.File, _ []byte, end *api.End) {
			f.Data = strings.NewReader("a,b\n1,2\n")
			stamp(end, []byte("a,b\n1,2\n"))
		},
		"half a file": func(f *api.File, data []byte, end *api.End) {
			f.Data = bytes.NewReader(data[:len(data)/2])
			stamp(end, data[:len(data)/2])
		},
		"other columns": func(f *api.File, _ []byte, _ *api.End) {
			f.Batches = api.NoRows(arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "pay", Type: arrow.BinaryTypes.String}}, nil))
		},
		"other types": func(f *api.File, _ []byte, _ *api.End) {
			f.Batches = api.NoRows(arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.BinaryTypes.String}, {Name: "name", Type: arrow.BinaryTypes.String}}, nil))
		},
	}
	count, seed := 5, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("DA_LIES")); err == nil {
		count, seed = n, uint64(time.Now().UnixNano())
	}
	t.Logf("%d random lies, seed %d", count, seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range count {
		lies[fmt.Sprintf("random %d", i)] = func(f *api.File, data []byte, _ *api.End) {
			from, to := r.IntN(len(data)), r.IntN(len(data))
			switch i % 3 {
			case 0:
				data[from] ^= byte(1 + r.IntN(255))
			case 1:
				f.Data = bytes.NewReader(data[:from])
			default: // a piece comes twice
				f.Data = bytes.NewReader(slices.Concat(data[:max(from, to)], data[min(from, to):], data[:1]))
			}
		}
	}
	for what, lie := range lies {
		file, data, end := sent(t, sentSQL)
		lie(file, data, end)
		closed := false
		file.CloseFunc = func() { closed = true }
		a, _, err := fetchSent(t, file)
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeStreamCut || !closed {
			t.Errorf("%s: %v, closed: %t", what, err, closed)
		}
		if u, err := a.Store.DiskUsage(); err != nil || u.UsedBytes != 0 || u.Snapshots != 0 {
			t.Errorf("%s: left behind: %+v, %v", what, u, err)
		}
	}
}

// TestAFileWithoutAnEndDoesNotFillTheDisk measures a disk that every look finds
// smaller.
func TestAFileWithoutAnEndDoesNotFillTheDisk(t *testing.T) {
	file, _, _ := sent(t, sentSQL)
	file.Data = endlessBytes{}
	a := alone(t)
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: api.Data{Filer: sending{file: file}}, Name: "https://example.com"}, nil
	}
	left := int64(3 * leaveFree)
	a.Free = func() (int64, error) {
		left -= leaveFree
		return left, nil
	}
	if _, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t"}}); !api.CodeDiskFull.Is(err) {
		t.Errorf("it ended with %v", err)
	}
	if u, err := a.Store.DiskUsage(); err != nil || u.UsedBytes != 0 {
		t.Errorf("left behind: %+v, %v", u, err)
	}
}

type endlessBytes struct{}

func (endlessBytes) Read(p []byte) (int, error) { return len(p), nil }
