package duckdb

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestCarry casts what does not travel, by position, and keeps the order.
func TestCarry(t *testing.T) {
	db, err := Open(Options{PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const plain = "SELECT i AS a FROM range(3) t(i)"
	if sql, warnings, err := c.Carry(t.Context(), plain); err != nil || sql != plain || warnings != nil {
		t.Errorf("changed what needs no change: %q %v %v", sql, warnings, err)
	}
	sql, warnings, err := c.Carry(t.Context(), "SELECT INTERVAL (i) DAY AS a, i AS a, sum(i) OVER () AS total FROM range(200000) t(i) ORDER BY i DESC")
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 {
		t.Errorf("warnings: %v", warnings)
	}
	r, err := c.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var names []string
	for _, f := range r.Schema().Fields() {
		names = append(names, f.Name+" "+f.Type.String())
	}
	if want := []string{"a utf8", "a int64", "total decimal(38, 0)"}; !slices.Equal(names, want) {
		t.Errorf("columns are %v", names)
	}
	next := 199999
	for r.Next() {
		for i := range int(r.RecordBatch().NumRows()) {
			if got := r.RecordBatch().Column(1).ValueStr(i); got != strconv.Itoa(next) {
				t.Fatalf("row %d comes as %s", next, got)
			}
			next--
		}
	}
	if r.Err() != nil || next != -1 {
		t.Errorf("ended at %d: %v", next, r.Err())
	}
}

// TestListsThatTakeForEver: a file of a few hundred bytes would keep a thread busy
// for years; it is not written.
func TestListsThatTakeForEver(t *testing.T) {
	db, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	from, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	to, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	for lists, written := range map[int]bool{MaxLists: true, MaxLists + 1: false} {
		sql := "SELECT " + strings.Repeat("[{'a': ", lists) + "1" + strings.Repeat("}]", lists) + " AS n"
		carried, warnings, err := from.Carry(t.Context(), sql)
		if err != nil || (len(warnings) == 0) != written || strings.Contains(carried, "JSON") == written {
			t.Errorf("%d lists: %q %v, %v", lists, carried, warnings, err)
		}
		rows, err := from.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.WriteParquet(t.Context(), filepath.Join(t.TempDir(), "f.parquet"), rows); (err == nil) != written {
			t.Errorf("%d lists are written: %v", lists, err)
		}
		rows.Release()
	}
}

// TestCarryDepth refuses what Arrow could not hold, in words that hold nothing
// of the statement.
func TestCarryDepth(t *testing.T) {
	db, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for levels, refused := range map[int]bool{50: false, 70: true, 230: true} {
		_, _, err := c.Carry(t.Context(), "SELECT "+strings.Repeat("[", levels)+"1"+strings.Repeat("]", levels)+` AS "SECRET"`)
		var said *Error
		if (err != nil) != refused || refused && (!errors.As(err, &said) || !strings.Contains(said.Message, "nested too deeply") || strings.Contains(err.Error(), "SECRET")) {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}
