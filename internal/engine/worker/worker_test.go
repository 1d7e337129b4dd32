package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// TestMain makes the test binary a worker, and a process that has one.
func TestMain(m *testing.M) {
	if Called(os.Args[1:]) {
		_ = Main(os.Stdin, os.Stdout) // it reports what fails
		return
	}
	if _, called := CalledForCalls(os.Args[1:]); called {
		_ = ServeCalls(os.Stdin, os.Stdout, answerTest) // who asks sees what fails
		return
	}
	if os.Getenv("WORKER_TEST_PARENT") != "" {
		r, err := pool(1).Run(context.Background(), Job{SQL: endless})
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stdout, r.cmd.Process.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return
	}
	m.Run()
}

// endless has more rows than anybody reads.
const endless = "SELECT i FROM range(1000000000000) t(i)"

func pool(size int) *Pool {
	p, err := NewPool(size)
	if err != nil {
		panic(err)
	}
	return p
}

func TestRowsAndWarningsAreThoseOfTheEngine(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/a.parquet"
	enginetest.Parquet(t, file, "SELECT i, 'text ' || i AS s, INTERVAL 1 DAY AS n FROM range(300000) t(i)")
	temp := t.TempDir()
	j := Job{
		Engine: duckdb.Options{PreserveOrder: true, MemoryLimit: "500MB", TempDir: temp}, Dirs: []string{dir}, Memory: 1 << 30,
		Setup: []string{"CREATE TEMP VIEW a AS FROM read_parquet(" + duckdb.Literal(file) + ")"}, SQL: "SELECT * FROM a WHERE i % 3 = 0",
	}
	r, err := pool(1).Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if warnings := (&api.Stream{Batches: r}).Caveats(); len(warnings) != 1 || !strings.Contains(warnings[0].Text, "INTERVAL") {
		t.Errorf("warnings %q", warnings)
	}
	rows, err := enginetest.Rows(r)
	if err != nil || len(rows) != 100000 || !strings.HasPrefix(rows[99999], "299997|text 299997|") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestFailuresAreTheEnginesOwn(t *testing.T) {
	p := pool(1)
	var e *duckdb.Error
	_, err := p.Run(t.Context(), Job{SQL: "SELECT nothing"})
	if !errors.As(err, &e) || e.Type != "Binder" {
		t.Errorf("a statement: %v", err)
	}
	_, err = p.Run(t.Context(), Job{SQL: "SELECT sum('x'::VARCHAR)"})
	if e = nil; !errors.As(err, &e) || e.Casts() == "" {
		t.Errorf("a misfit: %v", err)
	}
	_, err = p.Run(t.Context(), Job{Memory: 1 << 30, SQL: "SELECT reservoir_quantile(i, 0.5, 1000000000) FROM range(10) t(i)"})
	if e = nil; !errors.As(err, &e) || e.Type != "Out of Memory" {
		t.Errorf("an allocation of its own: %v", err)
	}
	var setup *SetupError
	_, err = p.Run(t.Context(), Job{Setup: []string{"SELECT 1", "FROM nowhere"}, SQL: "SELECT 1"})
	if e = nil; !errors.As(err, &setup) || setup.Step != 1 || !errors.As(err, &e) || e.Type != "Catalog" {
		t.Errorf("the setup: %v", err)
	}
	_, err = p.Run(t.Context(), Job{SQL: "FROM read_text('/etc/passwd')"})
	if e = nil; !errors.As(err, &e) || e.Type != "Permission" {
		t.Errorf("outside: %v", err)
	}
	r, err := p.Run(t.Context(), Job{SQL: "SELECT CASE WHEN i < 500000 THEN i ELSE error('late') END FROM range(600000) t(i)"})
	if err == nil {
		_, err = enginetest.Rows(r)
	}
	if e = nil; !errors.As(err, &e) || !strings.Contains(e.Message, "late") {
		t.Errorf("in the middle: %v", err)
	}
}

// bomb is a statement whose plan doubles with each line; the planner heeds no
// interrupt.
func bomb() string {
	var b strings.Builder
	b.WriteString("WITH x0 AS (SELECT 'abc' s)")
	for i := range 60 {
		fmt.Fprintf(&b, ", x%d AS (SELECT s || s s FROM x%d)", i+1, i)
	}
	return b.String() + " SELECT length(s) FROM x60"
}

func TestADeadlineEndsWhatHeedsNoInterrupt(t *testing.T) {
	p := pool(1)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // the bomb takes gigabytes a second
	defer cancel()
	if _, err := p.Run(ctx, Job{SQL: bomb(), Memory: 4 << 30}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the bomb: %v", err)
	}
	if p.places.taken > 0 {
		t.Error("the slot is still taken")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	p := pool(1)
	grow := "replace(repeat('a', 1 << 20), 'a', repeat('b', 1 << 9))" // 512 MB, of which the engine's limit counts nothing
	_, err := p.Run(t.Context(), Job{SQL: "SELECT length(" + grow + ")", Memory: 300 << 20, Engine: duckdb.Options{MemoryLimit: "100MB", Threads: 2}})
	var e *duckdb.Error
	if !errors.Is(err, &api.Error{Code: api.CodeBudget, Kind: "memory"}) && !(errors.As(err, &e) && e.Type == "Out of Memory") {
		t.Errorf("%v", err)
	}
}

func TestACrashIsAnError(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGKILL} {
		r, err := pool(1).Run(t.Context(), Job{SQL: endless})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Next() {
			t.Fatal(r.Err())
		}
		if err := r.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if _, err := enginetest.Rows(r); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindEngineCrashed}) {
			t.Errorf("%v: %v", signal, err)
		}
	}
}

func TestAReaderThatIsReleasedLeavesNoWorker(t *testing.T) {
	p := pool(1)
	for range 3 { // the slot is free again each time
		r, err := p.Run(t.Context(), Job{SQL: endless})
		if err != nil {
			t.Fatal(err)
		}
		r.Release()
		if r.cmd.ProcessState == nil {
			t.Error("the worker still runs")
		}
	}
}

func TestAFullPoolAnswersInTime(t *testing.T) {
	p := pool(1)
	r, err := p.Run(t.Context(), Job{SQL: endless})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if _, err := p.Run(ctx, Job{SQL: "SELECT 1"}); !api.CodeUnavailable.Is(err) {
		t.Errorf("%v", err)
	}
}

func TestAWorkerDoesNotOutliveItsParent(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WORKER_TEST_PARENT=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	stat := "/proc/" + strings.TrimSpace(line) + "/stat"
	for { // the test's own time limit ends it
		text, err := os.ReadFile(stat)
		if errors.Is(err, os.ErrNotExist) || strings.Contains(string(text), ") Z ") {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
}
