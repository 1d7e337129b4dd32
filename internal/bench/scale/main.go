// Command scale measures what requests take of a server with 100,000 tables, compares a
// simulation of their queues with a real run, and simulates a day of very many users: what
// they break first, and how many servers they need. It prints the tables of docs/scaling.md.
//
// It must not be used as a test: its figures belong to the machine that it runs on.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.da, "da", "bin/da", "the binary to measure")
	flag.IntVar(&o.requests, "requests", 40, "requests of each kind that are measured")
	flag.Float64Var(&o.rate, "rate", 25, "requests a second of the real run")
	flag.DurationVar(&o.length, "length", 30*time.Second, "length of the real run")
	flag.DurationVar(&o.sqlite, "sqlite", 400*time.Microsecond, "a change of the state in SQLite: go test ./server/state -bench Pairs; a pair is two")
	flag.DurationVar(&o.postgres, "postgres", 2200*time.Microsecond, "a change in PostgreSQL, four side by side")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

type options struct {
	da               string
	requests         int
	rate             float64
	length           time.Duration
	sqlite, postgres time.Duration
}

const tables = 100_000

// kinds are what users ask for, as often as an analyst with the page and a script does;
// what they take is measured.
var kinds = []kind{
	{name: "page of the catalog", share: 0.25, writes: 1},
	{name: "search of the page", share: 0.10, writes: 1},
	{name: "schema", share: 0.25, writes: 1, table: true},
	{name: "estimate", share: 0.15, writes: 1, table: true},
	{name: "scan of 200,000 rows", share: 0.25, writes: 2, table: true, result: true, hold: 2 * time.Second},
}

func (o options) run(ctx context.Context) error {
	s, err := serve(ctx, o.da)
	if err != nil {
		return err
	}
	defer s.stop()
	alone, used := slices.Clone(kinds), slices.Clone(kinds)
	fmt.Printf("## One request, of a server with %d tables\n\n| what | processor time | of one core, a second | until it is answered |\n|---|---|---|---|\n", tables)
	for i, k := range kinds {
		took, cpu, bytes, err := s.measure(ctx, k.name, o.requests)
		if err != nil {
			return err
		}
		alone[i].seen, alone[i].writes, alone[i].hold, alone[i].table = took, 0, 0, false
		used[i].work = cpu
		slices.Sort(took)
		fmt.Printf("| %s | %s | %.0f, %.1f MB | %s |\n", k.name, ms(cpu), 1/cpu.Seconds(), float64(bytes)/1e6/cpu.Seconds(),
			ms(took[len(took)/2]))
	}
	took, inUse, err := s.open(ctx, kinds, o.rate, o.length)
	if err != nil {
		return err
	}
	cores := runtime.NumCPU()
	said := simulate(world{users: 1, daily: o.rate * 86400, servers: 1, cores: cores, writers: 1, tables: tables, known: 1, kinds: alone,
		to: time.Hour, flat: true, seed: 1})
	real := outcome{took: took}
	fmt.Printf("\n## A real run beside the model: %.0f requests a second for %v on %d processors\n\n", o.rate, o.length, cores)
	fmt.Print("| what | median | of the model | 95 of 100 within | of the model |\n|---|---|---|---|---|\n")
	for _, k := range kinds {
		fmt.Printf("| %s | %s | %s | %s | %s |\n", k.name, ms(real.within(k.name, 0.5)), ms(said.within(k.name, 0.5)),
			ms(real.within(k.name, 0.95)), ms(said.within(k.name, 0.95)))
	}
	expected := 0.0
	for _, k := range used {
		expected += k.share * o.rate * k.work.Seconds() / float64(cores)
	}
	fmt.Printf("| processors in use | %.0f %% | %.0f %% | | |\n", 100*inUse, 100*expected)

	catalog := []kind{{name: kinds[0].name, share: 1}}
	if took, _, err = s.open(ctx, catalog, 50, o.length); err != nil {
		return err
	}
	at50 := outcome{took: took}
	fmt.Printf("\nThe catalog alone, 50 requests a second: median %s, 99 of 100 within %s.\n", ms(at50.within(kinds[0].name, 0.5)), ms(at50.within(kinds[0].name, 0.99)))
	o.days(used)
	return nil
}

// fleets are what a day is simulated on.
type fleet struct {
	name                    string
	servers, cores, writers int
	write                   time.Duration
}

// days simulates days of 10,000 users who ask ever more, until something breaks.
func (o options) days(used []kind) {
	const users = 10_000
	fmt.Printf("\n## %d users\n\n| servers | requests of a user a day | a second, in the busiest hour | catalog, 99 of 100 within | scan | processors in use | turns | state | streams of a server | at its limit |\n"+
		"|---|---|---|---|---|---|---|---|---|---|\n", users)
	for _, f := range []fleet{
		{"1 of 2 cores, SQLite", 1, 2, 1, o.sqlite}, {"1 of 8 cores, SQLite", 1, 8, 1, o.sqlite},
		{"4 of 8 cores, PostgreSQL", 4, 8, 4, o.postgres}, {"8 of 16 cores, PostgreSQL", 8, 16, 4, o.postgres},
	} {
		for _, daily := range []float64{60, 300, 600, 1200, 2400, 4800} {
			w := world{users: users, daily: daily, servers: f.servers, cores: f.cores, write: f.write, writers: f.writers,
				tables: tables, known: 10_000, look: 50 * time.Millisecond, kinds: used, to: 24 * time.Hour, seed: 1}
			if daily > 300 {
				w.from, w.to = 10*time.Hour, 10*time.Hour+20*time.Minute // the busiest
			}
			got := simulate(w)
			limit, scan := got.limit(), ms(got.within(kinds[4].name, 0.99))
			if max(got.turns, got.state, got.processors) > 0.9 {
				scan = "ever longer"
			}
			fmt.Printf("| %s | %.0f | %.0f | %s | %s | %.0f %% | %.0f %% | %.0f %% | %d | %s |\n", f.name, daily,
				daily*users/86400*slices.Max(day), ms(got.within(kinds[0].name, 0.99)), scan, 100*got.processors,
				100*got.turns, 100*got.state, got.streams, limit)
			if limit != "" {
				break
			}
		}
	}
}

// limit says what breaks first; empty if nothing does.
func (o outcome) limit() string {
	switch {
	case o.turns > 0.9 && o.turns > o.state:
		return "processors for results"
	case o.state > 0.9:
		return "changes of the state"
	case o.processors > 0.9:
		return "processors"
	case o.streams > 400:
		return "memory, 10 MB a stream"
	case o.within(kinds[0].name, 0.99) > 50*time.Millisecond:
		return "the catalog waits"
	}
	return ""
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
