package core

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestAFileIsMadeAgainOnlyIfItsTableHasChanged(t *testing.T) {
	core, dir := testCore(t, "{}")
	core.byID["numbers"].QueryMode = api.ModeLocal
	ann := userOf(t, core, "ann")
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
	made, ok := core.files.Current("numbers", sameKey(t, core, "numbers"))
	if !ok {
		t.Fatal("there is no record")
	}
	if again := manifest(); !reflect.DeepEqual(again, first) {
		t.Errorf("unchanged: %+v, then %+v", first, again)
	}
	if now, _ := core.files.Current("numbers", sameKey(t, core, "numbers")); !now.MadeAt.Equal(made.MadeAt) {
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
	s := userOf(t, core, "ann")
	v, err := s.readRights(context.Background())
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
