package server

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestSyncedFilesAreServedInRanges(t *testing.T) {
	s := serveTest(t, &testService{})
	const etag = `"0123"`
	for _, x := range []struct {
		what   string
		header []string
		status int
		body   string
		ranged string
	}{
		{"whole", nil, 200, testFile, ""},
		{"a part", []string{"Range", "bytes=2-5"}, 206, testFile[2:6], "bytes 2-5/13"},
		{"the end", []string{"Range", "bytes=9-"}, 206, testFile[9:], "bytes 9-12/13"},
		{"the last", []string{"Range", "bytes=-4"}, 206, testFile[9:], "bytes 9-12/13"},
		{"beyond", []string{"Range", "bytes=2-99"}, 206, testFile[2:], "bytes 2-12/13"},
		{"outside", []string{"Range", "bytes=13-20"}, 416, "", "bytes */13"},
		{"the same file", []string{"Range", "bytes=0-3", "If-Match", etag}, 206, "PAR1", "bytes 0-3/13"},
		{"another file", []string{"Range", "bytes=0-3", "If-Match", `"other"`}, 412, "", ""},
		{"another file, whole then", []string{"Range", "bytes=0-3", "If-Range", `"other"`}, 200, testFile, ""},
		{"several parts", []string{"Range", "bytes=0-1,4-5"}, 200, testFile, ""},
		{"known", []string{"If-None-Match", etag}, 304, "", ""},
	} {
		res, body := s.ask(t, "GET", "/api/sync/tables/t", "", append([]string{"Authorization", "Bearer " + userToken}, x.header...)...)
		if res.StatusCode != x.status || x.status < 300 && body != x.body || res.Header.Get("Content-Range") != x.ranged {
			t.Errorf("%s: %d %q %q", x.what, res.StatusCode, body, res.Header.Get("Content-Range"))
		}
		if x.status < 400 && res.Header.Get("ETag") != etag {
			t.Errorf("%s: ETag %q", x.what, res.Header.Get("ETag"))
		}
		if x.status == 416 {
			if e := errorOf(t, body); e.Code != api.CodeBadRequest || e.Message == "" || e.RequestID == "" || res.Header.Get("Content-Disposition") != "" {
				t.Errorf("%s: %+v", x.what, e)
			}
		}
		if x.status == 412 {
			if e := errorOf(t, body); e.Kind != api.KindChanged {
				t.Errorf("%s: %+v", x.what, e)
			}
		}
	}
	if res, body := s.ask(t, "HEAD", "/api/sync/tables/t", "", "Authorization", "Bearer "+userToken); res.StatusCode != 200 || body != "" || res.ContentLength != int64(len(testFile)) {
		t.Errorf("HEAD: %d, %d bytes", res.StatusCode, res.ContentLength)
	}
}

func TestAFileIsMadeAgainOnlyIfItsTableHasChanged(t *testing.T) {
	core, dir := testCore(t, "{}")
	core.byID["numbers"].QueryMode = api.ModeLocal
	ann := core.As(Principal{User: "ann"})
	manifest := func() api.SyncTable {
		t.Helper()
		m, err := ann.Manifest(t.Context())
		if err != nil || len(m.Tables) != 1 || len(m.Failed) > 0 || m.Tables[0].TableID != "numbers" {
			t.Fatalf("%+v, %v", m, err)
		}
		return m.Tables[0]
	}
	first := manifest()
	if first.Rows != 10_000 || first.Bytes <= 0 {
		t.Errorf("%+v", first)
	}
	made, ok := loadMaterial(core.shelf.recordPath("numbers", sameKey(t, core, "numbers")))
	if !ok {
		t.Fatal("there is no record")
	}
	if again := manifest(); !reflect.DeepEqual(again, first) {
		t.Errorf("unchanged: %+v, then %+v", first, again)
	}
	if now, _ := loadMaterial(core.shelf.recordPath("numbers", sameKey(t, core, "numbers"))); !now.MadeAt.Equal(made.MadeAt) {
		t.Error("an unchanged table was written again")
	}
	body, err := ann.TableData(t.Context(), first, 0, first.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	writeNumbers(t, dir, 500)
	if next := manifest(); next.Rows != 500 || next.XXH3 == first.XXH3 {
		t.Errorf("changed: %+v", next)
	}
	// Who reads the old file reads it to its end; who asks for it is told.
	if data, err := io.ReadAll(body); err != nil || int64(len(data)) != first.Bytes || !strings.HasPrefix(string(data), "PAR1") {
		t.Errorf("the old file: %d bytes, %v", len(data), err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ann.TableData(t.Context(), first, 0, 4); !isKind(err, api.KindChanged) {
		t.Errorf("the old file asked for anew: %v", err)
	}
	if _, err := ann.LocalTable(t.Context(), "words"); !isKind(err, "not_for_sync") {
		t.Errorf("a remote table: %v", err)
	}
	if _, err := ann.LocalTable(t.Context(), "secret"); !api.CodeForbidden.Is(err) {
		t.Errorf("without a grant: %v", err)
	}
	if m, err := core.As(LocalAdmin).Manifest(t.Context()); err != nil || len(m.Tables) != 0 {
		t.Errorf("for a local user: %+v, %v", m, err)
	}
}

func sameKey(t *testing.T, core *Core, id string) string {
	t.Helper()
	s := core.As(Principal{User: "ann"}).(*session)
	v, err := s.look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p, err := v.authorise(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return cacheKey(p.table, p.widest(), "")
}

func isKind(err error, kind string) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Kind == kind
}
