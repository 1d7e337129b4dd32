package duckdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestSettings holds what Open promises, for every connection.
func TestSettings(t *testing.T) {
	t.Setenv("TZ", "Asia/Tokyo")
	dir := t.TempDir()
	c := connect(t, Options{MemoryLimit: "200MiB", Threads: 3, TempDir: dir, MaxTempSize: "50MiB", PreserveOrder: true,
		Settings: map[string]string{"default_null_order": "nulls_first"}})
	plain := connect(t, Options{})
	for _, tc := range []struct {
		setting, want, plain string
	}{
		{"memory_limit", "200.0 MiB", ""}, {"threads", "3", ""}, {"temp_directory", dir, ""}, {"max_temp_directory_size", "50.0 MiB", ""},
		{"preserve_insertion_order", "true", "false"}, {"default_null_order", "NULLS_FIRST", ""},
		{"autoinstall_known_extensions", "false", "false"}, {"autoload_known_extensions", "false", "false"},
		{"TimeZone", "UTC", "UTC"}, {"arrow_lossless_conversion", "true", "true"}, {"streaming_buffer_size", "1000 bytes", "1000 bytes"},
		{"errors_as_json", "true", "true"},
	} {
		for _, conn := range []*Conn{c, session(t, c.db)} {
			if got := one(t, conn, fmt.Sprintf("SELECT current_setting('%s')::VARCHAR", tc.setting)); got != tc.want {
				t.Errorf("%s is %s", tc.setting, got)
			}
		}
		if got := one(t, plain, fmt.Sprintf("SELECT current_setting('%s')::VARCHAR", tc.setting)); tc.plain != "" && got != tc.plain {
			t.Errorf("%s is %s by default", tc.setting, got)
		}
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	if _, err := Open(Options{MemoryLimit: "much"}); err == nil {
		t.Error("a memory limit that is not a size is accepted")
	}
}

// TestSettingScopes is what doc.go says of settings, measured.
func TestSettingScopes(t *testing.T) {
	c := connect(t, Options{})
	other := session(t, c.db)
	for setting, scope := range map[string]string{
		"preserve_insertion_order": "either", "threads": "instance", "memory_limit": "instance", "temp_directory": "instance",
		"disabled_optimizers": "instance", "streaming_buffer_size": "connection", "TimeZone": "either", "errors_as_json": "either",
	} {
		value := map[string]string{"preserve_insertion_order": "true", "threads": "1", "memory_limit": "'300MiB'", "temp_directory": "'/tmp/x'",
			"disabled_optimizers": "'join_order'", "streaming_buffer_size": "'5KB'", "TimeZone": "'Asia/Tokyo'", "errors_as_json": "false"}[setting]
		read := "SELECT current_setting('" + setting + "')::VARCHAR"
		global := c.Exec(t.Context(), "SET GLOBAL "+setting+" = "+value) == nil
		if shared := one(t, c, read) == one(t, other, read); global && !shared {
			t.Errorf("%s: SET GLOBAL does not reach another connection", setting)
		}
		must(t, c, "SELECT 1")
		_ = c.Exec(t.Context(), "RESET GLOBAL "+setting)
		local := c.Exec(t.Context(), "SET SESSION "+setting+" = "+value) == nil
		got := map[[2]bool]string{{true, false}: "instance", {false, true}: "connection", {true, true}: "either"}[[2]bool{global, local}]
		if got != scope {
			t.Errorf("%s is per %s", setting, got)
		}
	}
}

// TestNoFilesAreLeft: an instance that was not told where has no place to
// spill to, and says so instead of writing beside the program.
func TestNoFilesAreLeft(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	c := connect(t, Options{MemoryLimit: "60MB"})
	if err := c.Exec(t.Context(), "CREATE TABLE t AS SELECT range, repeat('x', 100) || range AS s FROM range(3000000)"); err == nil {
		t.Error("60 MB hold 400 MB")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	tmp := filepath.Join(dir, "tmp")
	spills := connect(t, Options{MemoryLimit: "60MB", TempDir: tmp, Threads: 1})
	must(t, spills, "CREATE TABLE t AS SELECT range, repeat('x', 100) || range AS s FROM range(1000000)")
	if one(t, spills, "SELECT count(*) FROM t WHERE s LIKE '%'||range") != "1000000" {
		t.Error("rows were lost")
	}
}

// TestTempSizeIsBounded: the engine shows a limit that it was started with, but
// does not keep it.
func TestTempSizeIsBounded(t *testing.T) {
	for limit, fits := range map[string]bool{"20MB": false, "2GB": true, "": true} {
		c := connect(t, Options{MemoryLimit: "60MB", TempDir: t.TempDir(), MaxTempSize: limit, Threads: 1})
		err := c.Exec(t.Context(), "CREATE TABLE t AS SELECT range, repeat('x', 100) || hash(range) AS s FROM range(1500000)")
		var e *Error
		if fits != (err == nil) || !fits && (!errors.As(err, &e) || e.Type != "Out of Memory") {
			t.Errorf("a limit of %q: %v", limit, err)
		}
	}
}

// TestConcurrentUse is for the race detector: calls on one connection take
// turns, and connections run side by side.
func TestConcurrentUse(t *testing.T) {
	c := connect(t, Options{})
	must(t, c, "CREATE TABLE t AS SELECT range AS a FROM range(100000)")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			own := c
			if i%2 == 0 {
				var err error
				if own, err = c.db.Conn(); err != nil {
					t.Error(err)
					return
				}
				defer own.Close()
			}
			for range 20 {
				if err := own.Exec(t.Context(), "SELECT sum(a) FROM t"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
