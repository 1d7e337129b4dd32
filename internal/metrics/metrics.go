package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ContentType is the media type of Text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Registry holds the metrics of a process.
type Registry struct {
	families []family
}

// family is all series of one name.
type family interface{ write(*bytes.Buffer) }

// Text returns all figures as they are now. A name without a series is left out.
func (r *Registry) Text() []byte {
	var out bytes.Buffer
	for _, f := range r.families {
		f.write(&out)
	}
	writeRuntime(&out)
	writeProcess(&out)
	return out.Bytes()
}

// desc describes one name.
type desc struct {
	name, help, kind string
}

// header writes the lines above the series.
func (d desc) header(out *bytes.Buffer) {
	help := strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(d.help)
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", d.name, help, d.name, d.kind)
}

// single writes a name with one series.
func (d desc) single(out *bytes.Buffer, labels string, value float64) {
	d.header(out)
	sample(out, d.name, labels, value)
}

// sample writes one line.
func sample(out *bytes.Buffer, name, labels string, value float64) {
	out.WriteString(name)
	if labels != "" {
		out.WriteString("{" + labels + "}")
	}
	out.WriteByte(' ')
	out.Write(strconv.AppendFloat(out.AvailableBuffer(), value, 'g', -1, 64))
	out.WriteByte('\n')
}

// pair returns a label as it is written.
func pair(label, value string) string {
	value = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "\uFFFD"))
	return label + `="` + value + `"`
}

// join returns labels as they are written; either may be empty.
func join(labels, more string) string {
	if labels == "" {
		return more
	}
	return labels + "," + more
}

// vector holds a T for each combination of label values that has occurred.
type vector[T any] struct {
	desc
	labels []string
	fresh  func() *T
	show   func(out *bytes.Buffer, name, labels string, v *T)

	mu     sync.Mutex
	series map[string]*T // by the labels as they are written
}

// with calls do with the series that has these values of the labels.
func (v *vector[T]) with(values []string, do func(*T)) {
	pairs := make([]string, len(v.labels))
	for i, label := range v.labels {
		pairs[i] = pair(label, values[i])
	}
	key := strings.Join(pairs, ",")
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.series[key]
	if s == nil {
		s = v.fresh()
		v.series[key] = s
	}
	do(s)
}

func (v *vector[T]) write(out *bytes.Buffer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.series) == 0 {
		return
	}
	v.header(out)
	for _, labels := range slices.Sorted(maps.Keys(v.series)) {
		v.show(out, v.name, labels, v.series[labels])
	}
}

// register adds a name to the registry. Names appear in the order in which they
// were added, labels in the order given here.
func register[T any](r *Registry, d desc, labels []string, fresh func() *T, show func(out *bytes.Buffer, name, labels string, v *T)) *vector[T] {
	v := &vector[T]{desc: d, labels: labels, fresh: fresh, show: show, series: map[string]*T{}}
	r.families = append(r.families, v)
	return v
}

// Number is a figure that is added to, for each combination of label values.
type Number struct{ v *vector[float64] }

// Counter adds a figure that only grows.
func (r *Registry) Counter(name, help string, labels ...string) Number {
	return r.number(desc{name, help, "counter"}, labels)
}

// Gauge adds a figure that grows and shrinks.
func (r *Registry) Gauge(name, help string, labels ...string) Number {
	return r.number(desc{name, help, "gauge"}, labels)
}

func (r *Registry) number(d desc, labels []string) Number {
	return Number{register(r, d, labels, func() *float64 { return new(float64) }, func(out *bytes.Buffer, name, labels string, v *float64) {
		sample(out, name, labels, *v)
	})}
}

// Add adds to the series with these label values.
func (n Number) Add(delta float64, values ...string) {
	n.v.with(values, func(f *float64) { *f += delta })
}
