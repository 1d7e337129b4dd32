// Command postgres measures reading a table of PostgreSQL side by side with
// psql's binary COPY of the same table: as Arrow batches in this process, and
// through a whole da fetch into a snapshot. It starts a cluster of its own.
//
// It must not be used as a test: it asserts nothing, and its figures belong to
// the machine that it runs on.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/postgres"
)

type options struct {
	da   string
	rows int64
	runs int
}

func main() {
	var o options
	flag.StringVar(&o.da, "da", "bin/da", "the binary to measure")
	flag.Int64Var(&o.rows, "rows", 2_000_000, "rows of the table, which has ten columns")
	flag.IntVar(&o.runs, "runs", 5, "runs of each variant")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// columns are of the ten kinds that tables mostly have.
const columns = `i AS id, (i % 1000)::int AS n, (i % 7)::smallint AS small, (i % 100000)::numeric(12,2) / 7 AS raw, i / 3.0::float8 AS ratio,
	md5(i::text) AS name, 'code' || i % 50 AS code, DATE '2001-01-01' + (i % 3650)::int AS day, TIMESTAMPTZ '2001-01-01' + i * INTERVAL '1 second' AS at, i % 3 = 0 AS ok`

// prepare makes the table and the instance file.
func prepare(ctx context.Context, c *pgtest.Cluster, dir string, rows int64) error {
	sql := fmt.Sprintf(`CREATE TABLE big AS SELECT %s FROM generate_series(1, %d) AS i; ALTER TABLE big ALTER raw TYPE numeric(12,2); VACUUM ANALYZE big`, columns, rows)
	for _, s := range []string{sql[:len(sql)-len("; VACUUM ANALYZE big")], "VACUUM ANALYZE big"} {
		if out, err := c.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", s).CombinedOutput(); err != nil {
			return fmt.Errorf("make the table: %w\n%s", err, out)
		}
	}
	instance := fmt.Sprintf(`
api:
  scan: { max_limit: 100000000, max_result_bytes: 20000000000 }
sources:
  main: { type: postgres, dsn: %q }
tables:
  - { id: big, source: main, relation: public.big }
`, c.DSN(""))
	return os.WriteFile(filepath.Join(dir, "instance.yaml"), []byte(instance), 0o600)
}

// variant is one way to read the whole table.
type variant struct {
	name string
	run  func(context.Context) error
	wall []time.Duration
	cpu  []time.Duration // of this program or the one that it starts, not of the server
}

func run(ctx context.Context, o options) error {
	da, err := filepath.Abs(o.da)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "da-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cluster, err := pgtest.Start(pgtest.Options{Settings: []string{"shared_buffers=512MB"}})
	if err != nil {
		return err
	}
	defer func() { _ = cluster.Stop() }() // nothing depends on what is left of it
	if err := prepare(ctx, cluster, dir, o.rows); err != nil {
		return err
	}
	src, err := postgres.Open(postgres.Options{DSN: cluster.DSN("")})
	if err != nil {
		return err
	}
	defer src.Close()
	variants := []*variant{
		{name: "psql COPY … (FORMAT binary) > /dev/null", run: func(context.Context) error {
			return discard(cluster.Command("psql", "-c", "COPY big TO STDOUT (FORMAT binary)"))
		}},
		{name: "Arrow batches in process", run: func(ctx context.Context) error { return batches(ctx, src, o.rows) }},
		{name: "da fetch, whole process", run: func(ctx context.Context) error { return fetch(ctx, da, dir) }},
	}
	for i := range o.runs + 1 {
		for _, v := range variants {
			before, start := spent(), time.Now()
			if err := v.run(ctx); err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			if i > 0 { // the first round warms the caches
				v.wall, v.cpu = append(v.wall, time.Since(start)), append(v.cpu, spent()-before)
			}
		}
	}
	fmt.Printf("\n## PostgreSQL, %d rows × 10 columns\n\n| what | best | median | CPU | M rows/s | to COPY |\n|---|---|---|---|---|---|\n",
		o.rows)
	base := slices.Min(variants[0].wall)
	for _, v := range variants {
		best := slices.Min(v.wall)
		slices.Sort(v.wall)
		slices.Sort(v.cpu)
		fmt.Printf("| %s | %.2f s | %.2f s | %.2f s | %.2f | %.2f |\n", v.name, best.Seconds(), v.wall[len(v.wall)/2].Seconds(),
			v.cpu[len(v.cpu)/2].Seconds(), float64(o.rows)/best.Seconds()/1e6, float64(base)/float64(best))
	}
	return nil
}

func discard(cmd *exec.Cmd) error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	cmd.Stdout = null
	return cmd.Run()
}

func batches(ctx context.Context, src source.Source, want int64) error {
	rel := source.Relation{Name: "public.big"}
	schema, err := src.Schema(ctx, rel)
	if err != nil {
		return err
	}
	scan := source.Scan{Relation: rel}
	for _, c := range schema.Columns {
		scan.Select = append(scan.Select, c.Name)
	}
	r, err := src.Scan(ctx, scan)
	if err != nil {
		return err
	}
	defer r.Release()
	rows := int64(0)
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if r.Err() == nil && rows != want {
		return fmt.Errorf("%d rows of %d", rows, want)
	}
	return r.Err()
}

func fetch(ctx context.Context, da, dir string) error {
	home := filepath.Join(dir, "home")
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, da, "fetch", "big", "--no-estimate")
	cmd.Env = append(os.Environ(), "DA_HOME="+home, "DA_SERVER=", "DA_INSTANCE="+filepath.Join(dir, "instance.yaml"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// spent is the CPU time of this process and of those that it has waited for.
func spent() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
