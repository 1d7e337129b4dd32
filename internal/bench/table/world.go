package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/bench/process"
)

//go:embed peers.mjs
var peers []byte

// world is the generated data and what it is measured with.
type world struct {
	options
	dir  string
	size int64
}

func (w *world) file(name string) string { return filepath.Join(w.dir, name) }

func (w *world) lastStart() string { return strconv.Itoa(w.rows - 19) }

// generate writes the file, its first half and its first tenth.
func (w *world) generate() error {
	if err := os.WriteFile(w.file("peers.mjs"), peers, 0o600); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(w.npm, "node_modules"), w.file("node_modules")); err != nil {
		return err
	}
	for name, rows := range map[string]int{"rows.csv": w.rows, "part.csv": w.rows / 2, "fifth.csv": w.rows / 10} {
		if err := writeRows(w.file(name), rows); err != nil {
			return err
		}
	}
	info, err := os.Stat(w.file("rows.csv"))
	if err == nil {
		w.size = info.Size()
	}
	return err
}

// writeRows writes ten columns of the kinds that tables have, the same each
// time.
func writeRows(path string, rows int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	rnd := rand.New(rand.NewSource(1))
	cities := []string{"Prague", "Brno", "Ostrava", "Plzeň", `"Hradec, Králové"`, "Liberec"}
	states := []string{"new", "paid", "shipped", "returned"}
	fmt.Fprintln(out, "id,customer,city,created,updated_at,amount,ratio,status,active,note")
	for i := range rows {
		fmt.Fprintf(out, "%d,%d,%s,%04d-%02d-%02d,%04d-%02d-%02d %02d:%02d:%02d,%d.%02d,%.6f,%s,%v,note %x of it\n",
			i+1, rnd.Intn(100_000), cities[rnd.Intn(len(cities))],
			2020+rnd.Intn(5), 1+rnd.Intn(12), 1+rnd.Intn(28),
			2020+rnd.Intn(5), 1+rnd.Intn(12), 1+rnd.Intn(28), rnd.Intn(24), rnd.Intn(60), rnd.Intn(60),
			rnd.Intn(10_000), rnd.Intn(100), rnd.Float64(), states[rnd.Intn(len(states))], rnd.Intn(2) == 0, rnd.Intn(1<<24))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// sample is one finished process, or why there is none.
type sample struct {
	process.Sample
	failed string
}

func (w *world) measure(ctx context.Context, c command) sample {
	if c.before != nil {
		if err := c.before(); err != nil {
			return sample{failed: err.Error()}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), "DA_HOME="+w.file("home"))
	cmd.Dir = w.dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	var s sample
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		s.failed = fmt.Sprintf("> %.0f", w.limit.Seconds())
	case err != nil:
		s.failed = "failed: " + firstLine(stderr.String())
	default:
		s.Sample = process.Finished(cmd, wall)
	}
	return s
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

type options struct {
	da, npm string
	rows    int
	only    string
	slow    bool
	limit   time.Duration
}
