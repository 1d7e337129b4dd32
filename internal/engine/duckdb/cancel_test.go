package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// endless never yields a row, and can be interrupted.
const endless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range + b.range = -1"

// errUser is what the tests cancel with.
var errUser = errors.New("the user pressed a key")

// calls are all ways into the engine.
var calls = map[string]func(context.Context, *Conn, string) error{
	"Exec":     func(ctx context.Context, c *Conn, sql string) error { return c.Exec(ctx, sql) },
	"QueryRow": func(ctx context.Context, c *Conn, sql string) error { return c.QueryRow(ctx, sql, nil, new(any)) },
	"Query": func(ctx context.Context, c *Conn, sql string) error {
		s, err := c.Query(ctx, sql)
		if err != nil {
			return err
		}
		defer s.Release()
		for s.Next() {
		}
		return s.Err()
	},
	"Import": func(ctx context.Context, c *Conn, sql string) error {
		return c.Import(ctx, "v", rowsOf(1), "CREATE TABLE t AS SELECT *, ("+sql+") FROM v")
	},
}

func TestCancelInterruptsAtOnce(t *testing.T) {
	for name, call := range calls {
		c := connect(t, Options{})
		ctx, cancel := context.WithCancelCause(t.Context())
		running := time.AfterFunc(50*time.Millisecond, func() { cancel(errUser) })
		start := time.Now()
		err := call(ctx, c, endless)
		running.Stop()
		cancel(nil)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, errUser) || errors.Is(err, ErrAbandoned) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took >= patience {
			t.Errorf("%s took %v", name, took)
		}
		if one(t, c, "SELECT 1") != "1" {
			t.Errorf("%s left the connection unusable", name)
		}
	}
}

// pipe makes a FIFO and a statement that reads it. entered returns once the
// engine is inside the system call, where no interrupt reaches it; free lets it
// out again.
func pipe(t *testing.T) (sql string, entered, free func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var w *os.File
	entered = func() {
		var err error
		if w, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil { // waits for a reader
			t.Error(err)
		}
	}
	free = func() {
		_, _ = w.WriteString("1\n")
		_ = w.Close()
	}
	return "SELECT x FROM read_csv(" + Literal(path) + ", header = false, auto_detect = false, columns = {'x': 'INTEGER'})", entered, free
}

// TestHardStop: the engine does not answer, the call returns all the same, and
// the connection is usable when the engine is through.
func TestHardStop(t *testing.T) {
	for name, call := range calls {
		c := connect(t, Options{})
		c.patience = 30 * time.Millisecond
		sql, entered, free := pipe(t)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			entered()
			cancel()
		}()
		if err := call(ctx, c, sql); !errors.Is(err, context.Canceled) || !errors.Is(err, ErrAbandoned) {
			t.Errorf("%s: %v", name, err)
		}
		// Another call waits for its turn, as long as its own context lets it.
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
		if err := c.Exec(ctx, "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s, then Exec: %v", name, err)
		}
		cancel()
		free()
		nothingLeft(t, c) // waits for its turn
	}
}

// TestCloseDoesNotHang closes under a call that the engine is stuck in.
func TestCloseDoesNotHang(t *testing.T) {
	db, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := session(t, db)
	c.patience = 30 * time.Millisecond
	sql, entered, free := pipe(t)
	failed := make(chan error)
	go func() { failed <- c.Exec(t.Context(), sql) }()
	entered()
	if err := db.Close(); !errors.Is(err, ErrAbandoned) {
		t.Errorf("Close: %v", err)
	}
	if err := c.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("Exec after Close did not fail")
	}
	if _, err := db.Conn(); !errors.Is(err, ErrClosed) {
		t.Errorf("Conn after Close: %v", err)
	}
	free()
	if err := <-failed; err == nil {
		t.Error("the call was not interrupted")
	}
	<-c.turn // it is given on once the connection is gone
	c.give()
	if c.ptr != nil {
		t.Error("the connection was not freed")
	}
}

func TestCloseInterruptsCalls(t *testing.T) {
	db, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var conns []*Conn
	failed := make(chan error)
	for range 3 {
		c := session(t, db)
		conns = append(conns, c)
		go func() { failed <- c.Exec(t.Context(), endless) }()
	}
	idle := session(t, db)
	s, err := idle.Query(t.Context(), "SELECT * FROM range(10000000)")
	if err != nil || !s.Next() {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for range conns {
		if err := <-failed; err == nil {
			t.Error("a call was not interrupted")
		}
	}
	if s.RecordBatch().NumRows() == 0 || s.Next() || !errors.Is(s.Err(), ErrClosed) {
		t.Errorf("the open stream: %v", s.Err())
	}
	s.Release()
	if err := db.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// TestCancelBetweenBatches: Next must not hand out rows after the context is
// done, and must leave the connection free.
func TestCancelBetweenBatches(t *testing.T) {
	c := connect(t, Options{})
	for _, item := range []string{"range", "[range]"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		s, err := c.Query(ctx, "SELECT "+item+" FROM range(100000000)")
		if err != nil || !s.Next() {
			t.Fatal(err)
		}
		cancel(errUser)
		if s.Next() || !errors.Is(s.Err(), context.Canceled) || !errors.Is(s.Err(), errUser) {
			t.Errorf("%s: %v", item, s.Err())
		}
		must(t, c, "SELECT 1") // before the release
		s.Release()
	}
}

func TestDoneContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range calls {
		c := connect(t, Options{})
		if err := call(ctx, c, "SELECT 1"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if n := one(t, c, "SELECT count(*) FROM duckdb_tables()"); n != "0" {
			t.Errorf("%s ran its statement", name)
		}
	}
}

// TestOtherErrorsStayWhatTheyAre: only a done context makes a cancellation.
func TestOtherErrorsStayWhatTheyAre(t *testing.T) {
	c := connect(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for name, call := range calls {
		err := call(ctx, c, "SELECT error('interrupted! context canceled')")
		var e *Error
		if !errors.As(err, &e) || e.Type != "Invalid Input" || errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLateInterrupt hits the moment at which statements end: an interrupt that
// comes too late must not reach the next statement.
func TestLateInterrupt(t *testing.T) {
	c := connect(t, Options{})
	cancelled := 0
	for i := range 300 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%30)*30*time.Microsecond)
		err := c.Exec(ctx, "SELECT sum(range) FROM range(100000)")
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if err != nil {
			cancelled++
		}
		if got := one(t, c, fmt.Sprintf("SELECT count(*) FROM range(%d)", 10000+i)); got != fmt.Sprint(10000+i) {
			t.Fatalf("the statement after it: %s", got)
		}
	}
	if cancelled == 0 {
		t.Error("nothing was cancelled")
	}
}

// TestShield: tidying up goes on under a rain of interrupts.
func TestShield(t *testing.T) {
	c := connect(t, Options{})
	work := func() error { return c.exec("SELECT sum(range) FROM range(100000000)") }
	rain := func(work func() error) error {
		done := make(chan error)
		go func() { done <- work() }()
		for {
			select {
			case err := <-done:
				return err
			default:
				c.interrupt()
			}
		}
	}
	if err := rain(func() error { return c.shield(work) }); err != nil {
		t.Errorf("with a shield: %v", err)
	}
	if err := rain(work); err == nil {
		t.Error("without a shield nothing was interrupted")
	}
}

// TestNoGoroutineIsLeft counts them after many cancelled calls.
func TestNoGoroutineIsLeft(t *testing.T) {
	c := connect(t, Options{})
	before := runtime.NumGoroutine()
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := c.Query(ctx, "SELECT * FROM range(10000000)")
		if err != nil {
			t.Fatal(err)
		}
		s.Next()
		cancel()
		s.Next()
		s.Release()
	}
	if after := runtime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
