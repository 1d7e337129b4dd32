package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// longRows is more than any engine has made ready before its first batch is
// taken.
const longRows = 300_000

// stopsWithin is how long work may go on after it was cancelled, on a machine that
// is busy with other tests. What heeds no cancellation fails for its rows, too.
const stopsWithin = time.Minute

func testCancel(s suite) {
	name := s.Series(s.t, longRows)
	scan := s.scan(name, []string{"n", "pad"}, "")
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r, err := s.Source.Scan(ctx, scan)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		s.t.Fatalf("no first batch: %v", r.Err())
	}
	rows := r.RecordBatch().NumRows()
	start := time.Now()
	cancel()
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if took := time.Since(start); took > stopsWithin {
		s.t.Errorf("it went on for %s", took)
	}
	if r.Err() == nil || !errors.Is(r.Err(), context.Canceled) {
		s.t.Errorf("after %d rows of %d the error is %v", rows, longRows, r.Err())
	}

	// A source that sorts has no first batch for a while.
	scan.OrderBy = s.scan(name, scan.Select, "", "pad").OrderBy
	ctx, cancel = context.WithCancel(s.t.Context())
	cancel()
	start = time.Now()
	if r, err = s.Source.Scan(ctx, scan); err == nil {
		_, err = drain(r, []Kind{Int, Text})
	}
	if took := time.Since(start); took > stopsWithin || !errors.Is(err, context.Canceled) {
		s.t.Errorf("a scan that was cancelled before it began: %v after %s", err, took)
	}
	// The source is none the worse for it.
	s.wantInts("afterwards", limited(s.scan(name, []string{"n"}, "n < 3", "n"), 5), 0, 1, 2)
}

func testRelease(s suite) {
	name := s.Series(s.t, longRows)
	for i := range 5 {
		r, err := s.Source.Scan(s.t.Context(), s.scan(name, []string{"n", "pad"}, ""))
		if err != nil {
			s.t.Fatal(err)
		}
		if i%2 == 0 && !r.Next() {
			s.t.Errorf("no batch: %v", r.Err())
		}
		start := time.Now()
		r.Release()
		if took := time.Since(start); took > stopsWithin {
			s.t.Errorf("releasing took %s", took)
		}
	}
	s.wantInts("afterwards", s.scan(name, []string{"n"}, "n = 7"), 7)
}

func testConcurrent(s suite) {
	name := s.Series(s.t, 10_000)
	scan := s.scan(name, []string{"n"}, "n >= 5000", "n DESC")
	plain := s.scan(name, []string{"n"}, "n < 100")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			one, want := scan, 5000
			if i%2 == 0 {
				one, want = plain, 100
			}
			r, err := s.Source.Scan(s.t.Context(), one)
			if err != nil {
				s.t.Error(err)
				return
			}
			rows, err := drain(r, []Kind{Int})
			if err != nil || len(rows) != want {
				s.t.Errorf("%d rows, %v; want %d", len(rows), err, want)
			}
			if _, err := s.Source.Schema(s.t.Context(), one.Relation); err != nil {
				s.t.Error(err)
			}
			if _, err := s.Source.Estimate(s.t.Context(), one); err != nil {
				s.t.Error(err)
			}
		})
	}
	group.Wait()
}

// probe tries a source, as every source of the registry can be.
func probe(t *testing.T, src source.Source) error {
	t.Helper()
	p, ok := src.(source.Prober)
	if !ok {
		t.Fatal("the source does not implement Prober")
	}
	return p.Probe(t.Context())
}

// testProbe tries a source that is well, before anything was read and after.
// What happens to others is in testCredentials and testDeath.
func testProbe(s suite) {
	for range 3 {
		if err := probe(s.t, s.Source); err != nil {
			s.t.Error(err)
		}
	}
	name := s.Load(s.t, numbers())
	s.wantInts("afterwards", s.scan(name, []string{"n"}, "n = 7"), 7)
	if err := probe(s.t, s.Source); err != nil {
		s.t.Error(err)
	}
}

// awaits waits until the engine works on as many statements as wanted, for as
// long as a test may take.
func (s suite) awaits(what string, within time.Duration, done func(running int) bool) {
	s.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); !done(s.Running(s.t)); <-tick.C {
		if time.Since(start) > within {
			s.t.Errorf("%s: after %s the engine works on %d statements", what, within, s.Running(s.t))
			return
		}
	}
}

func atWork(running int) bool { return running > 0 }
func idle(running int) bool   { return running == 0 }

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// testCancelInEngine asks the engine itself whether it has stopped.
func testCancelInEngine(s suite) {
	if !s.can(Asking) {
		return
	}
	slow := s.scan(s.Slow(s.t), []string{"n"}, "")
	long := s.scan(s.Series(s.t, longRows), []string{"n", "pad"}, "")
	kinds := []Kind{Int, Text}
	for what, work := range map[string]func(ctx context.Context, started chan<- struct{}) error{
		"a scan without a first row": func(ctx context.Context, started chan<- struct{}) error {
			close(started)
			r, err := s.Source.Scan(ctx, slow)
			if err == nil {
				_, err = drain(r, kinds[:1])
			}
			return err
		},
		"a scan whose rows are being read": func(ctx context.Context, started chan<- struct{}) error {
			r, err := s.Source.Scan(ctx, long)
			if err != nil {
				return err
			}
			defer r.Release()
			r.Next()
			close(started)
			<-ctx.Done() // the rest waits in the engine
			for r.Next() {
			}
			return r.Err()
		},
	} {
		ctx, cancel := context.WithCancel(s.t.Context())
		started, ended := make(chan struct{}), make(chan error, 1)
		go func() { ended <- work(ctx, started) }()
		<-started
		s.awaits(what, patience, atWork)
		cancel()
		s.awaits(what+", cancelled", stopsWithin, idle)
		if err := <-ended; !errors.Is(err, context.Canceled) && !api.CodeInterrupted.Is(err) {
			s.t.Errorf("%s, cancelled: %v", what, err)
		}
	}
	r, err := s.Source.Scan(s.t.Context(), long)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Next()
	s.awaits("a scan", patience, atWork)
	r.Release()
	s.awaits("a scan, released", stopsWithin, idle)
}

// testPatience holds that a statement that takes too long is stopped, and said
// to be.
func testPatience(s suite) {
	if !s.can(Patience) {
		return
	}
	src := s.Impatient(s.t)
	defer closes(s.t, src)
	r, err := src.Scan(s.t.Context(), s.scan(s.Slow(s.t), []string{"n"}, ""))
	if err == nil {
		_, err = drain(r, []Kind{Int})
	}
	s.refused("a slow scan", err, api.CodeTimeout)
	if s.can(Asking) {
		s.awaits("stopped", stopsWithin, idle)
	}
}

// testCredentials holds that a source with wrong credentials is a failure of
// the source, and that they are told to nobody.
func testCredentials(s suite) {
	if !s.can(Credentials) {
		return
	}
	rel := source.Relation{Name: s.Load(s.t, numbers())}
	src, secret := s.Denied(s.t)
	defer closes(s.t, src)
	scan := source.Scan{Relation: rel, Select: []string{"n"}}
	for what, call := range map[string]func() error{
		"probe":    func() error { return probe(s.t, src) },
		"schema":   func() error { _, err := src.Schema(s.t.Context(), rel); return err },
		"sample":   func() error { _, err := src.Sample(s.t.Context(), rel, 1); return err },
		"estimate": func() error { _, err := src.Estimate(s.t.Context(), scan); return err },
		"scan": func() error {
			r, err := src.Scan(s.t.Context(), scan)
			if err == nil {
				_, err = drain(r, []Kind{Int})
			}
			return err
		},
	} {
		err := call()
		s.refused(what, err, api.CodeSource)
		var e *api.Error
		for err := err; err != nil; err = errors.Unwrap(err) {
			text := err.Error()
			if errors.As(err, &e) {
				text += e.Hint
			}
			if strings.Contains(text, secret) {
				s.t.Errorf("%s: the error holds the secret", what)
			}
		}
	}
}

func closes(t testing.TB, src source.Source) {
	if err := src.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// testExpiry lets the credentials of a source run out while it is used. It says so, and
// goes on when they are taken again.
func testExpiry(s suite) {
	if s.Guarded == nil {
		return
	}
	scan := s.scan(s.Load(s.t, numbers()), []string{"n"}, "n < 2", "n")
	guarded := s.Guarded(s.t, scan.Relation.Name)
	s.Source = guarded.Source
	defer closes(s.t, guarded.Source)
	s.wantInts("before", scan, 0, 1)
	guarded.Expire()
	for what, err := range map[string]error{"probe": probe(s.t, s.Source), "scan": s.fails(scan)} {
		s.refused(what, err, api.CodeSource)
		if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, guarded.Secret) {
			s.t.Errorf("%s: the error holds the secret", what)
		}
	}
	guarded.Renew()
	s.wantInts("afterwards", scan, 0, 1)
}

// fails runs a scan for its error.
func (s suite) fails(scan source.Scan) error {
	r, err := s.Source.Scan(s.t.Context(), scan)
	if err == nil {
		_, err = drain(r, []Kind{Int})
	}
	return err
}

// testRebirth holds that a source goes on with an engine that has started again.
func testRebirth(s suite) {
	if s.Restart == nil {
		return
	}
	scan := s.scan(s.Load(s.t, numbers()), []string{"n"}, "n < 2", "n")
	s.wantInts("before", scan, 0, 1)
	s.Kill(s.t)
	s.Restart(s.t)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	// A pool may have connections of before; each fails once.
	for start := time.Now(); s.fails(scan) != nil && time.Since(start) < patience; <-tick.C {
	}
	s.wantInts("afterwards", scan, 0, 1)
}

// testDeath holds that rows which an engine owes are an error, never an end.
func testDeath(s suite) {
	if !s.can(Mortality) {
		return
	}
	name := s.Series(s.t, longRows)
	scan := s.scan(name, []string{"n", "pad"}, "")
	r, err := s.Source.Scan(s.t.Context(), scan)
	if err != nil {
		s.t.Fatal(err)
	}
	if !r.Next() {
		s.t.Fatalf("no first batch: %v", r.Err())
	}
	rows := r.RecordBatch().NumRows()
	s.Kill(s.t)
	if s.Restart != nil {
		s.t.Cleanup(func() { s.Restart(s.t) }) // for the tests that follow
	}
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if rows >= longRows {
		s.t.Fatalf("all %d rows came before the engine died", rows)
	}
	s.refused("in the middle", r.Err(), api.CodeSource)
	r.Release()
	var next array.RecordReader
	if next, err = s.Source.Scan(s.t.Context(), scan); err == nil {
		_, err = drain(next, []Kind{Int, Text})
	}
	s.refused("afterwards", err, api.CodeSource)
	_, err = s.Source.Schema(s.t.Context(), scan.Relation)
	s.refused("schema afterwards", err, api.CodeSource)
	s.refused("probe afterwards", probe(s.t, s.Source), api.CodeSource)
}
