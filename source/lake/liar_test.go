package lake

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/testing/s3test"
	"github.com/agnes-data/da/source"
)

// cacheLimit is that of the lakes here: small enough to see it passed.
const cacheLimit = 2_000_000

// liedTo is a lake in a bucket whose server says what it likes.
func liedTo(t *testing.T, endless bool, lies ...s3test.Lie) (*Lake, string) {
	t.Helper()
	cache := t.TempDir()
	l, err := Open(Options{
		Bucket:   &bucket.Options{URL: "s3://company", Endpoint: s3test.Liar(t, "company", endless, lies...), Region: s3test.Region, AccessKey: "k", SecretKey: "s"},
		CacheDir: cache, CacheSize: cacheLimit, TempDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, cache
}

// onDisk is what a folder takes of the disk: holes take nothing.
func onDisk(t *testing.T, dir string) int64 {
	t.Helper()
	taken := int64(0)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var s syscall.Stat_t
		if err := syscall.Stat(path, &s); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		taken += s.Blocks * 512
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

// refusedEverywhere asks for a relation in every way, and wants errors of a
// kind that say something, and a disk that is not filled.
func refusedEverywhere(t *testing.T, l *Lake, cache, name, kind, says string) {
	t.Helper()
	rel := source.Relation{Name: name}
	for what, ask := range map[string]func() error{
		"a schema": func() error { _, err := l.Schema(t.Context(), rel); return err },
		"a sample": func() error { _, err := l.Sample(t.Context(), rel, 1); return err },
		"an estimate": func() error {
			_, err := l.Estimate(t.Context(), source.Scan{Relation: rel, Select: []string{"n"}})
			return err
		},
		"a statement": func() error {
			_, err := l.Query(t.Context(), "SELECT n FROM x", map[string]source.Relation{"x": rel})
			return err
		},
	} {
		err := ask()
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeSource && e.Code != api.CodeDiskFull || e.Kind != kind || !strings.Contains(e.Message, says) {
			t.Errorf("%s of %s: %v (%v)", what, name, err, errors.Unwrap(err))
		}
	}
	if taken := onDisk(t, cache); taken > cacheLimit+1<<20 {
		t.Errorf("%s: %d bytes are on disk, of %d", name, taken, cacheLimit)
	}
}

// part answers as an honest store does, for an object that is all zeros but for
// its end.
func part(size int64, end []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var from, to int64
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil {
			http.Error(w, "no range", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, size))
		w.Header().Set("Content-Length", strconv.FormatInt(to-from+1, 10))
		w.WriteHeader(http.StatusPartialContent)
		zeros := make([]byte, 64<<10)
		for at := from; at <= to; {
			n := min(int64(len(zeros)), to-at+1)
			block := zeros[:n]
			if border := size - int64(len(end)); at < border {
				block = zeros[:min(n, border-at)]
			} else if at < size {
				block = end[at-border:][:min(n, size-at)]
			}
			if _, err := w.Write(block); err != nil {
				return // who asked has read enough
			}
			at += int64(len(block))
		}
	}
}

// footerOf is the end of a parquet file whose footer claims a length.
func footerOf(length uint32) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, length), "PAR1"...)
}

func TestSizesThatNoObjectHas(t *testing.T) {
	for _, size := range []string{"-1", "-9223372036854775808", "9223372036854775807", "1000000000000000"} {
		l, cache := liedTo(t, false, s3test.Lie{Key: "a.parquet", ETag: "e", Size: size}, s3test.Lie{Key: "a.csv", ETag: "e", Size: size})
		for _, name := range []string{"a.parquet", "a.csv", "*.csv"} {
			refusedEverywhere(t, l, cache, name, api.KindStrangeAnswer, size)
		}
	}
	// Beyond what a number holds the listing itself cannot be read.
	l, cache := liedTo(t, false, s3test.Lie{Key: "a.csv", ETag: "e", Size: "9223372036854775808"})
	refusedEverywhere(t, l, cache, "a.csv", api.KindUnreachable, "the object store cannot be read")
}

func TestManyLargeObjectsAreMoreThanTheCacheHolds(t *testing.T) {
	var lies []s3test.Lie
	for i := range 2000 {
		lies = append(lies, s3test.Lie{Key: fmt.Sprintf("%04d.csv", i), ETag: "e", Size: fmt.Sprint(int64(maxObject))})
	}
	l, cache := liedTo(t, false, lies...)
	refusedEverywhere(t, l, cache, "*.csv", api.KindCacheTooSmall, fmt.Sprint(2000*int64(maxObject)))
	// Neither are their footers.
	for i := range lies {
		lies[i].Key, lies[i].Size = fmt.Sprintf("%04d.parquet", i), "1000000000"
	}
	l, cache = liedTo(t, false, lies...)
	refusedEverywhere(t, l, cache, "*.parquet", api.KindCacheTooSmall, fmt.Sprint(2000*64<<10))
}

func TestFootersThatCannotBe(t *testing.T) {
	const size = 6_000_000_000
	for name, c := range map[string]struct {
		size   int64
		footer uint32
		kind   string
		says   string
	}{
		"longer than the file": {100_000, 200_000, api.KindUnreadable, "a.parquet cannot be read"},
		"as long as the file":  {100_000, 100_000, api.KindUnreadable, "a.parquet cannot be read"},
		"more than 4 GB":       {size, 1<<32 - 1, api.KindUnreadable, "its footer is 4294967295 bytes long"},
		"more than the cache":  {size, 100_000_000, api.KindCacheTooSmall, "more than the lake's cache has room for"},
		"no footer":            {100_000, 1_000, api.KindUnreadable, "a file of the table cannot be read"},
		"an empty one":         {100_000, 0, api.KindUnreadable, "a.parquet cannot be read"},
		"nothing but an end":   {8, 0, api.KindUnreadable, "a.parquet cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			l, cache := liedTo(t, false, s3test.Lie{Key: "a.parquet", ETag: "e", Size: fmt.Sprint(c.size), Serve: part(c.size, footerOf(c.footer))})
			refusedEverywhere(t, l, cache, "a.parquet", c.kind, c.says)
		})
	}
}

func TestAnswersThatAreNotWhatWasListed(t *testing.T) {
	// More than the cache holds, and without an end but for the reader's.
	flood := func(w http.ResponseWriter) {
		for block := bytes.Repeat([]byte("x"), 1<<20); ; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		kind  string
	}{
		"shorter than it was": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-9/10")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(make([]byte, 10))
		}, api.KindChangedMeanwhile},
		"gone": {nil, api.KindChangedMeanwhile},
		"beyond its end": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		}, api.KindChangedMeanwhile},
		"another tag": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"other"`)
			part(100_000, nil)(w, r)
		}, api.KindChangedMeanwhile},
		"another part": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 7-100006/100000")
			w.Header().Set("Content-Length", "100000")
			w.WriteHeader(http.StatusPartialContent)
			flood(w)
		}, api.KindStrangeAnswer},
		"without a length": {func(w http.ResponseWriter, _ *http.Request) { flood(w) }, api.KindStrangeAnswer},
		"too long": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000000")
			flood(w)
		}, api.KindStrangeAnswer},
		"broken off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte("n\n1\n"))
		}, api.KindUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			l, cache := liedTo(t, false, s3test.Lie{Key: "a.csv", ETag: "e", Size: "100000", Serve: c.serve})
			refusedEverywhere(t, l, cache, "a.csv", c.kind, "a.csv")
		})
	}
}

// TestNoMoreThanWasAskedFor has a store that says the right things of an answer
// and then does not stop.
func TestNoMoreThanWasAskedFor(t *testing.T) {
	const size = 100_000
	content := append([]byte("n\n"), bytes.Repeat([]byte("1\n"), size/2-1)...)
	l, cache := liedTo(t, false, s3test.Lie{Key: "a.csv", ETag: "e", Size: fmt.Sprint(size), Serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", size-1, size))
		w.WriteHeader(http.StatusPartialContent)
		for {
			if _, err := w.Write(content); err != nil {
				return
			}
		}
	}})
	got, err := readAll(l, source.Scan{Relation: source.Relation{Name: "a.csv"}, Select: []string{"n"}})
	if err != nil || got["1"] != size/2-1 {
		t.Errorf("%v, %v", got, err)
	}
	if taken := onDisk(t, cache); taken > cacheLimit {
		t.Errorf("%d bytes are on disk", taken)
	}
}

func TestListingsThatDoNotEnd(t *testing.T) {
	lies := make([]s3test.Lie, 1000)
	for i := range lies {
		lies[i] = s3test.Lie{Key: fmt.Sprintf("%04d.csv", i), ETag: "e", Size: "1"}
	}
	l, _ := liedTo(t, true, lies...)
	_, err := l.Schema(t.Context(), source.Relation{Name: "*.csv"})
	if err == nil || !strings.Contains(err.Error(), "too many files") {
		t.Errorf("a listing without an end: %v", err)
	}
	l, cache := liedTo(t, false, lies[0], lies[1], lies[0])
	refusedEverywhere(t, l, cache, "*.csv", api.KindChangedMeanwhile, "0000.csv")
}

// TestKeysThatAreFoldersOfOthers holds objects that no folder could hold under
// their own names.
func TestKeysThatAreFoldersOfOthers(t *testing.T) {
	text := []byte("n\n1\n")
	var lies []s3test.Lie
	for _, key := range []string{"a.csv", "a.csv/b.csv", "a.csv/b.csv/" + strings.Repeat("c", 250) + ".csv"} {
		lies = append(lies, s3test.Lie{Key: key, ETag: "e", Size: "4", Serve: func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
		}})
	}
	l, _ := liedTo(t, false, lies...)
	for _, lie := range lies {
		got, err := readAll(l, source.Scan{Relation: source.Relation{Name: lie.Key}, Select: []string{"n"}})
		if err != nil || got["1"] != 1 {
			t.Errorf("%s: %v, %v", lie.Key, got, err)
		}
	}
}
