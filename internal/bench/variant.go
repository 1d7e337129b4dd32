package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/bench/marks"
	"github.com/agnes-data/da/internal/bench/process"
)

// variant is a binary, run on some of the machine's cores.
type variant struct {
	da    string
	cores int    // 0: all there are
	note  string // what its rows are called beyond the case
}

// variants are what the options ask for. The first of each number of cores is the
// binary to measure, the next the older one.
func (o options) variants() ([]variant, error) {
	da, err := filepath.Abs(o.binary)
	if err != nil {
		return nil, err
	}
	old, err := filepath.Abs(o.old)
	if err != nil {
		return nil, err
	}
	var all []variant
	for _, text := range strings.Split(o.onCores, ",") {
		v := variant{da: da}
		if text != "" {
			if v.cores, err = strconv.Atoi(text); err != nil || v.cores < 1 {
				return nil, fmt.Errorf("'%s' is not a number of cores", text)
			}
			v.note = fmt.Sprintf(", cores: %d", v.cores)
		}
		all = append(all, v)
		if o.old != "" {
			all = append(all, variant{old, v.cores, v.note + ", old"})
		}
	}
	return all, nil
}

// as is the world with another variant.
func (w *world) as(v variant) *world {
	other := *w
	other.variant = v
	return &other
}

// command is a command line that runs on the variant's cores.
func (v variant) command(name string, args ...string) []string {
	line := append([]string{name}, args...)
	if v.cores > 0 {
		line = append([]string{"taskset", "--cpu-list", fmt.Sprintf("0-%d", v.cores-1)}, line...)
	}
	return line
}

// measure runs a command on the variant's cores.
func (w *world) measure(ctx context.Context, env []string, name string, args ...string) (process.Sample, []byte, error) {
	line := w.command(name, args...)
	return measure(ctx, env, line[0], line[1:]...)
}

// table begins a table whose figures are compared with those of before.
func (w *world) table(columns ...string) *marks.Table { return w.before.Table(os.Stdout, columns...) }
